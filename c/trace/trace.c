#include "trace.h"

#include <string.h>

#include "memory.h"

// `resolved` before a stack is looked at, and what sets apart the two phases.
static const uint32_t UNREACHED = 0, REACHED = 1, UNRESOLVED = UINT32_MAX;

void trace_clear(trace *t) {
  mem_free(t->resolved);
  mem_free(t->source_of);
  mem_free(t->sources);
  strings_clear(&t->strings);
  tuples_clear(&t->resources);
  tuples_clear(&t->frames);
  tuples_clear(&t->stacks);
  memset(t, 0, sizeof *t);
}

// Which scripts -----------------------------------------------------------------------------------

// Without a URL there is nothing to attribute a frame to.
static bool has_script(const stacks_site *site) {
  return (site->kind == STACK_LINE_FRAME || site->kind == STACK_LINE_WASM) &&
         site->url != STRINGS_NONE;
}

static bool add_source(trace *t, uint32_t url) {
  if (t->source_of[url]) return true;
  void *sources = t->sources;
  bool grown = mem_reserve(&sources, &t->source_capacity, t->source_count + 1, 8,
                           sizeof(trace_source));
  t->sources = sources;
  if (!grown) return false;
  uint32_t length;
  const char *text = strings_text(&t->captured->strings, url, &length);
  t->sources[t->source_count++] =
      (trace_source){url, scripts_newest(t->scripts, text, length), false, false};
  t->source_of[url] = t->source_count;
  return true;
}

static trace_source *source_at(const trace *t, const stacks_site *site) {
  return &t->sources[t->source_of[site->url] - 1];
}

// The function that a call site lies in; OUTSIDE also where the script carries no table.
static functions_result find_function(const trace *t, const stacks_site *site,
                                      const functions_entry **function, const functions **table) {
  uint32_t script = source_at(t, site)->script;
  if (site->kind != STACK_LINE_FRAME || script == SCRIPTS_NONE) return FUNCTIONS_OUTSIDE;
  uint32_t length;
  const char *name = strings_text(&t->captured->strings, site->name, &length);
  return scripts_find(t->scripts, script, site->line, site->column, name, length, function, table);
}

// Takes note of the script that a call site lies in. False when there is no memory.
static bool reach(trace *t, const stacks_site *site) {
  if (!has_script(site)) return true;
  if (!add_source(t, site->url)) return false;
  trace_source *source = source_at(t, site);
  if (source->lacks || site->kind != STACK_LINE_FRAME) return true;
  const functions_entry *function;
  const functions *table;
  functions_result result = find_function(t, site, &function, &table);
  source->lacks = result == FUNCTIONS_OUTSIDE;
  return result != FUNCTIONS_NO_MEMORY;
}

trace_result trace_begin(trace *t, const stacks *captured, scripts *all, session *samples) {
  memset(t, 0, sizeof *t);
  t->captured = captured;
  t->scripts = all;
  t->samples = samples;
  strings_init(&t->strings);
  tuples_init(&t->resources, TRACE_RESOURCE_WIDTH);
  tuples_init(&t->frames, TRACE_FRAME_WIDTH);
  tuples_init(&t->stacks, TRACE_STACK_WIDTH);
  // One more, since there may be none.
  t->resolved = mem_new((size_t)captured->stacks.count + 1, sizeof(uint32_t));
  t->source_of = mem_new((size_t)captured->strings.count + 1, sizeof(uint32_t));
  if (!t->resolved || !t->source_of) return TRACE_NO_MEMORY;
  for (sessions_block *block = samples->first; block; block = block->next) {
    for (uint32_t i = 0; i < block->count; i++) {
      uint32_t stack = block->stacks[i] & STACKS_NUMBER;
      while (stack && t->resolved[stack - 1] == UNREACHED) {
        t->resolved[stack - 1] = REACHED;
        stacks_site site = stacks_site_at(captured, stack - 1);
        if (!reach(t, &site)) return TRACE_NO_MEMORY;
        stack = stacks_parent(captured, stack - 1);
      }
    }
  }
  return TRACE_OK;
}

// Get a frame ID ----------------------------------------------------------------------------------

typedef enum { ELEMENT_FOUND, ELEMENT_LEFT_OUT, ELEMENT_NO_MEMORY } element_result;

static bool copy_string(trace *t, const strings *from, uint32_t id, uint32_t *copy) {
  uint32_t length;
  const char *text = strings_text(from, id, &length);
  *copy = strings_intern(&t->strings, text, length);
  return *copy != STRINGS_NONE;
}

