// The recorder: sessions that share stacks, counters, and whole profiles with memory that runs out
// at every single allocation.
#include "trace_support.h"

static recorder r;

static void begin(void) { recorder_init(&r, STACK_ENGINE_SPIDERMONKEY, 257, 42); }

// Sessions ----------------------------------------------------------------------------------------

static void test_handles(void **state) {
  (void)state;
  begin();
  uint32_t handles[20];
  for (uint32_t i = 0; i < 20; i++) {
    handles[i] = recorder_open(&r, 0);
    assert_int_equal(handles[i], i);
    assert_true(recorder_sample(&r, handles[i], i, 0));
  }
  recorder_close(&r, 7);
  recorder_close(&r, 7);
  recorder_close(&r, 100);
  recorder_close(&r, RECORDER_NONE);
  assert_int_equal(r.open_count, 19);
  assert_false(recorder_sample(&r, 7, 1, 0));
  assert_false(recorder_sample(&r, 20, 1, 0));
  assert_false(recorder_sample(&r, RECORDER_NONE, 1, 0));
  assert_int_equal(r.counters.lost_samples, 3);
  // A handle comes again, without the samples it had.
  assert_int_equal(recorder_open(&r, 0), 7);
  assert_int_equal(r.sessions[7].samples.count, 0);
  assert_int_equal(r.sessions[8].samples.count, 1);
  recorder_clear(&r);
}

static void test_last_close_forgets_stacks(void **state) {
  (void)state;
  begin();
  uint32_t first = recorder_open(&r, 0), second = recorder_open(&r, 0);
  uint32_t old = record(&r, "a@u://h:1:1\nb@u://h:2:2\njunk\n");
  recorder_close(&r, first);
  assert_int_equal(record(&r, "a@u://h:1:1\nb@u://h:2:2\njunk\n"), old);
  recorder_close(&r, second);
  assert_int_equal(r.stacks.stacks.count, 0);
  // A number from before is no stack any more, and neither is one that never was.
  uint32_t handle = recorder_open(&r, 0);
  assert_true(recorder_sample(&r, handle, 1, old));
  assert_true(recorder_sample(&r, handle, 2, STACKS_NO_MEMORY));
  assert_true(recorder_sample(&r, handle, 3, record(&r, "c@u://h:3:3\n")));
  trace t;
  assert_true(build(&r, handle, &t));
  assert_string_equal(show_sample(&t, 0), "");
  assert_string_equal(show_sample(&t, 1), "");
  assert_string_equal(show_sample(&t, 2), "c@u://h");
  assert_int_equal(r.stacks.skipped_lines, 1);  // of texts that were read, not of those seen again
  trace_clear(&t);
  recorder_clear(&r);
}

// A page that profiles again and again does not grow.
static void test_profiling_again_and_again(void **state) {
  (void)state;
  begin();
  size_t after_first = 0;
  for (uint32_t turn = 0; turn < 30; turn++) {
    uint32_t handle = recorder_open(&r, 0);
    for (uint32_t i = 0; i < 2000; i++) {
      char text[64];
      sprintf(text, "f%u@u://h:%u:%u\n", i % 50, i, turn + 1);
      assert_true(recorder_sample(&r, handle, i, record(&r, text)));
    }
    trace t;
    assert_true(build(&r, handle, &t));
    assert_int_equal(t.stacks.count, 50);
    trace_clear(&t);
    recorder_close(&r, handle);
    if (!turn) after_first = watch.bytes;
    assert_int_equal(watch.bytes, after_first);
  }
  recorder_clear(&r);
}

static void test_memory_of_a_sample(void **state) {
  (void)state;
  enum { COUNT = 100000 };
  begin();
  uint32_t handle = recorder_open(&r, 0), stacks_seen[20];
  for (uint32_t i = 0; i < 20; i++) {
    char text[64];
    sprintf(text, "f@u://h:%u:1\nm@u://h:9:9\n", i + 1);
    stacks_seen[i] = record(&r, text);
  }
  size_t before = watch.bytes;
  for (uint32_t i = 0; i < COUNT; i++) {
    char text[64];
    sprintf(text, "f@u://h:%u:1\nm@u://h:9:9\n", i % 20 + 1);
    uint32_t stack = record(&r, text);
    assert_int_equal(stack, stacks_seen[i % 20]);
    assert_true(recorder_sample(&r, handle, i * 0.5, stack));
  }
  assert_true(watch.bytes - before <= COUNT * 16);
  recorder_clear(&r);
}

