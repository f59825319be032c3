/* Fuzzes the reader of stack texts: no byte outside of the text is read (sanitizers), and every
   view handed out lies inside it. The first byte chooses the engine. */
#include <stddef.h>
#include <stdlib.h>

#include "trace/stack_text.h"

static void check_view(const char *view, uint32_t view_len, const char *text, uint32_t len) {
  if (!view) {
    if (view_len) abort();
    return;
  }
  if (view < text || view > text + len || view_len > (size_t)(text + len - view)) abort();
}

static void check_line(stack_engine engine, const stack_line *line, const char *text,
                       uint32_t len) {
  const char *bare;
  uint32_t bare_len;
  check_view(line->name, line->name_len, text, len);
  check_view(line->url, line->url_len, text, len);
  check_view(line->url_scheme, line->url_scheme_len, text, len);
  if (line->has_url != (line->url_len > 0) || line->kind > STACK_LINE_ASYNC) abort();
  if (line->kind == STACK_LINE_SKIP && (line->has_url || line->has_line || line->name_len)) abort();
  stack_bare_name(engine, line, &bare, &bare_len);
  check_view(bare, bare_len, text, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  stack_engine engine = (stack_engine)(data[0] % 4 + 1);
  const char *text = (const char *)data + 1;
  uint32_t len = (uint32_t)size - 1, lines = 0;
  stack_line line;
  stack_line_parse(engine, text, len, &line);
  check_line(engine, &line, text, len);
  stack_lines rest = {text, text + len};
  const char *each;
  uint32_t each_len;
  while (stack_lines_next(&rest, &each, &each_len)) {
    check_view(each, each_len, text, len);
    stack_line_parse(engine, each, each_len, &line);
    check_line(engine, &line, each, each_len);
    if (++lines > len) abort();
  }
  return 0;
}
