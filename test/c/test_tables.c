// The core's tables against models that are too stupid to be wrong, with memory that runs out:
// memory, hash, strings, tuples, texts, sessions, buffer.
#include "support.h"

#include "trace/buffer.h"
#include "trace/hash.h"
#include "trace/sessions.h"
#include "trace/strings.h"
#include "trace/texts.h"
#include "trace/tuples.h"

// Memory ------------------------------------------------------------------------------------------

static void test_sizes_that_do_not_fit(void **state) {
  (void)state;
  size_t bytes = 7;
  assert_false(mem_array_bytes(SIZE_MAX / 8 + 1, 8, &bytes));
  assert_int_equal(bytes, 7);
  assert_true(mem_array_bytes(SIZE_MAX / 8, 8, &bytes));
  assert_int_equal(bytes, SIZE_MAX / 8 * 8);
  assert_true(mem_array_bytes(SIZE_MAX, 0, &bytes));
  assert_int_equal(mem_grown_capacity(0, 1, 16), 16);
  assert_int_equal(mem_grown_capacity(16, 17, 16), 32);
  assert_int_equal(mem_grown_capacity(16, 1u << 31, 16), 1u << 31);
  assert_int_equal(mem_grown_capacity(16, (1u << 31) + 1, 16), 0);
  assert_int_equal(mem_grown_capacity(0, UINT32_MAX, 1), 0);
}

static void test_reserve(void **state) {
  (void)state;
  void *array = NULL;
  uint32_t capacity = 0;
  assert_true(mem_reserve(&array, &capacity, 3, 8, 4));
  assert_int_equal(capacity, 8);
  memset(array, 1, 32);
  void *before = array;
  assert_true(mem_reserve(&array, &capacity, 8, 8, 4));
  assert_ptr_equal(array, before);
  watch.percent = 100;
  assert_false(mem_reserve(&array, &capacity, 9, 8, 4));
  assert_ptr_equal(array, before);
  assert_int_equal(capacity, 8);
  watch.percent = 0;
  uint32_t calls = watch.calls;
  assert_false(mem_reserve(&array, &capacity, UINT32_MAX, 8, 4));
  assert_false(mem_reserve(&array, &capacity, 9, 8, SIZE_MAX / 8));
  assert_int_equal(watch.calls, calls);
  mem_free(array);
  mem_free(NULL);
}

// Hash --------------------------------------------------------------------------------------------

static unsigned bits_set(uint32_t value) {
  unsigned count = 0;
  for (; value; value &= value - 1) count++;
  return count;
}

static void test_hash_depends_on_bytes_alone(void **state) {
  (void)state;
  char room[80], copy[80];
  for (uint32_t i = 0; i < sizeof room; i++) room[i] = (char)(i * 7);
  for (uint32_t length = 0; length <= 64; length++) {
    hash_pair hash = hash_bytes(room, length, 5);
    for (uint32_t shift = 1; shift < 8; shift++) {
      memmove(copy + shift, room, length);
      hash_pair same = hash_bytes(copy + shift, length, 5);
      assert_memory_equal(&hash, &same, sizeof hash);
    }
    hash_pair seeded = hash_bytes(room, length, 6);
    assert_true(hash.low != seeded.low && hash.high != seeded.high);
  }
  hash_pair empty = hash_bytes("", 0, 5), nothing = hash_bytes(NULL, 0, 5);
  assert_memory_equal(&empty, &nothing, sizeof empty);
}

// Texts of zeros differ by their length alone.
static void test_hash_of_zeros(void **state) {
  (void)state;
  static const char zeros[256];
  hash_pair seen[256];
  for (uint32_t length = 0; length < 256; length++) {
    seen[length] = hash_bytes(zeros, length, 0);
    for (uint32_t other = 0; other < length; other++) {
      assert_true(seen[length].low != seen[other].low && seen[length].high != seen[other].high);
    }
  }
}

// Every bit of a text turns over about half of each half of the hash.
static void test_hash_spreads_each_bit(void **state) {
  (void)state;
  unsigned char text[61];
  for (uint32_t length = 1; length <= sizeof text; length += 6) {
    for (uint32_t bit = 0; bit < length * 8; bit++) {
      unsigned low = 0, high = 0;
      enum { TURNS = 200 };
      for (uint32_t turn = 0; turn < TURNS; turn++) {
        for (uint32_t i = 0; i < length; i++) text[i] = (unsigned char)random_next();
        hash_pair before = hash_bytes(text, length, turn);
        text[bit / 8] ^= (unsigned char)(1 << bit % 8);
        hash_pair after = hash_bytes(text, length, turn);
        low += bits_set(before.low ^ after.low);
        high += bits_set(before.high ^ after.high);
      }
      assert_in_range(low, 14 * TURNS, 18 * TURNS);
      assert_in_range(high, 14 * TURNS, 18 * TURNS);
    }
  }
}

