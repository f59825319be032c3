import { browserProfilingIntegration, flush, init, uiProfiler } from 'sentry-11';

export const name = 'Sentry';

/** @param {string} endPoint */
export function start(endPoint) {
  init({
    dsn: 'https://abc@o1.ingest.example.com/1', tunnel: endPoint,
    integrations: [browserProfilingIntegration()], profileSessionSampleRate: 1, profileLifecycle: 'manual',
  });
}

/** Profiles what `work` does, and sends it. */
export async function profile(work) {
  uiProfiler.startProfiler();
  await work();
  uiProfiler.stopProfiler();
  await flush(2000);
}
