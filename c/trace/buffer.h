// A growing run of bytes to write a text into.
#ifndef TRACE_BUFFER_H
#define TRACE_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  char *bytes;
  uint32_t length, capacity;
  bool no_memory;  // something could not be written; stays set until buffer_clear()
} buffer;

void buffer_clear(buffer *out);  // frees all; the buffer stays usable, empty

// What cannot be appended sets no_memory; the text is then of no use.
void buffer_add(buffer *out, const char *text, uint32_t length);
void buffer_add_text(buffer *out, const char *text);  // NUL-terminated
void buffer_add_number(buffer *out, uint32_t number);
void buffer_add_json_string(buffer *out, const char *text, uint32_t length);

#endif
