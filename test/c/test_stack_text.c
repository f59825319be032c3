/* Reading the text of `error.stack`: lines, bare names, hostile text. The zoo of lines real
   engines print is scored by test/unit/stack-parse.test.js. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "trace/stack_text.h"

#define V8 STACK_ENGINE_V8
#define MOZ STACK_ENGINE_SPIDERMONKEY
#define JSC STACK_ENGINE_JSC
#define OTHER STACK_ENGINE_OTHER
#define FRAME STACK_LINE_FRAME

static const stack_engine engines[] = {V8, MOZ, JSC, OTHER};

static void assert_inside(const char *view, uint32_t view_len, const char *text, uint32_t len) {
  if (!view) {
    assert_int_equal(view_len, 0);
    return;
  }
  assert_true(view >= text && view <= text + len);
  assert_true(view_len <= (uint32_t)(text + len - view));
}

/* What holds for every reading of whatever text. */
static void assert_sound(stack_engine engine, const stack_line *line, const char *text,
                         uint32_t len) {
  assert_in_range(line->kind, STACK_LINE_SKIP, STACK_LINE_ASYNC);
  assert_inside(line->name, line->name_len, text, len);
  assert_inside(line->url, line->url_len, text, len);
  assert_inside(line->url_scheme, line->url_scheme_len, text, len);
  assert_int_equal(line->has_url, line->url_len > 0);
  if (!line->has_line) assert_int_equal(line->line, 0);
  if (!line->has_column) assert_int_equal(line->column, 0);
  if (line->has_column) assert_true(line->has_line);
  if (line->kind == STACK_LINE_SKIP) {
    assert_int_equal(line->name_len, 0);
    assert_false(line->has_url || line->has_line || line->has_wasm_function ||
                 line->is_constructor);
  } else {
    assert_non_null(line->name);
  }
  const char *name;
  uint32_t name_len;
  stack_bare_name(engine, line, &name, &name_len);
  assert_inside(name, name_len, text, len);
  assert_true(name_len <= line->name_len);
}

/* Parses a copy in a block of its own size, so that a read beyond the text is seen. The views of
   the result then point into `text` itself. */
static stack_line parse_bytes(stack_engine engine, const char *text, uint32_t len) {
  char *copy = malloc(len ? len : 1);
  memcpy(copy, text, len);
  stack_line line;
  memset(&line, 0xa5, sizeof line);
  stack_line_parse(engine, copy, len, &line);
  assert_sound(engine, &line, copy, len);
  if (line.name) line.name = text + (line.name - copy);
  if (line.url) line.url = text + (line.url - copy);
  if (line.url_scheme) line.url_scheme = text + (line.url_scheme - copy);
  free(copy);
  return line;
}

static stack_line parse(stack_engine engine, const char *text) {
  return parse_bytes(engine, text, (uint32_t)strlen(text));
}

static void assert_text(const char *view, uint32_t len, const char *expected) {
  if (!expected) {
    assert_int_equal(len, 0);
    return;
  }
  char *copy = calloc(1, (size_t)len + 1);
  if (len) memcpy(copy, view, len);
  assert_string_equal(copy, expected);
  free(copy);
}

static void assert_line(stack_engine engine, const char *text, stack_line_kind kind,
                        const char *name, const char *url, uint64_t line, uint64_t column) {
  stack_line got = parse(engine, text);
  if (got.kind != kind) print_error("%s\n", text);
  assert_int_equal(got.kind, kind);
  assert_text(got.name, got.name_len, name);
  assert_int_equal(got.has_url, url != NULL);
  assert_text(got.url, got.url_len, url);
  assert_int_equal(got.line, line);
  assert_int_equal(got.column, column);
}

static void assert_skipped(stack_engine engine, const char *text) {
  assert_line(engine, text, STACK_LINE_SKIP, NULL, NULL, 0, 0);
}

/* ---- lines ---- */

