// What a page does with an SDK. `run(ms)` profiles busy code and resolves when the SDK was told to send.
import { crunch, work } from './busy.js';

const [, mode] = location.pathname.split('/');
const query = new URLSearchParams(location.search);

/** Where the page's server takes what the SDKs send. `?run=` tells the runs apart. */
export const endPoint = (company) => `/${mode}/ingest/${company}/${query.get('run')}`;

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** In a task of its own, called by nobody but the timer. */
const busy = (ms) => new Promise((resolve) => {
  setTimeout(() => {
    globalThis.started = Date.now();
    work(ms);
    crunch(1);
    globalThis.ended = Date.now();
    resolve();
  });
});

const DSN = 'https://abc@o1.ingest.example.com/1';

/** Versions 10 and 11. */
export function useSentry({ init, browserProfilingIntegration, uiProfiler, flush }) {
  init({
    dsn: DSN, tunnel: endPoint('sentry'), integrations: [browserProfilingIntegration()],
    profileSessionSampleRate: 1, profileLifecycle: 'manual',
  });
  globalThis.run = async (ms) => {
    uiProfiler.startProfiler();
    await busy(ms);
    await sleep(50);
    uiProfiler.stopProfiler();
    await flush(2000);
  };
}

/** Version 9. */
export function useSentry9({ init, browserProfilingIntegration, startInactiveSpan, flush }) {
  init({
    dsn: DSN, tunnel: endPoint('sentry'), integrations: [browserProfilingIntegration()],
    tracesSampleRate: 1, profilesSampleRate: 1,
  });
  globalThis.run = async (ms) => {
    const span = startInactiveSpan({ name: 'busy', op: 'task', forceTransaction: true });
    await busy(ms);
    await sleep(50);
    span.end();
    await sleep(50);
    await flush(2000);
  };
}

export function useDatadog(datadogRum) {
  let status; // of the profiler, as events tell it
  datadogRum.init({
    clientToken: 'pub0123456789', applicationId: '00000000-0000-4000-8000-000000000000', service: 'busy',
    sessionSampleRate: 100, profilingSampleRate: 100, allowUntrustedEvents: true,
    proxy: endPoint('datadog'),
    beforeSend: ({ _dd: { profiling } }) => {
      status = profiling?.status;
      return true;
    },
  });
  globalThis.run = async (ms) => {
    // It is a chunk of its own, which has to come first.
    for (; status !== 'running'; await sleep(100)) datadogRum.addAction('look');
    const start = performance.now();
    await busy(ms);
    // What is shorter than 5 s is not sent.
    await sleep(start + 5100 - performance.now());
    datadogRum.stopSession();
  };
}
