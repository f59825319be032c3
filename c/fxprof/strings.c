#include "strings.h"

#include <string.h>

#include "utf8.h"

void fx_strings_clear(const fx_memory *memory, fx_strings *strings) {
  fx_free(memory, strings->bytes);
  fx_free(memory, strings->entries.rows);
  fx_free(memory, strings->index.slots);
}

int fx_text_compare(fxprof_text a, fxprof_text b) {
  size_t common = a.length < b.length ? a.length : b.length;
  int order = common ? memcmp(a.bytes, b.bytes, common) : 0;
  return order ? order : (a.length > b.length) - (a.length < b.length);
}

static uint32_t find(const fx_strings *strings, fxprof_text text, uint32_t hash) {
  for (uint32_t at = hash, row; (row = fx_index_next(&strings->index, hash, &at)) != FX_NONE;) {
    const fx_string *entry = &strings->entries.rows[row];
    if (entry->length == text.length &&
        memcmp(strings->bytes + entry->start, text.bytes, text.length) == 0) {
      return row;
    }
  }
  return FX_NONE;
}

// Room for so many bytes at the end. The text may be one of these strings and move along.
static fxprof_status reserve_bytes(const fx_memory *memory, fx_strings *strings, size_t more,
                                   fxprof_text *text) {
  if (more > SIZE_MAX - strings->used) return FXPROF_NO_MEMORY;
  uintptr_t offset = (uintptr_t)text->bytes - (uintptr_t)strings->bytes;
  FX_TRY(fx_grow_bytes(memory, &strings->bytes, &strings->capacity, strings->used + more));
  if (offset < strings->used) text->bytes = strings->bytes + offset;
  return FXPROF_OK;
}

fxprof_status fx_strings_intern(const fx_memory *memory, fx_secret secret, fx_strings *strings,
                                fxprof_text text, uint32_t *number) {
  if (!text.length || !text.bytes) text = (fxprof_text){"", 0};
  bool is_valid = fx_utf8_is_valid(text.bytes, text.length);
  if (text.length > UINT32_MAX / (is_valid ? 1 : 3)) return FXPROF_OVERFLOW;
  if (!is_valid) {
    // Repaired where it goes if it is new.
    FX_TRY(reserve_bytes(memory, strings, text.length * 3, &text));
    char *end = strings->bytes + strings->used;
    text = (fxprof_text){end, fx_utf8_repair(text.bytes, text.length, end)};
  }
  uint32_t hash = fx_hash_bytes(secret, text.bytes, text.length);
  *number = find(strings, text, hash);
  if (*number != FX_NONE) return FXPROF_OK;
  FX_TRY(FX_RESERVE(memory, &strings->entries, 1));
  FX_TRY(fx_index_reserve(memory, &strings->index, 1));
  // One byte more, so that there are bytes to point at when all strings are empty.
  if (is_valid) FX_TRY(reserve_bytes(memory, strings, text.length + 1, &text));
  if (is_valid) memcpy(strings->bytes + strings->used, text.bytes, text.length);
  *number = strings->entries.count;
  FX_PUSH(&strings->entries, (fx_string){strings->used, (uint32_t)text.length});
  fx_index_put(&strings->index, hash, *number);
  strings->used += text.length;
  return FXPROF_OK;
}