static void test_v8_calls(void **state) {
  (void)state;
  assert_line(V8, "    at f (https://a.example/x.js:1:2)", FRAME, "f", "https://a.example/x.js", 1,
              2);
  assert_line(V8, "    at https://a.example/x.js:1:2", FRAME, "", "https://a.example/x.js", 1, 2);
  assert_line(V8, "    at a.b [as c] (x.js:1:2)", FRAME, "a.b", "x.js", 1, 2);
  assert_line(V8, "    at f [as [Symbol.iterator]] (x.js:1:2)", FRAME, "f", "x.js", 1, 2);
  assert_line(V8, "    at new <anonymous> (x.js:1:2)", FRAME, "", "x.js", 1, 2);
  assert_line(V8, "    at   (x.js:1:2)", FRAME, " ", "x.js", 1, 2);
  assert_line(V8, "    at f (<anonymous>:1:2)", FRAME, "f", NULL, 1, 2);
  assert_line(V8, "    at f (https://a.example/x.js)", FRAME, "f", "https://a.example/x.js", 0, 0);
  assert_line(V8, "    at f (x.js)", FRAME, "f", "x.js", 0, 0);
  assert_line(V8, "    at f (https://a.example/x.js:7)", FRAME, "f", "https://a.example/x.js", 7,
              0);
  assert_line(V8, "    at Array.map (<anonymous>)", STACK_LINE_NATIVE, "Array.map", NULL, 0, 0);
  assert_line(V8, "    at <anonymous>", STACK_LINE_NATIVE, "", NULL, 0, 0);
  assert_line(V8, "    at f (x.js:1:2)\r", FRAME, "f", "x.js", 1, 2);
  assert_true(parse(V8, "    at new A (x.js:1:2)").is_constructor);
  assert_false(parse(V8, "    at A (x.js:1:2)").is_constructor);
}

static void test_v8_flag_words_can_be_names(void **state) {
  (void)state;
  assert_line(V8, "    at async (x.js:1:2)", FRAME, "async", "x.js", 1, 2);
  assert_line(V8, "    at new (x.js:1:2)", FRAME, "new", "x.js", 1, 2);
  assert_line(V8, "    at async f (x.js:1:2)", STACK_LINE_ASYNC, "f", "x.js", 1, 2);
  assert_line(V8, "    at async x.js:1:2", STACK_LINE_ASYNC, "", "x.js", 1, 2);
  assert_line(V8, "    at async Promise.all (index 3)", STACK_LINE_ASYNC, "Promise.all", NULL, 0,
              0);
}

static void test_v8_parentheses(void **state) {
  (void)state;
  assert_line(V8, "    at f (C:\\Program Files (x86)\\a b\\x.js:1:2)", FRAME, "f",
              "C:\\Program Files (x86)\\a b\\x.js", 1, 2);
  assert_line(V8, "    at C:\\Program Files (x86)\\x.js:1:2", FRAME, "",
              "C:\\Program Files (x86)\\x.js", 1, 2);
  assert_line(V8, "    at f (https://a.example/a)b.js:1:2)", FRAME, "f", "https://a.example/a)b.js",
              1, 2);
  assert_line(V8, "    at f (https://a.example/a(b.js:1:2)", FRAME, "f", "https://a.example/a(b.js",
              1, 2);
  assert_line(V8, "    at q (https://evil.example/z.js (x.js:1:2)", FRAME,
              "q (https://evil.example/z.js", "x.js", 1, 2);
  assert_line(V8, "    at p (q) (x.js:1:2)", FRAME, "p (q)", "x.js", 1, 2);
  assert_line(V8, "    at a ( (x.js:1:2)", FRAME, "a (", "x.js", 1, 2);
  assert_line(V8, "    at ) (x.js:1:2)", FRAME, ")", "x.js", 1, 2);
  assert_line(V8, "    at q (https://evil.example/z.js (https://a.example/x.js:1:2)", FRAME,
              "q (https://evil.example/z.js", "https://a.example/x.js", 1, 2);
  assert_line(V8, "    at A.f(webpack:///./x.jsx?:1:2)", FRAME, "A.f", "webpack:///./x.jsx?", 1, 2);
}

static void test_v8_eval(void **state) {
  (void)state;
  assert_line(V8, "    at f (eval at g (https://a.example/x.js:3:4), <anonymous>:1:2)",
              STACK_LINE_EVAL, "f", NULL, 1, 2);
  assert_line(V8, "    at f (eval at g (eval at h (https://a.example/x.js:3:4)), <anonymous>:1:2)",
              STACK_LINE_EVAL, "f", NULL, 1, 2);
  assert_line(V8, "    at f (eval at g (https://a.example/a)b.js:3:4), <anonymous>:1:2)",
              STACK_LINE_EVAL, "f", NULL, 1, 2);
  assert_line(V8, "    at f (eval at g (:290:30), <anonymous>:1:2)", STACK_LINE_EVAL, "f", NULL, 1,
              2);
  assert_line(V8, "    at eval at g (https://a.example/x.js:3:4), <anonymous>:1:2", STACK_LINE_EVAL,
              "", NULL, 1, 2);
  assert_line(V8, "    at async f (eval at g (x.js:3:4), <anonymous>:1:2)", STACK_LINE_ASYNC, "f",
              NULL, 1, 2);
  /* a function whose name is a whole origin */
  assert_line(V8, "    at eval at g (https://evil.example/z.js:3:4), <anonymous>:5:6 (x.js:1:2)",
              FRAME, "eval at g (https://evil.example/z.js:3:4), <anonymous>:5:6", "x.js", 1, 2);
}

