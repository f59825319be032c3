// A memory of texts already read: 64-bit hash of a text -> the number it came to.
//
// Keeps no text. What a lost or never stored entry costs is reading the text again, so that
// running out of memory here only makes the core slower.
#ifndef TRACE_TEXTS_H
#define TRACE_TEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "hash.h"

typedef struct {
  hash_pair hash;
  uint32_t value, used;
} texts_entry;

typedef struct {
  texts_entry *entries;
  uint32_t count, slot_count;
} texts;

void texts_init(texts *memory);
void texts_clear(texts *memory);

// False when the text is not remembered; *value then means nothing.
bool texts_find(const texts *memory, hash_pair hash, uint32_t *value);

// Remembers or replaces a text's number; does nothing when there is no memory.
void texts_remember(texts *memory, hash_pair hash, uint32_t value);

#endif
