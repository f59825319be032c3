// Function tables: random ones against a naive search, malformed ones, and memory that runs out.
// Scripts: tables by URL.
#include "support.h"

#include "trace/functions.h"
#include "trace/scripts.h"

static encoder code;

static functions open_table(uint32_t line, uint32_t column) {
  functions table;
  encode_finish(&code);
  assert_true(functions_init(&table, code.positions, code.positions_length, code.names,
                             code.names_length, line, column));
  return table;
}

// What holds of whatever is found in whatever table.
static void assert_sound(const functions *table, const functions_entry *found) {
  assert_true(found >= table->entries && found < table->entries + table->entry_count);
  assert_true(found->name < table->names.count);
}

static void assert_found(functions *table, uint64_t line, uint64_t column, const char *name,
                         uint32_t defined_line, uint32_t defined_column, bool is_async) {
  const functions_entry *found = NULL;
  uint32_t length;
  assert_int_equal(functions_find(table, line, column, &found), FUNCTIONS_FOUND);
  assert_sound(table, found);
  const char *text = strings_text(&table->names, found->name, &length);
  assert_int_equal(length, strlen(name));
  assert_memory_equal(text, name, length);
  assert_int_equal(found->line, defined_line);
  assert_int_equal(found->column, defined_column);
  assert_int_equal(found->is_async, is_async);
}

static void assert_not_found(functions *table, uint64_t line, uint64_t column,
                             functions_result expected) {
  const functions_entry *found = NULL;
  assert_int_equal(functions_find(table, line, column, &found), expected);
  assert_null(found);
}

// By hand -----------------------------------------------------------------------------------------

// The letters are pinned here, since the tables that pages carry are made elsewhere:
// `var a;` and, in the next line, `function bc(d) { return d.e }`, behind a prologue of 396.
static void test_letters(void **state) {
  (void)state;
  const char *text = "???EKYbDEQbW????";
  functions table;
  assert_true(functions_init(&table, text, (uint32_t)strlen(text), "bc", 2, 1, 1));
  assert_found(&table, 1, 1, "", 1, 1, false);
  assert_found(&table, 1, 500, "", 1, 1, false);
  assert_found(&table, 2, 11, "", 1, 1, false);
  assert_found(&table, 2, 12, "bc", 2, 12, false);
  assert_found(&table, 2, 29, "bc", 2, 12, false);
  assert_found(&table, 2, 30, "", 1, 1, false);
  assert_not_found(&table, 2, 31, FUNCTIONS_OUTSIDE);
  functions_clear(&table);
  encode_begin(&code, 1, 29);
  encode_start(&code, 1, 11, ENCODE_QUIET, 1, 11, "bc");
  encode_end(&code, 1, 29);
  encode_finish(&code);
  assert_int_equal(code.positions_length, strlen(text));
  assert_memory_equal(code.positions, "?????", 5);
  assert_memory_equal(code.positions + 5, text + 5, strlen(text) - 5);
  assert_int_equal(code.names_length, 2);
  assert_memory_equal(code.names, "bc", 2);
}

// Everything on its line is behind it.
static void test_prologue(void **state) {
  (void)state;
  encode_begin(&code, 1, 90);
  encode_start(&code, 0, 10, 0, 0, 10, "f");
  encode_end(&code, 0, 20);
  encode_start(&code, 1, 10, 0, 1, 7, "g");
  encode_end(&code, 1, 20);
  encode_finish(&code);
  code.positions[3] = 'A';  // 2 * 64
  functions table = open_table(1, 1);
  assert_found(&table, 1, 10 + 128, "", 1, 1, false);
  assert_found(&table, 1, 11 + 128, "f", 1, 11, false);
  assert_found(&table, 1, 21 + 128, "", 1, 1, false);
  assert_found(&table, 2, 11, "g", 2, 8, false);
  functions_clear(&table);
}

