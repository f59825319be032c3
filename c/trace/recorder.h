// The recorder: all that a page's profilers share, and their sessions.
//
// Every failure for want of memory is counted and leaves the recorder as usable as before.
#ifndef TRACE_RECORDER_H
#define TRACE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "scripts.h"
#include "sessions.h"
#include "stacks.h"
#include "trace.h"

static const uint32_t RECORDER_NONE = UINT32_MAX;

typedef struct {
  uint32_t lost_samples;      // not stored: no memory
  uint32_t lost_stacks;       // stored without their stack: no memory
  uint32_t lost_tables;       // function tables not kept: no memory, or no URL to keep them under
  uint32_t malformed_tables;  // look-ups that a malformed function table could not answer
} recorder_counters;

typedef struct {
  session samples;
  bool open;
} recorder_session;

typedef struct {
  stacks stacks;
  scripts scripts;
  recorder_session *sessions;
  uint32_t session_count, session_capacity, open_count;
  recorder_counters counters;
} recorder;

void recorder_init(recorder *r, stack_engine engine, uint32_t frame_limit, uint32_t seed);
void recorder_clear(recorder *r);

// The handle of a new, empty session; RECORDER_NONE when there is no memory. With a limit other
// than 0 it keeps no more samples than that, the last ones.
uint32_t recorder_open(recorder *r, uint32_t limit);

// Ends a session and frees its samples. With the last one all captured stacks are forgotten, so
// that a page that profiles again and again does not grow.
void recorder_close(recorder *r, uint32_t handle);

// As stacks_intern(); STACKS_NO_MEMORY is counted. Stacks stay, also when sessions with a limit
// have dropped all samples that refer to them: some 50 bytes for each different one.
uint32_t recorder_stack(recorder *r, const char *text, uint32_t length, stacks_drop drop);

// Stores a sample: `time` in ms, `stack` as recorder_stack() returned it. False (and counted) when
// there is no memory or no such session.
bool recorder_sample(recorder *r, uint32_t handle, double time, uint32_t stack);

typedef struct {
  const char *text;
  uint32_t length;
} recorder_text;

// Registers the function table of an instrumented script that begins at `line`, `column` of its
// file. Its URL is that of the innermost frame of `stack`, a stack's text, else `url`. With `?`
// for a stack the table is a guess, believed where it agrees with the names that the engine prints.
// False (and counted) when neither names one or there is no memory.
bool recorder_add_script(recorder *r, recorder_text stack, recorder_text url,
                         recorder_text positions, recorder_text names, uint32_t line,
                         uint32_t column);

// As trace_begin() and trace_build(), of a session. From the one to trace_clear() nothing else of
// the recorder may be called: the trace looks into its tables.
trace_result recorder_begin_trace(recorder *r, uint32_t handle, trace *t);
trace_result recorder_build_trace(recorder *r, trace *t);

#endif
