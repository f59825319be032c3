// Memory measurements: tokens, entries, the result as text, its order, and what is left of them
// when memory runs out.
#include "support.h"

#include "memory/measurement.h"

static memory_measurement m;
static uint16_t room[8][64];
static uint32_t turn;

// A text of ASCII, or with `|` for each lone high surrogate.
static memory_text text(const char *ascii) {
  uint16_t *units = room[turn++ % 8];
  uint32_t length = (uint32_t)strlen(ascii);
  for (uint32_t i = 0; i < length; i++) units[i] = ascii[i] == '|' ? 0xd83d : (uint8_t)ascii[i];
  return (memory_text){units, length};
}

static uint32_t window(uint32_t parent, bool is_same_origin, const char *url, const char *id,
                       const char *src) {
  return memory_add_window(&m, parent, is_same_origin, text(url), text(id), text(src));
}

static uint32_t worker(uint32_t outside, memory_scope scope, const char *url) {
  return memory_add_worker(&m, outside, scope, text(url));
}

static bool add(uint32_t realm, uint32_t types, double bytes) {
  return memory_add_bytes(&m, &realm, 1, types, bytes);
}

// The result, with random words that leave the order as it is: each picks the last item.
static const char *result(void) {
  static char json[8192];
  uint32_t words[256];
  uint32_t all = m.entry_count + 1, at = 0;
  for (uint32_t i = all; i > 1; i--) words[at++] = 2 * i - 1;
  while (at < 256) words[at++] = 3;  // of two types
  buffer out = {0};
  assert_true(memory_write_result(&m, words, 256, &out));
  assert_int_equal(m.status, MEMORY_OK);
  snprintf(json, sizeof json, "%.*s", (int)out.length, out.bytes);
  buffer_clear(&out);
  return json;
}

#define ZERO "{\"attribution\":[],\"bytes\":0,\"types\":[]}"

static void a_measurement_of_nothing_has_the_zero_entry(void **state) {  // rows 16, 17
  (void)state;
  assert_string_equal(result(), "{\"breakdown\":[" ZERO "],\"bytes\":0}");
  memory_clear(&m);
}

static void a_top_level_window_has_no_container(void **state) {  // rows 25, 28-30
  (void)state;
  uint32_t top = window(MEMORY_NONE, true, "https://a/", "id", "src");
  assert_true(add(top, MEMORY_JAVASCRIPT, 7) && add(top, MEMORY_DOM, 5));
  assert_true(add(top, MEMORY_JAVASCRIPT, 3));
  assert_string_equal(
      result(),
      "{\"breakdown\":["
      "{\"attribution\":[{\"scope\":\"Window\",\"url\":\"https://a/\"}],\"bytes\":10,"
      "\"types\":[\"JavaScript\"]},"
      "{\"attribution\":[{\"scope\":\"Window\",\"url\":\"https://a/\"}],\"bytes\":5,"
      "\"types\":[\"DOM\"]}," ZERO "],\"bytes\":15}");
  memory_clear(&m);
}

// The one attribution of a realm.
static void assert_attribution(uint32_t realm, const char *expected) {
  assert_true(add(realm, 0, 0));
  char wanted[512];
  snprintf(wanted, sizeof wanted, "{\"breakdown\":[{\"attribution\":[%s],\"bytes\":0,\"types\":[]},"
           ZERO "],\"bytes\":0}", expected);
  assert_string_equal(result(), wanted);
  m.entry_count = m.set_count = 0;
}

#define CONTAINER "\"container\":{\"id\":\"outer\",\"src\":\"./o\"},"
#define FOLDED "{" CONTAINER "\"scope\":\"cross-origin-aggregated\",\"url\":\"cross-origin-url\"}"