static int compare_words(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return (a > b) - (a < b);
}

static uint32_t count_doubles(uint32_t *words, uint32_t count) {
  uint32_t doubles = 0;
  qsort(words, count, sizeof *words, compare_words);
  for (uint32_t i = 1; i < count; i++) doubles += words[i] == words[i - 1];
  return doubles;
}

// Lines of stacks differ in a few digits. Either half of their hash is as good as chance: of n
// texts about n^2 / 2^33 share it, here 4.7.
static void test_hash_of_lines(void **state) {
  (void)state;
  enum { COUNT = 200000 };
  static uint32_t low[COUNT], high[COUNT];
  for (uint32_t i = 0; i < COUNT; i++) {
    char line[96];
    int length = snprintf(line, sizeof line,
                          "    at Grid.draw (https://app.example/js/chunk-%u.js:%u:%u)", i % 7,
                          i / 400 + 1, i % 400 + 1);
    hash_pair hash = hash_bytes(line, (uint32_t)length, 77);
    low[i] = hash.low;
    high[i] = hash.high;
  }
  assert_in_range(count_doubles(low, COUNT), 0, 16);
  assert_in_range(count_doubles(high, COUNT), 0, 16);
}

static int compare_pairs(const void *left, const void *right) {
  return memcmp(left, right, sizeof(hash_pair));
}

// All 64 bits of the hash keep texts apart that differ in two words, wherever these are. With 32
// bits of state for them, about five pairs of 200000 would come to one hash.
static void test_hash_keeps_64_bits(void **state) {
  (void)state;
  enum { COUNT = 200000 };
  static hash_pair hashes[COUNT];
  for (uint32_t lane = 0; lane < 4; lane++) {
    uint32_t words[16] = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
      words[lane] = random_next();
      words[lane + 4] = random_next();
      hashes[i] = hash_bytes(words, sizeof words, 3);
    }
    qsort(hashes, COUNT, sizeof *hashes, compare_pairs);
    for (uint32_t i = 1; i < COUNT; i++) assert_true(compare_pairs(&hashes[i - 1], &hashes[i]));
  }
}

// Strings -----------------------------------------------------------------------------------------

// A text of few letters and few lengths, so that many come again; NULs and no bytes among them.
static uint32_t random_text(char *room, uint32_t longest) {
  uint32_t length = random_below(longest + 1);
  for (uint32_t i = 0; i < length; i++) room[i] = "\0ab\xff"[random_below(4)];
  return length;
}

typedef struct {
  char text[8];
  uint32_t length;
} model_string;

static model_string model_strings[8192];
static uint32_t model_count;

static uint32_t model_find(const char *text, uint32_t length) {
  for (uint32_t i = 0; i < model_count; i++) {
    if (model_strings[i].length == length && !memcmp(model_strings[i].text, text, length)) return i;
  }
  return STRINGS_NONE;
}

static void check_strings(const strings *pool) {
  assert_int_equal(pool->count, model_count);
  for (uint32_t id = 0; id < model_count; id++) {
    uint32_t length;
    const char *text = strings_text(pool, id, &length);
    assert_int_equal(length, model_strings[id].length);
    assert_memory_equal(text, model_strings[id].text, length);
  }
}

static void intern_random_strings(uint32_t percent) {
  strings pool;
  strings_init(&pool);
  model_count = 0;
  for (uint32_t turn = 0; turn < 20000; turn++) {
    char text[8];
    uint32_t length = random_text(text, 6), held = model_find(text, length);
    assert_int_equal(strings_find(&pool, text, length), held);
    watch.percent = percent;
    uint32_t refused = watch.refused, id = strings_intern(&pool, text, length);
    watch.percent = 0;
    if (id == STRINGS_NONE) {
      assert_int_not_equal(watch.refused, refused);
      assert_int_equal(held, STRINGS_NONE);
      assert_int_equal(pool.count, model_count);
      continue;
    }
    assert_int_equal(id, held == STRINGS_NONE ? model_count : held);
    if (held == STRINGS_NONE) {
      memcpy(model_strings[model_count].text, text, length);
      model_strings[model_count++].length = length;
    }
  }
  assert_true(model_count > 2500);
  check_strings(&pool);
  strings_clear(&pool);
  assert_int_equal(strings_find(&pool, "", 0), STRINGS_NONE);
  assert_int_equal(strings_intern(&pool, NULL, 0), 0);
  assert_int_equal(strings_find(&pool, "", 0), 0);
  strings_clear(&pool);
}

