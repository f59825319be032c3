// Traces: the specification's "get a stack ID" and "get a frame ID" over recorded stacks.
#include "trace_support.h"

static recorder r;
static uint32_t handle;
static trace t;

static void open_recorder(stack_engine engine) {
  recorder_init(&r, engine, 257, 99);
  handle = recorder_open(&r, 0);
}

static void sample(const char *text) {
  uint32_t stack = text ? record(&r, text) : 0;
  assert_true(recorder_sample(&r, handle, 1, stack));
}

static void build_and_close(void) {
  assert_true(build(&r, handle, &t));
}

static void close_all(void) {
  trace_clear(&t);
  recorder_clear(&r);
}

static void assert_sample(uint32_t number, const char *expected) {
  assert_string_equal(show_sample(&t, number), expected);
}

static void assert_counts(uint32_t resources, uint32_t frames, uint32_t stacks_count) {
  assert_int_equal(t.resources.count, resources);
  assert_int_equal(t.frames.count, frames);
  assert_int_equal(t.stacks.count, stacks_count);
}

static void assert_tables(const char *expected) {
  buffer out = {0};
  trace_write_tables(&t, &out);
  assert_false(out.no_memory);
  assert_int_equal(out.length, strlen(expected));
  assert_memory_equal(out.bytes, expected, out.length);
  buffer_clear(&out);
}

// A script of functions f (lines 2 to 4, defined at 2:10), g (6 to 8, at 6:12) and within g from
// 7:20 to 7:60 another f (7:24), g being async if `flags` say so.
static void add_table(const char *url, uint32_t flags) {
  encode_begin(&code, 20, 0);
  encode_start(&code, 1, 9, 0, 1, 9, "f");
  encode_end(&code, 3, 1);
  encode_start(&code, 5, 11, flags, 5, 11, "g");
  encode_start(&code, 6, 20, ENCODE_GIVEN, 6, 23, "f");
  encode_end(&code, 6, 60);
  encode_end(&code, 7, 1);
  assert_true(add_encoded(&r, url, 1, 1));
}

// Get a frame ID ----------------------------------------------------------------------------------

static void test_call_sites_of_a_function_are_one_frame(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_SPIDERMONKEY);
  add_table("u://h", 0);
  sample("f@u://h:2:30\n@u://h:1:5\n");
  sample("f@u://h:3:30\n@u://h:1:5\n");
  sample("f@u://h:3:31\n@u://h:15:9\n");
  build_and_close();
  for (uint32_t i = 0; i < 3; i++) assert_sample(i, "f@u://h:2:10|@u://h:1:1");
  // Parents before children, from the root on.
  assert_tables("{\"resources\":[\"u://h\"],\"frames\":["
                "{\"column\":1,\"line\":1,\"name\":\"\",\"resourceId\":0},"
                "{\"column\":10,\"line\":2,\"name\":\"f\",\"resourceId\":0}],"
                "\"stacks\":[{\"frameId\":0},{\"frameId\":1,\"parentId\":0}]}");
  close_all();
}

static void test_frames_differ_by_each_component(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_SPIDERMONKEY);
  add_table("u://h", 0);
  add_table("u://i", 0);
  sample("f@u://h:2:30\n");
  sample("f@u://i:2:30\n");  // another resource
  sample("f@u://h:7:30\n");  // another position
  sample("g@u://h:6:30\n");
  build_and_close();
  assert_sample(0, "f@u://h:2:10");
  assert_sample(1, "f@u://i:2:10");
  assert_sample(2, "f@u://h:7:24");
  assert_sample(3, "g@u://h:6:12");
  assert_counts(2, 4, 4);
  close_all();
}

