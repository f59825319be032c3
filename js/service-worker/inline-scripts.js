/**
 * Finds the inline scripts of a document while it arrives, and what it says of its encoding and policy.
 *
 * The parser gets each byte as a character: all that is markup is ASCII, and in none of the encodings that
 * are dealt with is a byte of `<`, `>`, `=` or a quote part of another character. So offsets are those of bytes.
 */
import { Parser, defaultTreeAdapter, html } from 'parse5';
import { kindOf } from '../positions/inline-scripts.js';
import { findCharset } from './encoding.js';

const byName = ({ attrs }) => new Map(attrs.map(({ name, value }) => [name, value]));

export class InlineScripts {
  /**
   * Those that have ended and nobody has taken yet: `from` and `to` are offsets in bytes.
   *
   * @type {{ from: number, to: number, sourceType: 'module' | 'script' }[]}
   */
  found = [];

  /** What `<meta>` tells, as far as it has been read. */
  charset;

  policies = [];

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
    if (element.tagName !== 'meta' || this.#templates > 0) return;
    const attributes = byName(element);
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
    const sourceType = kindOf(byName(element));
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