static void test_strings(void **state) {
  (void)state;
  intern_random_strings(0);
}

static void test_strings_without_memory(void **state) {
  (void)state;
  intern_random_strings(60);
  assert_true(watch.refused > 20);
}

// Strings are told apart by their bytes where their hashes are the same, here by forgery.
static void test_strings_of_one_hash(void **state) {
  (void)state;
  static const char *const others[] = {"ab", "abce", "", "abcde"};
  strings pool;
  strings_init(&pool);
  assert_int_equal(strings_intern(&pool, "abcd", 4), 0);
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t length = (uint32_t)strlen(others[i]);
    pool.entries[0].hash = hash_bytes(others[i], length, 0).low;
    memset(pool.slots, 0, pool.slot_count * sizeof *pool.slots);
    pool.slots[pool.entries[0].hash & (pool.slot_count - 1)] = 1;
    assert_int_equal(strings_find(&pool, others[i], length), STRINGS_NONE);
  }
  strings_clear(&pool);
}

// Tuples ------------------------------------------------------------------------------------------

static void intern_random_tuples(uint32_t width, uint32_t percent) {
  static uint32_t model[4096][TUPLES_WIDTH_MAX];
  uint32_t count = 0, values = width == 1 ? 3000 : width == 2 ? 60 : 8;
  tuples table;
  tuples_init(&table, width);
  for (uint32_t turn = 0; turn < 8000 && count < 4096; turn++) {
    uint32_t row[TUPLES_WIDTH_MAX] = {0}, held = 0;
    for (uint32_t i = 0; i < width; i++) row[i] = random_below(values) - (i & 1);
    while (held < count && memcmp(model[held], row, width * sizeof *row) != 0) held++;
    watch.percent = percent;
    uint32_t refused = watch.refused, id = tuples_intern(&table, row);
    watch.percent = 0;
    if (id == TUPLES_NONE) {
      assert_int_not_equal(watch.refused, refused);
      assert_int_equal(held, count);
      assert_int_equal(table.count, count);
      continue;
    }
    assert_int_equal(id, held);
    if (held == count) memcpy(model[count++], row, sizeof row);
  }
  assert_int_equal(table.count, count);
  assert_true(count > 500);
  for (uint32_t id = 0; id < count; id++) {
    assert_memory_equal(tuples_row(&table, id), model[id], width * sizeof(uint32_t));
  }
  tuples_clear(&table);
  assert_int_equal(table.count, 0);
  assert_int_equal(tuples_intern(&table, model[1]), 0);
  tuples_clear(&table);
}

static void test_tuples(void **state) {
  (void)state;
  for (uint32_t width = 1; width <= TUPLES_WIDTH_MAX; width++) intern_random_tuples(width, 0);
}

static void test_tuples_without_memory(void **state) {
  (void)state;
  for (uint32_t width = 1; width <= TUPLES_WIDTH_MAX; width++) intern_random_tuples(width, 60);
  assert_true(watch.refused > 20);
}

// How far rows lie from where their hash puts them. By chance 1.5 slots on average at a load of
// 3/4, and the farthest of 10^5 a few hundred.
static void check_probes(const tuples *table) {
  uint32_t mask = table->slot_count - 1;
  uint64_t sum = 0;
  assert_true(table->count <= table->slot_count / 4 * 3);
  for (uint32_t slot = 0; slot < table->slot_count; slot++) {
    if (!table->slots[slot]) continue;
    uint32_t home = hash_words(tuples_row(table, table->slots[slot] - 1), table->width) & mask;
    uint32_t distance = (slot - home) & mask;
    assert_in_range(distance, 0, 400);
    sum += distance;
  }
  assert_in_range(sum, 0, (uint64_t)table->count * 2);
}

