#include "stacks.h"

#include <string.h>

enum { SITE_KIND, SITE_NAME, SITE_URL, SITE_LINE, SITE_COLUMN, SITE_WIDTH };
enum { STACK_PARENT, STACK_SITE, STACK_WIDTH };

// What a line came to, in place of a call site's id.
static const uint32_t LINE_NO_MEMORY = UINT32_MAX;
static const uint32_t LINE_SKIP = UINT32_MAX - 1;
static const uint32_t LINE_ASYNC = UINT32_MAX - 2;

void stacks_init(stacks *all, stack_engine engine, uint32_t frame_limit, uint32_t seed) {
  memset(all, 0, sizeof *all);
  all->engine = engine;
  all->frame_limit = frame_limit;
  all->seed = seed;
  strings_init(&all->strings);
  tuples_init(&all->sites, SITE_WIDTH);
  tuples_init(&all->stacks, STACK_WIDTH);
  texts_init(&all->whole);
  texts_init(&all->lines);
}

void stacks_clear(stacks *all) {
  strings_clear(&all->strings);
  tuples_clear(&all->sites);
  tuples_clear(&all->stacks);
  texts_clear(&all->whole);
  texts_clear(&all->lines);
}

static stacks_site site_at(const stacks *all, uint32_t site) {
  const uint32_t *row = tuples_row(&all->sites, site);
  return (stacks_site){(stack_line_kind)row[SITE_KIND], row[SITE_NAME], row[SITE_URL],
                       row[SITE_LINE], row[SITE_COLUMN]};
}

stacks_site stacks_site_at(const stacks *all, uint32_t stack) {
  return site_at(all, tuples_row(&all->stacks, stack)[STACK_SITE]);
}

bool stacks_may_be_wrapper(const stacks *all, stacks_site function, stacks_site below) {
  uint32_t length;
  strings_text(&all->strings, function.name, &length);
  return all->engine == STACK_ENGINE_JSC && (!length || function.name == below.name) &&
         function.url == below.url;
}

uint32_t stacks_parent(const stacks *all, uint32_t stack) {
  return tuples_row(&all->stacks, stack)[STACK_PARENT];
}

// Lines -------------------------------------------------------------------------------------------

// An unnamed function of a wasm module goes by its index (conformance row 73). Engines print it
// after the URL: `url:wasm-function[7]:0x1a`.
static void name_wasm(const stack_line *line, const char **name, uint32_t *length) {
  *name = line->url + line->url_len + 1;
  *length = 0;
  while ((*name)[(*length)++] != ']') continue;
}

// A fragment is a place in a document, not another script (conformance row 69). SpiderMonkey prints
// it; blob: and data: URLs are kept as they are.
static uint32_t length_without_fragment(const stack_line *line) {
  const char *url = line->url;
  bool is_place = line->url_len > 4 && (!memcmp(url, "http", 4) || !memcmp(url, "file", 4));
  const char *fragment = is_place ? memchr(url, '#', line->url_len) : NULL;
  return fragment ? (uint32_t)(fragment - url) : line->url_len;
}

static uint32_t intern_site(stacks *all, const stack_line *line) {
  const char *name;
  uint32_t name_length;
  stack_bare_name(all->engine, line, &name, &name_length);
  if (!name_length && line->has_wasm_function && line->has_url) {
    name_wasm(line, &name, &name_length);
  }
  uint32_t row[SITE_WIDTH] = {line->kind, strings_intern(&all->strings, name, name_length),
                              STRINGS_NONE, (uint32_t)line->line, (uint32_t)line->column};
  if (row[SITE_NAME] == STRINGS_NONE) return LINE_NO_MEMORY;
  if (line->has_url) {
    row[SITE_URL] = strings_intern(&all->strings, line->url, length_without_fragment(line));
    if (row[SITE_URL] == STRINGS_NONE) return LINE_NO_MEMORY;
  }
  uint32_t site = tuples_intern(&all->sites, row);
  return site == TUPLES_NONE ? LINE_NO_MEMORY : site;
}

