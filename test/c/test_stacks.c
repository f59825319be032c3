// Captured stacks: from text to number, what is dropped, what is remembered, hostile texts, memory
// that runs out.
#include "support.h"

#include "trace/stacks.h"

#define V8 STACK_ENGINE_V8
#define MOZ STACK_ENGINE_SPIDERMONKEY
#define JSC STACK_ENGINE_JSC

static const stacks_drop DROP_NONE = {0, false, 0};

static stacks open_stacks(stack_engine engine) {
  stacks all;
  stacks_init(&all, engine, 257, 12345);
  return all;
}

static uint32_t intern(stacks *all, const char *text, stacks_drop drop) {
  // A block of its own, so that a byte read beyond it is found.
  uint32_t length = (uint32_t)strlen(text);
  char *copy = malloc(length + 1);
  memcpy(copy, text, length);
  uint32_t stack = stacks_intern(all, copy, length, drop);
  free(copy);
  return stack;
}

// A stack from its leaf, as "name@url:line:column|...".
static const char *show(const stacks *all, uint32_t stack) {
  static char room[32768];
  static const char *kinds[] = {"?", "", "native ", "eval ", "wasm ", "?"};
  uint32_t at = 0, length;
  room[0] = '\0';
  for (; stack; stack = stacks_parent(all, stack - 1)) {
    assert_true(stack <= all->stacks.count);
    assert_true(stacks_parent(all, stack - 1) < stack);
    stacks_site site = stacks_site_at(all, stack - 1);
    const char *name = strings_text(&all->strings, site.name, &length);
    at += (uint32_t)snprintf(room + at, sizeof room - at, "%s%s%.*s", at ? "|" : "",
                             kinds[site.kind], (int)length, name);
    if (site.url != STRINGS_NONE) {
      const char *url = strings_text(&all->strings, site.url, &length);
      at += (uint32_t)snprintf(room + at, sizeof room - at, "@%.*s", (int)length, url);
    }
    at += (uint32_t)snprintf(room + at, sizeof room - at, ":%u:%u", site.line, site.column);
    assert_true(at < sizeof room);
  }
  return room;
}

static void assert_reads(stack_engine engine, const char *text, stacks_drop drop,
                         const char *expected, uint32_t skipped) {
  stacks all = open_stacks(engine);
  uint32_t stack = intern(&all, text, drop);
  assert_int_not_equal(stack, STACKS_NO_MEMORY);
  assert_string_equal(show(&all, stack), expected);
  assert_int_equal(all.skipped_lines, skipped);
  stacks_clear(&all);
}

// Texts -------------------------------------------------------------------------------------------

static void test_v8(void **state) {
  (void)state;
  assert_reads(V8,
               "Error\n    at f (http://a/x.js:3:7)\n    at new Kit (http://a/x.js:2:1)\n"
               "    at Kit.go (http://b/y.js:9:8)\n    at Array.map (<anonymous>)\n"
               "    at http://a/x.js:1:1",
               DROP_NONE,
               "f@http://a/x.js:3:7|Kit@http://a/x.js:2:1|go@http://b/y.js:9:8|native map:0:0|"
               "@http://a/x.js:1:1",
               0);
  // Only the first line may be the error's own.
  assert_reads(V8, "Error: with\nmore\n    at f (http://a/x.js:3:7)\n\n", DROP_NONE,
               "f@http://a/x.js:3:7", 2);
  assert_reads(V8, "    at f (http://a/x.js:3:7)", DROP_NONE, "f@http://a/x.js:3:7", 0);
  assert_reads(V8, "", DROP_NONE, "", 0);
  assert_reads(V8, "Error", DROP_NONE, "", 0);
  assert_reads(V8, "Error\n", DROP_NONE, "", 0);
}