static void test_moz(void **state) {
  (void)state;
  assert_line(MOZ, "f@https://a.example/x.js:1:2", FRAME, "f", "https://a.example/x.js", 1, 2);
  assert_line(MOZ, "@https://a.example/@s/p@1.2/x.js?u=a@b:9:9:1:2", FRAME, "",
              "https://a.example/@s/p@1.2/x.js?u=a@b:9:9", 1, 2);
  assert_line(MOZ, "f@https://esm.example/p@npm:q/x.js:1:2", FRAME, "f",
              "https://esm.example/p@npm:q/x.js", 1, 2);
  assert_line(MOZ, "o[\"@f\"]@chunk.js:1:2", FRAME, "o[\"@f\"]", "chunk.js", 1, 2);
  assert_line(MOZ, "f@x/@s/p@1/y.js:1:2", FRAME, "f", "x/@s/p@1/y.js", 1, 2);
  assert_line(MOZ, "f@https://a.example/x.js:0:0", FRAME, "f", "https://a.example/x.js", 0, 0);
  assert_true(parse(MOZ, "f@https://a.example/x.js:1:0").has_column);
  assert_line(MOZ, "f@https://a.example/x.js line 3 > eval line 1 > Function:1:2", STACK_LINE_EVAL,
              "f", "https://a.example/x.js line 3 > eval line 1 > Function", 1, 2);
  assert_line(MOZ, "promise callback*f@https://a.example/x.js:1:2", STACK_LINE_ASYNC, "f",
              "https://a.example/x.js", 1, 2);
  assert_line(MOZ, "void* f<int>(char*)@https://a.example/x.wasm:wasm-function[3]:0xa",
              STACK_LINE_WASM, "void* f<int>(char*)", "https://a.example/x.wasm", 0, 0);
  assert_line(MOZ, "operator*(A, B)@https://a.example/x.wasm:wasm-function[3]:0xa",
              STACK_LINE_WASM, "operator*(A, B)", "https://a.example/x.wasm", 0, 0);
  assert_line(MOZ, "f([object Object],\"a@b\")@https://a.example/x.js:7", FRAME, "f",
              "https://a.example/x.js", 7, 0);
  assert_line(MOZ, "([object Object])@https://a.example/x.js:7", FRAME, "",
              "https://a.example/x.js", 7, 0);
  assert_line(MOZ, "p (q)@https://a.example/x.js:7:1", FRAME, "p (q)", "https://a.example/x.js", 7,
              1);
  assert_skipped(MOZ, "Error: write to me@https://a.example/x");
  assert_skipped(MOZ, "f@x.js");
  assert_skipped(MOZ, "f@");
}

static void test_jsc(void **state) {
  (void)state;
  assert_line(JSC, "f@https://a.example/x.js:1:2", FRAME, "f", "https://a.example/x.js", 1, 2);
  assert_line(JSC, "f@[native code]", STACK_LINE_NATIVE, "f", NULL, 0, 0);
  assert_line(JSC, "@[native code]", STACK_LINE_NATIVE, "", NULL, 0, 0);
  assert_line(JSC, "[native code]", STACK_LINE_NATIVE, "", NULL, 0, 0);
  assert_line(JSC, "@", STACK_LINE_EVAL, "", NULL, 0, 0);
  assert_line(JSC, "eval code@", STACK_LINE_EVAL, "eval code", NULL, 0, 0);
  assert_line(JSC, "global code@", FRAME, "global code", NULL, 0, 0);
  assert_line(JSC, "async f@https://a.example/x.js:1:2", STACK_LINE_ASYNC, "f",
              "https://a.example/x.js", 1, 2);
  assert_line(JSC, "https://a.example/@s/p@1/x.js:1:2", FRAME, "", "https://a.example/@s/p@1/x.js",
              1, 2);
  assert_line(JSC, "f@user-script:12:4:5", FRAME, "f", "user-script:12", 4, 5);
  assert_line(JSC, "<?>.wasm-function[7]@[wasm code]", STACK_LINE_WASM, "<?>.wasm-function[7]",
              NULL, 0, 0);
  assert_line(JSC, "[wasm code]", STACK_LINE_WASM, "", NULL, 0, 0);
  assert_line(JSC, "f@wasm-function[7]", STACK_LINE_WASM, "f", NULL, 0, 0);
  /* a function of eval code named like a frame: no place may come of it */
  assert_line(JSC, "x@https://evil.example/z.js:9:9@", STACK_LINE_EVAL,
              "x@https://evil.example/z.js:9:9", NULL, 0, 0);
  assert_skipped(JSC, "RangeError: Maximum call stack size exceeded.");
  assert_skipped(JSC, "Error");
  assert_skipped(JSC, "f@x");
}

