// Interned strings: equal bytes, equal id.
//
//   bytes:    |abc|main.js|...            back to back, no terminators
//   entries:  | start, length, hash | ... the index is the id
//   slots:    | id+1 | 0 | ...
#ifndef TRACE_STRINGS_H
#define TRACE_STRINGS_H

#include <stdbool.h>
#include <stdint.h>

static const uint32_t STRINGS_NONE = UINT32_MAX;

typedef struct {
  uint32_t start, length, hash;
} strings_entry;

typedef struct {
  char *bytes;
  strings_entry *entries;
  uint32_t *slots;
  uint32_t byte_count, byte_capacity, count, capacity, slot_count;
} strings;

void strings_init(strings *pool);
void strings_clear(strings *pool);  // frees all; the pool stays usable, empty

// The id of the text, added when new. STRINGS_NONE when there is no memory; the pool is then as
// before (it may keep room it has made).
uint32_t strings_intern(strings *pool, const char *text, uint32_t length);

// The id of the text, or STRINGS_NONE when it is not there.
uint32_t strings_find(const strings *pool, const char *text, uint32_t length);

// The bytes of a string; valid until the next strings_intern().
const char *strings_text(const strings *pool, uint32_t id, uint32_t *length);

#endif