static void test_scripts_without_a_table(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_SPIDERMONKEY);
  add_table("u://h", 0);
  sample("f@u://plain:2:30\n");
  sample("f@u://plain:9:99\n");   // the position of a call is not the function's
  sample("odd@u://h:2:30\n");     // the table knows better than the text
  sample("odd@u://h:100:1\n");    // not in the script's text
  build_and_close();
  assert_sample(0, "f@u://plain");
  assert_sample(1, "f@u://plain");
  assert_sample(2, "f@u://h:2:10");
  assert_sample(3, "odd@u://h");
  assert_counts(2, 3, 3);
  assert_int_equal(r.counters.malformed_tables, 0);
  close_all();
}

static void test_scripts_of_one_url(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_SPIDERMONKEY);
  for (uint32_t i = 0; i < 3; i++) {
    encode_begin(&code, 4, 9);
    encode_start(&code, 0, 3, 0, 0, 3, "abc" + i);
    encode_end(&code, 4, 1);
    assert_true(add_encoded(&r, "u://page", 10 + 10 * i, 9));
  }
  sample("x@u://page:10:12\nx@u://page:20:11\nx@u://page:31:1\nx@u://page:8:1\n");
  build_and_close();
  assert_sample(0, "abc@u://page:10:12|@u://page:20:9|c@u://page:30:12|x@u://page");
  close_all();
}

static void test_malformed_tables_are_counted(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_SPIDERMONKEY);
  encode_begin(&code, 9, 9);
  encode_end(&code, 5, 5);
  assert_true(add_encoded(&r, "u://h", 1, 1));
  sample("f@u://h:2:30\ng@u://h:6:30\n");
  sample("f@u://h:2:30\n");
  build_and_close();
  assert_sample(0, "f@u://h|g@u://h");
  assert_int_equal(r.counters.malformed_tables, 3);  // three stacks
  close_all();
}

static void test_wasm_frames(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_V8);
  add_table("wasm://wasm/d3", 0);
  sample("Error\n    at wasm://wasm/d3:wasm-function[7]:0x3a\n"
         "    at wasm://wasm/d3:wasm-function[8]:0x4a\n"
         "    at js-to-wasm:123:i (<anonymous>)\n    at f (u://h:2:30)");
  sample("Error\n    at wasm://wasm/d3:wasm-function[7]:0x5a\n    at f (u://h:2:30)");
  build_and_close();
  assert_sample(0, "wasm-function[7]@wasm://wasm/d3|wasm-function[8]@wasm://wasm/d3|f@u://h");
  assert_sample(1, "wasm-function[7]@wasm://wasm/d3|f@u://h");
  assert_counts(2, 3, 4);
  close_all();
}

// Get a stack ID ----------------------------------------------------------------------------------

static void test_frames_left_out_are_bridged(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_V8);
  sample("Error\n    at f (u://h:2:3)\n    at secret (u://hidden:2:3)\n    at g (u://h:6:3)");
  sample("Error\n    at secret (u://hidden:2:3)\n    at g (u://h:6:3)");
  sample("Error\n    at f (u://h:2:3)\n    at g (u://h:6:3)\n    at secret (u://hidden:2:3)");
  sample("Error\n    at f (u://h:2:3)\n    at Array.map (<anonymous>)\n    at g (u://h:6:3)");
  sample("Error\n    at f (u://h:2:3)\n    at eval (eval at x (u://h:1:1), <anonymous>:1:1)\n"
         "    at g (u://h:6:3)");
  sample("Error\n    at secret (u://hidden:2:3)");
  sample("Error\n    at Array.map (<anonymous>)");
  sample(NULL);
  build_and_close();
  assert_sample(0, "f@u://h|g@u://h");
  assert_sample(1, "g@u://h");
  // What is the same without the frames left out is one stack.
  for (uint32_t i = 2; i < 5; i++) assert_sample(i, "f@u://h|g@u://h");
  for (uint32_t i = 5; i < 8; i++) assert_sample(i, "");
  assert_tables("{\"resources\":[\"u://h\"],\"frames\":["
                "{\"name\":\"g\",\"resourceId\":0},{\"name\":\"f\",\"resourceId\":0}],"
                "\"stacks\":[{\"frameId\":0},{\"frameId\":1,\"parentId\":0}]}");
  close_all();
}