// What waits for the frames above it is not on the stack.
static void test_async_parts(void **state) {
  (void)state;
  assert_reads(V8,
               "Error\n    at f (http://a/x.js:3:7)\n    at async g (http://a/x.js:4:7)\n"
               "    at async Promise.all (index 0)",
               DROP_NONE, "f@http://a/x.js:3:7", 0);
  assert_reads(MOZ, "f@http://a/x.js:3:7\nasync*g@http://a/x.js:4:7\nh@http://a/x.js:5:7\n",
               DROP_NONE, "f@http://a/x.js:3:7", 0);
  assert_reads(MOZ, "setTimeout handler*g@http://a/x.js:4:7\nh@http://a/x.js:5:7\n", DROP_NONE,
               "", 0);
  assert_reads(JSC, "f@http://a/x.js:3:7\nasync g@http://a/x.js:4:7", DROP_NONE,
               "f@http://a/x.js:3:7", 0);
}

static void test_other_engines_texts(void **state) {
  (void)state;
  assert_reads(MOZ, "f@http://a/x.js:3:7\n@http://a/x.js:1:1\n", DROP_NONE,
               "f@http://a/x.js:3:7|@http://a/x.js:1:1", 0);
  assert_reads(MOZ, "Error\nf@http://a/x.js:3:7\n\n", DROP_NONE, "f@http://a/x.js:3:7", 2);
  assert_reads(JSC, "f@http://a/x.js:3:7\n[native code]\nglobal code@http://a/x.js:1:1", DROP_NONE,
               "f@http://a/x.js:3:7|native :0:0|@http://a/x.js:1:1", 0);
}

static void test_wasm(void **state) {
  (void)state;
  assert_reads(V8,
               "Error\n    at wasm://wasm/d3:wasm-function[7]:0x3a\n"
               "    at go(int) (wasm://wasm/d3:wasm-function[8]:0x4a)\n"
               "    at js-to-wasm:123:i (<anonymous>)\n    at <anonymous>:wasm-function[7]:0x1a",
               DROP_NONE,
               "wasm wasm-function[7]@wasm://wasm/d3:0:0|wasm go(int)@wasm://wasm/d3:0:0|"
               "wasm js-to-wasm:123:i:0:0|wasm :0:0",
               0);
  assert_reads(MOZ, "@http://a/m.wasm:wasm-function[12]:0x3a\n", DROP_NONE,
               "wasm wasm-function[12]@http://a/m.wasm:0:0", 0);
  assert_reads(JSC, "f@m.wasm:wasm-function[2]\nwasm-stub@[wasm code]", DROP_NONE,
               "wasm f@m.wasm:0:0|wasm wasm-stub:0:0", 0);
}

static void test_positions_too_large(void **state) {
  (void)state;
  assert_reads(V8, "Error\n    at f (http://a/x.js:4294967295:4294967295)", DROP_NONE,
               "f@http://a/x.js:4294967295:4294967295", 0);
  assert_reads(V8,
               "Error\n    at f (http://a/x.js:4294967296:1)\n    at g (http://a/x.js:1:4294967296)"
               "\n    at h (http://a/x.js:99999999999999999999999999:1)",
               DROP_NONE, "", 3);
}

// Dropping ----------------------------------------------------------------------------------------

#define FRAMES "Error\n    at a (u://h:1:1)\n    at b (u://h:2:2)\n    at c (u://h:3:3)\n" \
               "    at d (u://h:4:4)"

static void test_dropping(void **state) {
  (void)state;
  assert_reads(V8, FRAMES, (stacks_drop){1, false, 0}, "b@u://h:2:2|c@u://h:3:3|d@u://h:4:4", 0);
  assert_reads(V8, FRAMES, (stacks_drop){0, false, 2}, "a@u://h:1:1|b@u://h:2:2", 0);
  assert_reads(V8, FRAMES, (stacks_drop){2, false, 1}, "c@u://h:3:3", 0);
  assert_reads(V8, FRAMES, (stacks_drop){3, false, 1}, "", 0);
  assert_reads(V8, FRAMES, (stacks_drop){3, false, 2}, "", 0);
  assert_reads(V8, FRAMES, (stacks_drop){9, false, 0}, "", 0);
  assert_reads(V8, FRAMES, (stacks_drop){0, false, 9}, "", 0);
  assert_reads(V8, FRAMES, (stacks_drop){UINT32_MAX, true, UINT32_MAX}, "", 0);
}