static void frames_have_the_container_at_the_border(void **state) {  // rows 26, 31-34, 48
  (void)state;
  uint32_t top = window(MEMORY_NONE, true, "https://a/", "", "");
  uint32_t same = window(top, true, "https://a/f", "f", "");
  assert_attribution(same, "{\"container\":{\"id\":\"f\",\"src\":\"\"},\"scope\":\"Window\","
                           "\"url\":\"https://a/f\"}");
  uint32_t other = window(top, false, "https://b/secret", "outer", "./o");
  assert_attribution(other, FOLDED);
  // Behind the border: folded, or of the border's container.
  uint32_t texts = m.text_length;
  assert_int_equal(window(other, false, "https://b/secret", "secret", "secret"), other);
  assert_int_equal(m.text_length, texts);
  uint32_t inner = window(other, true, "https://a/i", "secret", "secret");
  assert_attribution(inner, "{" CONTAINER "\"scope\":\"Window\",\"url\":\"https://a/i\"}");
  // What that one embeds is at a border of its own.
  uint32_t deep = window(inner, false, "https://c/secret", "deep", "d");
  assert_attribution(deep, "{\"container\":{\"id\":\"deep\",\"src\":\"d\"},"
                           "\"scope\":\"cross-origin-aggregated\",\"url\":\"cross-origin-url\"}");
  memory_clear(&m);
}

static void workers_have_the_token_of_who_made_them(void **state) {  // rows 44-46
  (void)state;
  uint32_t top = window(MEMORY_NONE, true, "https://a/", "", "");
  uint32_t other = window(top, false, "", "outer", "./o");
  uint32_t inner = window(other, true, "https://a/i", "", "");
  assert_attribution(worker(top, MEMORY_DEDICATED_WORKER, "blob:x"),
                     "{\"scope\":\"DedicatedWorkerGlobalScope\",\"url\":\"blob:x\"}");
  uint32_t outer = worker(inner, MEMORY_DEDICATED_WORKER, "w");
  assert_attribution(outer,
                     "{" CONTAINER "\"scope\":\"DedicatedWorkerGlobalScope\",\"url\":\"w\"}");
  assert_attribution(worker(outer, MEMORY_DEDICATED_WORKER, "n"),
                     "{" CONTAINER "\"scope\":\"DedicatedWorkerGlobalScope\",\"url\":\"n\"}");
  assert_int_equal(worker(other, MEMORY_DEDICATED_WORKER, "secret"), other);
  assert_attribution(worker(MEMORY_NONE, MEMORY_SHARED_WORKER, "s"),
                     "{\"scope\":\"SharedWorkerGlobalScope\",\"url\":\"s\"}");
  assert_attribution(worker(MEMORY_NONE, MEMORY_SERVICE_WORKER, "s"),
                     "{\"scope\":\"ServiceWorkerGlobalScope\",\"url\":\"s\"}");
  memory_clear(&m);
}

static void texts_are_those_of_the_dom(void **state) {  // row 42
  (void)state;
  uint32_t top = window(MEMORY_NONE, true, "", "", "");
  uint32_t frame = window(top, true, "u|", "i|", "s|");
  assert_attribution(frame, "{\"container\":{\"id\":\"i\\ud83d\",\"src\":\"s\\ufffd\"},"
                            "\"scope\":\"Window\",\"url\":\"u\\ufffd\"}");
  static const uint16_t pair[] = {0xd83d, 0xde00, 0xde00, '"', '\\', 1, 0xe9, 0x7f};
  memory_text all = {pair, 8};
  frame = memory_add_window(&m, top, true, text(""), all, all);
  assert_attribution(frame, "{\"container\":{"
                            "\"id\":\"\\ud83d\\ude00\\ude00\\u0022\\u005c\\u0001\\u00e9\\u007f\","
                            "\"src\":\"\\ud83d\\ude00\\ufffd\\u0022\\u005c\\u0001\\u00e9\\u007f\"},"
                            "\"scope\":\"Window\",\"url\":\"\"}");
  memory_clear(&m);
}

