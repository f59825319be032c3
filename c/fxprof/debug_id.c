#include <string.h>

#include "fxprof.h"

fxprof_debug_id fxprof_debug_id_from_uuid(const uint8_t uuid[16], uint32_t age) {
  fxprof_debug_id id = {.age = age};
  memcpy(id.uuid, uuid, sizeof id.uuid);
  return id;
}

fxprof_debug_id fxprof_debug_id_from_guid(const uint8_t guid[16], uint32_t age) {
  static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
  fxprof_debug_id id = {.age = age};
  for (int i = 0; i < 16; i++) id.uuid[i] = guid[order[i]];
  return id;
}

fxprof_debug_id fxprof_debug_id_from_pdb20(uint32_t timestamp, uint32_t age) {
  fxprof_debug_id id = {.timestamp = timestamp, .age = age, .is_pdb20 = true};
  return id;
}

// The number that so many digits are, 8 at most; false: there are others between them.
static bool parse_hex(const char *digits, size_t count, uint32_t *number) {
  *number = 0;
  for (size_t i = 0; i < count; i++) {
    char c = digits[i];
    uint32_t digit;
    if (c >= '0' && c <= '9') digit = (uint32_t)(c - '0');
    else if (c >= 'a' && c <= 'f') digit = (uint32_t)(c - 'a' + 10);
    else if (c >= 'A' && c <= 'F') digit = (uint32_t)(c - 'A' + 10);
    else return false;
    *number = *number << 4 | digit;
  }
  return true;
}

fxprof_status fxprof_debug_id_parse(fxprof_text text, fxprof_debug_id *id) {
  size_t length = text.bytes ? text.length : 0, digits = length <= 16 ? 8 : 32;
  if (length <= digits || length > digits + 8) return FXPROF_INVALID_ARGUMENT;
  fxprof_debug_id parsed = {.is_pdb20 = digits == 8};
  for (size_t i = 0; i < digits; i += 8) {
    uint32_t word;
    if (!parse_hex(text.bytes + i, 8, &word)) return FXPROF_INVALID_ARGUMENT;
    if (parsed.is_pdb20) parsed.timestamp = word;
    else for (int j = 0; j < 4; j++) parsed.uuid[i / 2 + j] = (uint8_t)(word >> (24 - 8 * j));
  }
  if (!parse_hex(text.bytes + digits, length - digits, &parsed.age)) {
    return FXPROF_INVALID_ARGUMENT;
  }
  *id = parsed;
  return FXPROF_OK;
}

size_t fxprof_debug_id_print(const fxprof_debug_id *id, char text[FXPROF_DEBUG_ID_ROOM]) {
  char *to = text;
  uint8_t timestamp[4];
  for (int i = 0; i < 4; i++) timestamp[i] = (uint8_t)(id->timestamp >> (24 - 8 * i));
  const uint8_t *bytes = id->is_pdb20 ? timestamp : id->uuid;
  for (int i = 0; i < (id->is_pdb20 ? 4 : 16); i++) {
    *to++ = "0123456789ABCDEF"[bytes[i] >> 4];
    *to++ = "0123456789ABCDEF"[bytes[i] & 15];
  }
  int shift = 28;
  while (shift && !(id->age >> shift)) shift -= 4;
  for (; shift >= 0; shift -= 4) *to++ = "0123456789abcdef"[id->age >> shift & 15];
  *to = '\0';
  return (size_t)(to - text);
}
