#include "buffer.h"

#include <string.h>

#include "memory.h"

void buffer_clear(buffer *out) {
  mem_free(out->bytes);
  memset(out, 0, sizeof *out);
}

void buffer_add(buffer *out, const char *text, uint32_t length) {
  void *bytes = out->bytes;
  bool grown = length <= UINT32_MAX - out->length &&
               mem_reserve(&bytes, &out->capacity, out->length + length, 4096, 1);
  out->bytes = bytes;
  if (!grown) {
    out->no_memory = true;
    return;
  }
  if (length) memcpy(out->bytes + out->length, text, length);
  out->length += length;
}

void buffer_add_text(buffer *out, const char *text) {
  buffer_add(out, text, (uint32_t)strlen(text));
}

void buffer_add_number(buffer *out, uint32_t number) {
  char digits[10];
  uint32_t first = sizeof digits;
  do {
    digits[--first] = (char)('0' + number % 10);
    number /= 10;
  } while (number);
  buffer_add(out, digits + first, sizeof digits - first);
}

void buffer_add_json_string(buffer *out, const char *text, uint32_t length) {
  static const char hex[] = "0123456789abcdef";
  buffer_add(out, "\"", 1);
  uint32_t plain = 0;  // where the characters begin that stand for themselves
  for (uint32_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    buffer_add(out, text + plain, i - plain);
    plain = i + 1;
    char escape[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    if (c >= 0x20) escape[1] = (char)c;
    buffer_add(out, escape, c >= 0x20 ? 2 : 6);
  }
  buffer_add(out, text + plain, length - plain);
  buffer_add(out, "\"", 1);
}
