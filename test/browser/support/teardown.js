export { endAll as default } from './environment.js';
