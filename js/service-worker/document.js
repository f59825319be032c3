/** Documents on their way: what can be sent on is sent on, but the text of scripts when it has ended. */
import { assemble } from '../instrument/text.js';
import {
  concat, decode, detectEncoding, encodingOfMeta, findCharset, hasMark, insert,
} from './encoding.js';
import { InlineScripts } from './inline-scripts.js';
import { Policy } from './policy.js';

// What a parser of HTML would take for more than text of the script.
const MARKUP = /<!--|-->|<\/?script/gi;

const countMarkup = (text) => text.match(MARKUP)?.length ?? 0;

const LINE_END = /\r\n?|\n/g;

/** Where in its document some text is: lines, and columns in UTF-16 units, from 1. */
class Place {
  line = 1;

  column = 1;

  /** By how many columns insertions have moved this place. */
  growth = 0;

  #isAfterReturn = false;

  #decoder;

  #encoding;

  /** Goes on behind bytes of an encoding. */
  skip(bytes, encoding) {
    if (bytes.length === 0) return;
    if (encoding !== this.#encoding) {
      this.#encoding = encoding;
      this.#decoder = new TextDecoder(encoding);
    }
    const text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return;
    let from = 0;
    for (const { index, 0: { length } } of text.matchAll(LINE_END)) {
      from = index + length;
      // Its first half was the last thing before.
      if (index === 0 && this.#isAfterReturn && text[0] === '\n') continue;
      this.line++;
      this.column = 1;
      this.growth = 0;
    }
    this.column += text.length - from;
    this.#isAfterReturn = text.endsWith('\r');
  }
}

export class DocumentRewriter {
  #scripts;

  #policy = new Policy();

  #place = new Place();

  /** Of the Content-Type. */
  #charset;

  #encoding;

  /** Whether no `<meta>` tells of another. */
  #isCertain;

  /** What has not been sent on, and at which offset it starts. */
  #held = new Uint8Array(0);

  #from = 0;

  #page;

  /** Set when a document turns out to be none that can be dealt with. */
  #isLeft = false;

  /**
   * @param {string} url  of the document
   * @param {Headers} headers
   * @param {object} page
   * @param {(code: string, options: object) => readonly { offset: number, text: string }[]} page.instrument
   *   what to put into a script; nothing: leave it
   * @param {(url: string) => void} page.leave  told of files that must not change
   * @param {() => void} page.leaveAll  told when it cannot be known which these are
   */
  constructor(url, headers, page) {
    this.#scripts = new InlineScripts(url);
    this.#charset = findCharset(headers.get('content-type'));
    this.#policy.add(headers.get('content-security-policy'));
    this.#policy.add(headers.get('content-security-policy-report-only'));
    this.#page = page;
    for (const [, link] of (headers.get('link') ?? '').matchAll(/<([^>]*)>[^,]*;\s*integrity\s*=/gi)) {
      this.#scripts.keep(link);
    }
  }

  /**
   * @param {Uint8Array} bytes  the next ones
   * @returns {Promise<Uint8Array>}  what can be sent on
   */
  async write(bytes) {
    if (this.#isLeft) return bytes;
    const held = this.#held = this.#held.length === 0 ? bytes : concat([this.#held, bytes]);
    try {
      if (this.#encoding !== undefined) return await this.#rewrite(bytes);
      if (held.length < 3) return new Uint8Array(0); // which may be part of a mark
      this.#isCertain = this.#charset !== undefined || hasMark(held);
      this.#setEncoding(detectEncoding(held, this.#charset));
      return await this.#rewrite(held);
    } catch {
      this.#isLeft = true;
      this.#page.leaveAll();
      return held;
    }
  }

  /** @returns {Uint8Array}  the rest */
  end() {
    return this.#isLeft ? new Uint8Array(0) : this.#held;
  }

  #setEncoding(encoding) {
    if (encoding === undefined) throw new TypeError('an encoding that is not like ASCII');
    this.#encoding = encoding;
  }

  async #rewrite(bytes) {
    const scripts = this.#scripts;
    scripts.write(bytes);
    if (!this.#isCertain && scripts.charset !== undefined) this.#setEncoding(encodingOfMeta(scripts.charset));
    for (const text of scripts.policies.splice(0)) this.#policy.add(text);
    const start = this.#from;
    const held = this.#held;
    const parts = [];
    let at = start;
    const take = (to) => {
      const part = held.subarray(at - start, to - start);
      at = to;
      return part;
    };
    const pass = (part) => {
      this.#place.skip(part, this.#encoding);
      parts.push(part);
    };
    for (const { from, to, sourceType } of scripts.found.splice(0)) {
      pass(take(from));
      const code = take(to);
      if (sourceType === 'importmap') this.#readMap(code);
      const insertions = sourceType === 'importmap' ? [] : await this.#findInsertions(code, sourceType);
      const { line } = this.#place;
      pass(code);
      if (insertions.length === 0) continue;
      parts[parts.length - 1] = insert(code, this.#encoding, insertions);
      this.#grow(code, insertions, line);
    }
    for (const url of scripts.whole.splice(0)) this.#page.leave(url);
    pass(take(scripts.end));
    this.#held = held.subarray(at - start);
    this.#from = at;
    return concat(parts);
  }

  /** What an import map says of integrity. */
  #readMap(bytes) {
    let map;
    try {
      map = JSON.parse(decode(bytes, this.#encoding));
    } catch {
      return; // nor does the browser heed it
    }
    for (const url of Object.keys(map?.integrity ?? {})) this.#scripts.keep(url);
  }

  /** What goes into a script, by its bytes. */
  async #findInsertions(bytes, sourceType) {
    if (bytes.length === 0) return [];
    let code;
    try {
      code = decode(bytes, this.#encoding);
    } catch {
      return []; // another encoding than we think
    }
    // Parsers of HTML make another character of the first.
    if (code.includes('\0') || await this.#policy.covers(code)) return [];
    const { line, column, growth: moved } = this.#place;
    const insertions = this.#page.instrument(code, { sourceType, line, column, moved });
    return isSafe(code, insertions) ? insertions : [];
  }

  /** Takes note of what was inserted on the line that the document is at now. */
  #grow(bytes, insertions, line) {
    const code = decode(bytes, this.#encoding);
    const lastLine = line === this.#place.line ? 0 : /[^\r\n]*$/.exec(code).index;
    for (const { offset, text } of insertions) {
      if (offset >= lastLine) this.#place.growth += text.length;
    }
  }
}

/** Whether a parser of HTML sees in a script with insertions what it sees in the script. */
const isSafe = (code, insertions) => countMarkup(assemble(code, insertions)) === countMarkup(code);