// Name, line and column (0 = absent) of the function that a call site lies in, and the call site's
// own column.
static bool describe(trace *t, const stacks_site *site, uint32_t *row, uint32_t *column) {
  const functions_entry *function;
  const functions *table;
  functions_result result = find_function(t, site, &function, &table);
  if (result == FUNCTIONS_NO_MEMORY) return false;
  // Outside of instrumented code nothing was put in.
  *column = result == FUNCTIONS_BAD ? 0 : site->column;
  if (result <= FUNCTIONS_MISNAMED) {
    *column = functions_original_column(table, site->line, site->column);
  }
  // A guess is wrong then; else somebody has named the function.
  if (result == FUNCTIONS_FOUND || (result == FUNCTIONS_MISNAMED && !table->is_guess)) {
    row[TRACE_FRAME_LINE] = function->line;
    row[TRACE_FRAME_COLUMN] = function->column;
    return copy_string(t, &table->names, function->name, &row[TRACE_FRAME_NAME]);
  }
  if (result == FUNCTIONS_BAD) t->malformed_tables++;
  row[TRACE_FRAME_LINE] = row[TRACE_FRAME_COLUMN] = 0;
  return copy_string(t, &t->captured->strings, site->name, &row[TRACE_FRAME_NAME]);
}

// Of `element` all is set but the parent.
static element_result get_frame_id(trace *t, uint32_t stack, uint32_t *element) {
  stacks_site site = stacks_site_at(t->captured, stack);
  if (!has_script(&site) || !source_at(t, &site)->shown) return ELEMENT_LEFT_OUT;
  uint32_t row[TRACE_FRAME_WIDTH], url, column;
  if (!describe(t, &site, row, &column)) return ELEMENT_NO_MEMORY;
  if (!copy_string(t, &t->captured->strings, site.url, &url)) return ELEMENT_NO_MEMORY;
  row[TRACE_FRAME_RESOURCE] = tuples_intern(&t->resources, &url);
  if (row[TRACE_FRAME_RESOURCE] == TUPLES_NONE) return ELEMENT_NO_MEMORY;
  element[TRACE_STACK_FRAME] = tuples_intern(&t->frames, row);
  element[TRACE_STACK_LINE] = t->executing ? site.line : 0;
  element[TRACE_STACK_COLUMN] = t->executing ? column : 0;
  return element[TRACE_STACK_FRAME] == TUPLES_NONE ? ELEMENT_NO_MEMORY : ELEMENT_FOUND;
}

// Get a stack ID ----------------------------------------------------------------------------------

// The captured stack that a captured stack was called from (id + 1, 0 = none).
// JavaScriptCore runs an async function for the first time from a wrapper that it prints as another
// frame of the function, below it; when the function goes on later there is nothing below it.
static bool find_caller(const trace *t, uint32_t stack, uint32_t *caller) {
  *caller = stacks_parent(t->captured, stack);
  stacks_site site = stacks_site_at(t->captured, stack);
  if (!*caller || !has_script(&site)) return true;
  stacks_site below = stacks_site_at(t->captured, *caller - 1);
  if (!stacks_may_be_wrapper(t->captured, site, below)) return true;
  const functions_entry *function;
  const functions *table;
  functions_result result = find_function(t, &site, &function, &table);
  if (result <= FUNCTIONS_MISNAMED && function->is_async) {
    *caller = stacks_parent(t->captured, *caller - 1);
  }
  return result != FUNCTIONS_NO_MEMORY;
}

// `parent` is what the caller's stack came to (id + 1, 0 = nothing).
static bool resolve_one(trace *t, uint32_t stack, uint32_t parent) {
  uint32_t row[TRACE_STACK_WIDTH];
  element_result result = get_frame_id(t, stack, row);
  if (result == ELEMENT_NO_MEMORY) return false;
  if (result == ELEMENT_FOUND) {
    row[TRACE_STACK_PARENT] = parent;
    parent = tuples_intern(&t->stacks, row);
    if (parent == TUPLES_NONE) return false;
    parent++;
  }
  t->resolved[stack] = parent;
  return true;
}

// The specification's recursion towards the root, without recursion: down to the first stack
// already resolved, then up again.
static bool resolve(trace *t, uint32_t stack) {
  uint32_t path[STACKS_DEPTH_MAX], depth = 0;
  while (stack && t->resolved[stack - 1] == UNRESOLVED) {
    path[depth++] = stack - 1;
    if (!find_caller(t, stack - 1, &stack)) return false;
  }
  while (depth) {
    uint32_t parent = stack ? t->resolved[stack - 1] : 0;
    if (!resolve_one(t, path[--depth], parent)) return false;
    stack = path[depth] + 1;
  }
  return true;
}

