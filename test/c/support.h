// What the tests of the core share: random numbers, an allocator that can be made to fail, and an
// encoder of function tables.
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/memory.h"

// Random numbers ----------------------------------------------------------------------------------

// The same on every run. Not zero.
static uint32_t random_state = 2463534242u;

static inline void random_seed(uint32_t seed) { random_state = seed * 2654435769u | 1; }

static inline uint32_t random_next(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  random_state ^= random_state << 5;
  return random_state;
}

static inline uint32_t random_below(uint32_t limit) {
  return (uint32_t)((uint64_t)random_next() * limit >> 32);
}

// The allocator -----------------------------------------------------------------------------------

typedef struct {
  uint32_t calls;    // requests for memory, refused ones too
  uint32_t refused;
  uint32_t fail_at;  // refuse the request of this number (1 = the first); 0 = none
  uint32_t percent;  // refuse so many of a hundred requests
  size_t bytes, peak;
  uint32_t blocks;
} memory_watch;

static memory_watch watch;

static inline void *watched_resize(void *block, size_t size) {
  size_t before = block ? malloc_usable_size(block) : 0;
  if (size) {
    watch.calls++;
    if (watch.calls == watch.fail_at || random_below(100) < watch.percent) {
      watch.refused++;
      return NULL;
    }
    void *moved = realloc(block, size);
    assert_non_null(moved);
    if (!block) watch.blocks++;
    watch.bytes += malloc_usable_size(moved) - before;
    if (watch.bytes > watch.peak) watch.peak = watch.bytes;
    return moved;
  }
  if (block) watch.blocks--;
  watch.bytes -= before;
  free(block);
  return NULL;
}

// Each test begins with a watched allocator and ends without a block of it left.
static inline int watch_begin(void **state) {
  (void)state;
  random_seed(1);
  watch = (memory_watch){0};
  mem_set_allocator(watched_resize);
  return 0;
}

static inline int watch_end(void **state) {
  (void)state;
  mem_set_allocator(NULL);
  if (watch.blocks || watch.bytes) {
    print_error("%u blocks of %zu bytes were never freed\n", watch.blocks, watch.bytes);
    return -1;
  }
  return 0;
}

#define WATCHED(test) cmocka_unit_test_setup_teardown(test, watch_begin, watch_end)

// Function tables ---------------------------------------------------------------------------------

enum { ENCODER_POSITIONS = 1 << 17, ENCODER_NAMES = 1 << 15, ENCODER_KNOWN = 1 << 10 };
enum { ENCODE_GIVEN = 4, ENCODE_ASYNC = 8 };

typedef struct {
  char positions[ENCODER_POSITIONS], names[ENCODER_NAMES];
  uint32_t positions_length, names_length;
  const char *known[ENCODER_KNOWN];
  uint32_t known_count;
  uint32_t line, column;
  int64_t shift;
} encoder;

static inline void encode_unsigned(encoder *e, uint32_t value) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  do {
    assert_true(e->positions_length < ENCODER_POSITIONS);
    e->positions[e->positions_length++] = digits[(value & 31) | (value > 31 ? 32 : 0)];
    value >>= 5;
  } while (value);
}

static inline void encode_signed(encoder *e, int64_t value) {
  encode_unsigned(e, (uint32_t)(value < 0 ? -value * 2 + 1 : value * 2));
}

static inline void encode_name(encoder *e, const char *name) {
  uint32_t known = 0;
  while (known < e->known_count && strcmp(e->known[known], name) != 0) known++;
  encode_unsigned(e, known < e->known_count ? known + 1 : 0);
  if (known < e->known_count) return;
  assert_true(known < ENCODER_KNOWN && e->names_length + 2 * strlen(name) + 1 < ENCODER_NAMES);
  e->known[e->known_count++] = name;
  if (known) e->names[e->names_length++] = ',';
  for (; *name; name++) {
    if (*name == ',' || *name == '\\') e->names[e->names_length++] = '\\';
    e->names[e->names_length++] = *name;
  }
}

static inline void encode_begin(encoder *e, uint32_t last_line, uint32_t last_column) {
  e->positions_length = e->names_length = e->known_count = e->line = e->column = 0;
  e->shift = 0;
  encode_unsigned(e, last_line);
  encode_unsigned(e, last_column);
}

static inline void encode_head(encoder *e, uint32_t line, uint32_t column, uint32_t flags) {
  if (line > e->line) {
    encode_unsigned(e, flags | 1 | column << 4);
    encode_unsigned(e, line - e->line);
    e->shift = 0;
  } else {
    encode_unsigned(e, flags | (column - e->column) << 4);
  }
  e->line = line;
  e->column = column;
}

// A function that begins at `line`, `column` of the code; zero-based, as its definition.
static inline void encode_start(encoder *e, uint32_t line, uint32_t column, uint32_t flags,
                                uint32_t defined_line, uint32_t defined_column, const char *name) {
  encode_head(e, line, column, flags);
  if (flags & ENCODE_GIVEN) {
    encode_signed(e, (int64_t)defined_line - line);
    encode_unsigned(e, defined_column);
  } else {
    int64_t shift = (int64_t)column - defined_column;
    assert_int_equal(defined_line, line);
    encode_signed(e, shift - e->shift);
    e->shift = shift;
  }
  encode_name(e, name);
}

// What instrumenting has put in, up to `line`, `column` of the code.
static inline void encode_insertion(encoder *e, uint32_t line, uint32_t column, uint32_t length) {
  encode_head(e, line, column, 6);
  encode_unsigned(e, length);
  e->shift += length;
}

static inline void encode_end(encoder *e, uint32_t line, uint32_t column) {
  encode_head(e, line, column, 2);
}

// Of a function without polls.
static inline void encode_quiet_end(encoder *e, uint32_t line, uint32_t column) {
  encode_head(e, line, column, 2 | 8);
}

#endif
