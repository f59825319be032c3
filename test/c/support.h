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

// Writes the numbers of a table one by one: whoever encodes a function says when it is finished.
enum { ENCODER_POSITIONS = 1 << 17, ENCODER_NAMES = 1 << 15, ENCODER_KNOWN = 1 << 10 };
enum { ENCODE_GIVEN = 8, ENCODE_ASYNC = 16, ENCODE_QUIET = 4 };
enum { ENCODE_HEAD, ENCODE_LINES, ENCODE_NAME, ENCODE_GAP, ENCODE_BACK, ENCODE_COLUMN,
       ENCODE_GROWN, ENCODE_LENGTH };

typedef struct {
  char positions[ENCODER_POSITIONS], names[ENCODER_NAMES];
  uint32_t positions_length, names_length;
  const char *known[ENCODER_KNOWN];
  uint32_t known_count;
  uint32_t last_line, last_column;
  uint32_t line, column;  // of the instrumented code
  uint32_t shift;
  bool quiet[5000], finished;
  uint32_t depth, kind, past, situation;
  uint64_t low;
  uint32_t range;
  int16_t odds[1 << 16];
} encoder;

static inline void encode_digit(encoder *e, uint32_t digit) {
  assert_true(e->positions_length < ENCODER_POSITIONS);
  e->positions[e->positions_length++] = digit + '?' == '\\' ? '=' : (char)('?' + digit);
}

static inline uint32_t encoded_digit(const encoder *e, uint32_t at) {
  return e->positions[at] == '=' ? '\\' - '?' : (uint32_t)(e->positions[at] - '?');
}

static inline void encode_shift(encoder *e) {
  if (e->low >> 30) {  // carried
    for (uint32_t at = e->positions_length; at--;) {
      uint32_t digit = encoded_digit(e, at), length = e->positions_length;
      e->positions_length = at;
      encode_digit(e, (digit + 1) & 63);
      e->positions_length = length;
      if (digit < 63) break;
    }
  }
  encode_digit(e, e->low >> 24 & 63);
  e->low = (e->low & 0xffffff) << 6;
  e->range <<= 6;
}

static inline void encode_bit(encoder *e, uint32_t context, uint32_t node, bool bit) {
  int16_t *odds = &e->odds[(context * 0x9e3779b1u + node) * 0x2545f491u >> 16];
  int32_t zero = *odds + 32768;
  uint32_t bound = (e->range >> 16) * (uint32_t)zero;
  if (bit) e->low += bound;
  e->range = bit ? e->range - bound : bound;
  *odds = (int16_t)(*odds + (bit ? -(zero / 16) : (65536 - zero) / 16));
  while (e->range < 1 << 24) encode_shift(e);
}

static inline void encode_number(encoder *e, uint32_t field, uint32_t extra, uint32_t value) {
  uint32_t context = (field * 32 + e->situation) * 32 + extra % 32;
  uint32_t length = 0, number = value + 1;
  while (number >> length > 1) encode_bit(e, context, length++, true);
  encode_bit(e, context, length, false);
  for (uint32_t i = length; i--;) {
    encode_bit(e, context, 32 + (number >> (i + 1)) * 32 + length, number >> i & 1);
  }
}

// The code's last line and its length.
static inline void encode_begin(encoder *e, uint32_t last_line, uint32_t last_column) {
  memset(e, 0, sizeof *e);
  e->last_line = last_line;
  e->last_column = last_column;
  e->range = 1 << 30;
  e->depth = 1;
  for (uint32_t i = 0; i < 5; i++) encode_digit(e, 0);  // there is no prologue
  encode_number(e, ENCODE_HEAD, 0, 0);
}

static inline uint32_t encode_name(encoder *e, const char *name) {
  uint32_t known = 0, length = (uint32_t)strlen(name);
  while (known < e->known_count && strcmp(e->known[known], name) != 0) known++;
  bool is_known = !*name || known < e->known_count;
  encode_number(e, ENCODE_NAME, 0, !*name ? 1 : is_known ? known + 2 : 0);
  if (is_known) return length;
  encode_number(e, ENCODE_LENGTH, 0, length);
  assert_true(known < ENCODER_KNOWN && e->names_length + length < ENCODER_NAMES);
  e->known[e->known_count++] = name;
  memcpy(e->names + e->names_length, name, length);
  e->names_length += length;
  return length;
}

// Up to where the event is: `shift` as insertions have moved this place. What comes between is
// written by those below.
static inline void encode_head(encoder *e, uint32_t line, uint32_t head, uint32_t kind) {
  bool later = line > e->line;
  e->situation = e->kind;
  encode_number(e, ENCODE_HEAD, e->past, head | later);
  e->situation = kind * 4 + e->past % 2 * 2 + later;
  if (later) {
    encode_number(e, ENCODE_LINES, 0, line - e->line - 1);
    e->column = e->shift = 0;
  }
  e->line = line;
}

static inline void encode_place(encoder *e, uint32_t column, uint32_t shift, uint32_t extra) {
  uint32_t gap = column - shift - (e->column - e->shift), log = 0;
  while ((gap + 1) >> log > 1) log++;
  encode_number(e, ENCODE_GAP, extra, gap);
  encode_number(e, ENCODE_GROWN, log, shift - e->shift);
  e->column = column;
  e->shift = shift;
}

static inline void encode_done(encoder *e, uint32_t kind) {
  e->kind = kind;
  e->past = e->past * 2 + (kind > 1);
}

// A function that begins at `line`, `column` of the code; zero-based, as its definition, which is
// in the same line unless it is given.
static inline void encode_start(encoder *e, uint32_t line, uint32_t column, uint32_t flags,
                                uint32_t defined_line, uint32_t defined_column, const char *name) {
  uint32_t kind = (flags & ENCODE_QUIET) != 0;
  encode_head(e, line, flags, kind);
  uint32_t length = encode_name(e, name), shift = e->shift;
  if (flags & ENCODE_GIVEN) {
    encode_number(e, ENCODE_BACK, 0, line - defined_line);
    encode_number(e, ENCODE_COLUMN, 0, defined_column);
  } else {
    assert_int_equal(defined_line, line);
    shift = column - defined_column;
  }
  encode_place(e, column, shift, length);
  e->quiet[e->depth++] = kind;
  encode_done(e, kind);
}

// What instrumenting has put in, up to `line`, `column` of the code.
static inline void encode_insertion(encoder *e, uint32_t line, uint32_t column, uint32_t length) {
  encode_head(e, line, 6, 4);
  encode_place(e, column, e->shift + length, e->depth);
}

static inline void encode_end(encoder *e, uint32_t line, uint32_t column) {
  uint32_t kind = 2 + (e->depth > 1 && e->quiet[e->depth - 1]);
  encode_head(e, line, 2, kind);
  encode_place(e, column, e->shift, e->depth);
  if (e->depth) e->depth--;
  encode_done(e, kind);
}

// Of digits, the last ones.
static inline void encode_flush(encoder *e) {
  for (uint32_t i = 0; i < 5; i++) encode_shift(e);
  e->finished = true;
}

// The end of the top-level code. Once is enough.
static inline void encode_finish(encoder *e) {
  if (e->finished) return;
  encode_end(e, e->last_line, e->last_column);
  encode_flush(e);
}

#endif