// The captured stack that a sample is charged to (id + 1, 0 = none). False when there is no memory.
static bool find_charged(const trace *t, uint32_t number, uint32_t *stack) {
  *stack = number & STACKS_NUMBER;
  uint32_t leaf = number & STACKS_ENTRY ? *stack : 0;
  while (leaf) {
    stacks_site site = stacks_site_at(t->captured, leaf - 1);
    const functions_entry *function;
    const functions *table;
    // A built-in is time of its caller, too.
    if (has_script(&site)) {
      functions_result result = find_function(t, &site, &function, &table);
      if (result == FUNCTIONS_NO_MEMORY) return false;
      if (result > FUNCTIONS_MISNAMED || !function->is_quiet) break;
    }
    if (!find_caller(t, leaf - 1, &leaf)) return false;
  }
  if (leaf) *stack = leaf;
  return true;
}

trace_result trace_build(trace *t) {
  for (uint32_t i = 0; i < t->captured->stacks.count; i++) t->resolved[i] = UNRESOLVED;
  for (sessions_block *block = t->samples->first; block; block = block->next) {
    for (uint32_t i = 0; i < block->count; i++) {
      uint32_t *number = &block->stacks[i], stack;
      if (!find_charged(t, *number, &stack) || !resolve(t, stack)) return TRACE_NO_MEMORY;
      // No entry any more: a trace that is built again comes to the same.
      *number = stack | (*number & STACKS_CUT);
    }
  }
  return TRACE_OK;
}

void trace_number_samples(trace *t) {
  for (sessions_block *block = t->samples->first; block; block = block->next) {
    for (uint32_t i = 0; i < block->count; i++) {
      uint32_t stack = block->stacks[i] & STACKS_NUMBER, cut = block->stacks[i] & STACKS_CUT;
      stack = stack ? t->resolved[stack - 1] : 0;
      block->stacks[i] = stack ? stack | cut : 0;
    }
  }
}

// Writing -----------------------------------------------------------------------------------------

static void add_member(buffer *out, const char *key, uint32_t number) {
  buffer_add_text(out, key);
  buffer_add_number(out, number);
}

static void add_string(const trace *t, buffer *out, uint32_t id) {
  uint32_t length;
  const char *text = strings_text(&t->strings, id, &length);
  buffer_add_json_string(out, text, length);
}

static void add_separator(buffer *out, uint32_t index) {
  if (index) buffer_add_text(out, ",");
}

static void add_frame(const trace *t, buffer *out, const uint32_t *row) {
  buffer_add_text(out, "{");
  if (row[TRACE_FRAME_LINE]) {
    add_member(out, "\"column\":", row[TRACE_FRAME_COLUMN]);
    add_member(out, ",\"line\":", row[TRACE_FRAME_LINE]);
    buffer_add_text(out, ",");
  }
  buffer_add_text(out, "\"name\":");
  add_string(t, out, row[TRACE_FRAME_NAME]);
  add_member(out, ",\"resourceId\":", row[TRACE_FRAME_RESOURCE]);
  buffer_add_text(out, "}");
}

void trace_write_tables(const trace *t, buffer *out) {
  buffer_add_text(out, "{\"resources\":[");
  for (uint32_t i = 0; i < t->resources.count; i++) {
    add_separator(out, i);
    add_string(t, out, tuples_row(&t->resources, i)[TRACE_RESOURCE_NAME]);
  }
  buffer_add_text(out, "],\"frames\":[");
  for (uint32_t i = 0; i < t->frames.count; i++) {
    add_separator(out, i);
    add_frame(t, out, tuples_row(&t->frames, i));
  }
  buffer_add_text(out, "],\"stacks\":[");
  for (uint32_t i = 0; i < t->stacks.count; i++) {
    const uint32_t *row = tuples_row(&t->stacks, i);
    add_separator(out, i);
    buffer_add_text(out, "{");
    if (row[TRACE_STACK_COLUMN]) add_member(out, "\"column\":", row[TRACE_STACK_COLUMN]);
    if (row[TRACE_STACK_COLUMN]) buffer_add_text(out, ",");
    add_member(out, "\"frameId\":", row[TRACE_STACK_FRAME]);
    if (row[TRACE_STACK_LINE]) add_member(out, ",\"line\":", row[TRACE_STACK_LINE]);
    if (row[TRACE_STACK_PARENT]) add_member(out, ",\"parentId\":", row[TRACE_STACK_PARENT] - 1);
    buffer_add_text(out, "}");
  }
  buffer_add_text(out, "]}");
}
