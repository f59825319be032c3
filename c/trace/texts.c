#include "texts.h"

#include <string.h>

#include "memory.h"

void texts_init(texts *memory) { memset(memory, 0, sizeof *memory); }

void texts_clear(texts *memory) {
  mem_free(memory->entries);
  texts_init(memory);
}

static texts_entry *find(const texts *memory, hash_pair hash) {
  uint32_t mask = memory->slot_count - 1, slot = hash.low & mask;
  for (;; slot = (slot + 1) & mask) {
    texts_entry *entry = &memory->entries[slot];
    if (!entry->used) return entry;
    if (entry->hash.low == hash.low && entry->hash.high == hash.high) return entry;
  }
}

bool texts_find(const texts *memory, hash_pair hash, uint32_t *value) {
  if (!memory->slot_count) return false;
  const texts_entry *entry = find(memory, hash);
  *value = entry->value;
  return entry->used;
}

static bool grow(texts *memory) {
  texts larger = {NULL, memory->count, memory->slot_count ? memory->slot_count * 2 : 64};
  larger.entries = mem_new(larger.slot_count, sizeof(texts_entry));
  if (!larger.entries) return false;
  for (uint32_t i = 0; i < memory->slot_count; i++) {
    const texts_entry *entry = &memory->entries[i];
    if (entry->used) *find(&larger, entry->hash) = *entry;
  }
  mem_free(memory->entries);
  *memory = larger;
  return true;
}

void texts_remember(texts *memory, hash_pair hash, uint32_t value) {
  if (memory->count + 1 > memory->slot_count / 4 * 3 && !grow(memory)) return;
  texts_entry *entry = find(memory, hash);
  if (!entry->used) memory->count++;
  *entry = (texts_entry){hash, value, 1};
}