static void test_nothing_shown_leaves_tables_empty(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_SPIDERMONKEY);
  sample("f@u://hidden:2:3\ng@u://hidden/too:6:3\n");
  sample(NULL);
  build_and_close();
  assert_sample(0, "");
  assert_tables("{\"resources\":[],\"frames\":[],\"stacks\":[]}");
  close_all();
}

static void test_empty_sessions(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_SPIDERMONKEY);
  build_and_close();
  assert_tables("{\"resources\":[],\"frames\":[],\"stacks\":[]}");
  trace_clear(&t);
  // No such session.
  assert_true(build(&r, 77, &t));
  assert_counts(0, 0, 0);
  close_all();
}

static void test_recursion(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_SPIDERMONKEY);
  add_table("u://h", ENCODE_ASYNC);
  sample("f@u://h:2:30\nf@u://h:3:5\nf@u://h:3:5\nf@u://h:3:9\n");
  build_and_close();
  assert_sample(0, "f@u://h:2:10|f@u://h:2:10|f@u://h:2:10|f@u://h:2:10");
  assert_counts(1, 1, 4);
  close_all();
}

static void test_deep_stacks(void **state) {
  (void)state;
  static char text[65536];
  uint32_t at = 0;
  open_recorder(STACK_ENGINE_JSC);
  add_table("u://h", ENCODE_ASYNC);
  for (uint32_t i = 0; i < 300; i++) {
    at += (uint32_t)sprintf(text + at, "%s@u://h:%u:30\n", i % 2 ? "f" : "g", i % 2 ? 2 : 6);
  }
  sample(text);
  build_and_close();
  assert_counts(1, 2, 255);
  assert_memory_equal(show_sample(&t, 0), "g@u://h:6:12|f@u://h:2:10|g", 27);
  close_all();
}

static void test_names_of_any_kind(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_SPIDERMONKEY);
  encode_begin(&code, 9, 0);
  encode_start(&code, 1, 0, 0, 1, 0, "a,\"b\\\x01\xc3\xa9");
  encode_end(&code, 2, 0);
  assert_true(add_encoded(&r, "u://h?\"", 1, 1));
  sample("x@u://h?\":2:30\n");
  build_and_close();
  assert_tables("{\"resources\":[\"u://h?\\\"\"],\"frames\":[{\"column\":1,\"line\":2,"
                "\"name\":\"a,\\\"b\\\\\\u0001\xc3\xa9\",\"resourceId\":0}],"
                "\"stacks\":[{\"frameId\":0}]}");
  close_all();
}

// Sources -----------------------------------------------------------------------------------------

static void test_sources_are_what_the_samples_reach(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_SPIDERMONKEY);
  add_table("u://h", 0);
  add_table("u://unused", 0);
  uint32_t other = recorder_open(&r, 0), stack = record(&r, "f@u://other:1:1\n");
  assert_true(recorder_sample(&r, other, 1, stack));
  record(&r, "f@u://unsampled:1:1\n");
  sample("f@u://h:2:30\ng@u://plain:6:3\nf@u://h:2:30\n");
  sample("f@u://plain:2:30\nx@[native code]\n");
  assert_int_equal(recorder_begin_trace(&r, handle, &t), TRACE_OK);
  assert_int_equal(t.source_count, 2);
  for (uint32_t i = 0; i < 2; i++) {
    const char *url = string_of(&r.stacks.strings, t.sources[i].url);
    bool has_table = t.sources[i].script != SCRIPTS_NONE;
    assert_string_equal(url, has_table ? "u://h" : "u://plain");
    assert_false(t.sources[i].shown);
  }
  close_all();
}

