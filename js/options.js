// Options as users give them to install() and its like, of the profiler and of memory measurement.

/** @returns {TypeError} with `code` ERR_PROFILYFILL_OPTION */
export function invalid(message) {
  const error = new TypeError(`profilyfill: ${message}`);
  error.code = 'ERR_PROFILYFILL_OPTION';
  return error;
}

/**
 * @param {object} options
 * @param {Record<string, string>} kinds the types that each of them may have, in words
 * @param {string} period one that is a number above 0
 * @throws {TypeError} ERR_PROFILYFILL_OPTION
 */
export function checkOptions(options, kinds, period) {
  for (const name in options) {
    if (!(name in kinds)) throw invalid(`unknown option '${name}'`);
    if (!kinds[name].includes(typeof options[name])) {
      throw invalid(`option '${name}' must be a ${kinds[name]}`);
    }
  }
  const { [period]: ms = 1 } = options;
  if (!(ms > 0 && ms < Infinity)) throw invalid(`option '${period}' must be above 0, and finite`);
}