// The engine's limit has cut the outermost frames off: there is nothing to drop at the root.
static void test_root_already_cut_off(void **state) {
  (void)state;
  stacks all;
  stacks_init(&all, V8, 4, 1);
  uint32_t stack = intern(&all, FRAMES, (stacks_drop){1, false, 2});
  assert_int_equal(stack & STACKS_CUT, STACKS_CUT);
  assert_string_equal(show(&all, stack & ~STACKS_CUT), "b@u://h:2:2|c@u://h:3:3|d@u://h:4:4");
  // Nothing is left that could be cut off.
  assert_int_equal(intern(&all, FRAMES, (stacks_drop){4, false, 0}), 0);
  stacks_clear(&all);
  stacks_init(&all, V8, 5, 1);
  stack = intern(&all, FRAMES, (stacks_drop){1, false, 2});
  assert_string_equal(show(&all, stack), "b@u://h:2:2");
  stacks_clear(&all);
}

static void test_dropping_a_wrapper(void **state) {
  (void)state;
  const stacks_drop entry = {2, true, 0};
  const char *first = "p@u://shim:1:1\ng@u://h:5:9\ng@u://h:1:1\nmain@u://h:9:9";
  assert_reads(JSC, first, entry, "main@u://h:9:9", 0);
  assert_reads(JSC, first, (stacks_drop){2, false, 0}, "g@u://h:1:1|main@u://h:9:9", 0);
  // Other engines have no such frame; a recursion looks alike.
  assert_reads(MOZ, first, entry, "g@u://h:1:1|main@u://h:9:9", 0);
  // Of an arrow function only the wrapper bears the name.
  assert_reads(JSC, "p@u://shim:1:1\n@u://h:5:9\ng@u://h:1:1\nmain@u://h:9:9", entry,
               "main@u://h:9:9", 0);
  // Not the same function, or not the same script.
  assert_reads(JSC, "p@u://shim:1:1\ng@u://h:5:9\nf@u://h:1:1", entry, "f@u://h:1:1", 0);
  assert_reads(JSC, "p@u://shim:1:1\ng@u://h:5:9\ng@u://i:1:1", entry, "g@u://i:1:1", 0);
  // One wrapper only, and none where nothing was dropped.
  assert_reads(JSC, "p@u://s:1:1\ng@u://h:5:9\ng@u://h:1:1\ng@u://h:5:9", entry, "g@u://h:5:9", 0);
  assert_reads(JSC, "g@u://h:5:9\ng@u://h:1:1", (stacks_drop){0, true, 0},
               "g@u://h:5:9|g@u://h:1:1", 0);
  // It counts as dropped where the root is dropped too.
  assert_reads(JSC, first, (stacks_drop){2, true, 1}, "", 0);
  assert_reads(JSC, "p@u://s:1:1\ng@u://h:5:9\ng@u://h:1:1\nm@u://h:9:9\nn@u://h:8:8",
               (stacks_drop){2, true, 1}, "m@u://h:9:9", 0);
}

