/** A small app as people build them: styles, a part that is loaded when needed, a worker, a package. */
import './style.css';
import { spin } from './spin.js';

const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });

const ask = (ms) => new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => reject(new Error(message));
  worker.postMessage(ms);
});

/** Works for so long in each of its parts; traces of the page and of the worker. */
globalThis.run = async (ms) => {
  const { render } = await import('./render.js');
  const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 10_000 });
  spin(ms);
  document.body.innerHTML = render(ms);
  const page = await profiler.stop();
  return { page, worker: await ask(ms), color: getComputedStyle(document.body).color };
};
