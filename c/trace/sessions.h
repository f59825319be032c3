// A profiling session's samples, in columns, in blocks of fixed size.
//
//   block:  | next | count | time f64 x 500 | stack u32 x 500 |     12 bytes a sample
//
// Blocks are never moved or doubled, so that a session needs no more than its samples take
// (plus one block), however large the buffer that the page has asked for.
//
// A session with a limit drops its oldest sample for each one more. The first block is moved for
// that, by one, which takes less time than reading a stack.
#ifndef TRACE_SESSIONS_H
#define TRACE_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { SESSIONS_BLOCK = 500 };  // a block of 6 KB: small for a short session, few for a long one

typedef struct sessions_block {
  struct sessions_block *next;
  uint32_t count;
  double times[SESSIONS_BLOCK];     // ms, in the time domain of the session's global
  uint32_t stacks[SESSIONS_BLOCK];  // stack id + 1, 0 = nothing on the stack
} sessions_block;

typedef struct {
  sessions_block *first, *last;
  uint32_t count;
  uint32_t limit;  // keep no more samples than this, the last ones; 0 = all
} session;

// Adds a sample: `time` in ms, `stack` as in a block. False when there is no memory; the session is
// then as before.
bool session_add(session *samples, double time, uint32_t stack);
void session_clear(session *samples);  // frees all; the session stays usable, empty

#endif
