import { datadogRum } from '@datadog/browser-rum';

export const name = 'Datadog';

const MIN = 5200; // ms: shorter profiles are not sent

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let status; // of the SDK's profiler, as its events tell

/** @param {string} endPoint */
export function start(endPoint) {
  datadogRum.init({
    clientToken: 'pub0123456789', applicationId: '00000000-0000-4000-8000-000000000000', service: 'demo',
    sessionSampleRate: 100, profilingSampleRate: 100, proxy: endPoint,
    beforeSend({ _dd: { profiling } }) {
      status = profiling?.status;
      return true;
    },
  });
}

/** It profiles all the time: does `work` when it has begun, and has it send when it may. */
export async function profile(work) {
  for (; status !== 'running'; await sleep(100)) datadogRum.addAction('look');
  const since = performance.now();
  await work();
  await sleep(since + MIN - performance.now());
  datadogRum.stopSession();
}
