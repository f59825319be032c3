/**
 * What `instrument` throws. The message begins with the place when there is one.
 *
 * - `ERR_PROFILYFILL_OPTION`: an argument or option has the wrong type, or is unknown;
 * - `ERR_PROFILYFILL_MAP`: a source map cannot be read, or is that of another file (js/plugin);
 * - `ERR_PROFILYFILL_SYNTAX`: the code cannot be parsed; then `line` and `column` (1-based, in the
 *   file, so shifted by the options of the same names) say where.
 */
export class InstrumentError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {{ url?: string, line?: number, column?: number, cause?: unknown }} [details]
   */
  constructor(code, message, { url, line, column, cause } = {}) {
    const place = line === undefined ? '' : `${url ?? '<anonymous>'}:${line}:${column}: `;
    super(place + message, cause === undefined ? undefined : { cause });
    this.name = 'InstrumentError';
    this.code = code;
    this.url = url;
    this.line = line;
    this.column = column;
  }
}

/** Refuses an argument or option. */
export function failOption(message) {
  throw new InstrumentError('ERR_PROFILYFILL_OPTION', message);
}

/** Refuses options that nobody knows. */
export function checkKeys(options, known) {
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) failOption(`unknown option ${JSON.stringify(key)}`);
  }
}
