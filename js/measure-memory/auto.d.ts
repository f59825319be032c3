// Types of 'profilyfill/measure-memory/auto': importing it installs
// `performance.measureUserAgentSpecificMemory()` where the browser has none.

import '../measure-memory.js';