// An inline script: only its first line begins in the middle of a line of the file.
static void test_origin(void **state) {
  (void)state;
  encode_begin(&code, 1, 30);
  encode_start(&code, 0, 4, 0, 0, 4, "f");
  encode_end(&code, 0, 8);
  encode_start(&code, 1, 2, ENCODE_GIVEN, 0, 6, "g");
  encode_end(&code, 1, 8);
  encode_start(&code, 1, 9, 0, 1, 9, "h");
  encode_end(&code, 1, 20);
  functions table = open_table(13, 9);
  assert_not_found(&table, 12, 9, FUNCTIONS_OUTSIDE);
  assert_not_found(&table, 13, 8, FUNCTIONS_OUTSIDE);
  assert_not_found(&table, 0, 0, FUNCTIONS_OUTSIDE);
  assert_found(&table, 13, 9, "", 13, 9, false);
  assert_found(&table, 13, 13, "f", 13, 13, false);
  assert_found(&table, 13, 500, "", 13, 9, false);
  assert_found(&table, 14, 3, "g", 13, 15, false);
  assert_found(&table, 14, 10, "h", 14, 10, false);
  assert_found(&table, 14, 31, "", 13, 9, false);
  assert_not_found(&table, 14, 32, FUNCTIONS_OUTSIDE);
  assert_not_found(&table, 14, 0, FUNCTIONS_OUTSIDE);
  assert_not_found(&table, UINT64_MAX, UINT64_MAX, FUNCTIONS_OUTSIDE);
  functions_clear(&table);
}

static void test_one_line(void **state) {
  (void)state;
  encode_begin(&code, 0, 10);
  functions table = open_table(7, 21);
  assert_not_found(&table, 7, 20, FUNCTIONS_OUTSIDE);
  assert_found(&table, 7, 21, "", 7, 21, false);
  assert_found(&table, 7, 31, "", 7, 21, false);
  assert_not_found(&table, 7, 32, FUNCTIONS_OUTSIDE);
  functions_clear(&table);
}

// Insertions --------------------------------------------------------------------------------------

// A first line with a prologue, 12 columns from where the code begins, and a poll; a line with two
// insertions at one place and one later.
static void test_insertions(void **state) {
  (void)state;
  encode_begin(&code, 4, 9);
  encode_insertion(&code, 0, 32, 20);           // 12 to 32
  encode_start(&code, 0, 35, 0, 0, 15, "f");
  encode_insertion(&code, 0, 46, 6);            // 40 to 46
  encode_insertion(&code, 2, 13, 3);            // 10 to 13
  encode_insertion(&code, 2, 14, 1);            // 13 to 14
  encode_end(&code, 2, 20);
  encode_insertion(&code, 2, 30, 5);            // 25 to 30
  encode_start(&code, 3, 7, 0, 3, 7, "g");
  encode_end(&code, 3, 9);
  for (uint32_t origin = 1; origin < 100; origin += 17) {
    functions table = open_table(origin, origin);
    assert_found(&table, origin, origin + 35, "f", origin, origin + 15, false);
    assert_found(&table, origin + 2, 21, "", origin, origin, false);
    assert_found(&table, origin + 3, 8, "g", origin + 3, 8, false);
    const uint32_t expected[][3] = {
        {0, 0, 0},    {0, 11, 11},  {0, 12, 12},  {0, 31, 12},  {0, 32, 12},  {0, 33, 13},
        {0, 39, 19},  {0, 40, 20},  {0, 45, 20},  {0, 46, 20},  {0, 90, 64},  {1, 0, 0},
        {1, 50, 50},  {2, 0, 0},    {2, 9, 9},    {2, 10, 10},  {2, 12, 10},  {2, 13, 10},
        {2, 14, 10},  {2, 15, 11},  {2, 24, 20},  {2, 25, 21},  {2, 29, 21},  {2, 30, 21},
        {2, 31, 22},  {3, 0, 0},    {3, 40, 40},  {4, 9, 9},
    };
    for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++) {
      uint32_t first = expected[i][0] ? 1 : origin;
      assert_int_equal(functions_original_column(&table, origin + expected[i][0],
                                                 first + expected[i][1]),
                       first + expected[i][2]);
    }
    functions_clear(&table);
  }
}

static void test_insertions_untold(void **state) {
  (void)state;
  encode_begin(&code, 4, 9);
  encode_start(&code, 0, 35, 0, 0, 15, "f");
  encode_end(&code, 1, 1);
  functions table = open_table(1, 1);
  assert_found(&table, 1, 40, "f", 1, 16, false);
  assert_int_equal(functions_original_column(&table, 1, 40), 0);
  functions_clear(&table);
  // Told that there are none.
  encode_begin(&code, 4, 9);
  encode_insertion(&code, 0, 0, 0);
  table = open_table(1, 5);
  assert_found(&table, 1, 40, "", 1, 5, false);
  assert_int_equal(functions_original_column(&table, 1, 40), 40);
  assert_int_equal(functions_original_column(&table, 2, 1), 1);
  functions_clear(&table);
}

