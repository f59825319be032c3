/**
 * Where the function table of a script is that does not hold it (the option `separateTable` of instrument()):
 * in a file beside it, which a page reads only when it builds a trace.
 *
 * @param {string} script  a URL, or the name of a file
 * @returns {string} the same but for the end of its path
 */
export const separateTableOf = (script) => script.replace(/(?=[?#])|$/, '.functions.json');
