import { spin } from './spin.js';

class Task {
  run(ms) {
    globalThis.busy = 'run';
    return spin(ms);
  }
}

onmessage = async ({ data }) => {
  const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 10_000 });
  new Task().run(data);
  postMessage(await profiler.stop());
};