static void test_other_drops_are_other_stacks(void **state) {
  (void)state;
  stacks all = open_stacks(V8);
  uint32_t seen[3][3];
  for (uint32_t leaf = 0; leaf < 3; leaf++) {
    for (uint32_t root = 0; root < 3; root++) {
      seen[leaf][root] = intern(&all, FRAMES, (stacks_drop){leaf, false, root});
    }
  }
  for (uint32_t turn = 0; turn < 9; turn++) {
    uint32_t leaf = turn / 3, root = turn % 3;
    assert_int_equal(intern(&all, FRAMES, (stacks_drop){leaf, false, root}), seen[leaf][root]);
    for (uint32_t other = 0; other < turn; other++) {
      // Of four frames, two and two leave nothing.
      assert_true(seen[leaf][root] != seen[other / 3][other % 3] || seen[leaf][root] == 0);
    }
  }
  assert_int_equal(seen[2][2], 0);
  stacks_clear(&all);
  all = open_stacks(JSC);
  const char *text = "p@u://s:1:1\ng@u://h:5:9\ng@u://h:1:1\nm@u://h:9:9";
  uint32_t with = intern(&all, text, (stacks_drop){2, false, 0});
  uint32_t without = intern(&all, text, (stacks_drop){2, true, 0});
  assert_int_equal(stacks_parent(&all, with - 1), without);
  stacks_clear(&all);
}

// Depth -------------------------------------------------------------------------------------------

static uint32_t write_frames(char *room, uint32_t count) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < count; i++) {
    at += (uint32_t)sprintf(room + at, "f%u@http://a/x.js:%u:1\n", i, i + 1);
  }
  return at;
}

static uint32_t count_depth(const stacks *all, uint32_t stack, uint32_t *root_line) {
  uint32_t depth = 0;
  for (; stack; stack = stacks_parent(all, stack - 1), depth++) {
    *root_line = stacks_site_at(all, stack - 1).line;
  }
  return depth;
}

static void test_depth(void **state) {
  (void)state;
  static char text[65536];
  const uint32_t counts[] = {254, 255, 256, 257, 400};
  for (uint32_t i = 0; i < 5; i++) {
    stacks all;
    stacks_init(&all, MOZ, 1000, 1);
    uint32_t length = write_frames(text, counts[i]), root_line = 0, kept = counts[i];
    if (kept > 255) kept = 255;
    uint32_t stack = stacks_intern(&all, text, length, DROP_NONE);
    assert_int_equal(stack & STACKS_CUT, counts[i] > 255 ? STACKS_CUT : 0);
    assert_int_equal(count_depth(&all, stack & ~STACKS_CUT, &root_line), kept);
    assert_int_equal(root_line, kept);  // the innermost are kept
    // Surplus frames are the first to go at the root.
    stack = stacks_intern(&all, text, length, (stacks_drop){1, false, 1});
    assert_int_equal(stack & STACKS_CUT, counts[i] - 2 > 255 ? STACKS_CUT : 0);
    uint32_t left = counts[i] - 2 > 255 ? 255 : counts[i] - 2;
    assert_int_equal(count_depth(&all, stack & ~STACKS_CUT, &root_line), left);
    assert_int_equal(root_line, left + 1);
    // The same when the text is seen again.
    assert_int_equal(stacks_intern(&all, text, length, (stacks_drop){1, false, 1}), stack);
    stacks_clear(&all);
  }
}

// What is shared and remembered -------------------------------------------------------------------

static void test_roots_are_shared(void **state) {
  (void)state;
  stacks all = open_stacks(MOZ);
  intern(&all, "a@u://h:1:1\nm@u://h:8:8\nn@u://h:9:9\n", DROP_NONE);
  assert_int_equal(all.stacks.count, 3);
  intern(&all, "b@u://h:2:2\nm@u://h:8:8\nn@u://h:9:9\n", DROP_NONE);
  assert_int_equal(all.stacks.count, 4);
  assert_int_equal(all.sites.count, 4);
  intern(&all, "m@u://h:8:8\nn@u://h:9:9\n", DROP_NONE);
  assert_int_equal(all.stacks.count, 4);
  stacks_clear(&all);
}

typedef struct {
  uint32_t whole, lines, sites, stacks, strings, bytes;
} table_sizes;

static table_sizes measure(const stacks *all) {
  return (table_sizes){all->whole.count,  all->lines.count,   all->sites.count,
                       all->stacks.count, all->strings.count, all->strings.byte_count};
}