static void test_no_clusters(void **state) {
  (void)state;
  // Just under the load at which tables grow: 3/4 of 131072.
  enum { COUNT = 98300 };
  for (uint32_t pattern = 0; pattern < 9; pattern++) {
    tuples table;
    tuples_init(&table, pattern < 7 ? 2 : 4);
    for (uint32_t i = 0; i < COUNT; i++) {
      const uint32_t rows[9][4] = {
          {i, 0},        {0, i},        {i, i},          {i, i + 1},
          {i << 12, 3},  {3, i * 1024}, {i << 23, i >> 9 << 23},
          {0, i, 7, 9},  {i % 300, 4, i / 300, i % 300 * 8},
      };
      assert_int_equal(tuples_intern(&table, rows[pattern]), i);
    }
    check_probes(&table);
    tuples_clear(&table);
  }
}

// Texts -------------------------------------------------------------------------------------------

static void remember_random_texts(uint32_t percent) {
  enum { LOWS = 400, HIGHS = 3 };
  static uint32_t model[LOWS][HIGHS];  // value + 1
  memset(model, 0, sizeof model);
  texts memory;
  texts_init(&memory);
  for (uint32_t turn = 0; turn < 20000; turn++) {
    uint32_t low = random_below(LOWS), high = random_below(HIGHS), value = 0;
    hash_pair hash = {low * 64, high};  // long probes
    bool held = texts_find(&memory, hash, &value);
    // What was remembered is found as it was; what could not be is not found.
    assert_true(!held || value + 1 == model[low][high]);
    if (!percent) assert_true(held == (model[low][high] != 0));
    value = random_next() >> 1;
    watch.percent = percent;
    texts_remember(&memory, hash, value);
    watch.percent = 0;
    uint32_t after = value ^ 1;
    bool kept = texts_find(&memory, hash, &after);
    assert_true(kept ? after == value || (percent && held) : percent != 0);
    if (kept) model[low][high] = after + 1;
  }
  assert_true(memory.count > 1000 && memory.count < memory.slot_count);
  texts_clear(&memory);
  uint32_t value;
  assert_false(texts_find(&memory, (hash_pair){0, 0}, &value));
}

static void test_texts(void **state) {
  (void)state;
  remember_random_texts(0);
}

// Remembering a text again takes no more room.
static void test_texts_again(void **state) {
  (void)state;
  texts memory;
  texts_init(&memory);
  for (uint32_t i = 0; i < 1000; i++) texts_remember(&memory, (hash_pair){i % 20, 7}, i);
  assert_int_equal(memory.count, 20);
  assert_int_equal(watch.calls, 1);
  texts_clear(&memory);
}

static void test_texts_without_memory(void **state) {
  (void)state;
  remember_random_texts(60);
  assert_true(watch.refused > 5);
}

// Sessions ----------------------------------------------------------------------------------------

static void check_session(const session *samples, uint32_t count) {
  uint32_t at = 0;
  assert_int_equal(samples->count, count);
  for (const sessions_block *block = samples->first; block; block = block->next) {
    assert_in_range(block->count, 1, SESSIONS_BLOCK);
    assert_true(block->next ? block->count == SESSIONS_BLOCK : block == samples->last);
    for (uint32_t i = 0; i < block->count; i++, at++) {
      assert_true(block->times[i] == at * 0.1);
      assert_int_equal(block->stacks[i], at % 1000);
    }
  }
  assert_int_equal(at, count);
}

static void test_session(void **state) {
  (void)state;
  enum { COUNT = 100000 };
  session samples = {0};
  check_session(&samples, 0);
  for (uint32_t i = 0; i < COUNT; i++) {
    assert_true(session_add(&samples, i * 0.1, i % 1000));
    // What is held is what the samples take and at most one block more.
    assert_true(watch.bytes <= (i + 1) * 16 + sizeof(sessions_block));
  }
  check_session(&samples, COUNT);
  assert_true(watch.peak <= COUNT * 16);
  session_clear(&samples);
  check_session(&samples, 0);
  assert_true(session_add(&samples, 0, 0));
  check_session(&samples, 1);
  session_clear(&samples);
}