static void test_other_engines(void **state) {
  (void)state;
  assert_line(OTHER, "   at Global code (https://a.example/x.js:1:2)", FRAME, "Global code",
              "https://a.example/x.js", 1, 2);
  assert_line(OTHER, "   at f (Function code:1:2)", STACK_LINE_EVAL, "f", NULL, 1, 2);
  assert_line(OTHER, "    at f (address at index.bundle:1:2)", FRAME, "f", "index.bundle", 1, 2);
  assert_line(OTHER, "    at https://a.example/x.js:7", FRAME, "", "https://a.example/x.js", 7, 0);
  assert_line(OTHER, "<anonymous function>([arguments not available])@https://a.example/x.js:7",
              FRAME, "", "https://a.example/x.js", 7, 0);
  assert_line(OTHER, "  Line 7 of inline#1 script in https://a.example/: In function f", FRAME, "f",
              "https://a.example/", 7, 0);
  assert_line(OTHER, "  Line 7 of linked script https://a.example/x.js", FRAME, "",
              "https://a.example/x.js", 7, 0);
  assert_skipped(OTHER, "Line of linked script https://a.example/x.js");

  stack_line line = parse(OTHER, "at f@a-b:(//c/x.js:1:2)");
  assert_text(line.url_scheme, line.url_scheme_len, "a-b:");
  assert_text(line.url, line.url_len, "//c/x.js");
  assert_text(line.name, line.name_len, "f");
}

static void test_wasm_numbers(void **state) {
  (void)state;
  stack_line line = parse(V8, "    at m.f (wasm://wasm/m-1a:wasm-function[12]:0x1a2b)");
  assert_int_equal(line.kind, STACK_LINE_WASM);
  assert_true(line.has_wasm_function);
  assert_int_equal(line.wasm_function, 12);
  assert_int_equal(line.wasm_offset, 0x1a2b);
  assert_text(line.url, line.url_len, "wasm://wasm/m-1a");

  line = parse(V8, "    at <anonymous>:wasm-function[0]:0x0");
  assert_int_equal(line.kind, STACK_LINE_WASM);
  assert_false(line.has_url);
  line = parse(V8, "    at f (wasm-function[5]:17)");
  assert_int_equal(line.wasm_offset, 17);
  line = parse(V8, "    at js-to-wasm:i:i (<anonymous>)");
  assert_int_equal(line.kind, STACK_LINE_WASM);
  assert_false(line.has_wasm_function);
  line = parse(V8, "    at f (x.js:wasm-function[]:0x1)"); /* no index: a file like any other */
  assert_false(line.has_wasm_function);
}

static void test_numbers_stop_at_the_largest(void **state) {
  (void)state;
  assert_line(V8, "    at f (x.js:99999999999:5)", FRAME, "f", "x.js", 99999999999u, 5);
  assert_line(MOZ, "f@x.js:18446744073709551614:18446744073709551616", FRAME, "f", "x.js",
              UINT64_MAX, UINT64_MAX);
  assert_line(JSC, "f@x.js:1:99999999999999999999999999999999999999999999999999", FRAME, "f",
              "x.js", 1, UINT64_MAX);
  stack_line line = parse(V8, "    at f (x:wasm-function[1]:0xffffffffffffffffffffff)");
  assert_int_equal(line.wasm_offset, UINT64_MAX);
}

