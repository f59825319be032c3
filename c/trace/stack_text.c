/* Reading the text of `error.stack`; the grammar is drawn in stack_text.h. */
#include "trace/stack_text.h"

#include <stddef.h>
#include <string.h>

/* Lists of words are one string, each word closed by a NUL, the list by another. */

/* Places that begin so are beyond doubt, though no "//" follows the scheme. */
static const char opaque_schemes[] =
    "data:\0blob:\0about:\0javascript:\0node:\0file:\0user-script:\0jar:\0filesystem:\0"
    "self-hosted:\0debugger eval code:\0[native code]\0[wasm code]\0wasm-function[\0";

/* Whole places that stand for "inside the engine". */
static const char native_places[] =
    "<anonymous>\0native\0native code\0[native code]\0unknown location\0unknown source\0";

/* Whole places Chakra prints for code without a file. */
static const char eval_places[] = "eval code\0Function code\0Unknown script code\0";

static const char toplevel_names[] =
    "global code\0module code\0eval code\0Global code\0Anonymous function\0";

/*
 * Does the line come from an engine of the past? No browser that can run this code is one: a build
 * for browsers defines STACK_TEXT_LIVING_ENGINES and leaves their forms out.
 */
static bool is_past(stack_engine engine) {
#ifdef STACK_TEXT_LIVING_ENGINES
  (void)engine;
  return false;
#else
  return engine == STACK_ENGINE_OTHER;
#endif
}

/* ---- bytes and words ---- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* The letters of identifiers; every non-ASCII byte is taken for one. */
static bool is_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool starts_with(const char *s, const char *e, const char *word) {
  for (; *word; s++, word++) {
    if (s == e || *s != *word) return false;
  }
  return true;
}

static const char *after_word(const char *word) {
  while (*word) word++;
  return word + 1;
}

/* One of the words starts [s, e), or, if `whole`, is all of it. */
static bool has_word(const char *s, const char *e, const char *words, bool whole) {
  for (; *words; words = after_word(words)) {
    ptrdiff_t len = after_word(words) - words - 1;
    if (starts_with(s, e, words) && (!whole || e - s == len)) return true;
  }
  return false;
}

static const char *find(const char *s, const char *e, const char *word) {
  for (; s < e; s++) {
    if (starts_with(s, e, word)) return s;
  }
  return NULL;
}

static const char *find_last(const char *s, const char *e, const char *word) {
  for (const char *p = e; p-- > s;) {
    if (starts_with(p, e, word)) return p;
  }
  return NULL;
}

/* ---- numbers ---- */

/* The value of decimal or hexadecimal digits; too large ones stop at the largest number. */
static uint64_t number(const char *s, const char *e, unsigned base) {
  uint64_t n = 0;
  for (; s < e; s++) {
    unsigned digit = is_digit(*s) ? (unsigned)(*s - '0') : ((unsigned)*s & 7) + 9;
    if (n > (UINT64_MAX - 15) / base) return UINT64_MAX;
    n = n * base + digit;
  }
  return n;
}

/* Where the ":123" that ends [s, e) starts, or NULL. */
static const char *number_before(const char *s, const char *e) {
  const char *p = e;
  while (p > s && is_digit(p[-1])) p--;
  return p < e && p > s && p[-1] == ':' ? p - 1 : NULL;
}

/* Takes ":line:column" or ":line" off the end of [s, e); returns the new end. */
static const char *take_position(const char *s, const char *e, stack_line *out) {
  const char *last = number_before(s, e);
  if (!last) return e;
  const char *first = number_before(s, last);
  out->has_line = true;
  if (!first) {
    out->line = number(last + 1, e, 10);
    return last;
  }
  out->has_column = true;
  out->line = number(first + 1, last, 10);
  out->column = number(last + 1, e, 10);
  return first;
}