// Scripts -----------------------------------------------------------------------------------------

static bool add_script(const char *stack, const char *url) {
  recorder_text stack_text = {stack, (uint32_t)strlen(stack)};
  recorder_text url_text = {url, (uint32_t)strlen(url)};
  recorder_text positions = {"IA", 2}, names = {"", 0};
  return recorder_add_script(&r, stack_text, url_text, positions, names, 1, 1);
}

static void test_url_of_a_script(void **state) {
  (void)state;
  begin();
  assert_true(add_script("@u://stack:1:1\n", "u://given"));
  assert_true(add_script("", "u://given"));
  assert_true(add_script("junk\n@u://below:1:1\n", ""));
  assert_int_equal(r.counters.lost_tables, 0);
  assert_false(add_script("", ""));
  assert_false(add_script("junk", ""));
  assert_false(add_script("async*@u://h:1:1\n", ""));
  assert_int_equal(r.counters.lost_tables, 3);
  assert_int_equal(scripts_newest(&r.scripts, "u://stack", 9), 0);
  assert_int_equal(scripts_newest(&r.scripts, "u://given", 9), 1);
  assert_int_equal(scripts_newest(&r.scripts, "u://below", 9), 2);
  assert_int_equal(r.scripts.count, 3);
  recorder_clear(&r);
}

// Hostile texts -----------------------------------------------------------------------------------

// A megabyte that is no stack changes nothing but a counter.
static void test_hostile_text(void **state) {
  (void)state;
  enum { LONG = 1 << 20 };
  static const unsigned char fills[] = {'x', '\0', 0xff, ' ', '('};
  begin();
  uint32_t handle = recorder_open(&r, 0);
  assert_true(recorder_sample(&r, handle, 1, record(&r, "f@u://h:1:1\n")));
  uint32_t strings_before = r.stacks.strings.count, sites_before = r.stacks.sites.count;
  char *text = malloc(LONG);
  for (uint32_t i = 0; i < sizeof fills; i++) {
    memset(text, fills[i], LONG);
    uint32_t stack = recorder_stack(&r, text, LONG, DROP_NONE);
    assert_int_equal(stack, 0);
    assert_int_equal(r.stacks.skipped_lines, i + 1);
    assert_true(recorder_sample(&r, handle, 2, stack));
  }
  free(text);
  assert_int_equal(r.stacks.strings.count, strings_before);
  assert_int_equal(r.stacks.sites.count, sites_before);
  trace t;
  assert_true(build(&r, handle, &t));
  assert_string_equal(show_sample(&t, 0), "f@u://h");
  assert_string_equal(show_sample(&t, 1), "");
  assert_int_equal(t.stacks.count, 1);
  trace_clear(&t);
  recorder_clear(&r);
}

// Profiles with memory that runs out --------------------------------------------------------------

// Whether a step that found no memory is tried again, or its loss is borne.
typedef enum { BEAR, RETRY } patience;

static uint32_t failed_steps;  // by what the core returned

static uint32_t open_session(patience how) {
  uint32_t handle = recorder_open(&r, 0);
  if (handle != RECORDER_NONE) return handle;
  failed_steps++;
  return how == RETRY ? open_session(how) : handle;
}

static void add_scripts(patience how) {
  static const char *const urls[] = {"u://a", "u://b", "u://a", "u://hidden"};
  for (uint32_t i = 0; i < 4; i++) {
    uint32_t first = i == 2 ? 30 : 1;
    encode_begin(&code, 20, 80);
    for (uint32_t line = 0; line < 15; line++) {
      static const char *const names[] = {"one", "two", "three,four", "five", "", "six"};
      uint32_t flags = (line % 3 ? 0 : ENCODE_ASYNC) | (line % 4 == 1 ? ENCODE_QUIET : 0);
      encode_start(&code, line, 4, flags, line, 4, names[(line + i) % 6]);
      encode_start(&code, line, 20, ENCODE_GIVEN, line / 2, 7, "inner");
      encode_end(&code, line, 30);
      encode_end(&code, line, 40);
    }
    uint32_t lost = r.counters.lost_tables;
    while (!add_encoded(&r, urls[i], first, 1)) {
      failed_steps++;
      assert_int_equal(r.counters.lost_tables, ++lost);
      if (how == BEAR) break;
    }
  }
}

