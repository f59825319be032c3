// Writes JSON into a small buffer that is handed on whenever it is full.
#ifndef FXPROF_WRITER_H
#define FXPROF_WRITER_H

#include "fxprof.h"
#include "numbers.h"

typedef struct {
  fxprof_write_function write;
  void *context;
  bool has_failed;  // what comes after is dropped
  size_t used;
  char buffer[8192];
} fx_writer;

void fx_flush(fx_writer *writer);

// Where up to `room` bytes can be written; fx_wrote() tells the end of those that were.
static inline char *fx_room(fx_writer *writer, size_t room) {
  if (sizeof writer->buffer - writer->used < room) fx_flush(writer);
  return writer->buffer + writer->used;
}

static inline void fx_wrote(fx_writer *writer, const char *end) {
  writer->used = (size_t)(end - writer->buffer);
}

// Room for an element of a column with what comes before it: "[" or ",".
static inline char *fx_element(fx_writer *writer, uint32_t i) {
  char *to = fx_room(writer, 32);
  *to = i ? ',' : '[';
  return to + 1;
}

// Text that is JSON already, shorter than the buffer.
void fx_write(fx_writer *writer, const char *json);
void fx_write_integer(fx_writer *writer, uint64_t number);
void fx_write_ms(fx_writer *writer, uint64_t ns);
void fx_write_double(fx_writer *writer, double number);
void fx_write_bool(fx_writer *writer, bool value);
void fx_write_string(fx_writer *writer, fxprof_text text);  // valid UTF-8; in quotes

// Columns: `"name":[`, elements, `]`. An empty one is "[]".
void fx_begin_column(fx_writer *writer, const char *name);
void fx_end_column(fx_writer *writer, uint32_t count);
// The same text so many times.
void fx_write_constant_column(fx_writer *writer, const char *name, const char *json,
                              uint32_t count);

#endif
