// Files of the build that lie beside it and that hardly any page needs: loaded when they are.

/* global __PROFILYFILL_FORMAT__ */

export const isModule = __PROFILYFILL_FORMAT__ !== 'iife';

// The script-tag build knows its address only while it runs for the first time.
const { document, location } = globalThis;
const own = document?.currentScript;
let address = own?.src ?? location?.href;

export const setAddress = (url) => { address = url; };
export const addressOf = (file) => new URL(file, address).href;

/**
 * Runs a script that lies beside the script-tag build.
 * @returns {Promise<object>} the global that it defines; rejected where it cannot be loaded
 */
export function loadScript(file, name) {
  return new Promise((resolve, reject) => {
    const url = addressOf(file);
    const finish = () => resolve(globalThis[name]);
    if (typeof importScripts === 'function') {
      try {
        importScripts(url);
        finish();
      } catch {
        // In a module worker. Bundlers, which would ask what is imported here, see other builds.
        if (__PROFILYFILL_FORMAT__ === 'iife') import(url).then(finish, reject);
      }
      return;
    }
    const script = document.createElement('script');
    script.src = url;
    script.nonce = own?.nonce;
    script.onload = finish;
    script.onerror = reject;
    document.head.append(script);
  });
}
