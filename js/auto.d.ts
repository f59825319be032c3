// Types of 'profilyfill/auto': importing it makes `Profiler` a global, the browser's own where that
// works, else the polyfill.

import { Profiler as Polyfill } from './index.js';

declare global {
  interface Profiler extends Polyfill {}

  /**
   * A sampling profiler of this page's JavaScript, as specified by the JS Self-Profiling API:
   * https://wicg.github.io/js-self-profiling/
   */
  var Profiler: typeof Polyfill;
}