// A document of which one inline script is instrumented and another is not.
static void test_sources_tell_what_their_tables_lack(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_V8);
  add_table("http://a/mixed", 0);
  add_table("http://a/whole", 0);
  sample("Error\n    at f (http://a/mixed:2:30)\n    at http://a/whole:2:30");
  sample("Error\n    at plain (http://a/mixed:90:1)\n    at none (http://a/none:2:30)");
  sample("Error\n    at http://a/x.wasm:wasm-function[7]:0x1a");
  assert_int_equal(recorder_begin_trace(&r, handle, &t), TRACE_OK);
  assert_int_equal(t.source_count, 4);
  for (uint32_t i = 0; i < 4; i++) {
    const char *url = string_of(&r.stacks.strings, t.sources[i].url);
    bool lacks = strstr(url, "mixed") || strstr(url, "none"); // wasm has no functions to tell of
    assert_int_equal(t.sources[i].lacks, lacks);
  }
  close_all();
}

// Documents at several fragments are one (conformance rows 58, 69).
static void test_fragments(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_SPIDERMONKEY);
  add_table("http://a/", 0);
  sample("f@http://a/#one:2:30\nf@http://a/:2:31\nf@http://a/#two:3:30\n");
  sample("g@file:///x#/y:1:1\ng@blob:http://a/1#2:1:1\ng@data:text/javascript,x#y:1:1\n");
  build_and_close();
  assert_sample(0, "f@http://a/:2:10|f@http://a/:2:10|f@http://a/:2:10");
  assert_sample(1, "g@file:///x|g@blob:http://a/1#2|g@data:text/javascript,x#y");
  assert_counts(4, 4, 6);
  close_all();
}

// Sessions ----------------------------------------------------------------------------------------

static void test_sessions_share_stacks_but_not_traces(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_SPIDERMONKEY);
  add_table("u://h", 0);
  uint32_t other = recorder_open(&r, 0);
  sample("f@u://h:2:30\ng@u://h:6:30\n");
  uint32_t shared = record(&r, "f@u://h:2:30\ng@u://h:6:30\n");
  assert_int_equal(r.stacks.stacks.count, 2);
  sample("mine@u://mine:1:1\n");
  recorder_sample(&r, other, 2, record(&r, "theirs@u://theirs:1:1\n"));
  recorder_sample(&r, other, 2, shared);
  build_and_close();
  assert_sample(0, "f@u://h:2:10|g@u://h:6:12");
  assert_sample(1, "mine@u://mine");
  assert_counts(2, 3, 3);
  trace_clear(&t);
  // The other's samples still mean what they meant, also with the first session closed.
  recorder_close(&r, handle);
  assert_true(build(&r, other, &t));
  assert_sample(0, "theirs@u://theirs");
  assert_sample(1, "f@u://h:2:10|g@u://h:6:12");
  assert_counts(2, 3, 3);
  close_all();
}

// Until the samples are numbered a trace can be made again, as where its text found no memory.
static void test_building_twice(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_SPIDERMONKEY);
  // Numbers of captured stacks and of the trace's differ.
  sample("h@u://hidden:1:1\nf@u://h:2:30\nh@u://hidden:1:1\ng@u://h:6:30\n");
  sample("g@u://h:6:30\n");
  for (uint32_t turn = 0; turn < 2; turn++) {
    assert_int_equal(recorder_begin_trace(&r, handle, &t), TRACE_OK);
    show_sources(&t);
    assert_int_equal(recorder_build_trace(&r, &t), TRACE_OK);
    trace_clear(&t);
  }
  build_and_close();
  assert_sample(0, "f@u://h|g@u://h");
  assert_sample(1, "g@u://h");
  close_all();
}