/* Takes "[:]wasm-function[index][:offset]" off the end of [s, e); NULL when there is none. */
static const char *take_wasm(const char *s, const char *e, stack_line *out) {
  uint64_t offset = 0;
  const char *p = e;
  while (p > s && (is_digit(p[-1]) || (p[-1] >= 'a' && p[-1] <= 'f'))) p--;
  if (p < e && p - s > 3 && starts_with(p - 3, e, ":0x")) {
    offset = number(p, e, 16);
    e = p - 3;
  } else if ((p = number_before(s, e))) { /* V8 before 7.7 */
    offset = number(p + 1, e, 10);
    e = p;
  }
  if (s == e || *--e != ']') return NULL;
  for (p = e; p > s && is_digit(p[-1]);) p--;
  if (p == e || p - s < 14 || !starts_with(p - 14, e, "wasm-function[")) return NULL;
  const char *word = p - 14;
  if (word > s && *--word != ':') return NULL;
  out->kind = STACK_LINE_WASM;
  out->has_wasm_function = true;
  out->wasm_function = number(p, e, 10);
  out->wasm_offset = offset;
  return word;
}

/* ---- places ---- */

/* What a line says that is no frame. */
static void clear(stack_line *out) { *out = (stack_line){0}; }

static void set_name(stack_line *out, const char *s, const char *e) {
  out->name = s;
  out->name_len = (uint32_t)(e - s);
}

/* Something that is plainly a place begins at s: a scheme, a drive, a word of the engine's own. */
static bool is_place_start(const char *s, const char *e) {
  const char *p = s;
  if (has_word(s, e, opaque_schemes, false)) return true;
  if (p == e || !is_letter(*p)) return false;
  while (p < e && (is_letter(*p) || is_digit(*p) || *p == '+' || *p == '-' || *p == '.')) p++;
  if (starts_with(p, e, "://")) return true;
  return p == s + 1 && (starts_with(p, e, ":\\") || starts_with(p, e, ":/"));
}

/* SpiderMonkey's eval, Function, injected scripts: "url line 12 > word". */
static bool has_introducer(const char *s, const char *e) {
  while ((s = find(s, e, " line "))) {
    s += 6;
    const char *digits = s;
    while (s < e && is_digit(*s)) s++;
    if (s > digits && starts_with(s, e, " > ")) return true;
  }
  return false;
}

/* Reads the place [s, e) whole: kind, URL and numbers of *out. */
static void read_place(stack_engine engine, const char *s, const char *e, stack_line *out) {
  out->kind = STACK_LINE_FRAME;
  if (has_word(s, e, native_places, true) || starts_with(s, e, "index ")) {
    out->kind = STACK_LINE_NATIVE;
    return;
  }
  if (starts_with(s, e, "[wasm code]")) {
    out->kind = STACK_LINE_WASM;
    return;
  }
  if (is_past(engine) && starts_with(s, e, "address at ")) s += 11; /* Hermes, running bytecode */
  const char *end = take_wasm(s, e, out);
  if (!end) {
    end = take_position(s, e, out);
    bool own_word = is_past(engine) && has_word(s, end, eval_places, true);
    const char *origin = starts_with(s, end, "eval at ") ? find_last(s, end, ")") : NULL;
    if (own_word) s = end;
    if (origin) { /* what follows the origin is the place in the eval code itself */
      s = origin + 1;
      if (starts_with(s, end, ", ")) s += 2;
    }
    if (own_word || origin || has_introducer(s, end)) out->kind = STACK_LINE_EVAL;
  }
  out->has_url = s < end && !(starts_with(s, end, "<anonymous>") && end - s == 11);
  if (out->has_url) {
    out->url = s;
    out->url_len = (uint32_t)(end - s);
  }
}

/* ---- V8 and its likes: "at call (place)" ---- */

/* [s, e) can be the place of a call: plainly one, or with a position, or at least a file name. */
static bool is_place(const char *s, const char *e) {
  stack_line probe;
  if (is_place_start(s, e) || has_word(s, e, native_places, true)) return true;
  if (starts_with(s, e, "eval at ") || starts_with(s, e, "index ")) return true;
  if (number_before(s, e) || take_wasm(s, e, &probe)) return true;
  bool dotted = false;
  for (; s < e && !is_blank(*s); s++) dotted = dotted || *s == '.' || *s == '/';
  return dotted && s == e;
}