// Random ones -------------------------------------------------------------------------------------

enum { RANGES = 400, DEEP = 40, NAME_ROOM = 16 };

typedef struct {
  uint32_t line, column, end_line, end_column, defined_line, defined_column, name;
  bool is_async;
} range;

static range ranges[RANGES];
static char range_names[64][NAME_ROOM];
static uint32_t range_count, last_line, last_column, code_line, code_column;
static functions_mark put_in[RANGES];  // ends of insertions
static uint32_t put_in_count;

static void make_names(void) {
  for (uint32_t i = 0; i < 64; i++) {
    uint32_t length = random_below(i ? 5 : 1);
    for (uint32_t at = 0; at < length; at++) range_names[i][at] = ",\\ab\xc3$"[random_below(6)];
    range_names[i][length] = '\0';
  }
}

static void start_range(uint32_t line, uint32_t column) {
  range *made = &ranges[range_count++];
  uint32_t flags = (random_below(3) ? 0 : ENCODE_GIVEN) | (random_below(4) ? 0 : ENCODE_ASYNC) |
                   (random_below(4) ? 0 : ENCODE_QUIET);
  // Insertions have moved it as far as the event before, or further.
  uint32_t before = line > code.line ? 0 : code.column;
  uint32_t shift = (line > code.line ? 0 : code.shift) + random_below(column - before + 1);
  *made = (range){line, column, 0, 0, line, column - shift, random_below(64),
                  (flags & ENCODE_ASYNC) != 0};
  if (flags & ENCODE_GIVEN) {
    made->defined_line = random_below(line + 1);
    made->defined_column = random_below(3000);
  }
  encode_start(&code, line, column, flags, made->defined_line, made->defined_column,
               range_names[made->name]);
}

// Nested functions in a row of events, now close together and now lines apart.
static void make_ranges(void) {
  uint32_t open[DEEP], depth = 0, line = 0, column = 0, events = random_below(2 * RANGES);
  make_names();
  last_line = random_below(4) ? 200 + random_below(100) : 0;
  last_column = random_below(200) + (last_line ? 0 : 200000);
  code_line = random_below(2) ? 1 : 1 + random_below(500);
  code_column = random_below(2) ? 1 : 1 + random_below(500);
  range_count = put_in_count = 0;
  bool tells_insertions = random_below(2);
  encode_begin(&code, last_line, last_column);
  while (depth || events) {
    bool starts = events && range_count < RANGES && depth < DEEP && (!depth || random_below(2));
    if (line + 3 < last_line && random_below(3) == 0) {
      line += 1 + random_below(3);
      column = random_below(40);
    } else {
      column += random_below(2) ? random_below(3) : random_below(90);
    }
    if (tells_insertions && put_in_count < RANGES && random_below(3) == 0) {
      uint32_t length = random_below(20);
      column += length;
      encode_insertion(&code, line, column, length);
      put_in[put_in_count++] = (functions_mark){line, column, column - code.shift};
    }
    if (starts) {
      open[depth++] = range_count;
      start_range(line, column);
    } else if (depth) {
      ranges[open[--depth]].end_line = line;
      ranges[open[depth]].end_column = column;
      encode_end(&code, line, column);
    }
    if (events) events--;
  }
}

static bool is_before(uint32_t line, uint32_t column, uint32_t other_line, uint32_t other_column) {
  return line < other_line || (line == other_line && column < other_column);
}

// Zero-based. Of the ranges that hold a position the one that begins last is the innermost.
static const range *naive_find(uint32_t line, uint32_t column) {
  static const range all = {0};
  for (uint32_t i = range_count; i-- > 0;) {
    const range *each = &ranges[i];
    if (is_before(line, column, each->line, each->column)) continue;
    if (is_before(line, column, each->end_line, each->end_column)) return each;
  }
  return &all;
}