// A text seen before is told by its hash alone: what it says is never looked at again, so that
// its number comes back even from a memory of whole texts with all other tables taken away.
static void test_seen_text_costs_one_look_up(void **state) {
  (void)state;
  static char text[65536];
  stacks all = open_stacks(MOZ);
  uint32_t length = write_frames(text, 36), first = stacks_intern(&all, text, length, DROP_NONE);
  assert_int_equal(first, 36);
  table_sizes before = measure(&all);
  watch.calls = 0;
  for (uint32_t i = 0; i < 100; i++) {
    assert_int_equal(stacks_intern(&all, text, length, DROP_NONE), first);
  }
  stacks seen = all;
  memset(&seen.lines, 0, sizeof seen.lines);
  memset(&seen.sites, 0, sizeof seen.sites);
  memset(&seen.stacks, 0, sizeof seen.stacks);
  memset(&seen.strings, 0, sizeof seen.strings);
  assert_int_equal(stacks_intern(&seen, text, length, DROP_NONE), first);
  assert_int_equal(watch.calls, 0);
  table_sizes after = measure(&all);
  assert_memory_equal(&before, &after, sizeof before);
  stacks_clear(&all);
}

// A new text of known lines adds no call site.
static void test_known_lines_are_not_read_again(void **state) {
  (void)state;
  stacks all = open_stacks(MOZ);
  intern(&all, "a@u://h:1:1\nb@u://h:2:2\njunk\n", DROP_NONE);
  assert_int_equal(all.skipped_lines, 1);
  table_sizes before = measure(&all);
  watch.calls = 0;
  uint32_t stack = intern(&all, "b@u://h:2:2\njunk\na@u://h:1:1\njunk\nb@u://h:2:2\n", DROP_NONE);
  assert_string_equal(show(&all, stack), "b@u://h:2:2|a@u://h:1:1|b@u://h:2:2");
  table_sizes after = measure(&all);
  assert_int_equal(after.whole, before.whole + 1);
  assert_int_equal(after.stacks, before.stacks + 1);
  after.whole = before.whole;
  after.stacks = before.stacks;
  assert_memory_equal(&before, &after, sizeof before);
  assert_int_equal(watch.calls, 0);
  // Every occurrence counts, read or known.
  assert_int_equal(all.skipped_lines, 3);
  stacks_clear(&all);
}

// A known line is told by its hash alone: where the memory is made to say that junk was a frame,
// the junk is one.
static void test_known_lines_cost_one_look_up(void **state) {
  (void)state;
  stacks all = open_stacks(MOZ);
  intern(&all, "a@u://h:1:1\njunk\n", DROP_NONE);
  texts_remember(&all.lines, hash_bytes("junk", 4, all.seed), 0);
  uint32_t stack = intern(&all, "a@u://h:1:1\njunk\na@u://h:1:1\n", DROP_NONE);
  assert_string_equal(show(&all, stack), "a@u://h:1:1|a@u://h:1:1|a@u://h:1:1");
  stacks_clear(&all);
}

static void test_clearing_keeps_the_counter(void **state) {
  (void)state;
  stacks all = open_stacks(MOZ);
  intern(&all, "junk\na@u://h:1:1\n", DROP_NONE);
  stacks_clear(&all);
  assert_int_equal(watch.blocks, 0);
  assert_int_equal(all.skipped_lines, 1);
  assert_int_equal(intern(&all, "b@u://h:2:2\n", DROP_NONE), 1);
  assert_string_equal(show(&all, 1), "b@u://h:2:2");
  stacks_clear(&all);
}

// Random texts against a model --------------------------------------------------------------------

enum { LINES = 14, TEXTS = 3000, LONGEST = 6 };

typedef struct {
  uint32_t frames[LONGEST], count, stack;
} model_text;