static uint32_t record_turn(uint32_t turn, patience how) {
  static const char *const urls[] = {"u://a", "u://b", "u://hidden", "u://plain"};
  char text[2000];
  uint32_t at = 0;
  for (uint32_t i = 0; i < turn % 9; i++) {
    // Lines 30 and above are those of the second script of u://a.
    uint32_t line = (turn * 7 + i * 3) % 15 + (i % 2 ? 30 : 1);
    at += (uint32_t)sprintf(text + at, "f%u@%s:%u:%u\n", (turn + i) % 5, urls[(turn + i) % 4],
                            line, 10 + (turn * 5 + i) % 40);
  }
  uint32_t lost = r.counters.lost_stacks, stack;
  while ((stack = recorder_stack(&r, text, at, DROP_NONE)) == STACKS_NO_MEMORY) {
    failed_steps++;
    assert_int_equal(r.counters.lost_stacks, ++lost);
    if (how == BEAR) break;
  }
  return stack != STACKS_NO_MEMORY && turn % 3 == 0 ? stack | STACKS_ENTRY : stack;
}

static void add_sample(uint32_t handle, double time, uint32_t stack, patience how) {
  uint32_t lost = r.counters.lost_samples;
  while (!recorder_sample(&r, handle, time, stack)) {
    failed_steps += handle != RECORDER_NONE;
    assert_int_equal(r.counters.lost_samples, ++lost);
    if (how == BEAR) break;
  }
}

// A trace as text: the tables, and the number of each sample's stack. Traces are always retried.
static void dump_trace(uint32_t handle, char **dump) {
  for (;;) {
    trace t;
    buffer out = {0};
    bool built = recorder_begin_trace(&r, handle, &t) == TRACE_OK;
    if (built) {
      show_sources(&t);
      built = recorder_build_trace(&r, &t) == TRACE_OK;
    }
    if (built) trace_write_tables(&t, &out);
    if (built && !out.no_memory) {
      trace_number_samples(&t);
      check_trace(&t);
      *dump += sprintf(*dump, "%.*s\n", (int)out.length, out.bytes);
      for (sessions_block *block = t.samples->first; block; block = block->next) {
        for (uint32_t i = 0; i < block->count; i++) {
          *dump += sprintf(*dump, "%g %u\n", block->times[i], block->stacks[i]);
        }
      }
      trace_clear(&t);
      buffer_clear(&out);
      return;
    }
    failed_steps++;
    trace_clear(&t);
    buffer_clear(&out);
    watch.percent /= 2;  // else no trace would ever get all that it needs
  }
}

// Two sessions over 700 captures, the one begun later and ended earlier. The same on every run.
static void profile(patience how, char *dump) {
  uint32_t first = open_session(how), second = RECORDER_NONE;
  add_scripts(how);
  for (uint32_t turn = 0; turn < 700; turn++) {
    if (turn == 50) second = open_session(how);
    uint32_t stack = record_turn(turn % 120, how);
    add_sample(first, turn, stack, how);
    if (turn >= 50) add_sample(second, turn + 0.5, stack, how);
  }
  dump_trace(second, &dump);
  recorder_close(&r, second);
  dump_trace(first, &dump);
  recorder_close(&r, first);
}

enum { DUMP = 1 << 17 };

static char reference[DUMP], dumped[DUMP];
static uint32_t allocations;  // of the reference

static void make_reference(void) {
  begin();
  watch.calls = 0;
  profile(RETRY, reference);
  allocations = watch.calls;
  recorder_clear(&r);
  assert_true(strlen(reference) > 10000 && strlen(reference) < DUMP / 2);
  assert_int_equal(watch.blocks, 0);
}

// Each allocation fails once, and the step is tried again: the traces are as if nothing had been.
static void test_each_allocation_fails_and_is_tried_again(void **state) {
  (void)state;
  make_reference();
  assert_true(allocations > 100);
  failed_steps = 0;
  for (uint32_t k = 1; k <= allocations; k++) {
    begin();
    watch.calls = watch.refused = 0;
    watch.fail_at = k;
    profile(RETRY, dumped);
    assert_int_equal(watch.refused, 1);
    assert_string_equal(dumped, reference);
    recorder_clear(&r);
    assert_int_equal(watch.blocks, 0);
  }
  // All but the growth of the memory of texts is told.
  assert_in_range(failed_steps, allocations * 3 / 4, allocations);
}