// Zero-based, too.
static uint32_t naive_original(uint32_t line, uint32_t column) {
  uint32_t original = column;
  for (uint32_t i = 0; i < put_in_count; i++) {
    const functions_mark *each = &put_in[i];
    if (each->line != line) continue;
    if (each->column > column) return original < each->value ? original : each->value;
    original = each->value + (column - each->column);
  }
  return original;
}

static void check_position(functions *table, uint32_t line, uint32_t column) {
  uint64_t in_file = (uint64_t)column + (line ? 1 : code_column);
  if (line > last_line || (line == last_line && column > last_column)) {
    assert_not_found(table, code_line + line, in_file, FUNCTIONS_OUTSIDE);
    return;
  }
  uint32_t told = put_in_count ? naive_original(line, column) + (line ? 1 : code_column) : 0;
  const range *expected = naive_find(line, column);
  const char *name = expected->end_line || expected->end_column ? range_names[expected->name] : "";
  uint32_t origin = expected->defined_line ? 1 : code_column;
  assert_found(table, code_line + line, in_file, name, code_line + expected->defined_line,
               origin + expected->defined_column, expected->is_async);
  assert_int_equal(functions_original_column(table, code_line + line, (uint32_t)in_file), told);
}

static void check_around(functions *table, uint32_t line, uint32_t column) {
  if (column) check_position(table, line, column - 1);
  check_position(table, line, column);
  check_position(table, line, column + 1);
}

static void check_every_position(functions *table) {
  for (uint32_t i = 0; i < range_count; i++) {
    check_around(table, ranges[i].line, ranges[i].column);
    check_around(table, ranges[i].end_line, ranges[i].end_column);
  }
  for (uint32_t i = 0; i < 300; i++) {
    check_position(table, random_below(last_line + 2), random_below(300));
  }
  check_around(table, last_line, last_column);
  check_position(table, 0, 0);
}

static void test_random_tables(void **state) {
  (void)state;
  for (uint32_t turn = 0; turn < 200; turn++) {
    make_ranges();
    functions table = open_table(code_line, code_column);
    check_every_position(&table);
    assert_int_equal(table.entry_count, range_count + 1);
    assert_true(table.boundaries.count <= 2 * range_count + 1);
    functions_clear(&table);
  }
}

// Malformed ones ----------------------------------------------------------------------------------

// A table of any kind answers, and says the same again.
static functions_result check_any(functions *table) {
  functions_result first = FUNCTIONS_BAD;
  for (uint32_t i = 0; i < 12; i++) {
    const functions_entry *found = NULL;
    uint64_t line = i ? 1 + random_below(300) : 1, column = i ? 1 + random_below(100) : 1;
    functions_result result = functions_find(table, line, column, &found);
    assert_true(result == FUNCTIONS_FOUND || result == FUNCTIONS_OUTSIDE ||
                result == FUNCTIONS_BAD);
    if (!i) first = result;
    assert_true((result == FUNCTIONS_BAD) == (first == FUNCTIONS_BAD));
    assert_true((result == FUNCTIONS_FOUND) == (found != NULL));
    if (found) assert_sound(table, found);
  }
  return first;
}

static void assert_bad(void) {
  functions table = open_table(1, 1);
  assert_int_equal(check_any(&table), FUNCTIONS_BAD);
  // Nothing of the decoding is kept.
  assert_null(table.boundaries.marks);
  assert_null(table.entries);
  assert_int_equal(table.names.count, 0);
  functions_clear(&table);
}

// A block of its own for each text, so that a byte read after it is found.
static functions_result check_texts(const char *positions, uint32_t positions_length,
                                    const char *names, uint32_t names_length) {
  functions table;
  char *copy = malloc(positions_length + 1), *names_copy = malloc(names_length + 1);
  memcpy(copy, positions, positions_length);
  memcpy(names_copy, names, names_length);
  assert_true(functions_init(&table, copy, positions_length, names_copy, names_length, 1, 1));
  free(copy);
  free(names_copy);
  functions_result result = check_any(&table);
  functions_clear(&table);
  return result;
}

static void test_truncated(void **state) {
  (void)state;
  do make_ranges(); while (range_count < 30);
  encode_finish(&code);
  uint32_t bad = 0;
  for (uint32_t length = 0; length < code.positions_length; length++) {
    bad += check_texts(code.positions, length, code.names, code.names_length) == FUNCTIONS_BAD;
  }
  assert_true(bad > code.positions_length / 3);
  bad = 0;
  for (uint32_t length = 0; length < code.names_length; length++) {
    bad += check_texts(code.positions, code.positions_length, code.names, length) == FUNCTIONS_BAD;
  }
  assert_true(bad > code.names_length / 2);
}