/*
 * The "(" that starts the place in [s, e), whose closing ")" was at e, or NULL. First choice is the
 * one that the ")" closes; the others are for URLs whose parentheses do not balance and for loggers
 * that leave out the blank.
 */
static const char *find_place(const char *s, const char *e) {
  const char *match = NULL;
  uint32_t depth = 1;
  for (const char *p = e; p-- > s && !match;) {
    if (*p == ')') depth++;
    if (*p == '(' && --depth == 0) match = p;
  }
  if (match && match > s && match[-1] == ' ' && is_place(match + 1, e)) return match;

  const char *origin = find(s, e, " (eval at ");
  if (origin && find_last(origin, e, "), <anonymous>:")) return origin + 1;

  const char *last = NULL;
  for (const char *p = e; p-- > s;) {
    if (*p != '(' || p == s || p[-1] != ' ') continue;
    if (is_place_start(p + 1, e)) return p;
    if (!last) last = p;
  }
  if (match && is_place_start(match + 1, e)) return match;
  if (last && is_place(last + 1, e)) return last;
  return match && is_place(match + 1, e) ? match : NULL;
}

static bool read_at_hybrid(const char *s, const char *e, stack_line *out);

/* [s, e) is what follows "at ". */
static void read_call(stack_engine engine, const char *s, const char *e, stack_line *out) {
  bool is_async = starts_with(s, e, "async ") && !starts_with(s, e, "async (");
  if (is_async) s += 6;
  if (s == e) return;

  if (e[-1] != ')') { /* no call: the place alone */
    read_place(engine, s, e, out);
    bool marker = *s == '<' && e[-1] == '>';
    if (!out->has_column && out->kind == STACK_LINE_FRAME && !marker) {
      /* A name broken in two must not become a place. */
      bool start = is_place_start(s, e) || (is_past(engine) && out->has_line);
      if (!start || (!out->has_line && find(s, e, " "))) {
        clear(out);
        return;
      }
    }
    set_name(out, s, s);
  } else {
    const char *open = find_place(s, e - 1);
    if (!open) return;
    bool hybrid = is_past(engine) && open > s && open[-1] == ':';
    if (hybrid && read_at_hybrid(s, e, out)) return;
    read_place(engine, open + 1, e - 1, out);
    e = open > s && open[-1] == ' ' ? open - 1 : open;
    if (starts_with(s, e, "new ")) {
      s += 4;
      out->is_constructor = true;
    }
    const char *alias = e > s && e[-1] == ']' ? find_last(s, e, " [as ") : NULL;
    if (alias && alias > s) e = alias;
    if (starts_with(s, e, "<anonymous>") && e - s == 11) e = s;
    set_name(out, s, e);
    bool is_thunk = starts_with(s, e, "js-to-wasm:") || starts_with(s, e, "wasm-to-js:");
    if (is_thunk && out->kind == STACK_LINE_NATIVE) out->kind = STACK_LINE_WASM;
  }
  if (is_async) out->kind = STACK_LINE_ASYNC;
}

/* ---- SpiderMonkey, JavaScriptCore and their likes: "name@place" ---- */

/* The "@" between name and place when no place is plainly one. */
static const char *find_weak_at(const char *s, const char *e) {
  const char *first = NULL;
  bool quoted = false;
  for (; s < e; s++) {
    if (*s == '"') quoted = !quoted;
    if (*s != '@') continue;
    if (!quoted) return s; /* not the last one: paths hold "@scope/pkg@1.2.3" */
    if (!first) first = s;
  }
  return first;
}

