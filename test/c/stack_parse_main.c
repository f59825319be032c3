/*
 * The program behind test/stack-parse.mjs: reads rows from standard input, writes what
 * stack_line_parse says of each to standard output. All numbers are little-endian.
 *
 *   row     u32 engine, u32 length, the bytes of the line
 *   answer  11 x u64: kind; offset and length of name, URL scheme, URL; has_line, line; has_column,
 *           column. Offsets count from the start of the line; NONE = there is no such thing.
 */
#include <stdio.h>
#include <stdlib.h>

#include "trace/stack_text.h"

#define NONE UINT64_MAX

static void put(uint64_t n) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(n >> (8 * i));
  if (fwrite(bytes, 1, 8, stdout) != 8) {
    fputs("stack-parse: cannot write\n", stderr);
    exit(1);
  }
}

/* False at the end of the input. */
static bool get(uint32_t *n) {
  unsigned char bytes[4];
  if (fread(bytes, 1, 4, stdin) != 4) return false;
  *n = 0;
  for (int i = 0; i < 4; i++) *n |= (uint32_t)bytes[i] << (8 * i);
  return true;
}

int main(void) {
  uint32_t engine, len;
  while (get(&engine)) {
    /* A block of just the right size, so that a sanitizer sees every read beyond the line. */
    char *text = get(&len) ? malloc(len ? len : 1) : NULL;
    if (!text || fread(text, 1, len, stdin) != len) {
      fputs("stack-parse: the input ends within a row\n", stderr);
      free(text);
      return 1;
    }
    stack_line line;
    stack_line_parse((stack_engine)engine, text, len, &line);
    put(line.kind);
    put(line.name ? (uint64_t)(line.name - text) : NONE);
    put(line.name_len);
    put(line.url_scheme_len ? (uint64_t)(line.url_scheme - text) : NONE);
    put(line.url_scheme_len);
    put(line.has_url ? (uint64_t)(line.url - text) : NONE);
    put(line.url_len);
    put(line.has_line);
    put(line.line);
    put(line.has_column);
    put(line.column);
    free(text);
  }
  return 0;
}
