// Pages whose policy refuses wasm: the JS twin of the core, made from the same wasm by the build.
//
// It is a file of its own (profilyfill-twin.js beside this build), since it is larger than the wasm
// and hardly any page needs it.

/* global __PROFILYFILL_FORMAT__ */

const isModule = __PROFILYFILL_FORMAT__ === 'esm';

// The script-tag build knows its address only while it runs for the first time.
const scriptUrl = globalThis.document?.currentScript?.src ?? globalThis.location?.href;

function loadByScriptTag(url) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = url;
    script.onload = () => resolve(globalThis.profilyfillTwin);
    script.onerror = () => reject(new Error(`cannot load ${url}`));
    document.head.append(script);
  });
}

/** Resolves to the twin's exports, named as the wasm's; rejects where it cannot be loaded. */
export async function loadTwin() {
  if (isModule) return (await import('./profilyfill-twin.mjs')).instantiate();
  const url = new URL('profilyfill-twin.js', scriptUrl).href;
  if (typeof importScripts === 'function') {
    importScripts(url);
    return globalThis.profilyfillTwin.instantiate();
  }
  return (await loadByScriptTag(url)).instantiate();
}
