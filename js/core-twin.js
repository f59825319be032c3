// Pages whose policy refuses wasm: the JS twin of the core, made from the same wasm by the build.
//
// It is a file of its own (profilyfill-twin.js beside this build), since it is larger than the wasm
// and hardly any page needs it.

import { isModule, loadScript } from './beside.js';

/** Resolves to the twin's exports, named as the wasm's; rejects where it cannot be loaded. */
export const loadTwin = async () => (await (isModule
  ? import('./profilyfill-twin.mjs') : loadScript('profilyfill-twin.js', 'profilyfillTwin')
)).instantiate();