static void entries_may_have_several_realms_and_types(void **state) {  // rows 19-21
  (void)state;
  uint32_t realms[] = {window(MEMORY_NONE, true, "a", "", ""), 1};
  assert_int_equal(worker(0, MEMORY_DEDICATED_WORKER, "w"), 1);
  assert_true(memory_add_bytes(&m, realms, 2, MEMORY_DOM | MEMORY_CANVAS, 1));
  assert_true(memory_add_bytes(&m, realms, 2, MEMORY_DOM, 2));
  assert_true(memory_add_bytes(&m, realms, 1, MEMORY_DOM, 4));
  assert_true(memory_add_bytes(&m, realms, 2, MEMORY_DOM | MEMORY_CANVAS, 8));
  assert_string_equal(
      result(), "{\"breakdown\":["
                "{\"attribution\":[{\"scope\":\"Window\",\"url\":\"a\"},"
                "{\"scope\":\"DedicatedWorkerGlobalScope\",\"url\":\"w\"}],\"bytes\":9,"
                "\"types\":[\"DOM\",\"Canvas\"]},"
                "{\"attribution\":[{\"scope\":\"Window\",\"url\":\"a\"},"
                "{\"scope\":\"DedicatedWorkerGlobalScope\",\"url\":\"w\"}],\"bytes\":2,"
                "\"types\":[\"DOM\"]},"
                "{\"attribution\":[{\"scope\":\"Window\",\"url\":\"a\"}],\"bytes\":4,"
                "\"types\":[\"DOM\"]}," ZERO "],\"bytes\":15}");
  memory_clear(&m);
}

static void sums_are_exact(void **state) {  // row 16
  (void)state;
  uint32_t top = window(MEMORY_NONE, true, "", "", "");
  assert_true(add(top, MEMORY_DOM, 9007199254740989.0));
  assert_true(add(top, MEMORY_CANVAS, 1) && add(top, MEMORY_SHARED, 1));
  assert_non_null(strstr(result(), "\"bytes\":9007199254740991}"));
  assert_false(add(top, MEMORY_CANVAS, 1));
  assert_int_equal(m.status, MEMORY_BAD_ARGUMENT);
  assert_non_null(strstr(result(), "\"bytes\":9007199254740991}"));
  memory_clear(&m);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  assert_int_equal(window(0, true, "", "", ""), MEMORY_NONE);
  assert_int_equal(window(MEMORY_NONE, false, "", "", ""), MEMORY_NONE);
  assert_int_equal(worker(0, MEMORY_DEDICATED_WORKER, ""), MEMORY_NONE);
  assert_int_equal(worker(MEMORY_NONE, MEMORY_WINDOW, ""), MEMORY_NONE);
  assert_int_equal(worker(MEMORY_NONE, MEMORY_SCOPES, ""), MEMORY_NONE);
  assert_int_equal(m.status, MEMORY_BAD_ARGUMENT);
  uint32_t realms[] = {window(MEMORY_NONE, true, "", "", ""), 0};
  assert_int_equal(worker(0, MEMORY_SHARED_WORKER, ""), MEMORY_NONE);
  assert_false(memory_add_bytes(&m, realms, 2, 1, 1));  // the same one twice
  assert_false(add(1, 1, 1));
  assert_false(add(0, 32, 1));
  static const double wrong[] = {-1, 0.5, 9007199254740992.0, 1e300, __builtin_nan(""),
                                 __builtin_inf()};
  for (uint32_t i = 0; i < 6; i++) assert_false(add(0, 1, wrong[i]));
  assert_int_equal(m.status, MEMORY_BAD_ARGUMENT);
  assert_string_equal(result(), "{\"breakdown\":[" ZERO "],\"bytes\":0}");
  memory_clear(&m);
}

// Where the zero entry of `entries` + 1 stands, in a result with these random words.
static uint32_t zero_position(const uint32_t *words, uint32_t count) {
  buffer out = {0};
  assert_true(memory_write_result(&m, words, count, &out));
  buffer_add(&out, "", 1);
  const char *zero = strstr(out.bytes, ZERO);
  assert_non_null(zero);
  uint32_t position = 0;
  for (const char *c = out.bytes; c < zero; c++) {
    position += !strncmp(c, "{\"attribution\":", 15);
  }
  buffer_clear(&out);
  return position;
}

static void every_order_is_as_likely(void **state) {  // rows 18, 19
  (void)state;
  uint32_t top = window(MEMORY_NONE, true, "", "", "");
  assert_true(add(top, 1, 1) && add(top, 2, 1) && add(top, 4, 1) && add(top, 8, 1));
  uint32_t counts[5] = {0}, words[64];
  for (uint32_t run = 0; run < 10000; run++) {
    for (uint32_t i = 0; i < 64; i++) words[i] = random_next();
    counts[zero_position(words, 64)]++;
  }
  double chi = 0;
  for (uint32_t i = 0; i < 5; i++) chi += (counts[i] - 2000.0) * (counts[i] - 2000.0) / 2000;
  assert_true(chi < 23.5);  // of 4 degrees of freedom, above that once in 10,000
  memory_clear(&m);
}

