#include "strings.h"

#include <string.h>

#include "hash.h"
#include "memory.h"

void strings_init(strings *pool) { memset(pool, 0, sizeof *pool); }

void strings_clear(strings *pool) {
  mem_free(pool->bytes);
  mem_free(pool->entries);
  mem_free(pool->slots);
  strings_init(pool);
}

const char *strings_text(const strings *pool, uint32_t id, uint32_t *length) {
  *length = pool->entries[id].length;
  return pool->bytes + pool->entries[id].start;
}

static uint32_t free_slot(const strings *pool, uint32_t hash) {
  uint32_t mask = pool->slot_count - 1, slot = hash & mask;
  while (pool->slots[slot]) slot = (slot + 1) & mask;
  return slot;
}

static bool grow_slots(strings *pool) {
  uint32_t slot_count = pool->slot_count ? pool->slot_count * 2 : 16;
  uint32_t *slots = mem_new(slot_count, sizeof *slots);
  if (!slots) return false;
  mem_free(pool->slots);
  pool->slots = slots;
  pool->slot_count = slot_count;
  for (uint32_t id = 0; id < pool->count; id++) {
    slots[free_slot(pool, pool->entries[id].hash)] = id + 1;
  }
  return true;
}

static uint32_t find(const strings *pool, const char *text, uint32_t length, uint32_t hash) {
  if (!pool->slot_count) return STRINGS_NONE;
  uint32_t mask = pool->slot_count - 1;
  for (uint32_t slot = hash & mask; pool->slots[slot]; slot = (slot + 1) & mask) {
    uint32_t id = pool->slots[slot] - 1;
    const strings_entry *entry = &pool->entries[id];
    if (entry->hash == hash && entry->length == length &&
        memcmp(pool->bytes + entry->start, text, length) == 0) {
      return id;
    }
  }
  return STRINGS_NONE;
}

uint32_t strings_find(const strings *pool, const char *text, uint32_t length) {
  return find(pool, text, length, hash_bytes(text, length, 0).low);
}

uint32_t strings_intern(strings *pool, const char *text, uint32_t length) {
  if (!length) text = "";  // a view of nothing may be NULL
  uint32_t hash = hash_bytes(text, length, 0).low;
  uint32_t held = find(pool, text, length, hash);
  if (held != STRINGS_NONE) return held;
  if (length > UINT32_MAX - 1 - pool->byte_count || pool->count == STRINGS_NONE - 1) {
    return STRINGS_NONE;
  }
  if (pool->count + 1 > pool->slot_count / 4 * 3 && !grow_slots(pool)) return STRINGS_NONE;
  void *entries = pool->entries, *bytes = pool->bytes;
  bool grown =
      mem_reserve(&entries, &pool->capacity, pool->count + 1, 16, sizeof(strings_entry)) &&
      // One byte more, so that there are bytes to point at when all strings are empty.
      mem_reserve(&bytes, &pool->byte_capacity, pool->byte_count + length + 1, 512, 1);
  pool->entries = entries;
  pool->bytes = bytes;
  if (!grown) return STRINGS_NONE;
  uint32_t id = pool->count++;
  if (length) memcpy(pool->bytes + pool->byte_count, text, length);
  pool->entries[id] = (strings_entry){pool->byte_count, length, hash};
  pool->byte_count += length;
  pool->slots[free_slot(pool, hash)] = id + 1;
  return id;
}