static void test_random_bytes(void **state) {
  (void)state;
  for (uint32_t turn = 0; turn < 3000; turn++) {
    make_ranges();
    encode_finish(&code);
    for (uint32_t i = 1 + random_below(6); i--;) {
      char *text = random_below(4) ? code.positions : code.names;
      uint32_t length = text == code.names ? code.names_length : code.positions_length;
      if (!length) continue;
      char byte = (char)random_next();
      text[random_below(length)] = random_below(2) ? byte : "?@=~gz,\\"[random_below(8)];
    }
    check_texts(code.positions, code.positions_length, code.names, code.names_length);
  }
  for (uint32_t turn = 0; turn < 3000; turn++) {
    char noise[64];
    for (uint32_t i = 0; i < sizeof noise; i++) noise[i] = (char)random_next();
    check_texts(noise, random_below(64), noise, random_below(64));
  }
}

static void test_empty(void **state) {
  (void)state;
  functions table;
  assert_true(functions_init(&table, NULL, 0, NULL, 0, 1, 1));
  assert_int_equal(check_any(&table), FUNCTIONS_BAD);
  functions_clear(&table);
}

static void encode_nested(uint32_t depth) {
  encode_begin(&code, 0, 100000);
  for (uint32_t i = 0; i < depth; i++) encode_start(&code, 0, i, 0, 0, i, "f");
  for (uint32_t i = 0; i < depth; i++) encode_end(&code, 0, depth);
}

static void test_depth(void **state) {
  (void)state;
  encode_nested(4095);  // and the top-level code
  functions table = open_table(1, 1);
  assert_found(&table, 1, 4095, "f", 1, 4095, false);
  assert_found(&table, 1, 4096, "", 1, 1, false);
  functions_clear(&table);
  encode_nested(4096);
  assert_bad();
}

static void test_numbers_out_of_range(void **state) {
  (void)state;
  encode_begin(&code, 9, 9);
  encode_end(&code, 0, 5);  // the top-level code ends, and again
  assert_bad();
  encode_begin(&code, 9, 9);
  encode_start(&code, 0, 5, 0, 0, 5, "f");
  encode_end(&code, 0, 9);
  encode_finish(&code);
  code.names_length = 0;
  assert_bad();
  encode_begin(&code, 9, 9);  // a name not seen yet
  code.known[code.known_count++] = "f";
  encode_start(&code, 0, 5, 0, 0, 5, "f");
  encode_end(&code, 0, 9);
  assert_bad();
  for (uint32_t back = 4; back < 6; back++) {  // a line, or two, before the first
    encode_begin(&code, 9, 9);
    encode_start(&code, 4, 5, ENCODE_GIVEN, 4 - back, 5, "f");
    encode_end(&code, 4, 9);
    functions table = open_table(1, 1);
    if (back == 4) assert_found(&table, 5, 6, "f", 1, 6, false);
    functions_clear(&table);
    if (back > 4) assert_bad();
  }
  for (uint32_t i = 0; i < 3; i++) {  // lines, columns and shifts beyond 2^31
    encode_begin(&code, 9, 9);
    for (uint32_t far = 1; far < 4; far++) {
      uint32_t end = far * 0x3ffffffe;
      if (i == 2) encode_insertion(&code, 0, end, 0x3ffffffe);
      else encode_insertion(&code, i ? end : 0, i ? 0 : end, 0);
    }
    code.last_line = code.line;
    code.last_column = code.column;
    assert_bad();
  }
}

static void test_digits(void **state) {
  (void)state;
  const char *bad[] = {"", "?", "?????", "?????????", "??????????????",
                       "\\????~~~~~~~~~~~~~~~~~~~~",
                       "?????~~~~~~~~~~~~~~~~~~~~~~", "?????AAAAAAAAAAAAAAAAAAA", "AA!AAAAAAAAAA",
                       "?????????\xff?", "AAAAAAAAAAAA="};
  for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(check_texts(bad[i], (uint32_t)strlen(bad[i]), "", 0), FUNCTIONS_BAD);
  }
  // One too many, one too few.
  encode_nested(3);
  encode_finish(&code);
  assert_int_equal(check_texts(code.positions, code.positions_length, "f", 1), FUNCTIONS_FOUND);
  encode_digit(&code, 0);
  assert_int_equal(check_texts(code.positions, code.positions_length, "f", 1), FUNCTIONS_BAD);
  assert_int_equal(check_texts(code.positions, code.positions_length - 2, "f", 1), FUNCTIONS_BAD);
}

