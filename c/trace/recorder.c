#include "recorder.h"

#include <string.h>

#include "memory.h"

void recorder_init(recorder *r, stack_engine engine, uint32_t frame_limit, uint32_t seed) {
  memset(r, 0, sizeof *r);
  stacks_init(&r->stacks, engine, frame_limit, seed);
  scripts_init(&r->scripts);
}

void recorder_clear(recorder *r) {
  for (uint32_t i = 0; i < r->session_count; i++) session_clear(&r->sessions[i].samples);
  mem_free(r->sessions);
  stacks_clear(&r->stacks);
  scripts_clear(&r->scripts);
  memset(r, 0, sizeof *r);
}

uint32_t recorder_open(recorder *r, uint32_t limit) {
  uint32_t handle = 0;
  while (handle < r->session_count && r->sessions[handle].open) handle++;
  if (handle == r->session_count) {
    void *sessions = r->sessions;
    bool grown = mem_reserve(&sessions, &r->session_capacity, handle + 1, 4,
                             sizeof(recorder_session));
    r->sessions = sessions;
    if (!grown) return RECORDER_NONE;
    r->session_count++;
  }
  r->sessions[handle] = (recorder_session){.samples.limit = limit, .open = true};
  r->open_count++;
  return handle;
}

static bool is_open(const recorder *r, uint32_t handle) {
  return handle < r->session_count && r->sessions[handle].open;
}

void recorder_close(recorder *r, uint32_t handle) {
  if (!is_open(r, handle)) return;
  session_clear(&r->sessions[handle].samples);
  r->sessions[handle].open = false;
  if (--r->open_count == 0) stacks_clear(&r->stacks);
}

uint32_t recorder_stack(recorder *r, const char *text, uint32_t length, stacks_drop drop) {
  uint32_t stack = stacks_intern(&r->stacks, text, length, drop);
  if (stack == STACKS_NO_MEMORY) r->counters.lost_stacks++;
  return stack;
}

bool recorder_sample(recorder *r, uint32_t handle, double time, uint32_t stack) {
  // STACKS_NO_MEMORY, and a number from before the stacks were forgotten.
  if ((stack & STACKS_NUMBER) > r->stacks.stacks.count) stack = 0;
  if (is_open(r, handle) && session_add(&r->sessions[handle].samples, time, stack)) return true;
  r->counters.lost_samples++;
  return false;
}

bool recorder_add_script(recorder *r, recorder_text stack, recorder_text url,
                         recorder_text positions, recorder_text names, uint32_t line,
                         uint32_t column) {
  functions table;
  stack_line leaf;
  bool has_leaf = stacks_leaf(r->stacks.engine, stack.text, stack.length, &leaf, &url.length);
  if (has_leaf) url.text = leaf.url;
  bool kept = url.length && functions_init(&table, positions.text, positions.length, names.text,
                                           names.length, line, column);
  table.is_guess = stack.length && *stack.text == '?';
  if (kept && has_leaf) functions_start(&table, leaf.line, leaf.column);
  if (kept && !scripts_add(&r->scripts, url.text, url.length, &table)) {
    functions_clear(&table);
    kept = false;
  }
  if (!kept) r->counters.lost_tables++;
  return kept;
}

trace_result recorder_begin_trace(recorder *r, uint32_t handle, trace *t) {
  static session nothing;
  session *samples = is_open(r, handle) ? &r->sessions[handle].samples : &nothing;
  return trace_begin(t, &r->stacks, &r->scripts, samples);
}

trace_result recorder_build_trace(recorder *r, trace *t) {
  trace_result result = trace_build(t);
  // Else the trace is built again, and comes by the same tables.
  if (result == TRACE_OK) r->counters.malformed_tables += t->malformed_tables;
  return result;
}