static const char *const lines[LINES] = {
    "a@u://h:1:1", "b@u://h:1:1", "a@u://i:1:1",   "a@u://h:2:1", "a@u://h:1:2",
    "@u://h:1:1",  "ab@u://h:1:1", "a@[native code]", "a/b@u://h:1:1", "aa@u://h:1:1",
    "junk",        "",            "a/c@u://h:1:1", "b@u://h:1:11",
};
// Frames that are the same: in Firefox a name with a slash is a guess.
static const uint32_t same_as[LINES] = {0, 1, 2, 3, 4, 5, 6, 7, 5, 9, LINES, LINES, 5, 13};

static model_text model[TEXTS];

static uint32_t make_text(char *text, model_text *made) {
  uint32_t at = 0;
  made->count = 0;
  for (uint32_t left = random_below(LONGEST + 1); left--;) {
    uint32_t line = random_below(LINES);
    at += (uint32_t)sprintf(text + at, "%s\n", lines[line]);
    if (same_as[line] < LINES) made->frames[made->count++] = same_as[line];
  }
  return at;
}

static bool is_same(const model_text *a, const model_text *b) {
  return a->count == b->count && !memcmp(a->frames, b->frames, a->count * sizeof *a->frames);
}

// Two texts come to one number exactly when their frames are equal one by one.
static void read_random_texts(uint32_t percent) {
  stacks all = open_stacks(MOZ);
  for (uint32_t turn = 0; turn < TEXTS; turn++) {
    char text[LONGEST * 24 + 1];
    uint32_t length = make_text(text, &model[turn]), stack;
    do {
      watch.percent = percent;
      uint32_t refused = watch.refused;
      stack = stacks_intern(&all, text, length, DROP_NONE);
      assert_true(stack != STACKS_NO_MEMORY || watch.refused > refused);
      watch.percent = 0;
    } while (stack == STACKS_NO_MEMORY);
    model[turn].stack = stack;
    assert_true((stack == 0) == (model[turn].count == 0));
  }
  for (uint32_t i = 0; i < TEXTS; i++) {
    for (uint32_t j = 0; j < i; j++) {
      assert_true((model[i].stack == model[j].stack) == is_same(&model[i], &model[j]));
    }
  }
  stacks_clear(&all);
}

static void test_random_texts(void **state) {
  (void)state;
  read_random_texts(0);
}

static void test_random_texts_without_memory(void **state) {
  (void)state;
  read_random_texts(40);
  assert_true(watch.refused > 10);
}

// Every allocation of a text's reading fails once: nothing else is lost, and the next try succeeds.
static void test_each_allocation_fails(void **state) {
  (void)state;
  static char text[65536];
  uint32_t length = write_frames(text, 250), k = 1;
  for (bool failed = true; failed; k++) {
    stacks all = open_stacks(MOZ);
    uint32_t other = intern(&all, "other@u://h:1:1\n", DROP_NONE);
    watch.calls = 0;
    watch.fail_at = k;
    uint32_t stack = stacks_intern(&all, text, length, DROP_NONE), root_line = 0;
    failed = watch.calls >= k;
    watch.fail_at = 0;
    assert_string_equal(show(&all, other), "other@u://h:1:1");
    uint32_t again = stacks_intern(&all, text, length, DROP_NONE);
    assert_true(stack == again || (stack == STACKS_NO_MEMORY && failed));
    assert_int_equal(count_depth(&all, again, &root_line), 250);
    assert_int_equal(root_line, 250);
    stacks_clear(&all);
    assert_int_equal(watch.blocks, 0);
  }
  assert_true(k > 20);
}

// Hostile texts -----------------------------------------------------------------------------------

