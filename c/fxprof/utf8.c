#include "utf8.h"

#include <stdint.h>
#include <string.h>

// The length of the character at the beginning; 0 if there is none, *bad then tells how many bytes
// make one U+FFFD.
static size_t character(const uint8_t *bytes, size_t length, size_t *bad) {
  uint8_t first = bytes[0], low = 0x80, high = 0xbf;
  size_t needed;
  *bad = 1;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) needed = 2;
  else if (first >= 0xe0 && first <= 0xef) needed = 3;
  else if (first >= 0xf0 && first <= 0xf4) needed = 4;
  else return 0;
  // The second byte tells longer forms than needed, surrogates, and what is above U+10FFFF.
  if (first == 0xe0) low = 0xa0;
  else if (first == 0xed) high = 0x9f;
  else if (first == 0xf0) low = 0x90;
  else if (first == 0xf4) high = 0x8f;
  for (size_t i = 1; i < needed; i++) {
    if (i == length || bytes[i] < low || bytes[i] > high) return 0;
    *bad = i + 1;
    low = 0x80;
    high = 0xbf;
  }
  return needed;
}

bool fx_utf8_is_valid(const char *bytes, size_t length) {
  size_t i = 0, bad;
  while (i < length) {
    uint64_t word;
    if (length - i >= sizeof word) {
      memcpy(&word, bytes + i, sizeof word);
      if (!(word & UINT64_C(0x8080808080808080))) {
        i += sizeof word;
        continue;
      }
    }
    size_t size = character((const uint8_t *)bytes + i, length - i, &bad);
    if (!size) return false;
    i += size;
  }
  return true;
}

size_t fx_utf8_repair(const char *bytes, size_t length, char *to) {
  size_t written = 0;
  for (size_t i = 0; i < length;) {
    size_t bad, size = character((const uint8_t *)bytes + i, length - i, &bad);
    if (size) {
      memcpy(to + written, bytes + i, size);
      written += size;
    } else {
      size = bad;
      memcpy(to + written, "\xef\xbf\xbd", 3);
      written += 3;
    }
    i += size;
  }
  return written;
}
