// Building a trace: the specification's ProfilerTrace, from a session's samples.
//
//   trace_begin      which scripts did the samples touch?      -> sources
//   (the caller says of each source whether it may be shown)
//   trace_build      "get a stack ID" for every sample         -> resources, frames, stacks
//   trace_write_tables, trace_number_samples
//
// A trace holds only what its own samples reach. A call site becomes a frame with the definition
// of the function it lies in, when its script carries a function table; without one it has no
// line and column (the position of the call is never passed off as the definition's).
// A trace that is `executing` also tells where the call site itself is, in `stacks`: in the
// original file; without column where the function table does not lead there.
// Frames that may not be shown are left out one by one: their parent is linked directly
// (conformance row 79), and so are built-ins (row 72) and eval'd code without a URL (row 71).
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer.h"
#include "scripts.h"
#include "sessions.h"
#include "stacks.h"
#include "strings.h"
#include "tuples.h"

// The columns of a trace's tables; ids are those of `strings` and of the tables beside.
//
//   resources:  name                               a script's URL
//   frames:     name, resource, line, column       of the definition, one-based; 0, 0 = not known
//   stacks:     frame, parent stack + 1 (0 = none), line, column      parents before children;
//               of the call site, 0 = not told
enum { TRACE_RESOURCE_NAME, TRACE_RESOURCE_WIDTH };
enum {
  TRACE_FRAME_NAME,
  TRACE_FRAME_RESOURCE,
  TRACE_FRAME_LINE,
  TRACE_FRAME_COLUMN,
  TRACE_FRAME_WIDTH
};
enum {
  TRACE_STACK_FRAME,
  TRACE_STACK_PARENT,
  TRACE_STACK_LINE,
  TRACE_STACK_COLUMN,
  TRACE_STACK_WIDTH
};

typedef struct {
  uint32_t url;     // id in the stacks' strings
  uint32_t script;  // newest script with a function table, or SCRIPTS_NONE
  bool lacks;       // no table holds some of the samples' call sites in it
  bool shown;
} trace_source;

typedef struct {
  const stacks *captured;
  scripts *scripts;
  session *samples;
  bool executing;          // to be set before trace_build(): stacks tell line and column
  uint32_t *resolved;      // by captured stack: id + 1 in `stacks`, 0 = nothing left of it
  uint32_t *source_of;     // by string id of a URL: index + 1 in `sources`
  trace_source *sources;
  uint32_t source_count, source_capacity;
  uint32_t malformed_tables;  // look-ups that a malformed function table could not answer
  strings strings;
  tuples resources, frames, stacks;
} trace;

typedef enum { TRACE_OK, TRACE_NO_MEMORY } trace_result;

// Starts a trace of `samples`. On NO_MEMORY call trace_clear(); the session is untouched and the
// call may be repeated.
trace_result trace_begin(trace *t, const stacks *captured, scripts *all, session *samples);

// Fills resources, frames and stacks. On NO_MEMORY call trace_clear() and begin again when there
// is more.
trace_result trace_build(trace *t);

// The three tables as JSON: {"resources":[...],"frames":[...],"stacks":[...]} with the keys of
// their members in WebIDL's order (conformance row 55) and absent members left out.
void trace_write_tables(const trace *t, buffer *out);

// Rewrites the session's stack numbers to those of the built trace (id + 1, 0 = no stackId;
// STACKS_CUT stays). Cannot fail, and comes last: the session is of no use then but to be closed.
void trace_number_samples(trace *t);

void trace_clear(trace *t);  // frees all that the trace holds, at any stage

#endif
