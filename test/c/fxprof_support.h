// What the tests of the profile builder share: an allocator that can be made to fail, the document
// as a text, and short names.
#ifndef TEST_FXPROF_SUPPORT_H
#define TEST_FXPROF_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fxprof/profile.h"

#define T(text) fxprof_text_of(text)
#define ASSERT_OK(call) assert_string_equal(fxprof_status_code(call), "OK")
#define ASSERT_STATUS(call, status) \
  assert_string_equal(fxprof_status_code(call), fxprof_status_code(status))

// Random numbers, the same on every run.
static uint64_t random_state = 88172645463325252;

static inline uint64_t random_next(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static inline uint32_t random_below(uint32_t limit) { return random_next() % limit; }

// Counts blocks, and refuses one request.
typedef struct {
  uint32_t calls, blocks;
  uint32_t fail_at;  // the request of this number (1 = the first); 0 = none
} watch;

static inline void *watched_resize(void *context, void *block, size_t size) {
  watch *w = context;
  if (!size) {
    w->blocks--;
    free(block);
    return NULL;
  }
  if (++w->calls == w->fail_at) return NULL;
  if (!block) w->blocks++;
  return realloc(block, size);
}

static inline fxprof_profile *new_profile(watch *w) {
  fxprof_allocator allocator = {watched_resize, w};
  fxprof_profile *profile;
  ASSERT_OK(fxprof_new(T("test"), (fxprof_reference){0}, (fxprof_interval){1000000},
                       w ? &allocator : NULL, 1, &profile));
  return profile;
}

// Output ------------------------------------------------------------------------------------------

typedef struct {
  char *bytes;
  size_t length, capacity;
  size_t longest;  // piece
  int fail_at;     // refuse the piece of this number; 0 = none
  int pieces;
} text_sink;

static inline bool sink_write(void *context, const void *bytes, size_t length) {
  text_sink *sink = context;
  if (++sink->pieces == sink->fail_at) return false;
  if (length > sink->longest) sink->longest = length;
  if (sink->length + length + 1 > sink->capacity) {
    sink->capacity = (sink->length + length + 1) * 2;
    sink->bytes = realloc(sink->bytes, sink->capacity);
    assert_non_null(sink->bytes);
  }
  memcpy(sink->bytes + sink->length, bytes, length);
  sink->length += length;
  sink->bytes[sink->length] = '\0';
  return true;
}

// The document; to be freed.
static inline char *document(fxprof_profile *profile) {
  text_sink sink = {0};
  ASSERT_OK(fxprof_write(profile, sink_write, &sink));
  return sink.bytes;
}

static inline void assert_contains(const char *text, const char *expected) {
  if (!strstr(text, expected)) fail_msg("no %s", expected);
}

static inline void assert_document(fxprof_profile *profile, const char *expected) {
  char *text = document(profile);
  assert_contains(text, expected);
  free(text);
}

// Short ways --------------------------------------------------------------------------------------

static inline fxprof_string intern(fxprof_profile *profile, const char *text) {
  fxprof_string string;
  ASSERT_OK(fxprof_intern_string(profile, T(text), &string));
  return string;
}

static inline fxprof_process add_process(fxprof_profile *profile) {
  fxprof_process process;
  ASSERT_OK(fxprof_add_process(profile, T("process"), 1, (fxprof_time){0}, &process));
  return process;
}

static inline fxprof_thread add_thread(fxprof_profile *profile, fxprof_process process) {
  fxprof_thread thread;
  ASSERT_OK(fxprof_add_thread(profile, process, 1, (fxprof_time){0}, true, &thread));
  return thread;
}

static inline fxprof_stack intern_label_stack(fxprof_profile *profile, fxprof_thread thread,
                                              const char *label) {
  fxprof_frame_info info = {.label = intern(profile, label)};
  fxprof_stack stack;
  ASSERT_OK(fxprof_intern_stack_frames(profile, thread, &info, 1, &stack));
  return stack;
}

#endif
