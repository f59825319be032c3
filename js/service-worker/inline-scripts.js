/**
 * Finds the inline scripts of a document while it arrives, and what it says of its encoding and policy, and
 * of the integrity of other files.
 *
 * The parser gets each byte as a character: all that is markup is ASCII, and in none of the encodings that
 * are dealt with is a byte of `<`, `>`, `=` or a quote part of another character. So offsets are those of
 * bytes.
 */
import { Parser, defaultTreeAdapter, html } from 'parse5';
import { kindOf } from '../positions/inline-scripts.js';
import { findCharset } from './encoding.js';

/** undefined: it is none. */
function resolve(url, base) {
  try {
    return new URL(url, base).href;
  } catch {
    return undefined;
  }
}

const byName = ({ attrs }) => new Map(attrs.map(({ name, value }) => [name, value]));

export class InlineScripts {
  /**
   * Those that have ended and nobody has taken yet: `from` and `to` are offsets in bytes.
   *
   * @type {{ from: number, to: number, sourceType: 'module' | 'script' | 'importmap' }[]}
   */
  found = [];

  /** What `<meta>` tells, as far as it has been read. */
  charset;

  policies = [];

  /** URLs of files that must not change. */
  whole = [];

  /** To which URLs are relative. */
  base;

  #hasBase = false;

  /** The script that has begun: its element, where its text starts, its type. */
  #open;

  #length = 0;

  /** Templates around the place: what is in them does not run. */
  #templates = 0;

  #decoder = new TextDecoder('windows-1252'); // a character a byte

  #parser = new Parser({
    sourceCodeLocationInfo: true,
    treeAdapter: {
      ...defaultTreeAdapter,
      // Where text is matters to the parser, but not what it is.
      insertText: (parent) => defaultTreeAdapter.insertText(parent, ''),
      insertTextBefore: (parent, text, next) => defaultTreeAdapter.insertTextBefore(parent, '', next),
      onElementCreated: (element) => this.#create(element),
      onItemPush: (element) => this.#push(element),
      onItemPop: (element) => this.#pop(element),
    },
  });

  /** @param {string} url  of the document */
  constructor(url) {
    this.base = url;
  }

  /** Takes note of a file that must not change. */
  keep(url) {
    const address = resolve(url, this.base);
    if (address !== undefined) this.whole.push(address);
  }

  /** Up to this offset nothing can become part of a script's text any more. */
  get end() {
    return this.#open?.from ?? this.#length;
  }

  /** @param {Uint8Array} bytes  the next ones */
  write(bytes) {
    this.#length += bytes.length;
    this.#parser.tokenizer.write(this.#decoder.decode(bytes), false);
  }

  #create(element) {
    if (this.#templates > 0) return;
    const { tagName } = element;
    const attributes = byName(element);
    if (attributes.get('integrity')) this.keep(attributes.get('src') ?? attributes.get('href') ?? '');
    if (tagName === 'base' && attributes.has('href') && !this.#hasBase) {
      this.#hasBase = true;
      this.base = resolve(attributes.get('href'), this.base) ?? this.base;
    }
    if (tagName !== 'meta') return;
    const content = attributes.get('content') ?? '';
    const kind = attributes.get('http-equiv')?.toLowerCase();
    if (kind === 'content-security-policy') this.policies.push(content);
    this.charset ??= attributes.get('charset') ??
      (kind === 'content-type' ? findCharset(`;${content}`) : undefined);
  }

  #push(element) {
    const { tagName, namespaceURI, sourceCodeLocation } = element;
    if (isTemplate(element)) this.#templates++;
    if (tagName !== 'script' || namespaceURI !== html.NS.HTML || this.#templates > 0) return;
    const attributes = byName(element);
    const isMap = /^\s*importmap\s*$/i.test(attributes.get('type') ?? '') && !attributes.has('src');
    const sourceType = isMap ? 'importmap' : kindOf(attributes);
    if (sourceType) this.#open = { element, from: sourceCodeLocation.startTag.endOffset, sourceType };
  }

  #pop(element) {
    if (isTemplate(element)) this.#templates--;
    if (element !== this.#open?.element) return;
    const { from, sourceType } = this.#open;
    this.found.push({ from, to: element.sourceCodeLocation.endTag.startOffset, sourceType });
    this.#open = undefined;
  }
}

/** Declarative shadow roots are no templates: their scripts run. */
function isTemplate(element) {
  if (element.tagName !== 'template' || element.namespaceURI !== html.NS.HTML) return false;
  return !/^(?:open|closed)$/i.test(byName(element).get('shadowrootmode') ?? '');
}