static void words_that_would_favour_some_orders_are_thrown_away(void **state) {
  (void)state;
  uint32_t top = window(MEMORY_NONE, true, "", "", "");
  assert_true(add(top, 1, 1) && add(top, 2, 1));
  // Three items: 2^32 modulo 3 is 1, so the word 0 is one too many.
  uint32_t words[] = {0, 0, 0, 5, 3, 0, 0};
  assert_int_equal(zero_position(words, 7), 2);
  buffer out = {0};
  assert_false(memory_write_result(&m, words, 3, &out));
  assert_int_equal(m.status, MEMORY_MORE_RANDOM);
  buffer_clear(&out);
  assert_true(memory_random_count(&m) >= 3 + 2);
  memory_clear(&m);
}

// Builds what takes all kinds of room; false: memory ran out, and the status says so.
static bool build_all(void) {
  char url[64];
  memset(url, 'u', 60);
  url[60] = '\0';
  uint32_t realms[40];
  for (uint32_t i = 0; i < 40; i++) {
    realms[i] = i ? window(0, true, url, url, url) : window(MEMORY_NONE, true, url, "", "");
    if (realms[i] == MEMORY_NONE) return false;
    uint32_t entries = m.entry_count;
    uint64_t bytes = m.bytes;
    if (!memory_add_bytes(&m, realms, i + 1, MEMORY_DOM, 1)) {
      assert_int_equal(m.entry_count, entries);
      assert_int_equal(m.bytes, bytes);
      return false;
    }
  }
  return true;
}

static void out_of_memory_leaves_all_as_it_was(void **state) {
  (void)state;
  uint32_t failures = 0;
  for (uint32_t fail_at = 1;; fail_at++) {
    watch.calls = 0;
    watch.fail_at = fail_at;
    bool is_built = build_all();
    bool is_refused = watch.calls >= fail_at;
    watch.fail_at = 0;
    if (!is_built) {
      assert_int_equal(m.status, MEMORY_NO_ROOM);
      failures++;
      // What is there can still be told.
      uint32_t words[512] = {0}, known = m.realm_count;
      for (uint32_t i = 0; i < 512; i++) words[i] = random_next();
      buffer out = {0};
      assert_true(memory_write_result(&m, words, 512, &out));
      buffer_clear(&out);
      assert_int_equal(m.realm_count, known);
    }
    memory_clear(&m);
    if (!is_refused) {
      assert_true(is_built);
      break;
    }
  }
  assert_true(failures > 4);
}

static void a_result_without_memory_can_be_asked_for_again(void **state) {
  (void)state;
  assert_true(build_all());
  uint32_t words[512];
  for (uint32_t i = 0; i < 512; i++) words[i] = random_next();
  for (uint32_t fail_at = 1;; fail_at++) {
    watch.calls = 0;
    watch.fail_at = fail_at;
    buffer out = {0};
    bool is_written = memory_write_result(&m, words, 512, &out);
    if (!is_written) assert_int_equal(m.status, MEMORY_NO_ROOM);
    buffer_clear(&out);
    if (is_written) break;
  }
  watch.fail_at = 0;
  assert_int_equal(m.bytes, 40);
  memory_clear(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      WATCHED(a_measurement_of_nothing_has_the_zero_entry),
      WATCHED(a_top_level_window_has_no_container),
      WATCHED(frames_have_the_container_at_the_border),
      WATCHED(workers_have_the_token_of_who_made_them),
      WATCHED(texts_are_those_of_the_dom),
      WATCHED(entries_may_have_several_realms_and_types),
      WATCHED(sums_are_exact),
      WATCHED(what_cannot_be_is_refused),
      WATCHED(every_order_is_as_likely),
      WATCHED(words_that_would_favour_some_orders_are_thrown_away),
      WATCHED(out_of_memory_leaves_all_as_it_was),
      WATCHED(a_result_without_memory_can_be_asked_for_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