static void test_too_long_texts(void **state) {
  (void)state;
  functions table;
  assert_false(functions_init(&table, "", UINT32_MAX, "", 1, 1, 1));
  assert_int_equal(watch.calls, 0);
}

// Memory ------------------------------------------------------------------------------------------

static void test_decoding_without_memory(void **state) {
  (void)state;
  do make_ranges(); while (range_count < 100 || !put_in_count);
  encode_finish(&code);
  uint32_t failures = 0;
  for (uint32_t k = 1;; k++) {
    functions table;
    watch.calls = 0;
    watch.fail_at = k;
    bool made = functions_init(&table, code.positions, code.positions_length, code.names,
                               code.names_length, code_line, code_column);
    if (made) {
      const functions_entry *found;
      functions_result result = functions_find(&table, code_line, code_column, &found);
      bool failed = watch.calls >= k;
      assert_int_equal(result, failed ? FUNCTIONS_NO_MEMORY : FUNCTIONS_FOUND);
      failures += failed;
      watch.fail_at = 0;
      check_every_position(&table);
      functions_clear(&table);
      if (!failed) break;
    }
    assert_int_equal(watch.blocks, 0);
  }
  assert_true(failures > 10 && put_in_count > 0);
}

// Scripts -----------------------------------------------------------------------------------------

static void add(scripts *all, const char *url, const char *name, uint32_t line, uint32_t lines) {
  encode_begin(&code, lines - 1, 1000);
  encode_start(&code, 0, 5, 0, 0, 5, name);
  encode_end(&code, 0, 10);
  functions table = open_table(line, 1);
  assert_true(scripts_add(all, url, (uint32_t)strlen(url), &table));
}

static const char *printed = "";

static functions_result look_up(scripts *all, const char *url, uint32_t line, const char **name) {
  const functions_entry *found;
  const functions *table;
  static char room[32];
  uint32_t script = scripts_newest(all, url, (uint32_t)strlen(url));
  assert_true(script < all->count);
  functions_result result = scripts_find(all, script, line, 7, printed,
                                         (uint32_t)strlen(printed), &found, &table);
  if (result <= FUNCTIONS_MISNAMED) {
    uint32_t length;
    const char *text = strings_text(&table->names, found->name, &length);
    snprintf(room, sizeof room, "%.*s", (int)length, text);
    *name = room;
  }
  return result;
}

static void assert_script(scripts *all, const char *url, uint32_t line, const char *expected) {
  const char *name = NULL;
  assert_int_equal(look_up(all, url, line, &name), FUNCTIONS_FOUND);
  assert_string_equal(name, expected);
}

static void test_scripts(void **state) {
  (void)state;
  scripts all;
  const char *name;
  scripts_init(&all);
  assert_int_equal(scripts_newest(&all, "u", 1), SCRIPTS_NONE);
  add(&all, "page", "first", 10, 5);
  add(&all, "other", "o", 1, 5);
  add(&all, "page", "second", 20, 5);
  assert_int_equal(scripts_newest(&all, "pag", 3), SCRIPTS_NONE);
  assert_script(&all, "page", 10, "first");
  assert_script(&all, "page", 20, "second");
  assert_script(&all, "other", 1, "o");
  assert_int_equal(look_up(&all, "page", 16, &name), FUNCTIONS_OUTSIDE);
  // Loaded again: the newest counts.
  add(&all, "other", "again", 1, 5);
  assert_script(&all, "other", 1, "again");
  // Unless engines print the name of an older one.
  printed = "o";
  assert_script(&all, "other", 1, "o");
  printed = "again";
  assert_script(&all, "other", 1, "again");
  printed = "neither";
  assert_int_equal(look_up(&all, "other", 1, &name), FUNCTIONS_MISNAMED);
  assert_string_equal(name, "again");
  // The top-level code of the newest, where an older one has a function.
  add(&all, "long", "f", 1, 5);
  encode_begin(&code, 4, 1000);
  functions top = open_table(1, 1);
  assert_true(scripts_add(&all, "long", 4, &top));
  assert_int_equal(look_up(&all, "long", 1, &name), FUNCTIONS_MISNAMED);
  printed = "f";
  assert_script(&all, "long", 1, "f");
  printed = "";
  assert_script(&all, "long", 1, "");
  // A malformed table hides no sound one, and is told of where no other answers.
  functions bad;
  assert_true(functions_init(&bad, "!", 1, "", 0, 20, 1));
  assert_true(scripts_add(&all, "page", 4, &bad));
  assert_script(&all, "page", 10, "first");
  assert_script(&all, "page", 20, "second");
  assert_int_equal(look_up(&all, "page", 16, &name), FUNCTIONS_BAD);
  scripts_clear(&all);
  assert_int_equal(scripts_newest(&all, "page", 4), SCRIPTS_NONE);
}

