// The core as a wasm module: what JS may call. All numbers are u32 unless told otherwise.
//
// Texts go in through one input area: JS asks for room with core_input(), writes UTF-8 there and
// names the length in the call that follows. Nothing of the input is read after that call returns.
// Texts come out as address and length, valid until the next call.
#include <emscripten/emscripten.h>

#include "trace/memory.h"
#include "trace/recorder.h"

#define EXPORT EMSCRIPTEN_KEEPALIVE

// The libc of the standalone build announces growth to its host. JS looks at the memory anew after
// each call that may grow it, so that nobody need be told and the module imports nothing.
void emscripten_notify_memory_growth(size_t index) { (void)index; }

static recorder page;
static trace current;
static buffer output, input;

// Once, before anything else. engine: 1 V8, 2 SpiderMonkey, 3 JavaScriptCore (this build reads no
// others). frame_limit: the engine prints no more frames than this. seed: any number, different on
// each page.
EXPORT void core_init(uint32_t engine, uint32_t frame_limit, uint32_t seed) {
  recorder_init(&page, (stack_engine)engine, frame_limit, seed);
}

// The address of `length` bytes to write input into; 0 when there is no memory.
EXPORT char *core_input(uint32_t length) {
  void *bytes = input.bytes;
  // One byte more, so that there is an address for no bytes too.
  mem_reserve(&bytes, &input.capacity, length + 1, 4096, 1);
  input.bytes = bytes;
  return length <= input.capacity ? input.bytes : NULL;
}

// A handle, or 0xffffffff when there is no memory. limit: keep so many samples, the last ones; 0:
// all.
EXPORT uint32_t core_session_open(uint32_t limit) { return recorder_open(&page, limit); }

// Frees a session's samples.
EXPORT void core_session_close(uint32_t handle) { recorder_close(&page, handle); }

// The text of an error's stack is in the input; what to drop of it, and is_entry: see stacks.h.
// Returns the stack's number: 0 = no frames, 0xffffffff = no memory; core_sample() takes either.
EXPORT uint32_t core_stack(uint32_t length, uint32_t drop_leaf, uint32_t drop_wrapper,
                           uint32_t drop_root, uint32_t is_entry) {
  stacks_drop drop = {drop_leaf, drop_wrapper, drop_root};
  uint32_t stack = recorder_stack(&page, input.bytes, length, drop);
  return is_entry && stack != STACKS_NO_MEMORY ? stack | STACKS_ENTRY : stack;
}

// time: f64 in ms. Returns 1, or 0 when there was no memory for the sample.
EXPORT uint32_t core_sample(uint32_t handle, double time, uint32_t stack) {
  return recorder_sample(&page, handle, time, stack);
}

// A function table: in the input, one after the other, a stack's text from the top level of the
// script, its URL as far as known, the positions and the names. line and column, one-based: where
// the code begins in its file. Returns 1, or 0 when it was not kept (counted, see recorder.h).
EXPORT uint32_t core_add_script(uint32_t stack_length, uint32_t url_length,
                                uint32_t positions_length, uint32_t names_length, uint32_t line,
                                uint32_t column) {
  recorder_text stack = {input.bytes, stack_length};
  recorder_text url = {stack.text + stack_length, url_length};
  recorder_text positions = {url.text + url_length, positions_length};
  recorder_text names = {positions.text + positions_length, names_length};
  return recorder_add_script(&page, stack, url, positions, names, line, column);
}

// Begins the trace of a session. Returns the number of scripts that its samples touch, or
// 0xffffffff when there is no memory.
EXPORT uint32_t core_trace_begin(uint32_t handle) {
  trace_clear(&current);
  if (recorder_begin_trace(&page, handle, &current) == TRACE_OK) return current.source_count;
  trace_clear(&current);
  return RECORDER_NONE;
}

static uint32_t text_length;

// The length of the text that was handed out last.
EXPORT uint32_t core_length(void) { return text_length; }

// The URL of a script, of those that core_trace_begin() counted.
EXPORT const char *core_trace_source(uint32_t index) {
  return strings_text(&page.stacks.strings, current.sources[index].url, &text_length);
}

// Two bits: 1 the script carries a function table, that is, it is instrumented or was read, or one
// of a document's is; 2 the samples touch code of it that no table tells of.
EXPORT uint32_t core_trace_source_tables(uint32_t index) {
  const trace_source *source = &current.sources[index];
  return (source->script != SCRIPTS_NONE) | source->lacks << 1;
}

// The frames of a script may be seen. Of others they are left out.
EXPORT void core_trace_show(uint32_t index) { current.sources[index].shown = true; }

// Builds the trace and returns the address of its tables as JSON (length: core_length());
// 0 when there is no memory, then core_trace_begin() may be tried again. executing: 1 = stacks tell
// where each function was executing.
EXPORT const char *core_trace_build(uint32_t executing) {
  buffer_clear(&output);
  current.executing = executing;
  if (recorder_build_trace(&page, &current) != TRACE_OK) return NULL;
  trace_write_tables(&current, &output);
  if (output.no_memory) return NULL;
  trace_number_samples(&current);
  text_length = output.length;
  return output.bytes;
}

// The samples of the built trace, block by block: the block after `block` (0: the first), 0 at the
// end. A block's times (f64, ms) and stacks (u32, stack id + 1, 0 = none; highest bit: frames
// are missing at its root) are as many as its count.
EXPORT const sessions_block *core_trace_block(const sessions_block *block) {
  return block ? block->next : current.samples->first;
}
EXPORT uint32_t core_block_count(const sessions_block *block) { return block->count; }
EXPORT const double *core_block_times(const sessions_block *block) { return block->times; }
EXPORT const uint32_t *core_block_stacks(const sessions_block *block) { return block->stacks; }

// Frees the trace; blocks of samples stay until the session is closed.
EXPORT void core_trace_end(void) {
  trace_clear(&current);
  buffer_clear(&output);
}

// Counters since core_init(), see recorder.h: 0 skipped lines, 1 lost samples, 2 lost stacks,
// 3 lost tables, 4 malformed tables.
EXPORT uint32_t core_counter(uint32_t which) {
  switch (which) {
    case 0: return page.stacks.skipped_lines;
    case 1: return page.counters.lost_samples;
    case 2: return page.counters.lost_stacks;
    case 3: return page.counters.lost_tables;
    default: return page.counters.malformed_tables;
  }
}
