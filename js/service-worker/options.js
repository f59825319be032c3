/** What users may say, in code or in the query of the address that is registered. */
import { makeFilter } from '../file-patterns.js';
import { instrument } from '../instrument.js';
import { checkKeys, failOption as fail } from '../instrument/error.js';

const POLICIES = ['credentialless', 'require-corp'];

const KEYS = [
  'include', 'exclude', 'precision', 'minFunctionSize', 'executing', 'memoryRoots', 'samplingRate', 'isolate',
  'fetch',
];

/**
 * @param {import('../service-worker.js').ServiceWorkerOptions} options
 * @returns {object} the same, complete and checked, with the test `includes(file)` and the options of
 *   instrument() in `code`
 * @throws {InstrumentError} `ERR_PROFILYFILL_OPTION`
 */
export function checkOptions(options) {
  if (typeof options !== 'object' || options === null) fail('options must be an object');
  checkKeys(options, KEYS);
  const { include, exclude, samplingRate = 1, isolate, fetch = fetchAsBefore, ...code } = options;
  if (!(typeof samplingRate === 'number' && samplingRate >= 0 && samplingRate <= 1)) {
    fail('samplingRate must be a number from 0 to 1');
  }
  if (isolate !== undefined && !POLICIES.includes(isolate)) {
    fail(`isolate must be one of ${POLICIES.join(', ')}`);
  }
  if (typeof fetch !== 'function') fail('fetch must be a function');
  instrument('', code); // to have its options checked
  return { includes: makeFilter({ include, exclude }), samplingRate, isolate, fetch, code };
}

/** What would have been the response. */
const fetchAsBefore = async ({ preloadResponse, request }) => (await preloadResponse) ?? fetch(request);

/**
 * The options in a query. `include` and `exclude` may be there several times.
 *
 * @param {string} query
 * @returns {import('../service-worker.js').ServiceWorkerOptions} not checked
 */
export function parseQuery(query) {
  const options = {};
  for (const [key, value] of new URLSearchParams(query)) {
    if (key === 'include' || key === 'exclude') (options[key] ??= []).push(value);
    else if (key === 'samplingRate' || key === 'minFunctionSize') {
      options[key] = value.trim() === '' ? NaN : Number(value);
    } else if (key === 'executing' || key === 'memoryRoots') options[key] = value === '' || value === 'true';
    else if (key === 'fetch') fail('fetch cannot be given in a query');
    else options[key] = value;
  }
  return options;
}
