// The strings of a profile: equal bytes, equal number. All texts are kept here.
//
//   bytes:   |abc|main.js|...           back to back, no terminators, valid UTF-8
//   entries: | start, length | ...      the row is the string's number
#ifndef FXPROF_STRINGS_H
#define FXPROF_STRINGS_H

#include "hash.h"
#include "index.h"

typedef struct {
  size_t start;
  uint32_t length;
} fx_string;

typedef struct {
  char *bytes;
  size_t used, capacity;
  FX_LIST(fx_string) entries;
  fx_index index;
} fx_strings;

void fx_strings_clear(const fx_memory *memory, fx_strings *strings);

// The number of a text, added when new. The strings are as before when that fails.
fxprof_status fx_strings_intern(const fx_memory *memory, fx_secret secret, fx_strings *strings,
                                fxprof_text text, uint32_t *number);

// Valid until the next fx_strings_intern().
static inline fxprof_text fx_strings_text(const fx_strings *strings, uint32_t number) {
  const fx_string *entry = &strings->entries.rows[number];
  fxprof_text text = {strings->bytes + entry->start, entry->length};
  return text;
}

// As memcmp(), a shorter text before those that begin with it.
int fx_text_compare(fxprof_text a, fxprof_text b);

#endif
