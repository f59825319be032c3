// How the profile builder converts, prints, sorts and repairs, against the C library and models.
#include <math.h>

#include "fxprof/numbers.h"
#include "fxprof/sort.h"
#include "fxprof/utf8.h"
#include "fxprof_support.h"

// Doubles -----------------------------------------------------------------------------------------

static double from_bits(uint64_t bits) {
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

// The digits of a number as text without point, leading and trailing zeros, and its exponent.
static void split_digits(const char *text, char digits[32], int *exponent) {
  size_t count = 0;
  int point = 0, seen_point = 0;
  const char *at = text;
  for (; *at && *at != 'e'; at++) {
    if (*at == '-') continue;
    if (*at == '.') {
      seen_point = 1;
      continue;
    }
    if (count || *at != '0') digits[count++] = *at;
    if (seen_point ? count == 0 : count != 0) point += seen_point ? -1 : 1;
  }
  while (count && digits[count - 1] == '0') count--;
  digits[count] = '\0';
  *exponent = point + (*at == 'e' ? atoi(at + 1) : 0);
}

// The printer of the C library, with as few digits as read back: not fewer, and no others.
static void check_double(double number) {
  char text[FX_DOUBLE_ROOM + 1], digits[32], other_digits[32];
  char *end = fx_print_double(text, number);
  assert_true(end - text <= FX_DOUBLE_ROOM);
  *end = '\0';
  if (strtod(text, NULL) != number) fail_msg("%s is not %.17g", text, number);
  int exponent, other_exponent;
  split_digits(text, digits, &exponent);
  int count = (int)strlen(digits);
  char other[40];
  if (count > 1) {
    snprintf(other, sizeof other, "%.*e", count - 2, number);
    if (strtod(other, NULL) == number) fail_msg("%s is longer than %s", text, other);
  }
  snprintf(other, sizeof other, "%.*e", count ? count - 1 : 0, number);
  split_digits(other, other_digits, &other_exponent);
  if (strcmp(digits, other_digits) != 0 || (count && exponent != other_exponent)) {
    // Where the nearest of so few digits does not read back, the one that does is right.
    if (strtod(other, NULL) == number) fail_msg("%s is not as close as %s", text, other);
  }
}

static void test_doubles_of_each_exponent(void **state) {
  (void)state;
  for (uint64_t exponent = 0; exponent < 2047; exponent++) {
    static const uint64_t fractions[] = {0, 1, 2, (UINT64_C(1) << 52) - 1, (UINT64_C(1) << 51)};
    for (int i = 0; i < 5; i++) {
      check_double(from_bits(exponent << 52 | fractions[i]));
      check_double(-from_bits(exponent << 52 | fractions[i]));
    }
    for (int i = 0; i < 20; i++) check_double(from_bits(exponent << 52 | random_next() >> 12));
  }
}

static void test_random_doubles(void **state) {
  (void)state;
  for (int i = 0; i < 200000; i++) {
    double number = from_bits(random_next());
    if (isfinite(number)) check_double(number);
    // As people write them.
    check_double((double)(int64_t)random_below(1u << 31) / pow(10, random_below(12)));
    check_double(ldexp((double)random_below(1000), (int)random_below(200) - 100));
  }
}

static void check_printed(double number, const char *expected) {
  char text[FX_DOUBLE_ROOM + 1];
  *fx_print_double(text, number) = '\0';
  assert_string_equal(text, expected);
}

static void test_forms_of_doubles(void **state) {
  (void)state;
  check_printed(0, "0");
  check_printed(-0.0, "-0");
  check_printed(1, "1");
  check_printed(-1.5, "-1.5");
  check_printed(NAN, "null");
  check_printed(-NAN, "null");
  check_printed(INFINITY, "null");
  check_printed(-INFINITY, "null");
  check_printed(5e-324, "5e-324");
  check_printed(1.7976931348623157e308, "1.7976931348623157e+308");
  check_printed(1e-6, "0.000001");
  check_printed(1e-7, "1e-7");
  check_printed(-1.25e-7, "-1.25e-7");
  check_printed(9007199254740991, "9007199254740991");
  check_printed(9007199254740992, "9007199254740992.0");
  check_printed(1e20, "100000000000000000000.0");
  check_printed(1e21, "1e+21");
  check_printed(123456789012345680.0, "123456789012345680.0");
  check_printed(-123456.000001, "-123456.000001");
}

static void test_milliseconds(void **state) {
  (void)state;
  static const uint64_t limits[] = {0, 1, 999999, 1000000, 999999999999999, 1000000000000000,
                                    UINT64_MAX, UINT64_C(9007199254740993)};
  for (int i = 0; i < 300000; i++) {
    uint64_t ns = i < 8 ? limits[i] : random_next() >> random_below(64);
    char text[FX_DOUBLE_ROOM + 1], expected[FX_DOUBLE_ROOM + 1];
    *fx_print_ms(text, ns) = '\0';
    *fx_print_double(expected, (double)ns / 1e6) = '\0';
    // Below 1e-6 there is nothing, so that the exponents agree.
    assert_string_equal(text, expected);
  }
}

static void test_integers(void **state) {
  (void)state;
  for (int i = 0; i < 100000; i++) {
    uint64_t number = i ? random_next() >> random_below(64) : UINT64_MAX;
    char text[FX_INTEGER_ROOM + 1], expected[FX_INTEGER_ROOM + 1];
    *fx_print_integer(text, number) = '\0';
    snprintf(expected, sizeof expected, "%llu", (unsigned long long)number);
    assert_string_equal(text, expected);
  }
}

// Values ------------------------------------------------------------------------------------------

static void test_conversions(void **state) {
  (void)state;
  assert_int_equal(fxprof_time_from_ms(1.5).ns, 1500000);
  assert_int_equal(fxprof_time_from_ms(0.0000019).ns, 1);
  assert_int_equal(fxprof_time_from_ms(-1).ns, 0);
  assert_int_equal(fxprof_time_from_ms(NAN).ns, 0);
  assert_true(fxprof_time_from_ms(INFINITY).ns == UINT64_MAX);
  assert_true(fxprof_time_from_ms(18446744073709.551616).ns == UINT64_MAX);
  assert_true(fxprof_time_from_ms(18446744073709.0).ns < UINT64_MAX);
  assert_int_equal(fxprof_cpu_from_ns(999).us, 0);
  assert_int_equal(fxprof_cpu_from_ns(1000).us, 1);
  assert_int_equal(fxprof_cpu_from_ms(0.0019).us, 1);
  assert_int_equal(fxprof_cpu_from_ms(-INFINITY).us, 0);
  fxprof_interval interval = {7};
  ASSERT_STATUS(fxprof_interval_from_hz(0, &interval), FXPROF_INVALID_ARGUMENT);
  ASSERT_STATUS(fxprof_interval_from_hz(-0.0f, &interval), FXPROF_INVALID_ARGUMENT);
  ASSERT_STATUS(fxprof_interval_from_hz(-1, &interval), FXPROF_INVALID_ARGUMENT);
  ASSERT_STATUS(fxprof_interval_from_hz(NAN, &interval), FXPROF_INVALID_ARGUMENT);
  ASSERT_STATUS(fxprof_interval_from_ms(UINT64_MAX / 1000000 + 1, &interval), FXPROF_OVERFLOW);
  assert_int_equal(interval.ns, 7);
  ASSERT_OK(fxprof_interval_from_hz(999, &interval));
  assert_int_equal(interval.ns, 1001001);
  ASSERT_OK(fxprof_interval_from_hz(3, &interval));
  assert_int_equal(interval.ns, 333333344);
  ASSERT_OK(fxprof_interval_from_hz(INFINITY, &interval));
  assert_int_equal(interval.ns, 0);
  ASSERT_OK(fxprof_interval_from_hz(1e-45f, &interval));
  assert_true(interval.ns == UINT64_MAX);
  ASSERT_OK(fxprof_interval_from_ms(UINT64_MAX / 1000000, &interval));
  assert_true(fxprof_reference_from_seconds(1, 500000000).ms == 1500);
}

static void check_debug_id(const char *text, const char *printed) {
  fxprof_debug_id id;
  char out[FXPROF_DEBUG_ID_ROOM];
  ASSERT_OK(fxprof_debug_id_parse(T(text), &id));
  assert_int_equal(fxprof_debug_id_print(&id, out), strlen(printed));
  assert_string_equal(out, printed);
}

static void test_debug_ids(void **state) {
  (void)state;
  check_debug_id("1629fcf0be5c8860c0e1adf03b0048fb0000000A", "1629FCF0BE5C8860C0E1ADF03B0048FBa");
  check_debug_id("000000000000000000000000000000000", "000000000000000000000000000000000");
  check_debug_id("3844DbB91", "3844DBB91");
  check_debug_id("3844dbb9FFFFFFFF", "3844DBB9ffffffff");
  static const char *const wrong[] = {
      "", "12345678", "3844DBB9g", "1629FCF0BE5C8860C0E1ADF03B0048FB",
      "1629FCF0BE5C8860C0E1ADF03B0048FB123456789", "1629FCF0BE5C8860C0E1ADF03B0048F a",
      "12345678123456789", "-844DBB91"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    fxprof_debug_id id = {.age = 5};
    ASSERT_STATUS(fxprof_debug_id_parse(T(wrong[i]), &id), FXPROF_INVALID_ARGUMENT);
    assert_int_equal(id.age, 5);
  }
  uint8_t bytes[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  char out[FXPROF_DEBUG_ID_ROOM];
  fxprof_debug_id id = fxprof_debug_id_from_uuid(bytes, 16);
  fxprof_debug_id_print(&id, out);
  assert_string_equal(out, "0102030405060708090A0B0C0D0E0F1010");
  id = fxprof_debug_id_from_guid(bytes, 0);
  fxprof_debug_id_print(&id, out);
  assert_string_equal(out, "0403020106050807090A0B0C0D0E0F100");
  id = fxprof_debug_id_from_pdb20(0xabc, UINT32_MAX);
  fxprof_debug_id_print(&id, out);
  assert_string_equal(out, "00000ABCffffffff");
}

// Text --------------------------------------------------------------------------------------------

static void test_repaired_text(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"plain", "plain"},
      {"\xc3\xa9\xe2\x9c\x93\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x9c\x93\xf0\x9f\x98\x80"},
      {"a\xff" "b", "a\xef\xbf\xbd" "b"},
      {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},                          // longer than needed
      {"\xe0\x80\xaf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},          // the same
      {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},          // a surrogate
      {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},  // above U+10FFFF
      {"\xe2\x9c", "\xef\xbf\xbd"},                                      // cut off
      {"\xf0\x9f\x98z", "\xef\xbf\xbdz"},                                // cut off by another one
      {"12345678\x80", "12345678\xef\xbf\xbd"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char out[64];
    size_t length = strlen(cases[i][0]);
    out[fx_utf8_repair(cases[i][0], length, out)] = '\0';
    assert_string_equal(out, cases[i][1]);
    assert_int_equal(fx_utf8_is_valid(cases[i][0], length), strcmp(out, cases[i][0]) == 0);
  }
  for (int i = 0; i < 100000; i++) {
    char in[8], out[24];
    for (int j = 0; j < 8; j++) in[j] = (char)(random_below(4) ? 0x80 + random_below(128) : 'a');
    assert_true(fx_utf8_is_valid(out, fx_utf8_repair(in, 8, out)));
  }
}

// Sorting -----------------------------------------------------------------------------------------

typedef struct {
  uint64_t key, order, rest;
} sorted_row;

static bool key_is_below(const void *context, const void *a, const void *b) {
  ++*(uint64_t *)context;
  return ((const sorted_row *)a)->key < ((const sorted_row *)b)->key;
}

// kind: 0 random, 1 few keys, 2 backwards, 3 nearly sorted, 4 two sorted halves.
static uint64_t check_sort(size_t count, int kind) {
  sorted_row *rows = calloc(count + 1, sizeof *rows);
  assert_non_null(rows);
  for (size_t i = 0; i < count; i++) {
    uint64_t keys[] = {random_next(), random_below(7), count - i,
                       i + (random_below(50) == 0 ? random_below(100) : 0), i % (count / 2 + 1)};
    rows[i] = (sorted_row){keys[kind], i, ~(uint64_t)i};
  }
  uint64_t compared = 0;
  fx_sort(rows, count, sizeof *rows, key_is_below, &compared);
  for (size_t i = 0; i < count; i++) {
    assert_true(rows[i].rest == ~rows[i].order);
    if (!i) continue;
    assert_true(rows[i - 1].key < rows[i].key ||
                (rows[i - 1].key == rows[i].key && rows[i - 1].order < rows[i].order));
  }
  free(rows);
  return compared;
}

static void test_sort(void **state) {
  (void)state;
  for (int kind = 0; kind < 5; kind++) {
    for (size_t count = 0; count < 300; count++) check_sort(count, kind);
    // n log n comparisons: 17 for each row.
    assert_true(check_sort(100000, kind) < UINT64_C(100000) * 40);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_doubles_of_each_exponent), cmocka_unit_test(test_random_doubles),
      cmocka_unit_test(test_forms_of_doubles),         cmocka_unit_test(test_milliseconds),
      cmocka_unit_test(test_integers),                 cmocka_unit_test(test_conversions),
      cmocka_unit_test(test_debug_ids),                cmocka_unit_test(test_repaired_text),
      cmocka_unit_test(test_sort),
  };
  return cmocka_run_group_tests_name("fxprof numbers", tests, NULL, NULL);
}