// Two scripts on one line, of which the second has moved by 200 columns since its own was counted.
static void test_scripts_that_have_moved(void **state) {
  (void)state;
  encode_begin(&code, 0, 500);
  encode_start(&code, 0, 100, 0, 0, 10, "f");
  encode_end(&code, 0, 150);
  functions first = open_table(3, 1);
  functions_start(&first, 3, 40);
  encode_begin(&code, 0, 500);
  encode_start(&code, 0, 300, 0, 0, 10, "g");
  encode_end(&code, 0, 350);
  functions second = open_table(3, 60);
  functions_start(&second, 3, 290);
  assert_not_found(&first, 3, 39, FUNCTIONS_OUTSIDE);
  assert_found(&first, 3, 120, "f", 3, 11, false);
  assert_not_found(&second, 3, 120, FUNCTIONS_OUTSIDE);
  assert_not_found(&second, 2, 300, FUNCTIONS_OUTSIDE);
  assert_found(&second, 3, 290, "", 3, 60, false);
  assert_found(&second, 3, 370, "g", 3, 70, false);
  functions_start(&second, 4, 1);
  assert_not_found(&second, 3, 370, FUNCTIONS_OUTSIDE);
  functions_clear(&first);
  functions_clear(&second);
}

static void test_many_scripts_without_memory(void **state) {
  (void)state;
  scripts all;
  char urls[100][12], names[100][12];
  scripts_init(&all);
  for (uint32_t i = 0; i < 100; i++) {
    snprintf(urls[i], sizeof *urls, "u%u", i % 60);
    snprintf(names[i], sizeof *names, "f%u", i);
    encode_begin(&code, 4, 1000);
    encode_start(&code, 0, 5, 0, 0, 5, names[i]);
    encode_end(&code, 0, 10);
    encode_finish(&code);
    for (bool added = false; !added;) {
      watch.percent = 50;
      functions table;
      uint32_t count = all.count;
      bool made = functions_init(&table, code.positions, code.positions_length, code.names,
                                 code.names_length, 1 + i, 1);
      added = made && scripts_add(&all, urls[i], (uint32_t)strlen(urls[i]), &table);
      watch.percent = 0;
      if (made && !added) functions_clear(&table);
      assert_int_equal(all.count, count + added);
    }
  }
  assert_true(watch.refused > 50);
  for (uint32_t i = 0; i < 100; i++) assert_script(&all, urls[i], 1 + i, names[i]);
  scripts_clear(&all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      WATCHED(test_letters),
      WATCHED(test_prologue),
      WATCHED(test_origin),
      WATCHED(test_one_line),
      WATCHED(test_insertions),
      WATCHED(test_insertions_untold),
      WATCHED(test_random_tables),
      WATCHED(test_truncated),
      WATCHED(test_random_bytes),
      WATCHED(test_empty),
      WATCHED(test_depth),
      WATCHED(test_numbers_out_of_range),
      WATCHED(test_digits),
      WATCHED(test_too_long_texts),
      WATCHED(test_decoding_without_memory),
      WATCHED(test_scripts),
      WATCHED(test_scripts_that_have_moved),
      WATCHED(test_many_scripts_without_memory),
  };
  return cmocka_run_group_tests_name("functions", tests, NULL, NULL);
}
