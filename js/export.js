// What traces can be turned into.

export { toFirefoxProfile } from './export/firefox-profile.js';