/* Old JavaScriptCore: a line that is a place or a name alone. */
static void read_bare_jsc(const char *s, const char *e, stack_line *out) {
  read_place(STACK_ENGINE_JSC, s, e, out);
  bool alone = !find(s, e, " ");
  if (is_place_start(s, e) ? out->has_line || out->kind != STACK_LINE_FRAME || alone
                           : out->has_column && alone) {
    set_name(out, s, s);
    return;
  }
  clear(out);
  /* A function of eval code has no place at all; a header made of one word is not one. */
  const char *p = s;
  while (p < e && is_word(*p)) p++;
  bool header = e - s >= 5 && starts_with(e - 5, e, "Error");
  if ((p == e && !is_digit(*s) && !header) || has_word(s, e, toplevel_names, true)) {
    out->kind = STACK_LINE_EVAL;
    set_name(out, s, e);
  }
}

/* Drops "cause*" from SpiderMonkey's name; true if there was one. */
static bool drop_cause(stack_line *out) {
  const char *s = out->name, *e = s + out->name_len, *p = s;
  if (out->kind == STACK_LINE_WASM) return false; /* "void* f<int>()", "operator*(A, B)" */
  while (p < e && (is_word(*p) || *p == ' ' || *p == '.' || *p == '-' || *p == ':')) p++;
  if (p == s || p == e || *p != '*') return false;
  set_name(out, p + 1, e);
  return true;
}

/* Drops what Firefox up to 13 and Presto print around a name: `name(arguments)`. */
static void drop_arguments(stack_line *out) {
  const char *s = out->name, *e = s + out->name_len;
  if (s == e || e[-1] != ')') return;
  const char *open = find(s, e, "(");
  if (!open) return;
  e = open;
  if (starts_with(s, e, "<anonymous function") && e[-1] == '>') {
    const char *name = find(s, e, ": ");
    e--;
    s = name ? name + 2 : e;
  }
  set_name(out, s, e);
}

static void read_at(stack_engine engine, const char *s, const char *e, stack_line *out) {
  /* JavaScriptCore prints nothing after the "@" of eval code, and a position after every URL. */
  bool empty = engine == STACK_ENGINE_JSC && e[-1] == '@';
  const char *at = empty ? e - 1 : NULL;
  for (const char *p = e; p-- > s && !at;) {
    if (*p == '@' && is_place_start(p + 1, e)) at = p;
  }
  bool sure = at != NULL;
  if (!sure) {
    if (engine == STACK_ENGINE_JSC && (is_place_start(s, e) || !find(s, e, "@"))) {
      read_bare_jsc(s, e, out);
      return;
    }
    stack_line probe;
    at = take_wasm(s, e, &probe) ? find_last(s, e, "@") : find_weak_at(s, e);
    if (!at) return;
  }

  read_place(engine, at + 1, e, out);
  if (!empty && !out->has_line && out->kind != STACK_LINE_WASM) {
    /* Without position only a word of the engine's or a URL by itself; not a message with a URL. */
    if (!sure || (out->kind == STACK_LINE_FRAME && find(s, e, " "))) {
      clear(out);
      return;
    }
  }
  set_name(out, s, at);
  if (engine == STACK_ENGINE_JSC) {
    if (starts_with(s, at, "async ")) {
      set_name(out, s + 6, at);
      out->kind = STACK_LINE_ASYNC;
    } else if (empty && !starts_with(s, at, "global code") && !starts_with(s, at, "module code")) {
      out->kind = STACK_LINE_EVAL;
    }
    return;
  }
  if (drop_cause(out)) out->kind = STACK_LINE_ASYNC;
  if (out->has_line && !out->has_column) drop_arguments(out);
}

/* ---- hybrids and engines of the past ---- */

/* "name@scheme:(//rest:1:2)", written by an extension's logger. */
static bool read_at_hybrid(const char *s, const char *e, stack_line *out) {
  const char *open = find(s, e, ":(//");
  const char *at = open ? find_last(s, open, "@") : NULL;
  if (!at) return false;
  read_place(STACK_ENGINE_OTHER, open + 2, e - 1, out);
  set_name(out, s, at);
  out->url_scheme = at + 1;
  out->url_scheme_len = (uint32_t)(open - at);
  return true;
}