// A table of a text that need not be the one that runs.
static void test_guesses_have_to_agree_with_names(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_SPIDERMONKEY);
  recorder_text guess = {"?", 1}, url = {"u://h", 5};
  encode_begin(&code, 20, 0);
  encode_start(&code, 1, 9, 0, 1, 9, "get f");
  encode_end(&code, 3, 1);
  encode_start(&code, 5, 11, 0, 5, 11, "");
  encode_end(&code, 7, 1);
  encode_start(&code, 9, 11, 0, 9, 11, "another");
  encode_end(&code, 9, 50);
  encode_finish(&code);
  recorder_text positions = {code.positions, code.positions_length};
  recorder_text names = {code.names, code.names_length};
  assert_true(recorder_add_script(&r, guess, url, positions, names, 1, 1));
  sample("get f@u://h:2:30\n");
  sample("f@u://h:2:30\n");  // as some engines print it
  sample("@u://h:2:30\n");   // no name to compare
  sample("e@u://h:2:30\n");
  sample("forget f@u://h:2:30\n");
  sample("f@u://h:6:30\n");  // known at run time only
  sample("other@u://h:10:30\n");
  build_and_close();
  for (uint32_t i = 0; i < 3; i++) assert_sample(i, "get f@u://h:2:10");
  assert_sample(3, "e@u://h");
  assert_sample(4, "forget f@u://h");
  assert_sample(5, "@u://h:6:12");
  assert_sample(6, "other@u://h");
  close_all();
}

// Polls at entries -------------------------------------------------------------------------------

static void sample_at_entry(const char *text) {
  uint32_t stack = recorder_stack(&r, text, (uint32_t)strlen(text), DROP_NONE);
  assert_true(recorder_sample(&r, handle, 1, stack | STACKS_ENTRY));
}

// What has no polls is not charged with what a callee's entry poll finds.
static void test_quiet_callers_are_passed_over(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_JSC);
  encode_begin(&code, 20, 0);
  encode_start(&code, 1, 9, ENCODE_QUIET, 1, 9, "f");
  encode_end(&code, 3, 1);
  encode_start(&code, 5, 11, 0, 5, 11, "g");
  encode_end(&code, 7, 1);
  assert_true(add_encoded(&r, "u://h", 1, 1));
  sample_at_entry("f@u://h:2:30\nf@u://h:3:3\ng@u://h:7:7");
  sample_at_entry("f@u://h:2:30\nforEach@[native code]\ng@u://h:7:7");
  sample_at_entry("forEach@[native code]\nf@u://h:2:30\ng@u://h:7:7");
  sample_at_entry("f@u://h:2:30\nx@u://i:1:1\ng@u://h:7:7");  // nobody knows
  sample_at_entry("g@u://h:7:7\nf@u://h:2:30");
  sample_at_entry("f@u://h:2:30\nf@u://h:3:3");  // nobody is left
  sample("f@u://h:2:30\ng@u://h:7:7");
  sample_at_entry("f@u://h:2:30\ng@u://h:7:7");
  build_and_close();
  assert_sample(0, "g@u://h:6:12");
  assert_sample(1, "g@u://h:6:12");
  assert_sample(2, "g@u://h:6:12");
  assert_sample(3, "x@u://i|g@u://h:6:12");
  assert_sample(4, "g@u://h:6:12|f@u://h:2:10");
  assert_sample(5, "f@u://h:2:10|f@u://h:2:10");
  assert_sample(6, "f@u://h:2:10|g@u://h:6:12");
  assert_sample(7, "g@u://h:6:12");
  close_all();
}

// JavaScriptCore's wrappers of async functions ----------------------------------------------------

static void test_wrappers_of_async_functions(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_JSC);
  add_table("u://h", ENCODE_ASYNC);
  add_table("u://hidden", ENCODE_ASYNC);
  sample("g@u://h:6:30\ng@u://h:2:11\nf@u://h:2:30");  // the wrapper's position means nothing
  sample("g@u://h:6:30");                              // goes on later
  sample("g@u://h:6:30\nf@u://h:2:30");
  sample("g@u://h:6:30\ng@u://h:6:12");                // called from nowhere
  sample("f@u://h:2:30\nf@u://h:2:30");                // not async: a recursion
  sample("g@u://h:6:30\ng@u://h:6:12\ng@u://h:6:40\ng@u://h:6:12\nf@u://h:2:30");
  sample("g@u://hidden:6:30\ng@u://hidden:6:12\nf@u://h:2:30");
  sample("g@u://i:6:30\ng@u://i:6:12\nf@u://h:2:30");  // not known to be async
  sample("@u://h:6:30\ng@u://h:2:11\nf@u://h:2:30");   // an arrow function
  build_and_close();
  assert_sample(0, "g@u://h:6:12|f@u://h:2:10");
  assert_sample(1, "g@u://h:6:12");
  assert_sample(2, "g@u://h:6:12|f@u://h:2:10");
  assert_sample(3, "g@u://h:6:12");
  assert_sample(4, "f@u://h:2:10|f@u://h:2:10");
  assert_sample(5, "g@u://h:6:12|g@u://h:6:12|f@u://h:2:10");
  assert_sample(6, "f@u://h:2:10");
  assert_sample(7, "g@u://i|g@u://i|f@u://h:2:10");
  assert_sample(8, "g@u://h:6:12|f@u://h:2:10");
  close_all();
}

