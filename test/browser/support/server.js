/** The demo's server: one place knows the headers that make a page isolated, native and so on. */
export { MODES, startServer } from '../../../demo/server.js';