// Each allocation fails once, and the loss is borne: it is counted, what was built is sound, and
// the recorder serves the next profile as ever.
static void test_each_allocation_fails_and_the_loss_is_borne(void **state) {
  (void)state;
  make_reference();
  for (uint32_t k = 1; k <= allocations; k++) {
    begin();
    watch.calls = 0;
    watch.fail_at = k;
    failed_steps = 0;
    profile(BEAR, dumped);
    recorder_counters *lost = &r.counters;
    bool no_session = lost->lost_samples > 1;
    assert_true(no_session || lost->lost_samples + lost->lost_stacks + lost->lost_tables <= 1);
    assert_true(failed_steps <= 1);
    if (!failed_steps) assert_string_equal(dumped, reference);
    watch.fail_at = 0;
    profile(BEAR, dumped);
    assert_string_equal(dumped, reference);
    recorder_clear(&r);
    assert_int_equal(watch.blocks, 0);
  }
}

static void test_allocations_fail_at_random(void **state) {
  (void)state;
  make_reference();
  for (uint32_t turn = 0; turn < 20; turn++) {
    begin();
    watch.percent = 5;
    profile(RETRY, dumped);
    assert_string_equal(dumped, reference);
    watch.percent = 40;
    failed_steps = 0;
    profile(BEAR, dumped);
    assert_true(failed_steps > 0);
    watch.percent = 0;
    profile(RETRY, dumped);
    assert_string_equal(dumped, reference);
    recorder_clear(&r);
    assert_int_equal(watch.blocks, 0);
  }
}

// With no memory at all everything is lost and counted; then it goes on.
static void test_no_memory_at_all(void **state) {
  (void)state;
  begin();
  watch.percent = 100;
  assert_int_equal(recorder_open(&r, 0), RECORDER_NONE);
  assert_int_equal(record(&r, "f@u://h:1:1\n"), STACKS_NO_MEMORY);
  assert_false(add_script("", "u://h"));
  assert_false(recorder_sample(&r, 0, 1, 0));
  watch.percent = 0;
  uint32_t handle = recorder_open(&r, 0);
  watch.percent = 100;
  assert_false(recorder_sample(&r, handle, 1, STACKS_NO_MEMORY));
  trace t;
  assert_int_equal(recorder_begin_trace(&r, handle, &t), TRACE_NO_MEMORY);
  trace_clear(&t);
  assert_int_equal(r.counters.lost_samples, 2);
  assert_int_equal(r.counters.lost_stacks, 1);
  assert_int_equal(r.counters.lost_tables, 1);
  watch.percent = 0;
  assert_true(recorder_sample(&r, handle, 1, record(&r, "f@u://h:1:1\n")));
  assert_true(build(&r, handle, &t));
  assert_string_equal(show_sample(&t, 0), "f@u://h");
  trace_clear(&t);
  recorder_clear(&r);
}

// A malformed table that many samples come by is counted once a trace, however often it was built.
static void test_malformed_tables_are_counted_once_a_trace(void **state) {
  (void)state;
  begin();
  uint32_t handle = recorder_open(&r, 0);
  recorder_text none = {"", 0}, url = {"u://h", 5}, bad = {"?", 1};
  assert_true(recorder_add_script(&r, none, url, bad, none, 1, 1));
  assert_true(recorder_sample(&r, handle, 1, record(&r, "a@u://h:1:1\nb@u://h:2:2\n")));
  trace t;
  bool built = false;
  for (uint32_t k = 1; !built; k++) {
    watch.calls = 0;
    watch.fail_at = k;
    built = build(&r, handle, &t);
    assert_int_equal(r.counters.malformed_tables, built ? 2 : 0);
  }
  trace_clear(&t);
  recorder_clear(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      WATCHED(test_handles),
      WATCHED(test_last_close_forgets_stacks),
      WATCHED(test_profiling_again_and_again),
      WATCHED(test_memory_of_a_sample),
      WATCHED(test_url_of_a_script),
      WATCHED(test_hostile_text),
      WATCHED(test_each_allocation_fails_and_is_tried_again),
      WATCHED(test_each_allocation_fails_and_the_loss_is_borne),
      WATCHED(test_allocations_fail_at_random),
      WATCHED(test_no_memory_at_all),
      WATCHED(test_malformed_tables_are_counted_once_a_trace),
  };
  return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}