// The wrapper's position may lie in any function: no frame of it may come into the trace.
static void test_wrappers_leave_nothing_behind(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_JSC);
  add_table("u://h", ENCODE_ASYNC);
  sample("g@u://h:6:30\ng@u://h:15:1");
  build_and_close();
  assert_sample(0, "g@u://h:6:12");
  assert_counts(1, 1, 1);
  close_all();
}

static void test_other_engines_have_no_wrappers(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_SPIDERMONKEY);
  add_table("u://h", ENCODE_ASYNC);
  sample("g@u://h:6:30\ng@u://h:6:40\n");
  build_and_close();
  assert_sample(0, "g@u://h:6:12|g@u://h:6:12");
  close_all();
}

// Extensions --------------------------------------------------------------------------------------

static void assert_executing(const char *expected) {
  assert_int_equal(recorder_begin_trace(&r, handle, &t), TRACE_OK);
  show_sources(&t);
  t.executing = true;
  assert_int_equal(recorder_build_trace(&r, &t), TRACE_OK);
  trace_number_samples(&t);
  check_trace(&t);
  assert_tables(expected);
}

// Of one frame there is a stack for each place where it was executing; equal places are one.
static void test_executing_places(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_SPIDERMONKEY);
  encode_begin(&code, 20, 0);
  encode_insertion(&code, 0, 50, 50);
  encode_start(&code, 1, 9, 0, 1, 9, "f");
  encode_insertion(&code, 1, 40, 20);
  encode_end(&code, 3, 1);
  assert_true(add_encoded(&r, "u://told", 1, 1));
  add_table("u://untold", 0);
  sample("f@u://told:2:31\n@u://told:5:3\n");
  sample("f@u://told:2:35\n@u://told:5:3\n");  // within the same insertion
  sample("f@u://told:2:43\n@u://told:5:3\n");
  sample("f@u://untold:2:30\nf@u://plain:7:8\n");
  sample("f@u://untold:99:30\n");  // not of the instrumented text
  sample("f@u://hidden:1:2\nf@u://plain:7:9\n");
  assert_executing("{\"resources\":[\"u://told\",\"u://plain\",\"u://untold\"],\"frames\":["
                   "{\"column\":1,\"line\":1,\"name\":\"\",\"resourceId\":0},"
                   "{\"column\":10,\"line\":2,\"name\":\"f\",\"resourceId\":0},"
                   "{\"name\":\"f\",\"resourceId\":1},"
                   "{\"column\":10,\"line\":2,\"name\":\"f\",\"resourceId\":2},"
                   "{\"name\":\"f\",\"resourceId\":2}],\"stacks\":["
                   "{\"column\":3,\"frameId\":0,\"line\":5},"
                   "{\"column\":21,\"frameId\":1,\"line\":2,\"parentId\":0},"
                   "{\"column\":23,\"frameId\":1,\"line\":2,\"parentId\":0},"
                   "{\"column\":8,\"frameId\":2,\"line\":7},"
                   "{\"frameId\":3,\"line\":2,\"parentId\":3},"
                   "{\"column\":30,\"frameId\":4,\"line\":99},"
                   "{\"column\":9,\"frameId\":2,\"line\":7}]}");
  close_all();
}

