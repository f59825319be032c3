// What the tests of traces share: recording, building, and what holds of every trace.
#ifndef TEST_TRACE_SUPPORT_H
#define TEST_TRACE_SUPPORT_H

#include "support.h"

#include "trace/recorder.h"

static const stacks_drop DROP_NONE = {0, false, 0};

static encoder code;

static inline bool add_encoded(recorder *r, const char *url, uint32_t line, uint32_t column) {
  encode_finish(&code);
  recorder_text stack = {"", 0}, at = {url, (uint32_t)strlen(url)};
  recorder_text positions = {code.positions, code.positions_length};
  recorder_text names = {code.names, code.names_length};
  return recorder_add_script(r, stack, at, positions, names, line, column);
}

static inline uint32_t record(recorder *r, const char *text) {
  return recorder_stack(r, text, (uint32_t)strlen(text), DROP_NONE);
}

static inline const char *string_of(const strings *pool, uint32_t id) {
  static char rooms[4][600];
  static uint32_t turn;
  char *room = rooms[turn++ % 4];
  uint32_t length;
  const char *text = strings_text(pool, id, &length);
  snprintf(room, sizeof *rooms, "%.*s", (int)length, text);
  return room;
}

// A stack of a trace (id + 1) from its leaf, as "name@url:line:column|name@url|...".
static inline const char *show_stack(const trace *t, uint32_t stack) {
  static char room[65536];
  uint32_t at = 0;
  room[0] = '\0';
  while (stack) {
    const uint32_t *row = tuples_row(&t->stacks, stack - 1);
    const uint32_t *frame = tuples_row(&t->frames, row[TRACE_STACK_FRAME]);
    uint32_t resource = tuples_row(&t->resources, frame[TRACE_FRAME_RESOURCE])[TRACE_RESOURCE_NAME];
    at += (uint32_t)snprintf(room + at, sizeof room - at, "%s%s@%s", at ? "|" : "",
                             string_of(&t->strings, frame[TRACE_FRAME_NAME]),
                             string_of(&t->strings, resource));
    if (frame[TRACE_FRAME_LINE]) {
      at += (uint32_t)snprintf(room + at, sizeof room - at, ":%u:%u", frame[TRACE_FRAME_LINE],
                               frame[TRACE_FRAME_COLUMN]);
    }
    assert_true(at < sizeof room);
    stack = row[TRACE_STACK_PARENT];
  }
  return room;
}

static inline void assert_rows_differ(const tuples *table) {
  for (uint32_t i = 0; i < table->count; i++) {
    for (uint32_t j = 0; j < i; j++) {
      assert_memory_not_equal(tuples_row(table, i), tuples_row(table, j),
                              table->width * sizeof(uint32_t));
    }
  }
}

// What holds of every built trace whose samples are numbered: elements are unique, ids valid,
// parents before children, and everything is reached from a sample.
static inline void check_trace(const trace *t) {
  assert_rows_differ(&t->resources);
  assert_rows_differ(&t->frames);
  assert_rows_differ(&t->stacks);
  bool *stack_used = calloc(t->stacks.count + 1, 1), *frame_used = calloc(t->frames.count + 1, 1);
  bool *resource_used = calloc(t->resources.count + 1, 1);
  for (const sessions_block *block = t->samples->first; block; block = block->next) {
    for (uint32_t i = 0; i < block->count; i++) {
      uint32_t stack = block->stacks[i] & ~STACKS_CUT;
      assert_true(stack <= t->stacks.count && (stack || !block->stacks[i]));
      if (stack) stack_used[stack - 1] = true;
    }
  }
  for (uint32_t i = t->stacks.count; i-- > 0;) {
    const uint32_t *row = tuples_row(&t->stacks, i);
    assert_true(stack_used[i]);
    assert_true(row[TRACE_STACK_FRAME] < t->frames.count && row[TRACE_STACK_PARENT] <= i);
    frame_used[row[TRACE_STACK_FRAME]] = true;
    if (row[TRACE_STACK_PARENT]) stack_used[row[TRACE_STACK_PARENT] - 1] = true;
  }
  for (uint32_t i = 0; i < t->frames.count; i++) {
    const uint32_t *row = tuples_row(&t->frames, i);
    assert_true(frame_used[i]);
    assert_true(row[TRACE_FRAME_NAME] < t->strings.count);
    assert_true(row[TRACE_FRAME_RESOURCE] < t->resources.count);
    assert_true((row[TRACE_FRAME_LINE] == 0) == (row[TRACE_FRAME_COLUMN] == 0));
    resource_used[row[TRACE_FRAME_RESOURCE]] = true;
  }
  for (uint32_t i = 0; i < t->resources.count; i++) {
    assert_true(resource_used[i]);
    assert_true(tuples_row(&t->resources, i)[TRACE_RESOURCE_NAME] < t->strings.count);
  }
  free(stack_used);
  free(frame_used);
  free(resource_used);
}

// All sources are shown, but those whose URL holds "hidden".
static inline void show_sources(trace *t) {
  for (uint32_t i = 0; i < t->source_count; i++) {
    const char *url = string_of(&t->captured->strings, t->sources[i].url);
    t->sources[i].shown = !strstr(url, "hidden");
  }
}

// The trace of a session, its samples numbered; false when there was no memory.
static inline bool build(recorder *r, uint32_t handle, trace *t) {
  if (recorder_begin_trace(r, handle, t) == TRACE_OK) {
    show_sources(t);
    if (recorder_build_trace(r, t) == TRACE_OK) {
      trace_number_samples(t);
      check_trace(t);
      return true;
    }
  }
  trace_clear(t);
  return false;
}

// The number-th sample's stack, as show_stack() does.
static inline const char *show_sample(const trace *t, uint32_t number) {
  const sessions_block *block = t->samples->first;
  for (; number >= SESSIONS_BLOCK; number -= SESSIONS_BLOCK) block = block->next;
  return show_stack(t, block->stacks[number] & ~STACKS_CUT);
}

#endif
