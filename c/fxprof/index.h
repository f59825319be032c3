// Finds rows by their content: open addressing over the numbers of rows, which are kept elsewhere.
//
//   slots: | hash, row + 1 | 0 | ...      a power of two, three quarters of them taken at most
//
// A slot holds the whole hash, so that a row is hardly ever looked at in vain, and an index grows
// without looking at rows at all.
#ifndef FXPROF_INDEX_H
#define FXPROF_INDEX_H

#include "memory.h"

typedef struct {
  uint64_t *slots;
  uint32_t slot_count, count;
} fx_index;

// The next row whose hash is this one, or FX_NONE; *at begins as the hash:
//
//   for (uint32_t at = hash, row; (row = fx_index_next(index, hash, &at)) != FX_NONE;) ...
static inline uint32_t fx_index_next(const fx_index *index, uint32_t hash, uint32_t *at) {
  if (!index->slot_count) return FX_NONE;
  uint32_t mask = index->slot_count - 1;
  for (;;) {
    uint64_t slot = index->slots[(*at)++ & mask];
    if (!slot) return FX_NONE;
    if (slot >> 32 == hash) return (uint32_t)slot - 1;
  }
}

// Makes room for `more` rows. The index is as before when there is none.
fxprof_status fx_index_reserve(const fx_memory *memory, fx_index *index, uint32_t more);

// Adds a row; there is room.
void fx_index_put(fx_index *index, uint32_t hash, uint32_t row);

// Takes out the rows from `count` on, which were added last.
void fx_index_truncate(fx_index *index, uint32_t count);

#endif