static void test_lines_that_are_no_frames(void **state) {
  (void)state;
  static const char *const lines[] = {"",
                                      " ",
                                      "Error",
                                      "TypeError: at: x",
                                      "    at",
                                      "    at ",
                                      "    at part1",
                                      "    at f (",
                                      "    at f ()",
                                      "    at )",
                                      "    at (",
                                      "    at least two words",
                                      "part2 (https://a.example/x.js:1:2)",
                                      "at f (https://a.example/x.js:1:2)",
                                      "    at a message (see docs)",
                                      "    at see https://a.example/ for more"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) assert_skipped(V8, lines[i]);
}

/* ---- newlines in names ---- */

static void test_newline_in_one_line(void **state) {
  (void)state;
  assert_line(V8, "    at x\n    at forged (https://evil.example/z.js:1:1) (x.js:1:2)", FRAME,
              "x\n    at forged (https://evil.example/z.js:1:1)", "x.js", 1, 2);
  assert_line(MOZ, "x@https://evil.example/z.js:1:1\ny@https://a.example/x.js:1:2", FRAME,
              "x@https://evil.example/z.js:1:1\ny", "https://a.example/x.js", 1, 2);
}

/* ---- lines of a text ---- */

/* The kinds of a text's lines, which are counted; the last one read is in *last. */
static uint32_t read_lines(stack_engine engine, const char *text, uint32_t len,
                           stack_line_kind *kinds, uint32_t max, stack_line *last) {
  stack_lines lines = {text, text + len};
  const char *line;
  uint32_t line_len, n = 0;
  while (stack_lines_next(&lines, &line, &line_len)) {
    assert_true(n < max);
    assert_inside(line, line_len, text, len);
    *last = parse_bytes(engine, line, line_len);
    kinds[n++] = last->kind;
  }
  assert_false(stack_lines_next(&lines, &line, &line_len));
  return n;
}

static uint32_t kinds_of(stack_engine engine, const char *text, stack_line_kind *kinds,
                         uint32_t max) {
  stack_line last;
  return read_lines(engine, text, (uint32_t)strlen(text), kinds, max, &last);
}

static void test_newline_breaks_a_frame(void **state) {
  (void)state;
  const char text[] = "Error\n    at x\ny (https://a.example/x.js:1:2)\n    at f (x.js:3:4)";
  stack_line_kind kinds[8];
  stack_line last;
  assert_int_equal(read_lines(V8, text, sizeof text - 1, kinds, 8, &last), 4);
  for (int i = 0; i < 3; i++) assert_int_equal(kinds[i], STACK_LINE_SKIP);
  assert_int_equal(kinds[3], STACK_LINE_FRAME);
  assert_text(last.name, last.name_len, "f");
}

static void test_every_line_is_told(void **state) {
  (void)state;
  stack_line_kind kinds[8];
  const char *v8 =
      "Error: one\ntwo\n    at f (x.js:1:2)\n    at Array.map (<anonymous>)\n"
      "    at async g (x.js:3:4)\n    at async h (x.js:5:6)";
  assert_int_equal(kinds_of(V8, v8, kinds, 8), 6);
  const stack_line_kind expected[] = {STACK_LINE_SKIP,   STACK_LINE_SKIP,  STACK_LINE_FRAME,
                                      STACK_LINE_NATIVE, STACK_LINE_ASYNC, STACK_LINE_ASYNC};
  assert_memory_equal(kinds, expected, sizeof expected);
}

static void test_lines_end(void **state) {
  (void)state;
  stack_line_kind kinds[8];
  stack_line last;
  assert_int_equal(kinds_of(MOZ, "", kinds, 8), 0);
  assert_int_equal(kinds_of(MOZ, "\n", kinds, 8), 1);
  assert_int_equal(kinds_of(MOZ, "f@x.js:1:2\n", kinds, 8), 1);
  assert_int_equal(kinds_of(MOZ, "f@x.js:1:2", kinds, 8), 1);
  assert_int_equal(kinds_of(JSC, "f@x.js:1:2\n\ng@x.js:3:4\n", kinds, 8), 3);
  assert_int_equal(kinds[1], STACK_LINE_SKIP);
  assert_int_equal(read_lines(V8, "x", 0, kinds, 8, &last), 0);
}