/* Presto 10: "Line 18 of linked script https://...: In function printAll". */
static bool read_presto(const char *s, const char *e, stack_line *out) {
  if (!starts_with(s, e, "Line ")) return false;
  const char *digits = s += 5;
  while (s < e && is_digit(*s)) s++;
  const char *url = find(s, e, "script ");
  if (s == digits || !starts_with(s, e, " of ") || !url) return false;
  const char *name = find_last(url, e, ": In function ");
  url += starts_with(url, e, "script in ") ? 10 : 7;
  const char *url_end = name ? name : e;
  if (!is_place_start(url, url_end)) return false;
  out->kind = STACK_LINE_FRAME;
  out->has_line = out->has_url = true;
  out->line = number(digits, s, 10);
  out->url = url;
  out->url_len = (uint32_t)(url_end - url);
  set_name(out, name ? name + 14 : e, e);
  return true;
}

/* ---- lines ---- */

void stack_line_parse(stack_engine engine, const char *text, uint32_t len, stack_line *out) {
  const char *s = text, *e = text + len;
  clear(out);
  while (e > s && (is_blank(e[-1]) || e[-1] == '\r')) e--;
  if (s == e) {
    if (engine == STACK_ENGINE_JSC) out->name = s;
    return;
  }
  if (engine == STACK_ENGINE_SPIDERMONKEY || engine == STACK_ENGINE_JSC) {
    read_at(engine, s, e, out);
    return;
  }
  const char *p = s;
  while (p < e && is_blank(*p)) p++;
  bool indented = p > s;
  if (starts_with(p, e, "at ") && (indented || is_past(engine))) {
    read_call(engine, p + 3, e, out);
    if (out->kind != STACK_LINE_SKIP) return;
  }
  if (is_past(engine) && !read_presto(p, e, out)) read_at(engine, p, e, out);
}

bool stack_lines_next(stack_lines *lines, const char **line, uint32_t *len) {
  if (lines->at == lines->end) return false;
  const char *stop = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
  if (!stop) stop = lines->end;
  *line = lines->at;
  *len = (uint32_t)(stop - lines->at);
  lines->at = stop == lines->end ? stop : stop + 1;
  return true;
}

/* ---- bare names ---- */

/* A static name that V8 puts a type before: an identifier, a private name, an accessor of one. */
static bool is_member_name(const char *s, const char *e) {
  if (starts_with(s, e, "get ") || starts_with(s, e, "set ")) s += 4;
  if (s < e && *s == '#') s++;
  if (s == e) return false;
  while (s < e && is_word(*s)) s++;
  return s == e;
}

/* Types are written with a capital; scripts without case are given the benefit of the doubt. */
static bool is_type_name(const char *s, const char *e) {
  while (s < e && (*s == '_' || *s == '$')) s++;
  return s < e && ((*s >= 'A' && *s <= 'Z') || (unsigned char)*s >= 0x80);
}

void stack_bare_name(stack_engine engine, const stack_line *line, const char **name,
                     uint32_t *len) {
  *name = line->name;
  *len = line->name_len;
  if (*len == 0 || line->kind == STACK_LINE_WASM) return;
  const char *s = *name, *e = s + *len;
  bool guessed = false;
  const char *dot = find(s, e, ".");
  if (engine == STACK_ENGINE_JSC) {
    guessed = has_word(s, e, toplevel_names, true);
  } else if (engine == STACK_ENGINE_SPIDERMONKEY) {
    guessed = dot || e[-1] == '<' || e[-1] == ']' || find(s, e, "/");
  } else if (dot) {
    guessed = line->is_constructor || !is_type_name(s, dot) || !is_member_name(dot + 1, e);
    *name = dot + 1;
    *len = (uint32_t)(e - dot - 1);
  } else {
    guessed = e[-1] == ']' || starts_with(s, e, "<computed>") ||
              (is_past(engine) && has_word(s, e, toplevel_names, true));
  }
  if (guessed) *len = 0;
}
