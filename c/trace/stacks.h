// Captured stacks: from the text of an error's stack to a number.
//
//   text -> lines -> call sites -> stack
//
//   call site:  kind, name, url, line, column       where a frame was, as the engine printed it,
//                                                   but for the fragment of a page's URL
//   stack:      parent stack + 1 (0 = none), call site        parents before children
//
// A text seen before costs one look-up by its hash; a new text made of known lines costs one a
// line. What a call site means (which function, defined where) is settled when a trace is built.
#ifndef TRACE_STACKS_H
#define TRACE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "stack_text.h"
#include "strings.h"
#include "texts.h"
#include "tuples.h"

// Native profilers keep the innermost 255 frames (conformance row 63).
enum { STACKS_DEPTH_MAX = 255 };

static const uint32_t STACKS_NO_MEMORY = UINT32_MAX;
// Set in a stack's number: frames are missing at its root.
static const uint32_t STACKS_CUT = UINT32_C(1) << 31;
// Set by whoever stores a sample that a poll at a function's entry has taken: the time is that of
// the caller, or where this has no polls, of its own caller, and so on.
static const uint32_t STACKS_ENTRY = UINT32_C(1) << 30;
static const uint32_t STACKS_NUMBER = (UINT32_C(1) << 30) - 1;

typedef struct {
  stack_engine engine;
  uint32_t frame_limit;  // the engine never prints more frames than this
  uint32_t seed;
  strings strings;  // names and URLs of the call sites
  tuples sites, stacks;
  texts whole, lines;
  uint32_t skipped_lines;  // lines that could not be read as a frame
} stacks;

typedef struct {
  stack_line_kind kind;
  uint32_t name, url;  // ids in `strings`; url STRINGS_NONE: no script
  uint32_t line, column;
} stacks_site;

void stacks_init(stacks *all, stack_engine engine, uint32_t frame_limit, uint32_t seed);
void stacks_clear(stacks *all);  // forgets all stacks; the counter stays

// Which frames of a text are not part of the stack that is meant.
typedef struct {
  // So many innermost ones: the profiler's own, and the polled function at its entry.
  uint32_t leaf;
  // The last of those is an async function: JavaScriptCore prints a second frame below it when it
  // runs for the first time, that of the wrapper that started it.
  bool wrapper;
  uint32_t root;  // so many outermost ones, unless the engine has cut them off already
} stacks_drop;

// Reads a stack's text, without the frames to drop.
// Returns the stack's number: its id + 1, 0 when no frame is left, STACKS_NO_MEMORY when there is
// none: what was learnt of the text until then is kept and does no harm. STACKS_CUT is set when the
// engine has printed as many frames as it ever does (so that there may have been more), or when
// more than STACKS_DEPTH_MAX are left.
uint32_t stacks_intern(stacks *all, const char *text, uint32_t length, stacks_drop drop);

// The innermost frame of a stack's text, and how long its URL is without fragment; false when it
// names none.
bool stacks_leaf(stack_engine engine, const char *text, uint32_t length, stack_line *leaf,
                 uint32_t *url_length);

// Of a stack by its id: where its innermost frame was; its caller's stack (id + 1, 0 = none).
stacks_site stacks_site_at(const stacks *all, uint32_t stack);
uint32_t stacks_parent(const stacks *all, uint32_t stack);

// Whether the second of two sites may be the frame of the wrapper that JavaScriptCore runs below an
// async function: it bears its name (of an arrow function it alone does), in its file, at a
// position that means nothing.
bool stacks_may_be_wrapper(const stacks *all, stacks_site function, stacks_site below);

#endif
