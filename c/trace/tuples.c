#include "tuples.h"

#include <string.h>

#include "hash.h"
#include "memory.h"

void tuples_init(tuples *table, uint32_t width) {
  memset(table, 0, sizeof *table);
  table->width = width;
}

void tuples_clear(tuples *table) {
  mem_free(table->rows);
  mem_free(table->slots);
  tuples_init(table, table->width);
}

const uint32_t *tuples_row(const tuples *table, uint32_t id) {
  return table->rows + (size_t)id * table->width;
}

static bool is_equal(const uint32_t *row, const uint32_t *other, uint32_t width) {
  uint32_t i = 0;
  while (i < width && row[i] == other[i]) i++;
  return i == width;
}

// The slot that holds `row`, or the free one where it belongs.
static uint32_t find_slot(const tuples *table, const uint32_t *row) {
  uint32_t mask = table->slot_count - 1;
  uint32_t slot = hash_words(row, table->width) & mask;
  while (table->slots[slot]) {
    if (is_equal(tuples_row(table, table->slots[slot] - 1), row, table->width)) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

static bool grow_slots(tuples *table) {
  uint32_t slot_count = table->slot_count ? table->slot_count * 2 : 16;
  uint32_t *slots = mem_new(slot_count, sizeof *slots);
  if (!slots) return false;
  mem_free(table->slots);
  table->slots = slots;
  table->slot_count = slot_count;
  for (uint32_t id = 0; id < table->count; id++) {
    slots[find_slot(table, tuples_row(table, id))] = id + 1;
  }
  return true;
}

uint32_t tuples_intern(tuples *table, const uint32_t *row) {
  if (table->slot_count) {
    uint32_t held = table->slots[find_slot(table, row)];
    if (held) return held - 1;
  }
  if (table->count == TUPLES_NONE - 1) return TUPLES_NONE;
  if (table->count + 1 > table->slot_count / 4 * 3 && !grow_slots(table)) return TUPLES_NONE;
  void *rows = table->rows;
  bool grown = mem_reserve(&rows, &table->capacity, table->count + 1, 16,
                           table->width * sizeof(uint32_t));
  table->rows = rows;
  if (!grown) return TUPLES_NONE;
  uint32_t id = table->count++;
  memcpy(table->rows + (size_t)id * table->width, row, table->width * sizeof *row);
  table->slots[find_slot(table, row)] = id + 1;
  return id;
}
