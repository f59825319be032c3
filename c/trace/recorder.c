#include "recorder.h"

#include <string.h>

#include "memory.h"

// Stacks and texts of them that are kept, whether samples refer to them or not: 2 MB or so.
enum { FORGET_MIN = 1 << 15 };

void recorder_init(recorder *r, stack_engine engine, uint32_t frame_limit, uint32_t seed) {
  memset(r, 0, sizeof *r);
  stacks_init(&r->stacks, engine, frame_limit, seed);
  scripts_init(&r->scripts);
  r->forget_at = FORGET_MIN;
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

// Marks the stacks of all samples in `renamed`, or, when these have new numbers, writes those.
static void visit_samples(recorder *r, uint32_t *renamed, bool have_new) {
  for (uint32_t handle = 0; handle < r->session_count; handle++) {
    for (sessions_block *block = r->sessions[handle].samples.first; block; block = block->next) {
      for (uint32_t i = 0; i < block->count; i++) {
        uint32_t *stack = &block->stacks[i], *number = &renamed[*stack & ~STACKS_CUT];
        if (have_new) {
          *stack = *number | (*stack & STACKS_CUT);
        } else {
          *number = 1;
        }
      }
    }
  }
}

static void forget_unused(recorder *r) {
  uint32_t *renamed = mem_new((size_t)r->stacks.stacks.count + 1, sizeof *renamed);
  if (renamed) {
    visit_samples(r, renamed, false);
    if (stacks_keep(&r->stacks, renamed)) visit_samples(r, renamed, true);
    mem_free(renamed);
  }
  // Twice as many as are there, so that what it takes is paid for by as many new ones.
  uint32_t left = r->stacks.stacks.count + r->stacks.whole.count;
  r->forget_at = left < FORGET_MIN / 2 ? FORGET_MIN : left * 2;
}

uint32_t recorder_stack(recorder *r, const char *text, uint32_t length, stacks_drop drop) {
  if (r->stacks.stacks.count + r->stacks.whole.count >= r->forget_at) forget_unused(r);
  uint32_t stack = stacks_intern(&r->stacks, text, length, drop);
  if (stack == STACKS_NO_MEMORY) r->counters.lost_stacks++;
  return stack;
}

bool recorder_sample(recorder *r, uint32_t handle, double time, uint32_t stack) {
  // STACKS_NO_MEMORY, and a number from before the stacks were forgotten.
  if ((stack & ~STACKS_CUT) > r->stacks.stacks.count) stack = 0;
  if (is_open(r, handle) && session_add(&r->sessions[handle].samples, time, stack)) return true;
  r->counters.lost_samples++;
  return false;
}

bool recorder_add_script(recorder *r, recorder_text stack, recorder_text url,
                         recorder_text positions, recorder_text names, uint32_t line,
                         uint32_t column) {
  functions table;
  stacks_leaf_url(r->stacks.engine, stack.text, stack.length, &url.text, &url.length);
  bool kept = url.length && functions_init(&table, positions.text, positions.length, names.text,
                                           names.length, line, column);
  table.is_guess = stack.length && *stack.text == '?';
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
