// Stable sorting in place, so that writing a document needs no memory.
#ifndef FXPROF_SORT_H
#define FXPROF_SORT_H

#include <stdbool.h>
#include <stddef.h>

// Whether row a comes before row b.
typedef bool (*fx_before_function)(const void *context, const void *a, const void *b);

// `size`: bytes of a row, 64 at most. What is in order already, or nearly, costs little: merge sort
// that leaves out what need not move, O(n log n) where the shorter of two runs fits a small buffer,
// O(n log^2 n) where not.
void fx_sort(void *rows, size_t count, size_t size, fx_before_function before,
             const void *context);

#endif
