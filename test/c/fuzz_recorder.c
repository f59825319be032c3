// Fuzzes the recorder: the input is a list of calls, one byte each with their arguments after it;
// some of them find no memory. Whatever they are, every trace is sound.
#include <stdlib.h>
#include <string.h>

#include "trace/memory.h"
#include "trace/recorder.h"

static const uint8_t *at, *end;
static uint32_t failing;  // so many allocations from now on

static void *resize(void *block, size_t size) {
  if (size && failing && failing--) return NULL;
  if (size) return realloc(block, size);
  free(block);
  return NULL;
}

static uint8_t next_byte(void) { return at < end ? *at++ : 0; }

static recorder_text next_text(void) {
  uint32_t length = next_byte();
  if (length > (size_t)(end - at)) length = (uint32_t)(end - at);
  recorder_text text = {(const char *)at, length};
  at += length;
  return text;
}

// A stack's text: bytes as they come, or for each byte a line, which no mutation makes by chance.
static recorder_text next_stack_text(void) {
  static const char *const lines[] = {
      "f@u://h:1:1\n", "f@u://h:2:7\n", "g@u://h:1:9\n", "f@u://i:1:1\n", "@u://h:1:1\n", "junk\n",
      "Error\n",       "async*f@u://h:1:1\n", "x@[native code]\n", "    at f (u://h:1:1)\n",
      "    at g (u://i:1:9)\n", "    at x (<anonymous>)\n", "    at u://h:wasm-function[1]:0x1\n",
  };
  static char room[255 * 40];
  recorder_text text = next_text();
  if (!text.length || text.text[0] & 1) return text;
  uint32_t length = 0;
  for (uint32_t i = 0; i < text.length; i++) {
    const char *line = lines[(uint8_t)text.text[i] / 2 % (sizeof lines / sizeof *lines)];
    memcpy(room + length, line, strlen(line));
    length += (uint32_t)strlen(line);
  }
  return (recorder_text){room, length};
}

static void check_rows(const tuples *table, uint32_t column, uint32_t limit) {
  for (uint32_t i = 0; i < table->count; i++) {
    const uint32_t *row = tuples_row(table, i);
    if (row[column] >= limit) abort();
    for (uint32_t j = 0; j < i; j++) {
      if (!memcmp(row, tuples_row(table, j), table->width * sizeof *row)) abort();
    }
  }
}

static void check_trace(const trace *t) {
  check_rows(&t->resources, TRACE_RESOURCE_NAME, t->strings.count);
  check_rows(&t->frames, TRACE_FRAME_NAME, t->strings.count);
  check_rows(&t->frames, TRACE_FRAME_RESOURCE, t->resources.count);
  check_rows(&t->stacks, TRACE_STACK_FRAME, t->frames.count);
  for (uint32_t i = 0; i < t->stacks.count; i++) {
    if (tuples_row(&t->stacks, i)[TRACE_STACK_PARENT] > i) abort();
  }
  for (const sessions_block *block = t->samples->first; block; block = block->next) {
    for (uint32_t i = 0; i < block->count; i++) {
      if ((block->stacks[i] & ~STACKS_CUT) > t->stacks.count) abort();
    }
  }
}

static void build_and_close(recorder *r, uint32_t handle) {
  trace t;
  buffer out = {0};
  uint8_t shown = next_byte();
  trace_result result = recorder_begin_trace(r, handle, &t);
  if (result == TRACE_OK) {
    for (uint32_t i = 0; i < t.source_count; i++) t.sources[i].shown = shown >> i % 8 & 1;
    t.executing = next_byte() & 1;
    result = recorder_build_trace(r, &t);
  }
  if (result == TRACE_OK) {
    trace_write_tables(&t, &out);
    trace_number_samples(&t);
    check_trace(&t);
  }
  trace_clear(&t);
  buffer_clear(&out);
  recorder_close(r, handle);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  at = data;
  end = data + size;
  mem_set_allocator(resize);
  recorder r;
  stack_engine engine = (stack_engine)(next_byte() % 4 + 1);
  recorder_init(&r, engine, next_byte(), 1);
  uint32_t stack = 0;
  while (at < end) {
    uint8_t call = next_byte();
    uint32_t handle = call >> 3 & 3;
    switch (call & 7) {
      case 0: recorder_open(&r, call >> 5); break;
      case 1: recorder_close(&r, handle); break;
      case 2: build_and_close(&r, handle); break;
      case 3: failing = next_byte(); break;
      case 4: {
        recorder_text texts[4];
        for (uint32_t i = 0; i < 4; i++) texts[i] = i ? next_text() : next_stack_text();
        recorder_add_script(&r, texts[0], texts[1], texts[2], texts[3], call >> 3, next_byte());
        break;
      }
      case 5: {
        recorder_text text = next_stack_text();
        stacks_drop drop = {call >> 3 & 3, call & 32, call >> 6};
        stack = recorder_stack(&r, text.text, text.length, drop);
        if (stack != STACKS_NO_MEMORY && (stack & ~STACKS_CUT) > r.stacks.stacks.count) abort();
        break;
      }
      default: {
        uint32_t entry = call & 8 ? STACKS_ENTRY : 0;
        recorder_sample(&r, handle, call, call & 1 ? stack | entry : next_byte());
      }
    }
  }
  failing = 0;
  for (uint32_t handle = 0; handle < 4; handle++) build_and_close(&r, handle);
  recorder_clear(&r);
  return 0;
}