// A session with a limit is what one without would be, less its oldest samples.
static void test_session_with_a_limit(void **state) {
  (void)state;
  static const uint32_t limits[] = {1, 2, 499, 500, 501, 1700};
  for (uint32_t turn = 0; turn < 12; turn++) {
    session samples = {.limit = limits[turn / 2]};
    watch.percent = turn % 2 ? 30 : 0;
    watch.peak = 0;
    for (uint32_t i = 0; i < 5000; i++) {
      while (!session_add(&samples, i, i)) assert_true(watch.percent);
      uint32_t count = i + 1 < samples.limit ? i + 1 : samples.limit, at = i + 1 - count;
      assert_int_equal(samples.count, count);
      assert_true(samples.first && !samples.last->next);
      if (i % 97 && i < 4999) continue;
      for (const sessions_block *block = samples.first; block; block = block->next) {
        assert_in_range(block->count, 1, SESSIONS_BLOCK);
        for (uint32_t k = 0; k < block->count; k++, at++) {
          assert_true(block->times[k] == at && block->stacks[k] == at);
        }
      }
      assert_int_equal(at, i + 1);
    }
    assert_true(watch.peak <= samples.limit * 16 + 2 * sizeof(sessions_block));
    session_clear(&samples);
    assert_int_equal(watch.blocks, 0);
    // The limit stays.
    watch.percent = 0;
    for (uint32_t i = 0; i < 3; i++) assert_true(session_add(&samples, i, i));
    assert_int_equal(samples.count, samples.limit < 3 ? samples.limit : 3);
    session_clear(&samples);
  }
}

static void test_session_without_memory(void **state) {
  (void)state;
  session samples = {0};
  uint32_t lost = 0;
  watch.percent = 70;
  for (uint32_t i = 0; i < 20000;) {
    if (session_add(&samples, i * 0.1, i % 1000)) {
      i++;
    } else {
      lost++;
    }
    assert_int_equal(samples.count, i);
  }
  assert_true(lost > 0);
  assert_int_equal(lost, watch.refused);
  check_session(&samples, 20000);
  session_clear(&samples);
}

// Buffer ------------------------------------------------------------------------------------------

static void assert_buffer(const buffer *out, const char *expected) {
  assert_false(out->no_memory);
  assert_int_equal(out->length, strlen(expected));
  assert_memory_equal(out->bytes, expected, out->length);
}

static void test_buffer(void **state) {
  (void)state;
  buffer out = {0};
  buffer_add_text(&out, "");
  buffer_add(&out, NULL, 0);
  assert_int_equal(out.length, 0);
  uint32_t numbers[] = {0, 9, 10, 4294967295u, 1000000000};
  for (uint32_t i = 0; i < 5; i++) {
    buffer_add_number(&out, numbers[i]);
    buffer_add_text(&out, " ");
  }
  assert_buffer(&out, "0 9 10 4294967295 1000000000 ");
  buffer_clear(&out);
  buffer_add_json_string(&out, "a\"b\\c\n\x1f\x7f\xc3\xa9", 10);
  assert_buffer(&out, "\"a\\\"b\\\\c\\u000a\\u001f\x7f\xc3\xa9\"");
  buffer_clear(&out);
  buffer_add_json_string(&out, "\0", 1);
  buffer_add_json_string(&out, NULL, 0);
  assert_buffer(&out, "\"\\u0000\"\"\"");
  buffer_clear(&out);
}

// A text too long for 32 bits and memory that runs out are told, and nothing is written elsewhere.
static void test_buffer_without_memory(void **state) {
  (void)state;
  buffer out = {0};
  buffer_add_text(&out, "abc");
  buffer_add(&out, "", UINT32_MAX - 2);
  assert_true(out.no_memory);
  buffer_clear(&out);
  assert_false(out.no_memory);
  for (uint32_t i = 0; i < 5000; i++) {
    if (i == 4096) watch.percent = 100;
    buffer_add_text(&out, "x");
    assert_true(out.no_memory == (i >= 4096));
  }
  watch.percent = 0;
  buffer_add_text(&out, "y");
  assert_true(out.no_memory);
  buffer_clear(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      WATCHED(test_sizes_that_do_not_fit),
      WATCHED(test_reserve),
      WATCHED(test_hash_depends_on_bytes_alone),
      WATCHED(test_hash_of_zeros),
      WATCHED(test_hash_spreads_each_bit),
      WATCHED(test_hash_of_lines),
      WATCHED(test_hash_keeps_64_bits),
      WATCHED(test_strings),
      WATCHED(test_strings_without_memory),
      WATCHED(test_strings_of_one_hash),
      WATCHED(test_tuples),
      WATCHED(test_tuples_without_memory),
      WATCHED(test_no_clusters),
      WATCHED(test_texts),
      WATCHED(test_texts_again),
      WATCHED(test_texts_without_memory),
      WATCHED(test_session),
      WATCHED(test_session_with_a_limit),
      WATCHED(test_session_without_memory),
      WATCHED(test_buffer),
      WATCHED(test_buffer_without_memory),
  };
  return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
