#include "writer.h"

#include <string.h>

void fx_flush(fx_writer *writer) {
  if (writer->used && !writer->has_failed) {
    writer->has_failed = !writer->write(writer->context, writer->buffer, writer->used);
  }
  writer->used = 0;
}

void fx_write(fx_writer *writer, const char *json) {
  size_t length = strlen(json);
  char *to = fx_room(writer, length);
  memcpy(to, json, length);
  fx_wrote(writer, to + length);
}

void fx_write_integer(fx_writer *writer, uint64_t number) {
  fx_wrote(writer, fx_print_integer(fx_room(writer, FX_INTEGER_ROOM), number));
}

void fx_write_ms(fx_writer *writer, uint64_t ns) {
  fx_wrote(writer, fx_print_ms(fx_room(writer, FX_DOUBLE_ROOM), ns));
}

void fx_write_double(fx_writer *writer, double number) {
  fx_wrote(writer, fx_print_double(fx_room(writer, FX_DOUBLE_ROOM), number));
}

void fx_write_bool(fx_writer *writer, bool value) { fx_write(writer, value ? "true" : "false"); }

static char *escape(char *to, char c) {
  static const char shorts[] = "btn\0fr";  // of U+0008 to U+000D, without U+000B
  *to++ = '\\';
  if (c == '"' || c == '\\') {
    *to++ = c;
  } else if (c >= 8 && c <= 13 && shorts[c - 8]) {
    *to++ = shorts[c - 8];
  } else {
    memcpy(to, "u00", 3);
    to[3] = (char)('0' + (c >> 4));
    to[4] = "0123456789abcdef"[c & 15];
    to += 5;
  }
  return to;
}

void fx_write_string(fx_writer *writer, fxprof_text text) {
  fx_write(writer, "\"");
  for (size_t i = 0; i < text.length;) {
    // As much as there is room for, if every character is escaped.
    size_t end = text.length - i > 1024 ? i + 1024 : text.length;
    char *to = fx_room(writer, (end - i) * 6);
    for (; i < end; i++) {
      char c = text.bytes[i];
      if ((unsigned char)c >= 0x20 && c != '"' && c != '\\') *to++ = c;
      else to = escape(to, c);
    }
    fx_wrote(writer, to);
  }
  fx_write(writer, "\"");
}

void fx_begin_column(fx_writer *writer, const char *name) {
  fx_write(writer, ",\"");
  fx_write(writer, name);
  fx_write(writer, "\":");
}

void fx_end_column(fx_writer *writer, uint32_t count) { fx_write(writer, count ? "]" : "[]"); }

void fx_write_constant_column(fx_writer *writer, const char *name, const char *json,
                              uint32_t count) {
  fx_begin_column(writer, name);
  size_t length = strlen(json);
  for (uint32_t i = 0; i < count && !writer->has_failed; i++) {
    char *to = fx_element(writer, i);
    memcpy(to, json, length);
    fx_wrote(writer, to + length);
  }
  fx_end_column(writer, count);
}
