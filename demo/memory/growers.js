/** Things that the page can be made to hold, of all the kinds that a measurement tells apart. */

const kept = [];
globalThis.kept = kept; // a global leads to them: what only closures hold is not found

const WORKER = `importScripts(BASE + 'measure-memory.iife.js');
self.kept = new Uint8Array(5e6).fill(1);
postMessage('ready');`;

function keepNode(node) {
  node.hidden = true;
  document.body.append(node);
  kept.push(node);
}

const loaded = (target, event) => new Promise((resolve) => {
  target.addEventListener(event, resolve, { once: true });
});

/** Title, and what makes it. */
export const GROWERS = [
  ['50,000 objects', () => {
    kept.push(Array.from({ length: 50_000 }, (x, i) => ({ id: i, label: `row ${i}`, done: i % 3 === 0 })));
  }],
  ['2,000 nodes', () => {
    const list = document.createElement('ul');
    for (let i = 0; i < 2_000; i++) {
      const item = document.createElement('li');
      item.textContent = `item ${i}`;
      list.append(item);
    }
    keepNode(list);
  }],
  ['a buffer of 4 MB', () => { kept.push(new ArrayBuffer(4e6)); }],
  ['a canvas', () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 1024, height: 768 });
    canvas.getContext('2d').fillRect(0, 0, 10, 10);
    keepNode(canvas);
  }],
  ['a frame', async () => {
    const frame = document.createElement('iframe');
    frame.id = `frame-${kept.length}`;
    frame.src = 'frame.html';
    const loading = loaded(frame, 'load');
    keepNode(frame);
    await loading;
  }],
  ['a worker', async () => {
    const base = JSON.stringify(new URL('../', location).href);
    const code = WORKER.replace('BASE', base);
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
    kept.push(worker);
    await loaded(worker, 'message');
  }],
];

/** Lets everything go. */
export function free() {
  for (const thing of kept.splice(0)) {
    if (thing instanceof Worker) thing.terminate();
    if (thing instanceof Node) thing.remove();
  }
}
