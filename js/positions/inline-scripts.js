/**
 * Finds the inline scripts in the text of a document, with their places in it.
 *
 * This is the part of an HTML tokenizer that it takes to tell a script from what only looks like one: in
 * comments, in attributes, in elements whose content is text, in templates, and in SVG. What it cannot
 * be sure of it leaves out.
 */

// https://mimesniff.spec.whatwg.org/#javascript-mime-type
const JAVASCRIPT =
  /^(?:(?:application|text)\/(?:x-)?(?:java|ecma)script|text\/(?:javascript1\.[0-5]|jscript|livescript))$/i;

/** Elements whose content is text up to their end tag; `noscript` is one where scripts run. */
const TEXT = /^(?:style|textarea|title|xmp|iframe|noembed|noframes|noscript)$/;

/** In these, markup has other rules, and scripts in templates do not run. */
const SKIPPED = /^(?:svg|math|template)$/;

const MARKUP = /<(?:(!--)|([!?]|\/(?![a-z]))|(\/?)([a-z][^\s/>]*))/gi;
const ATTRIBUTE =
  /[\s/]*(?:(>)|([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*|(?=>))))?)/gy;

/** The offset after `what`, or the end. */
function after(html, what, from) {
  const at = html.indexOf(what, from);
  return at < 0 ? html.length : at + what.length;
}

/** The offset after a comment whose text starts at `from`. */
function afterComment(html, from) {
  const short = /^-?>/.exec(html.slice(from, from + 2));
  if (short) return from + short[0].length;
  const end = /--!?>/g;
  end.lastIndex = from;
  return end.exec(html) ? end.lastIndex : html.length;
}

/** A tag's attributes, the first of each name; `undefined`: the tag does not end. */
function readAttributes(html, from) {
  const attributes = new Map();
  ATTRIBUTE.lastIndex = from;
  for (;;) {
    const found = ATTRIBUTE.exec(html);
    if (found === null) return undefined;
    const [, end, name, double, single, bare] = found;
    if (end) return { attributes, end: ATTRIBUTE.lastIndex };
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, double ?? single ?? bare ?? '');
  }
}

/** Where a text element's end tag starts; -1: nowhere. */
function findEndTag(html, name, from) {
  const end = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  end.lastIndex = from;
  return end.exec(html)?.index ?? -1;
}

/**
 * Where a script's end tag starts; -1: nowhere. After `<!--`, a script may contain `<script>` and
 * `</script>`.
 */
function findScriptEnd(html, from) {
  const marks = /<!--|-->|<\/?script(?=[\s/>])/gi;
  marks.lastIndex = from;
  let depth = 0;
  for (let found; (found = marks.exec(html)) !== null;) {
    const [mark] = found;
    if (mark === '<!--') {
      if (depth === 0) depth = 1;
      marks.lastIndex -= 2; // `<!-->` is a whole comment
    } else if (mark === '-->') depth = 0;
    else if (mark[1] === '/') {
      if (depth < 2) return found.index;
      depth = 1;
    } else if (depth === 1) depth = 2;
  }
  return -1;
}

/** 'module', 'script', or undefined for what is not run as JavaScript here; `attributes`: a Map. */
export function kindOf(attributes) {
  if (attributes.has('src') || attributes.has('nomodule')) return undefined;
  const language = attributes.get('language');
  const type = (attributes.get('type') ?? (language ? `text/${language}` : '')).trim();
  if (/^module$/i.test(type)) return 'module';
  return type === '' || JAVASCRIPT.test(type) ? 'script' : undefined;
}

/**
 * @param {string} text  of a document
 * @returns {{ code: string, sourceType: 'module' | 'script', line: number, column: number }[]}  `line` and
 *   `column`, from 1, of the first character after the start tag
 */
export function findInlineScripts(text) {
  const html = text.replace(/\r\n?/g, '\n'); // as parsers of HTML do before all else
  const scripts = [];
  let skipped = 0;
  let line = 1;
  let lineStart = 0;
  const place = (offset) => {
    for (let next; (next = html.indexOf('\n', lineStart) + 1) > 0 && next <= offset; line++) lineStart = next;
    return { line, column: offset - lineStart + 1 };
  };

  MARKUP.lastIndex = 0;
  for (let found; (found = MARKUP.exec(html)) !== null;) {
    const [, comment, bogus, slash, tag] = found;
    let at = MARKUP.lastIndex;
    if (comment) {
      MARKUP.lastIndex = afterComment(html, at);
      continue;
    }
    if (bogus) {
      const isData = skipped > 0 && html.startsWith('[CDATA[', at);
      MARKUP.lastIndex = after(html, isData ? ']]>' : '>', at);
      continue;
    }
    const read = readAttributes(html, at);
    if (read === undefined) break;
    at = read.end;
    const name = tag.toLowerCase();
    if (name === 'plaintext') break;
    if (SKIPPED.test(name)) {
      const isEmpty = name !== 'template' && html[at - 2] === '/';
      if (slash) skipped = Math.max(0, skipped - 1);
      else if (!isEmpty) skipped++;
    } else if (!slash && name === 'script') {
      const end = findScriptEnd(html, at);
      if (end < 0) break;
      const sourceType = skipped === 0 ? kindOf(read.attributes) : undefined;
      if (sourceType) scripts.push({ code: html.slice(at, end), sourceType, ...place(at) });
      at = end;
    } else if (!slash && TEXT.test(name)) {
      at = findEndTag(html, name, at);
      if (at < 0) break;
    }
    MARKUP.lastIndex = at;
  }
  return scripts;
}
