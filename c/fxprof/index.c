#include "index.h"

#include <string.h>

static uint32_t free_slot(const uint64_t *slots, uint32_t mask, uint32_t hash) {
  uint32_t slot = hash & mask;
  while (slots[slot]) slot = (slot + 1) & mask;
  return slot;
}

fxprof_status fx_index_reserve(const fx_memory *memory, fx_index *index, uint32_t more) {
  uint64_t needed = (uint64_t)index->count + more;
  if (needed <= index->slot_count / 4 * 3) return FXPROF_OK;
  if (needed > memory->max_rows) return FXPROF_OVERFLOW;
  uint64_t slot_count = index->slot_count ? index->slot_count : 16;
  while (needed > slot_count / 4 * 3) slot_count *= 2;
  if (slot_count > SIZE_MAX / sizeof(uint64_t)) return FXPROF_NO_MEMORY;
  uint64_t *slots = fx_resize(memory, NULL, (size_t)slot_count * sizeof *slots);
  if (!slots) return FXPROF_NO_MEMORY;
  memset(slots, 0, (size_t)slot_count * sizeof *slots);
  for (uint32_t i = 0; i < index->slot_count; i++) {
    uint64_t slot = index->slots[i];
    if (slot) slots[free_slot(slots, (uint32_t)slot_count - 1, (uint32_t)(slot >> 32))] = slot;
  }
  fx_free(memory, index->slots);
  index->slots = slots;
  index->slot_count = (uint32_t)slot_count;
  return FXPROF_OK;
}

void fx_index_put(fx_index *index, uint32_t hash, uint32_t row) {
  uint32_t slot = free_slot(index->slots, index->slot_count - 1, hash);
  index->slots[slot] = (uint64_t)hash << 32 | (row + 1);
  index->count++;
}

// Empties a slot, and moves those that were pushed on by it.
static void empty_slot(fx_index *index, uint32_t empty) {
  uint32_t mask = index->slot_count - 1;
  for (uint32_t slot = (empty + 1) & mask; index->slots[slot]; slot = (slot + 1) & mask) {
    uint32_t home = (uint32_t)(index->slots[slot] >> 32) & mask;
    if (((slot - home) & mask) < ((slot - empty) & mask)) continue;
    index->slots[empty] = index->slots[slot];
    empty = slot;
  }
  index->slots[empty] = 0;
  index->count--;
}

void fx_index_truncate(fx_index *index, uint32_t count) {
  for (uint32_t slot = 0; index->count > count && slot < index->slot_count;) {
    if ((uint32_t)index->slots[slot] > count) empty_slot(index, slot);
    else slot++;
  }
}
