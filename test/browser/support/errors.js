/** An error of the driver itself (not of the page). `code` is stable; the message is for people. */
export class BrowserError extends Error {
  /**
   * @param {'BROWSER_UNKNOWN'|'BROWSER_NOT_FOUND'|'BROWSER_START_FAILED'|'BROWSER_TIMEOUT'|'BROWSER_CLOSED'|
   *   'ELEMENT_NOT_FOUND'|'NAVIGATION_FAILED'} code
   * @param {string} message
   * @param {unknown} [cause]
   */
  constructor(code, message, cause) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'BrowserError';
    this.code = code;
  }
}

/** An error thrown by code of the page: `message` and `pageName` are the page's, `pageStack` its stack. */
export class PageError extends Error {
  constructor({ name, message, stack }) {
    super(message);
    this.name = 'PageError';
    this.code = 'PAGE_ERROR';
    this.pageName = name;
    this.pageStack = stack;
  }
}