// The call site of a line, or one of the LINE_ values.
static uint32_t read_line(stacks *all, const char *text, uint32_t length) {
  hash_pair hash = hash_bytes(text, length, all->seed);
  uint32_t site;
  if (texts_find(&all->lines, hash, &site)) return site;
  stack_line line;
  stack_line_parse(all->engine, text, length, &line);
  if (line.kind == STACK_LINE_ASYNC) {
    site = LINE_ASYNC;
  } else if (line.kind == STACK_LINE_SKIP || line.line > UINT32_MAX || line.column > UINT32_MAX) {
    site = LINE_SKIP;
  } else {
    site = intern_site(all, &line);
  }
  if (site != LINE_NO_MEMORY) texts_remember(&all->lines, hash, site);
  return site;
}

// Stacks ------------------------------------------------------------------------------------------

typedef struct {
  uint32_t sites[STACKS_DEPTH_MAX], kept;
  uint32_t frames;  // all that were printed, dropped and surplus ones too
  uint32_t dropped;
  bool no_memory;
} captured;

static void add_frame(const stacks *all, captured *out, uint32_t site, stacks_drop drop,
                      uint32_t before) {
  out->frames++;
  bool is_wrapper = drop.wrapper && out->frames == drop.leaf + 1 && before != LINE_SKIP &&
                    stacks_may_be_wrapper(all, site_at(all, before), site_at(all, site));
  if (out->frames <= drop.leaf || is_wrapper) {
    out->dropped++;
  } else if (out->kept < STACKS_DEPTH_MAX) {
    out->sites[out->kept++] = site;
  }
}

static void read_frames(stacks *all, const char *text, uint32_t length, stacks_drop drop,
                        captured *out) {
  stack_lines lines = {text, text + length};
  const char *line;
  uint32_t line_length, before = LINE_SKIP;
  out->kept = out->frames = out->dropped = 0;
  out->no_memory = false;
  for (bool first = true; stack_lines_next(&lines, &line, &line_length); first = false) {
    uint32_t site = read_line(all, line, line_length);
    if (site == LINE_NO_MEMORY) {
      out->no_memory = true;
      return;
    }
    // What comes below was on the stack when the work was put in a queue, not now.
    if (site == LINE_ASYNC) return;
    if (site == LINE_SKIP) {
      // V8 begins with the error's name; that is no fault of the text.
      if (!(first && all->engine == STACK_ENGINE_V8)) all->skipped_lines++;
      continue;
    }
    add_frame(all, out, site, drop, before);
    before = site;
  }
}

// Whether frames are missing at the root of what is left.
static bool drop_outermost(const stacks *all, uint32_t count, captured *stack) {
  if (stack->frames >= all->frame_limit) return true;  // the engine has cut them off already
  uint32_t left = stack->frames - stack->dropped;
  left = left > count ? left - count : 0;
  if (stack->kept > left) stack->kept = left;
  return left > stack->kept;
}

uint32_t stacks_intern(stacks *all, const char *text, uint32_t length, stacks_drop drop) {
  // The same text with other frames dropped is another stack.
  uint32_t seed = all->seed + drop.leaf * 62 + drop.wrapper * 31 + drop.root * 1009;
  hash_pair hash = hash_bytes(text, length, seed);
  uint32_t id;
  if (texts_find(&all->whole, hash, &id)) return id;
  captured stack;
  read_frames(all, text, length, drop, &stack);
  if (stack.no_memory) return STACKS_NO_MEMORY;
  bool is_cut = drop_outermost(all, drop.root, &stack);
  id = 0;
  while (stack.kept) {
    uint32_t row[STACK_WIDTH] = {id, stack.sites[--stack.kept]};
    id = tuples_intern(&all->stacks, row);
    if (id == TUPLES_NONE) return STACKS_NO_MEMORY;
    id++;
  }
  if (id && is_cut) id |= STACKS_CUT;
  texts_remember(&all->whole, hash, id);
  return id;
}

bool stacks_leaf(stack_engine engine, const char *text, uint32_t length, stack_line *leaf,
                 uint32_t *url_length) {
  stack_lines lines = {text, text + length};
  const char *text_line;
  uint32_t line_length;
  while (stack_lines_next(&lines, &text_line, &line_length)) {
    stack_line_parse(engine, text_line, line_length, leaf);
    if (leaf->kind == STACK_LINE_SKIP) continue;
    if (leaf->kind == STACK_LINE_ASYNC || !leaf->has_url) return false;
    *url_length = length_without_fragment(leaf);
    return true;
  }
  return false;
}