static void test_executing_without_columns(void **state) {
  (void)state;
  open_recorder(STACK_ENGINE_V8);
  encode_begin(&code, 9, 9);
  encode_end(&code, 5, 5);  // malformed
  assert_true(add_encoded(&r, "u://h", 1, 1));
  sample("Error\n    at f (u://h:2:30)\n    at wasm://wasm/d3:wasm-function[7]:0x3a");
  assert_executing("{\"resources\":[\"wasm://wasm/d3\",\"u://h\"],\"frames\":["
                   "{\"name\":\"wasm-function[7]\",\"resourceId\":0},"
                   "{\"name\":\"f\",\"resourceId\":1}],\"stacks\":["
                   "{\"frameId\":0},{\"frameId\":1,\"line\":2,\"parentId\":0}]}");
  close_all();
}

static void test_cut_off_stacks_are_told(void **state) {
  (void)state;
  recorder_init(&r, STACK_ENGINE_SPIDERMONKEY, 3, 99);
  handle = recorder_open(&r, 0);
  sample("f@u://h:2:30\ng@u://h:6:30\n");
  sample("f@u://h:2:30\ng@u://h:6:30\nh@u://hidden:6:30\n");
  sample("h@u://hidden:2:30\nh@u://hidden:6:30\nh@u://hidden:6:30\n");  // nothing of it is shown
  sample(NULL);
  build_and_close();
  const uint32_t *numbers = t.samples->first->stacks;
  assert_int_equal(numbers[0], 2);
  assert_int_equal(numbers[1], STACKS_CUT | 2);
  assert_int_equal(numbers[2], 0);
  assert_int_equal(numbers[3], 0);
  assert_counts(1, 2, 2);
  close_all();
}

// What only dropped samples have seen is not in the trace.
static void test_limited_sessions(void **state) {
  (void)state;
  recorder_init(&r, STACK_ENGINE_SPIDERMONKEY, 257, 99);
  handle = recorder_open(&r, 600);
  for (uint32_t i = 0; i < 2000; i++) {
    char text[64];
    sprintf(text, "f%u@u://%u:1:1\n", i, i / 100);
    sample(text);
  }
  build_and_close();
  assert_counts(6, 600, 600);
  assert_int_equal(t.source_count, 6);
  assert_sample(0, "f1400@u://14");
  close_all();
}

// Random traces against a model -------------------------------------------------------------------

// Twelve functions on a line each, in scripts with a table, without, and hidden; names and places
// come again in several scripts.
enum { FUNCTIONS = 12, SCRIPTS = 4, SAMPLES = 250, LONGEST = 7 };

static const char *const script_urls[SCRIPTS] = {"u://a", "u://b", "u://hidden", "u://plain"};

typedef struct {
  uint32_t script, line, is_async;
  const char *name;
} model_function;

static model_function model[FUNCTIONS];

static void make_scripts(void) {
  for (uint32_t i = 0; i < FUNCTIONS; i++) {
    model[i] = (model_function){i % SCRIPTS, i / SCRIPTS + 1, random_below(2), "pqr" + i % 3};
  }
  for (uint32_t script = 0; script < SCRIPTS - 1; script++) {
    encode_begin(&code, 8, 100);
    for (uint32_t i = script; i < FUNCTIONS; i += SCRIPTS) {
      uint32_t flags = model[i].is_async ? ENCODE_ASYNC : 0;
      encode_start(&code, model[i].line, 10, flags, model[i].line, 5, model[i].name);
      encode_end(&code, model[i].line, 50);
    }
    assert_true(add_encoded(&r, script_urls[script], 1, 1));
  }
}

static uint32_t add_call(char *text, const model_function *called) {
  return (uint32_t)sprintf(text, "%s@%s:%u:%u\n", called->name, script_urls[called->script],
                           called->line + 1, 11 + random_below(40));
}

