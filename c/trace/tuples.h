// Interning of small tuples: the specification's "get an element ID", for every list of a trace.
//
//   rows:   | w w w w | w w w w | w w w w | ...      width words each; the index is the id
//   slots:  | id+1 | 0 | 0 | id+1 | 0 | ...          a power of two, linear probing, 3/4 full
//
// Two tuples are the same element when all their words are equal.
#ifndef TRACE_TUPLES_H
#define TRACE_TUPLES_H

#include <stdbool.h>
#include <stdint.h>

enum { TUPLES_WIDTH_MAX = 5 };
static const uint32_t TUPLES_NONE = UINT32_MAX;

typedef struct {
  uint32_t *rows, *slots;
  uint32_t width, count, capacity, slot_count;
} tuples;

void tuples_init(tuples *table, uint32_t width);
void tuples_clear(tuples *table);  // frees all; the table stays usable, empty

// The id of the row equal to `row` (width words), appended when there is none yet.
// TUPLES_NONE when there is no memory; the table is then as before.
uint32_t tuples_intern(tuples *table, const uint32_t *row);

// The words of a row; valid until the next tuples_intern().
const uint32_t *tuples_row(const tuples *table, uint32_t id);

#endif