static void test_hostile_texts(void **state) {
  (void)state;
  enum { LONG = 1 << 20 };
  static const char *const fills[] = {"x", "\0", "\xff\xfe", "@", ":", "(", " at ", "\n", "a@", "1",
                                      "\xed\xa0\x80", "    at f (", "@u://h:1:1", "\r"};
  char *text = malloc(LONG);
  for (stack_engine engine = V8; engine <= STACK_ENGINE_OTHER; engine++) {
    for (uint32_t i = 0; i < sizeof fills / sizeof *fills; i++) {
      uint32_t width = fills[i][0] ? (uint32_t)strlen(fills[i]) : 1;
      for (uint32_t at = 0; at < LONG; at++) text[at] = fills[i][at % width];
      stacks all = open_stacks(engine);
      uint32_t stack = stacks_intern(&all, text, LONG, DROP_NONE), root_line = 0;
      assert_int_not_equal(stack, STACKS_NO_MEMORY);
      assert_true(count_depth(&all, stack, &root_line) <= 2);
      // A frame or a count, never neither.
      assert_true(stack || all.skipped_lines || engine == V8);
      if (*fills[i] == '\n') assert_true(all.skipped_lines >= LONG - 1);
      // It stays as usable as it was.
      stack = intern(&all, "f@u://h:1:1\n", DROP_NONE);
      if (engine != V8) assert_string_equal(show(&all, stack), "f@u://h:1:1");
      stacks_clear(&all);
    }
  }
  free(text);
}

static void test_bytes_of_any_kind_in_names(void **state) {
  (void)state;
  stacks all = open_stacks(MOZ);
  const char text[] = "a\0b\xff\xc0@u://h:1:1\n";
  uint32_t stack = stacks_intern(&all, text, sizeof text - 1, DROP_NONE), length;
  assert_int_equal(stack, 1);
  const char *name = strings_text(&all.strings, stacks_site_at(&all, 0).name, &length);
  assert_int_equal(length, 5);
  assert_memory_equal(name, text, 5);
  stacks_clear(&all);
}

// The leaf's URL ----------------------------------------------------------------------------------

static const char *leaf_url(stack_engine engine, const char *text) {
  static char room[64];
  stack_line leaf;
  uint32_t length;
  bool found = stacks_leaf(engine, text, (uint32_t)strlen(text), &leaf, &length);
  if (!found) return "none";
  snprintf(room, sizeof room, "%.*s", (int)length, leaf.url);
  return room;
}

static void test_leaf_url(void **state) {
  (void)state;
  assert_string_equal(leaf_url(V8, "Error\n    at http://a/x.js:1:5\n    at f (http://b:1:1)"),
                      "http://a/x.js");
  assert_string_equal(leaf_url(MOZ, "@http://a/x.js:1:5\n"), "http://a/x.js");
  assert_string_equal(leaf_url(MOZ, "@http://a/x#y:1:5\n"), "http://a/x");
  assert_string_equal(leaf_url(JSC, "\nmodule code@http://a/x.js:1:5"), "http://a/x.js");
  assert_string_equal(leaf_url(V8, "Error\n    at eval (<anonymous>)\n    at f (http://b:1:1)"),
                      "none");
  assert_string_equal(leaf_url(MOZ, "async*f@http://a/x.js:1:5\n"), "none");
  assert_string_equal(leaf_url(V8, "Error"), "none");
  assert_string_equal(leaf_url(V8, ""), "none");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      WATCHED(test_v8),
      WATCHED(test_async_parts),
      WATCHED(test_other_engines_texts),
      WATCHED(test_wasm),
      WATCHED(test_positions_too_large),
      WATCHED(test_dropping),
      WATCHED(test_root_already_cut_off),
      WATCHED(test_dropping_a_wrapper),
      WATCHED(test_other_drops_are_other_stacks),
      WATCHED(test_depth),
      WATCHED(test_roots_are_shared),
      WATCHED(test_seen_text_costs_one_look_up),
      WATCHED(test_known_lines_are_not_read_again),
      WATCHED(test_known_lines_cost_one_look_up),
      WATCHED(test_clearing_keeps_the_counter),
      WATCHED(test_random_texts),
      WATCHED(test_random_texts_without_memory),
      WATCHED(test_each_allocation_fails),
      WATCHED(test_hostile_texts),
      WATCHED(test_bytes_of_any_kind_in_names),
      WATCHED(test_leaf_url),
  };
  return cmocka_run_group_tests_name("stacks", tests, NULL, NULL);
}