/* That nothing below it is on the stack is for the reader of stacks to know: test_stacks.c. */
static void test_moz_async_is_told(void **state) {
  (void)state;
  stack_line_kind kinds[8];
  const char *text = "f@x.js:1:2\nasync*g@x.js:3:4\nh@x.js:5:6\n";
  assert_int_equal(kinds_of(MOZ, text, kinds, 8), 3);
  assert_int_equal(kinds[0], STACK_LINE_FRAME);
  assert_int_equal(kinds[1], STACK_LINE_ASYNC);
}

/* ---- bare names ---- */

static void assert_bare(stack_engine engine, const char *text, const char *expected) {
  stack_line line = parse(engine, text);
  const char *name;
  uint32_t len;
  stack_bare_name(engine, &line, &name, &len);
  assert_text(name, len, expected);
}

static void test_bare_names_v8(void **state) {
  (void)state;
  static const char *const pairs[][2] = {{"f", "f"},
                                         {"Object.$_x9", "$_x9"},
                                         {"Kit.build", "build"},
                                         {"Function.build", "build"},
                                         {"HTMLButtonElement.onclick", "onclick"},
                                         {"Object.描画する", "描画する"},
                                         {"_Query.eval [as fetchRows]", "eval"},
                                         {"shop.cart.add", ""},
                                         {"shop.odd key", ""},
                                         {"shop.add", ""},
                                         {"shop.<computed>", ""},
                                         {"<computed>", ""},
                                         {"e.ui.(anonymous function) [as pick]", ""},
                                         {"Object.<anonymous>", ""},
                                         {"new <anonymous>", ""},
                                         {"new Foo", "Foo"},
                                         {"new Shop.Foo", ""},
                                         {"get total", "get total"},
                                         {"Object.get total [as total]", "get total"},
                                         {"#seal", "#seal"},
                                         {"get #seal", "get #seal"},
                                         {"[Symbol.iterator]", ""},
                                         {"Bag.[Symbol.iterator]", ""},
                                         {"get [Symbol.toStringTag]", ""},
                                         {"<static_initializer>", "<static_initializer>"},
                                         {"with space", "with space"},
                                         {"String.", ""},
                                         {".x", ""}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    char text[128] = "    at ";
    strcat(text, pairs[i][0]);
    strcat(text, " (https://a.example/x.js:1:2)");
    assert_bare(V8, text, pairs[i][1]);
  }
  assert_bare(V8, "    at https://a.example/x.js:1:2", "");
  assert_bare(V8, "    at core::run(int).x (wasm://wasm/1a:wasm-function[1]:0x35)",
              "core::run(int).x");
  assert_bare(V8, "not a frame", "");
}

static void test_bare_names_others(void **state) {
  (void)state;
  assert_bare(MOZ, "add@x.js:1:2", "add");
  assert_bare(MOZ, "get x@x.js:1:2", "get x");
  assert_bare(MOZ, "#p@x.js:1:2", "#p");
  assert_bare(MOZ, "shop.cart.add@x.js:1:2", "");
  assert_bare(MOZ, "outer/<@x.js:1:2", "");
  assert_bare(MOZ, "outer/inner@x.js:1:2", "");
  assert_bare(MOZ, "i<@x.js:1:2", "");
  assert_bare(MOZ, "shop[3]@x.js:1:2", "");
  assert_bare(MOZ, "[Symbol.iterator]@x.js:1:2", "");
  assert_bare(MOZ, "<instance_members_initializer>@x.js:1:2", "<instance_members_initializer>");
  assert_bare(JSC, "global code@https://a.example/x.js:1:2", "");
  assert_bare(JSC, "module code@https://a.example/x.js:1:2", "");
  assert_bare(JSC, "eval code@", "");
  assert_bare(JSC, "a.b@https://a.example/x.js:1:2", "a.b");
  assert_bare(OTHER, "   at Anonymous function (https://a.example/x.js:1:2)", "");
  assert_bare(OTHER, "   at Shop.prototype.pay (https://a.example/x.js:1:2)", "");
}

/* ---- hostile text ---- */

