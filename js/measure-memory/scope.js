// What kind of global this is, as it was when this module was loaded.

const names = [
  'Window', 'DedicatedWorkerGlobalScope', 'SharedWorkerGlobalScope', 'ServiceWorkerGlobalScope',
];

function find() {
  for (let i = 0; i < names.length; i++) {
    const Interface = globalThis[names[i]];
    if (typeof Interface === 'function' && globalThis instanceof Interface) return names[i];
  }
  return undefined;
}

/** The name of the global's interface; undefined: none that can be measured, Node's for one. */
export const scope = find();
