// Function tables: which function of the original script a position of the instrumented script
// lies in.
//
// An instrumented script carries its table as two texts, kept as they come and decoded when the
// first trace asks for one of the script's positions.
//
//   positions:  digits: 64 characters from '?' on, but for the backslash, which '=' stands for.
//               Five are the length of the prologue. The others are what an adaptive binary range
//               coder made of these numbers:
//               prologueLine event...
//     event:    head [lines] [name [length] [back column]] gap grown
//       head:   1: on a later line than the event before, `lines` + 1 further down   2: an end
//               4 (starts): a function without polls: its time is its caller's
//               4 (ends): the end of an insertion, what instrumenting has put in
//               8 (starts): the definition is elsewhere, `back` lines before, at `column`
//               16 (starts): an async function, not a generator
//     name:     0 = the next one of the names, which has `length` bytes; 1 = the empty one, which
//               is not among them; k + 1 = the k-th
//     gap:      columns of the original code since the event before, or since the line's beginning
//     grown:    columns that insertions have added meanwhile, but for the prologue, which is
//               before everything on its line
//   The last event is the end of the top-level code.
//   names:      each once, in order of first use, with nothing between them
//
// A number has a context, made of what it is and of what is known already: `situation` and `extra`
// below. Its bits are those of the number plus 1: how many follow the first, as so many ones and a
// zero, then these. Each has a slot by its context and its node in the tree of all numbers, which
// tells how likely it is 0 by what it was before. Slots are shared by hash.
//
//               situation                                            extra
//     head      kind of the event before                             ends among the last five
//     lines     kind * 4 + 2 if behind an end + 1 if on a later line 0
//     name, length, back, column   the same                                0
//     gap       the same            bytes of the name of what starts, depth of what ends
//     grown     the same                                             log2(gap + 1)
//     kind      0 start, 1 of a function without polls, 2 and 3 their ends, 4 insertion
//
// Functions that are on no stack are left out. A table tells of all insertions, the prologue as one
// of length 0 first, or of none. With them, a position of the instrumented script leads back to
// one of the original: lines are the same in both.
//
// Lines and columns of the texts are zero-based and count from where the code begins. Decoded:
//
//   boundaries: | line column function | line column function | ...   in order: from here on,
//               the innermost function; function 0 is the top-level code
//   insertions: | line column original | ...   in order: from here on, to the end of the line or
//               the next insertion, columns count from this one of the original; the first is 0 0 0
#ifndef TRACE_FUNCTIONS_H
#define TRACE_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "strings.h"

typedef struct {
  uint32_t name;          // id in `names`
  uint32_t line, column;  // of the definition in the original file, one-based
  bool is_async;          // and not a generator
  bool is_quiet;          // has no polls: its time is its caller's
} functions_entry;

typedef struct {
  uint32_t line, column;  // position in the instrumented code, zero-based
  uint32_t value;         // function or original column
} functions_mark;

typedef struct {
  functions_mark *marks;
  uint32_t count, capacity;
} functions_marks;

typedef enum { FUNCTIONS_ENCODED, FUNCTIONS_DECODED, FUNCTIONS_MALFORMED } functions_state;

// One script, or one inline script of a document.
typedef struct {
  char *text;  // positions, then names
  uint32_t positions_length, names_length;
  uint32_t line, column;  // where the code begins in its file, one-based
  uint64_t start_line, start_column;  // no function is before this, one-based; 0: unknown
  uint32_t last_line, last_column;
  functions_state state;
  bool is_guess;  // made of a text that need not be the one that runs
  functions_marks boundaries, insertions;
  functions_entry *entries;
  uint32_t entry_count, entry_capacity;
  strings names;
} functions;

// Takes a copy of the two texts, of a script whose code begins at `line`, `column` (one-based) of
// its file. False when there is no memory; nothing is kept then.
bool functions_init(functions *table, const char *positions, uint32_t positions_length,
                    const char *names, uint32_t names_length, uint32_t line, uint32_t column);
// Tells where the instrumented code has begun to run, one-based: all functions are behind. Scripts
// on one line of a document are told apart by that, as they have moved since `column` was counted.
void functions_start(functions *table, uint64_t line, uint64_t column);
void functions_clear(functions *table);  // frees all; the table is of no more use

typedef enum {
  FUNCTIONS_FOUND,
  FUNCTIONS_MISNAMED,  // found, and engines have printed another name
  FUNCTIONS_BAD,
  FUNCTIONS_OUTSIDE,
  FUNCTIONS_NO_MEMORY
} functions_result;

// The innermost function at a position of the instrumented file (one-based, as printed in a stack),
// in O(log n). OUTSIDE: the position is not in this script's text. BAD: the table is malformed.
// NO_MEMORY: it could not be decoded now; a later call may succeed.
functions_result functions_find(functions *table, uint64_t line, uint64_t column,
                                const functions_entry **found);

// The column in the original file of a position for which functions_find() has said FOUND, both
// one-based. Of a position within an insertion, that of the insertion. 0: the table does not tell.
uint32_t functions_original_column(const functions *table, uint32_t line, uint32_t column);

#endif