static void test_every_cut_of_a_line(void **state) {
  (void)state;
  static const char *const lines[] = {
      "    at async new größe.f [as g] (eval at h (eval at i (https://a.example/(x)/y.js:5:6)), "
      "<anonymous>:3:4)",
      "    at m.f(int) (wasm://wasm/m-1a:wasm-function[12]:0x1a2b)",
      "    at f (C:\\Program Files (x86)\\x.js:1:2)",
      "promise callback*o[\"@描画\"]/f<@https://a.example/@s/p@1/x.js line 3 > eval:1:2",
      "async f@http://[::1]:80/x.js:1:2",
      "2@<?>:wasm-function[2]",
      "global code@[native code]",
      "      at f@a-b:(//c/x.js:1:2)",
      "  Line 7 of linked script https://a.example/x.js: In function f",
      "<anonymous function: f>([arguments not available])@https://a.example/x.js:7"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    uint32_t len = (uint32_t)strlen(lines[i]);
    for (size_t k = 0; k < 4; k++) {
      for (uint32_t cut = 0; cut <= len; cut++) {
        parse_bytes(engines[k], lines[i], cut); /* also between the bytes of a character */
        parse_bytes(engines[k], lines[i] + cut, len - cut);
      }
    }
  }
}

/* A megabyte of every pattern: linear time is a small part of the limit, quadratic time hours. */
static void test_megabytes_in_linear_time(void **state) {
  (void)state;
  enum { SIZE = 1 << 20, MOST_SECONDS = 10 };
  static const struct {
    const char *bytes;
    uint32_t len;
  } patterns[] = {{"a", 1},
                  {"@", 1},
                  {"(", 1},
                  {")", 1},
                  {" (", 2},
                  {"\0", 1},
                  {"\xe6", 1},
                  {"\xf0\x9f", 2},
                  {"\xff", 1},
                  {"0", 1},
                  {":1", 2},
                  {":0x0", 4},
                  {"@a:", 3},
                  {"@http", 5},
                  {" (http", 6},
                  {"(a://", 5},
                  {" [as ", 5},
                  {" line 1", 7},
                  {"(eval at ", 9},
                  {"), <anonymous>:", 15},
                  {" (eval at ", 10},
                  {"\"@", 2},
                  {"*", 1},
                  {"wasm-function[1", 15},
                  {"\n", 1},
                  {"\n    at ", 8},
                  {"]", 1},
                  {".", 1},
                  {":(//", 4},
                  {"Line 1 of ", 10},
                  {"async ", 6},
                  {"new ", 4},
                  {"<", 1},
                  {"script ", 7},
                  {": In function ", 14}};
  static const char *const heads[] = {"", "    at ", "Line 1 of script "};
  static const char *const tails[] = {"", ")", ":1:2)", "@x.js:1:2", ":wasm-function[1]:0x1"};
  char *text = malloc(SIZE);
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
    for (uint32_t n = 0; n < SIZE; n++) text[n] = patterns[i].bytes[n % patterns[i].len];
    clock_t start = clock();
    size_t heads_used = i % 3, tails_used = i % 5;
    memcpy(text, heads[heads_used], strlen(heads[heads_used]));
    memcpy(text + SIZE - strlen(tails[tails_used]), tails[tails_used], strlen(tails[tails_used]));
    for (size_t k = 0; k < 4; k++) {
      stack_line line;
      stack_line_parse(engines[k], text, SIZE, &line);
      assert_sound(engines[k], &line, text, SIZE);
      stack_lines lines = {text, text + SIZE};
      const char *each;
      uint32_t each_len;
      while (stack_lines_next(&lines, &each, &each_len)) {
        stack_line_parse(engines[k], each, each_len, &line);
        assert_true(line.kind <= STACK_LINE_ASYNC);
      }
    }
    assert_true((clock() - start) / CLOCKS_PER_SEC < MOST_SECONDS);
  }
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_v8_calls),
      cmocka_unit_test(test_v8_flag_words_can_be_names),
      cmocka_unit_test(test_v8_parentheses),
      cmocka_unit_test(test_v8_eval),
      cmocka_unit_test(test_moz),
      cmocka_unit_test(test_jsc),
      cmocka_unit_test(test_other_engines),
      cmocka_unit_test(test_wasm_numbers),
      cmocka_unit_test(test_numbers_stop_at_the_largest),
      cmocka_unit_test(test_lines_that_are_no_frames),
      cmocka_unit_test(test_newline_in_one_line),
      cmocka_unit_test(test_newline_breaks_a_frame),
      cmocka_unit_test(test_every_line_is_told),
      cmocka_unit_test(test_lines_end),
      cmocka_unit_test(test_moz_async_is_told),
      cmocka_unit_test(test_bare_names_v8),
      cmocka_unit_test(test_bare_names_others),
      cmocka_unit_test(test_every_cut_of_a_line),
      cmocka_unit_test(test_megabytes_in_linear_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
