// profilyfill-worker.js: what workers load first that the option `workers` has wrapped (js/workers.js),
// by importScripts or import.

import { setAddress } from './beside.js';
import { install } from './install.js';
import { settings } from './settings.js';
import { pretend } from './worker-scope.js';

const address = location.href;
const [url, options] = JSON.parse(decodeURIComponent(location.hash.slice(1)));
settings.hidden = [address, options.workers];
setAddress(options.workers);
pretend(url);
install(options);
// Last, and so the answer to whether all of the above could be done.
postMessage(address);
