// import { install, Profiler } from 'profilyfill'

export { install } from './install.js';
export { Profiler } from './profiler.js';
export { startProfiler } from './start-profiler.js';
export { lateness } from './lateness.js';
export { counters } from './sampler.js';
export { coreKind } from './core.js';