static uint32_t add_expected(char *expected, const model_function *called) {
  const char *separator = *expected ? "|" : "";
  if (called->script == 2) return 0;
  expected += strlen(expected);
  sprintf(expected, "%s%s@%s", separator, called->name, script_urls[called->script]);
  if (called->script != 3) sprintf(expected + strlen(expected), ":%u:6", called->line + 1);
  return 1;
}

static void sample_at_random(char *expected) {
  char text[4096];
  uint32_t at = 0, depth = random_below(LONGEST);
  bool is_jsc = r.stacks.engine == STACK_ENGINE_JSC;
  expected[0] = '\0';
  for (uint32_t i = 0; i < depth; i++) {
    if (random_below(4) == 0) {
      at += (uint32_t)sprintf(text + at, "map@[native code]\n");
      continue;
    }
    const model_function *called = &model[random_below(FUNCTIONS)];
    at += add_call(text + at, called);
    add_expected(expected, called);
    bool is_known = called->script != 3 && called->is_async;
    bool goes_on = i == depth - 1 && random_below(2);
    if (is_jsc && is_known && !goes_on) at += add_call(text + at, called);
    // Two calls of a function that is not known to be async, or where it goes on, are two calls.
    if (is_jsc && is_known && goes_on) break;
  }
  text[at] = '\0';
  sample(text);
}

static char expected[SAMPLES][1024];

// The stacks that must be there: all of the samples' and their callers'.
static uint32_t count_expected_stacks(void) {
  static const char *seen[SAMPLES * LONGEST];
  uint32_t count = 0;
  for (uint32_t i = 0; i < SAMPLES; i++) {
    for (const char *at = expected[i]; at && *at; at = strchr(at, '|'), at = at ? at + 1 : at) {
      uint32_t held = 0;
      while (held < count && strcmp(seen[held], at) != 0) held++;
      if (held == count) seen[count++] = at;
    }
  }
  return count;
}

static void test_random_traces(void **state) {
  (void)state;
  for (uint32_t turn = 0; turn < 24; turn++) {
    open_recorder(turn % 2 ? STACK_ENGINE_JSC : STACK_ENGINE_SPIDERMONKEY);
    make_scripts();
    for (uint32_t i = 0; i < SAMPLES; i++) sample_at_random(expected[i]);
    build_and_close();
    for (uint32_t i = 0; i < SAMPLES; i++) assert_sample(i, expected[i]);
    assert_int_equal(t.stacks.count, count_expected_stacks());
    assert_true(t.stacks.count > 100);
    assert_counts(3, 9, t.stacks.count);
    close_all();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      WATCHED(test_call_sites_of_a_function_are_one_frame),
      WATCHED(test_frames_differ_by_each_component),
      WATCHED(test_scripts_without_a_table),
      WATCHED(test_scripts_of_one_url),
      WATCHED(test_malformed_tables_are_counted),
      WATCHED(test_wasm_frames),
      WATCHED(test_frames_left_out_are_bridged),
      WATCHED(test_nothing_shown_leaves_tables_empty),
      WATCHED(test_empty_sessions),
      WATCHED(test_recursion),
      WATCHED(test_deep_stacks),
      WATCHED(test_names_of_any_kind),
      WATCHED(test_sources_are_what_the_samples_reach),
      WATCHED(test_sources_tell_what_their_tables_lack),
      WATCHED(test_fragments),
      WATCHED(test_sessions_share_stacks_but_not_traces),
      WATCHED(test_building_twice),
      WATCHED(test_guesses_have_to_agree_with_names),
      WATCHED(test_quiet_callers_are_passed_over),
      WATCHED(test_wrappers_of_async_functions),
      WATCHED(test_wrappers_leave_nothing_behind),
      WATCHED(test_other_engines_have_no_wrappers),
      WATCHED(test_executing_places),
      WATCHED(test_executing_without_columns),
      WATCHED(test_cut_off_stacks_are_told),
      WATCHED(test_limited_sessions),
      WATCHED(test_random_traces),
  };
  return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
