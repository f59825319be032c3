// What the call scripts in test/data/fxprof cannot say of the profile builder: extensions, wrong
// handles of every kind, writing again and failing to write.
#include <zlib.h>

#include "fxprof_support.h"

// Source locations --------------------------------------------------------------------------------

static void test_source_locations(void **state) {
  (void)state;
  fxprof_profile *profile = new_profile(NULL);
  fxprof_thread thread = add_thread(profile, add_process(profile));
  fxprof_source source = {.file = intern(profile, "a.js"), .line = 3, .column = 4,
                          .start_line = 1, .start_column = 2};
  fxprof_frame_info info = {.label = intern(profile, "f"), .source = &source};
  fxprof_frame first, again, other;
  ASSERT_OK(fxprof_intern_frame(profile, thread, &info, &first));
  ASSERT_OK(fxprof_intern_frame(profile, thread, &info, &again));
  assert_int_equal(first.id, again.id);
  source.line = 5;  // another frame of the same function
  ASSERT_OK(fxprof_intern_frame(profile, thread, &info, &other));
  assert_int_not_equal(first.id, other.id);
  source.start_line = 9;  // another function
  ASSERT_OK(fxprof_intern_frame(profile, thread, &info, &other));
  source = (fxprof_source){.line = 7};  // a place in the label without source
  ASSERT_OK(fxprof_intern_frame(profile, thread, &info, &other));
  source = (fxprof_source){0};  // nothing known: the plain label
  ASSERT_OK(fxprof_intern_frame(profile, thread, &info, &first));
  info.source = NULL;
  ASSERT_OK(fxprof_intern_frame(profile, thread, &info, &again));
  assert_int_equal(first.id, again.id);
  assert_document(profile, "\"func\":[0,0,1,2,2]");
  assert_document(profile, "\"line\":[3,5,5,7,null],\"column\":[4,4,4,null,null]");
  assert_document(profile, "\"fileName\":[1,1,null],\"lineNumber\":[1,9,null],"
                           "\"columnNumber\":[2,2,null]");
  assert_document(profile, "\"stringArray\":[\"f\",\"a.js\"]");
  fxprof_free(profile);
}

static void test_resources_of_files(void **state) {
  (void)state;
  static const char *const files[] = {
      "https://Example.com:443/a.js", "https://user:pw@example.com/b.js?x",
      "http://example.com:8080",
      "moz-extension://abc/c.js", "resource://gre/d.js", "/usr/e.js", "C:\\f.js", "https:///g",
      "HTTP://h.example/", "data:text/javascript,1"};
  fxprof_profile *profile = new_profile(NULL);
  fxprof_thread thread = add_thread(profile, add_process(profile));
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    fxprof_source source = {.file = intern(profile, files[i]), .has_resource = true};
    fxprof_frame_info info = {.label = intern(profile, "f"), .source = &source};
    fxprof_frame frame;
    ASSERT_OK(fxprof_intern_frame(profile, thread, &info, &frame));
    if (i) continue;
    source.has_resource = false;  // another function
    fxprof_frame plain;
    ASSERT_OK(fxprof_intern_frame(profile, thread, &info, &plain));
    assert_int_not_equal(frame.id, plain.id);
  }
  assert_document(profile, "\"resource\":[0,-1,0,1,2,3,-1,-1,4,5,6]");
  assert_document(profile, "\"resourceTable\":{\"length\":7,"
                           "\"lib\":[null,null,null,null,null,null,null],"
                           "\"name\":[2,5,8,10,13,15,17],\"host\":[3,6,9,null,null,16,null],"
                           "\"type\":[3,3,3,5,5,3,5]}");
  assert_document(profile, "\"stringArray\":[\"f\",\"https://Example.com:443/a.js\","
                           "\"https://example.com\",\"example.com\","
                           "\"https://user:pw@example.com/b.js?x\","
                           "\"http://example.com:8080\",\"example.com:8080\"");
  fxprof_free(profile);
}

// Samples -----------------------------------------------------------------------------------------

static void test_unknown_cpu_time(void **state) {
  (void)state;
  fxprof_profile *profile = new_profile(NULL);
  fxprof_thread thread = add_thread(profile, add_process(profile));
  fxprof_stack none = {0};
  fxprof_cpu unknown = {.is_unknown = true};
  ASSERT_OK(fxprof_add_sample(profile, thread, (fxprof_time){1000000}, none, unknown, 1));
  char *text = document(profile);
  assert_contains(text, "\"weight\":[1]}");  // and no CPU times
  free(text);
  // It is not zero: nothing to merge with.
  ASSERT_OK(fxprof_add_sample_same_stack_zero_cpu(profile, thread, (fxprof_time){2000000}, 1));
  assert_document(profile, "\"weight\":[1,1],\"threadCPUDelta\":[null,0]");
  ASSERT_OK(fxprof_add_sample(profile, thread, (fxprof_time){3000000}, none,
                              (fxprof_cpu){UINT64_MAX, false}, INT32_MIN));
  assert_document(profile, "\"weight\":[1,1,-2147483648],"
                           "\"threadCPUDelta\":[null,0,18446744073709551615]");
  fxprof_free(profile);
}

static void test_omitted_weights(void **state) {
  (void)state;
  fxprof_profile *profile = new_profile(NULL);
  fxprof_thread thread = add_thread(profile, add_process(profile));
  fxprof_stack none = {0};
  ASSERT_OK(fxprof_set_thread_omit_weights(profile, thread, true));
  ASSERT_OK(fxprof_add_sample(profile, thread, (fxprof_time){1}, none, (fxprof_cpu){5, false}, 1));
  assert_document(profile, "\"weight\":null,");
  ASSERT_OK(fxprof_set_thread_weight(profile, thread, FXPROF_WEIGHT_BYTES));
  assert_document(profile, "\"weight\":[1],");
  ASSERT_OK(fxprof_set_thread_weight(profile, thread, FXPROF_WEIGHT_SAMPLES));
  ASSERT_OK(fxprof_add_sample(profile, thread, (fxprof_time){2}, none, (fxprof_cpu){5, false}, 2));
  assert_document(profile, "\"weight\":[1,2],");
  fxprof_free(profile);
}

// Each limit of what a sample holds by itself, and sums that cross them.
static void test_weights_and_cpu_times_of_any_size(void **state) {
  (void)state;
  fxprof_profile *profile = new_profile(NULL);
  fxprof_thread thread = add_thread(profile, add_process(profile));
  fxprof_stack none = {0};
  static const int32_t weights[] = {-64, -63, 64, 65, INT32_MAX, INT32_MIN};
  static const uint64_t cpus[] = {0xffffff, 0x1000000, UINT64_MAX, 1, 1, 0};
  for (uint32_t i = 0; i < 6; i++) {
    ASSERT_OK(fxprof_add_sample(profile, thread, (fxprof_time){i}, none,
                                (fxprof_cpu){cpus[i], false}, weights[i]));
  }
  ASSERT_STATUS(fxprof_add_sample_same_stack_zero_cpu(profile, thread, (fxprof_time){9}, -1),
                FXPROF_OVERFLOW);
  ASSERT_OK(fxprof_add_sample_same_stack_zero_cpu(profile, thread, (fxprof_time){7}, INT32_MAX));
  ASSERT_OK(fxprof_add_sample(profile, thread, (fxprof_time){8}, none, (fxprof_cpu){0, false}, 64));
  ASSERT_OK(fxprof_add_sample_same_stack_zero_cpu(profile, thread, (fxprof_time){9}, 1));
  ASSERT_OK(fxprof_add_sample_same_stack_zero_cpu(profile, thread, (fxprof_time){9}, -130));
  assert_document(profile, "\"weight\":[-64,-63,64,65,2147483647,-1,-65],\"threadCPUDelta\":"
                           "[16777215,16777216,18446744073709551615,1,1,0,0]");
  fxprof_free(profile);
}

// A merge after writing has to find the sample that was added last, wherever it has been sorted.
static void test_writing_again(void **state) {
  (void)state;
  fxprof_profile *profile = new_profile(NULL);
  fxprof_thread thread = add_thread(profile, add_process(profile));
  fxprof_stack none = {0}, a = intern_label_stack(profile, thread, "a");
  fxprof_stack b = intern_label_stack(profile, thread, "b");
  fxprof_cpu zero = {0, false};
  ASSERT_OK(fxprof_add_sample(profile, thread, (fxprof_time){5000000}, a, zero, 1));
  ASSERT_OK(fxprof_add_sample(profile, thread, (fxprof_time){5000000}, none, zero, 2));
  ASSERT_OK(fxprof_add_sample(profile, thread, (fxprof_time){3000000}, b, zero, 3));
  char *first = document(profile), *second = document(profile);
  assert_string_equal(first, second);
  assert_contains(first, "\"stack\":[1,0,null],\"timeDeltas\":[3,2,0],\"weight\":[3,1,2]");
  free(first);
  free(second);
  // The third one still, which now is after the others of its time.
  ASSERT_OK(fxprof_add_sample_same_stack_zero_cpu(profile, thread, (fxprof_time){5000000}, 4));
  assert_document(profile, "\"stack\":[0,null,1],\"timeDeltas\":[5,0,0],\"weight\":[1,2,7]");
  // And what follows goes on from its stack.
  fxprof_cpu some = {9, false};
  ASSERT_OK(fxprof_add_sample(profile, thread, (fxprof_time){1000000}, b, some, 1));
  assert_document(profile, "\"stack\":[1,0,null,1]");
  ASSERT_OK(fxprof_add_sample_same_stack_zero_cpu(profile, thread, (fxprof_time){6000000}, 1));
  assert_document(profile, "\"stack\":[1,0,null,1,1],\"timeDeltas\":[1,4,0,0,1]");
  fxprof_free(profile);
}

// A stack that came to the storing thread before is the same one when it comes again, with sources.
static void test_translated_sources(void **state) {
  (void)state;
  fxprof_profile *profile = new_profile(NULL);
  fxprof_process process = add_process(profile);
  fxprof_thread first = add_thread(profile, process), second = add_thread(profile, process);
  fxprof_source source = {.file = intern(profile, "https://a.example/"), .line = 2,
                          .start_column = 3, .has_resource = true};
  fxprof_frame_info infos[] = {{.label = intern(profile, "root")},
                               {.label = intern(profile, "f"), .source = &source}};
  fxprof_stack there, here;
  ASSERT_OK(fxprof_intern_stack_frames(profile, second, infos, 2, &there));
  ASSERT_OK(fxprof_add_allocation_sample(profile, second, (fxprof_time){2}, there, 1, 8));
  ASSERT_OK(fxprof_add_allocation_sample(profile, second, (fxprof_time){1}, there, 2, -8));
  ASSERT_OK(fxprof_intern_stack_frames(profile, first, infos, 2, &here));
  assert_int_equal(here.id, 2);
  assert_document(profile, "\"nativeAllocations\":{\"length\":2,\"time\":[0.000001,0.000002],"
                           "\"weight\":[-8,8],\"weightType\":\"bytes\",\"stack\":[1,1],"
                           "\"memoryAddress\":[2,1],\"threadId\":[0,0]}");
  fxprof_free(profile);
}

// Handles and arguments ---------------------------------------------------------------------------

static void test_wrong_handles(void **state) {
  (void)state;
  fxprof_profile *profile = new_profile(NULL);
  fxprof_process process = add_process(profile);
  fxprof_thread thread = add_thread(profile, process), other = add_thread(profile, process);
  fxprof_string name = intern(profile, "f");
  fxprof_stack stack = intern_label_stack(profile, other, "f"), made;
  fxprof_frame_info info = {.label = name};
  fxprof_frame frame;
  ASSERT_OK(fxprof_intern_frame(profile, other, &info, &frame));
  fxprof_schema schema = {.name = T("type")};
  fxprof_marker_type type;
  ASSERT_OK(fxprof_register_marker_type(profile, &schema, &type));
  fxprof_marker marker;
  fxprof_timing timing = {FXPROF_INSTANT, {0}, {0}};
  fxprof_category grey = {0};
  ASSERT_OK(fxprof_add_marker(profile, other, timing, type, name, grey, NULL, 0, &marker));
  char *before = document(profile);

  fxprof_time time = {1};
  fxprof_cpu cpu = {1, false};
  fxprof_category_pair pair;
  fxprof_text text;
  const fxprof_status unknown = FXPROF_UNKNOWN_HANDLE, foreign = FXPROF_FOREIGN_HANDLE;
  for (int i = 0; i < 2; i++) {
    uint32_t id = i ? 77 : 0;
    fxprof_process p = {id};
    fxprof_thread t = {id}, made_thread;
    fxprof_library l = {id};
    fxprof_string s = {id};
    fxprof_counter c = {id};
    fxprof_marker_type m = {id};
    fxprof_category k = {77};
    ASSERT_STATUS(fxprof_set_process_name(profile, p, T("x")), unknown);
    ASSERT_STATUS(fxprof_set_process_start(profile, p, time), unknown);
    ASSERT_STATUS(fxprof_set_process_end(profile, p, time), unknown);
    ASSERT_STATUS(fxprof_add_thread(profile, p, 1, time, true, &made_thread), unknown);
    ASSERT_STATUS(fxprof_add_mapping(profile, p, l, 0, 1, 0), unknown);
    ASSERT_STATUS(fxprof_add_mapping(profile, process, l, 0, 1, 0), unknown);
    ASSERT_STATUS(fxprof_remove_mapping(profile, p, 0), unknown);
    ASSERT_STATUS(fxprof_clear_mappings(profile, p), unknown);
    ASSERT_STATUS(fxprof_add_kernel_mapping(profile, l, 0, 1, 0), unknown);
    ASSERT_STATUS(fxprof_set_library_symbols(profile, l, (fxprof_symbols){NULL, 0}), unknown);
    ASSERT_STATUS(fxprof_get_library(profile, l, &(fxprof_library_info){.code_id = {0}}), unknown);
    ASSERT_STATUS(fxprof_add_counter(profile, p, T("x"), T("x"), T("x"), &c), unknown);
    ASSERT_STATUS(fxprof_set_counter_color(profile, c, FXPROF_GRAPH_RED), unknown);
    ASSERT_STATUS(fxprof_add_counter_sample(profile, c, time, 1, 1), unknown);
    ASSERT_STATUS(fxprof_set_thread_name(profile, t, T("x")), unknown);
    ASSERT_STATUS(fxprof_set_thread_start(profile, t, time), unknown);
    ASSERT_STATUS(fxprof_set_thread_end(profile, t, time), unknown);
    ASSERT_STATUS(fxprof_set_thread_tid(profile, t, 1), unknown);
    ASSERT_STATUS(fxprof_set_thread_show_markers(profile, t, true), unknown);
    ASSERT_STATUS(fxprof_set_thread_weight(profile, t, FXPROF_WEIGHT_BYTES), unknown);
    ASSERT_STATUS(fxprof_set_thread_omit_weights(profile, t, true), unknown);
    ASSERT_STATUS(fxprof_add_visible_thread(profile, t), unknown);
    ASSERT_STATUS(fxprof_add_selected_thread(profile, t), unknown);
    ASSERT_STATUS(fxprof_add_sample(profile, t, time, stack, cpu, 1), unknown);
    ASSERT_STATUS(fxprof_add_sample_same_stack_zero_cpu(profile, t, time, 1), unknown);
    ASSERT_STATUS(fxprof_add_allocation_sample(profile, t, time, stack, 1, 1), unknown);
    ASSERT_STATUS(fxprof_intern_frame(profile, t, &info, &frame), unknown);
    ASSERT_STATUS(fxprof_intern_stack(profile, t, stack, frame, &made), unknown);
    ASSERT_STATUS(fxprof_intern_stack_frames(profile, t, &info, 1, &made), unknown);
    ASSERT_STATUS(fxprof_set_marker_stack(profile, t, marker, stack), unknown);
    ASSERT_STATUS(fxprof_get_string(profile, s, &text), unknown);
    ASSERT_STATUS(fxprof_add_subcategory(profile, k, T("x"), &pair), unknown);
    ASSERT_STATUS(fxprof_add_marker(profile, thread, timing, m, name, grey, NULL, 0, &marker),
                  unknown);
    ASSERT_STATUS(fxprof_add_marker(profile, thread, timing, type, s, grey, NULL, 0, &marker),
                  unknown);
    ASSERT_STATUS(fxprof_add_marker(profile, thread, timing, type, name, k, NULL, 0, &marker),
                  unknown);
    fxprof_source source = {.file = {77}};
    fxprof_frame_info wrong[] = {
        {.label = s}, {.label = name, .category = {77, 0}}, {.label = name, .category = {0, 77}},
        {.label = name, .source = &source},
        {.kind = FXPROF_RELATIVE_INSTRUCTION_POINTER, .library = l}};
    for (int j = 0; j < 5; j++) {
      // After one that is right: that must not stay either.
      fxprof_frame_info both[] = {{.label = intern(profile, "new")}, wrong[j]};
      ASSERT_STATUS(fxprof_intern_stack_frames(profile, thread, both, 2, &made), unknown);
      ASSERT_STATUS(fxprof_intern_frame(profile, thread, &wrong[j], &frame), unknown);
    }
    fxprof_stack no_stack = {other.id, 77}, no_thread = {77, 1}, half = {other.id, 0};
    ASSERT_STATUS(fxprof_add_sample(profile, other, time, no_stack, cpu, 1), unknown);
    ASSERT_STATUS(fxprof_add_sample(profile, other, time, no_thread, cpu, 1), unknown);
    ASSERT_STATUS(fxprof_add_sample(profile, other, time, half, cpu, 1), unknown);
  }
  ASSERT_STATUS(fxprof_add_sample(profile, thread, time, stack, cpu, 1), foreign);
  ASSERT_STATUS(fxprof_add_allocation_sample(profile, thread, time, stack, 1, 1), foreign);
  ASSERT_STATUS(fxprof_intern_stack(profile, thread, (fxprof_stack){0}, frame, &made), foreign);
  ASSERT_STATUS(fxprof_intern_stack(profile, thread, stack, frame, &made), foreign);
  ASSERT_STATUS(fxprof_set_marker_stack(profile, thread, marker, (fxprof_stack){0}), foreign);
  assert_document(profile, before);
  free(before);
  fxprof_free(profile);
}

static void test_wrong_arguments(void **state) {
  (void)state;
  fxprof_profile *profile = new_profile(NULL);
  fxprof_process process = add_process(profile);
  fxprof_thread thread = add_thread(profile, process);
  fxprof_library library;
  fxprof_library_info lib = {.name = T("l")};
  ASSERT_OK(fxprof_add_library(profile, &lib, &library));
  fxprof_string name = intern(profile, "f");
  fxprof_field number = {T("n"), T(""), FXPROF_FORMAT_BYTES, 0};
  fxprof_schema schema = {.name = T("type"), .fields = &number, .field_count = 1};
  fxprof_marker_type type;
  ASSERT_OK(fxprof_register_marker_type(profile, &schema, &type));
  fxprof_counter counter;
  ASSERT_OK(fxprof_add_counter(profile, process, T("c"), T(""), T(""), &counter));
  char *before = document(profile);

  const fxprof_status invalid = FXPROF_INVALID_ARGUMENT;
  fxprof_category category;
  ASSERT_STATUS(fxprof_add_category(profile, T("x"), (fxprof_color)14, &category), invalid);
  ASSERT_STATUS(fxprof_set_thread_weight(profile, thread, (fxprof_weight)3), invalid);
  ASSERT_STATUS(fxprof_set_counter_color(profile, counter, (fxprof_graph_color)11), invalid);
  ASSERT_STATUS(fxprof_add_mapping(profile, process, library, 2, 1, 0), invalid);
  ASSERT_STATUS(fxprof_add_kernel_mapping(profile, library, 2, 1, 0), invalid);
  fxprof_frame_info frames[] = {
      {.label = name, .flags = 4},
      {.kind = FXPROF_RELATIVE_RETURN_ADDRESS, .library = library, .address = 0x100000001},
      {.kind = (fxprof_frame_kind)7, .library = library}};
  for (int i = 0; i < 3; i++) {
    fxprof_frame frame;
    ASSERT_STATUS(fxprof_intern_frame(profile, thread, &frames[i], &frame), invalid);
  }

  // Schemas: a key that is taken, twice, twice after repair; formats, flags, locations, graphs.
  fxprof_field taken = {T("cause"), T(""), FXPROF_FORMAT_BYTES, 0};
  fxprof_field twice[] = {{T("\xff"), T(""), FXPROF_FORMAT_BYTES, 0},
                          {T("\xfe"), T(""), FXPROF_FORMAT_BYTES, 0}};
  fxprof_field format = {T("n"), T(""), (fxprof_format)14, 0};
  fxprof_field flags = {T("n"), T(""), FXPROF_FORMAT_BYTES, 2};
  fxprof_graph graph_type = {T("n"), (fxprof_graph_type)3, FXPROF_GRAPH_NO_COLOR};
  fxprof_graph graph_color = {T("n"), FXPROF_BAR, (fxprof_graph_color)11};
  fxprof_schema schemas[] = {
      {.name = T("x"), .fields = &taken, .field_count = 1},
      {.name = T("x"), .fields = twice, .field_count = 2},
      {.name = T("x"), .fields = &format, .field_count = 1},
      {.name = T("x"), .fields = &flags, .field_count = 1},
      {.name = T("x"), .locations = 64},
      {.name = T("x"), .graphs = &graph_type, .graph_count = 1},
      {.name = T("x"), .graphs = &graph_color, .graph_count = 1}};
  fxprof_timing timing = {FXPROF_INSTANT, {0}, {0}};
  fxprof_category other = {0};
  fxprof_marker marker;
  fxprof_value values[] = {{.number = 1}, {.number = 2}};
  for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
    fxprof_marker_type made;
    ASSERT_STATUS(fxprof_register_marker_type(profile, &schemas[i], &made), invalid);
    ASSERT_STATUS(fxprof_static_marker_type(profile, &schemas[i], &made), invalid);
    // Format 14 is a number's as far as its value goes.
    ASSERT_STATUS(fxprof_add_static_marker(profile, thread, timing, &schemas[i], name, other,
                                           values, schemas[i].field_count, &marker), invalid);
  }

  // Markers: too few values, too many, of the wrong kind; an unknown phase.
  fxprof_value text = {.is_string = true, .string = name};
  ASSERT_STATUS(fxprof_add_marker(profile, thread, timing, type, name, other, NULL, 0, &marker),
                invalid);
  ASSERT_STATUS(fxprof_add_marker(profile, thread, timing, type, name, other, values, 2, &marker),
                invalid);
  ASSERT_STATUS(fxprof_add_marker(profile, thread, timing, type, name, other, &text, 1, &marker),
                invalid);
  schema.name = T("static");
  ASSERT_STATUS(fxprof_add_static_marker(profile, thread, timing, &schema, name, other, values, 2,
                                         &marker), invalid);
  ASSERT_STATUS(fxprof_add_static_marker(profile, thread, timing, &schema, name, other, &text, 1,
                                         &marker), invalid);
  timing.phase = (fxprof_phase)4;
  ASSERT_STATUS(fxprof_add_static_marker(profile, thread, timing, &schema, name, other, values, 1,
                                         &marker), invalid);
  assert_document(profile, before);
  free(before);
  fxprof_free(profile);
}

// Texts -------------------------------------------------------------------------------------------

static void test_texts(void **state) {
  (void)state;
  fxprof_profile *profile = new_profile(NULL);
  fxprof_string a, b;
  fxprof_text text;
  ASSERT_OK(fxprof_intern_string(profile, (fxprof_text){"a\0\xff", 3}, &a));
  ASSERT_OK(fxprof_intern_string(profile, (fxprof_text){"a\0\xef\xbf\xbd", 5}, &b));
  assert_int_equal(a.id, b.id);
  ASSERT_OK(fxprof_get_string(profile, a, &text));
  assert_int_equal(text.length, 5);
  ASSERT_OK(fxprof_intern_string(profile, (fxprof_text){NULL, 0}, &a));
  ASSERT_OK(fxprof_intern_string(profile, T(""), &b));
  assert_int_equal(a.id, b.id);
  // Texts of the profile's own, while the place where they are kept moves.
  ASSERT_OK(fxprof_intern_string(profile, T("0123456789"), &a));
  for (int i = 0; i < 1000; i++) {
    char bytes[16];
    int length = snprintf(bytes, sizeof bytes, "%d", i);
    ASSERT_OK(fxprof_get_string(profile, a, &text));
    text.bytes += i % 10;
    text.length = 1 + (size_t)i % (10 - (size_t)i % 10);
    char copy[16] = {0};
    memcpy(copy, text.bytes, text.length);
    ASSERT_OK(fxprof_intern_string(profile, text, &b));
    ASSERT_OK(fxprof_get_string(profile, b, &text));
    assert_memory_equal(text.bytes, copy, text.length);
    ASSERT_OK(fxprof_intern_string(profile, (fxprof_text){bytes, (size_t)length}, &b));
  }
  fxprof_free(profile);
  fxprof_free(NULL);
}

// Many texts, those that look alike above all, must not be slower than others: no run of slots that
// are taken is long.
static void test_regular_keys(void **state) {
  (void)state;
  fxprof_profile *profile = new_profile(NULL);
  fxprof_thread thread = add_thread(profile, add_process(profile));
  fxprof_stack stack = {0};
  for (uint32_t i = 0; i < 50000; i++) {
    fxprof_frame_info info = {.kind = FXPROF_INSTRUCTION_POINTER, .address = (uint64_t)i << 12};
    fxprof_frame frame;
    ASSERT_OK(fxprof_intern_frame(profile, thread, &info, &frame));
    ASSERT_OK(fxprof_intern_stack(profile, thread, (fxprof_stack){0}, frame, &stack));
  }
  const fx_thread *row = &profile->threads.rows[0];
  const fx_index *indexes[] = {&profile->strings.index, &row->string_index, &row->function_index,
                               &row->frame_index, &row->node_index};
  for (int i = 0; i < 5; i++) {
    uint32_t longest = 0, run = 0;
    for (uint32_t slot = 0; slot < indexes[i]->slot_count; slot++) {
      run = indexes[i]->slots[slot] ? run + 1 : 0;
      if (run > longest) longest = run;
    }
    assert_true(indexes[i]->count >= 50000);
    assert_in_range(longest, 1, 300);
  }
  fxprof_free(profile);
}

// Output ------------------------------------------------------------------------------------------

static void test_output(void **state) {
  (void)state;
  fxprof_profile *profile = new_profile(NULL);
  fxprof_thread thread = add_thread(profile, add_process(profile));
  fxprof_stack stack = intern_label_stack(profile, thread, "\x01\x1f\x7f\b\t\n\v\f\r\"\\/");
  for (uint32_t i = 0; i < 5000; i++) {
    ASSERT_OK(fxprof_add_sample(profile, thread, (fxprof_time){i * 1000}, stack,
                                (fxprof_cpu){i, false}, (int32_t)i));
  }
  char *control = calloc(20001, 1);  // each character takes six
  assert_non_null(control);
  memset(control, 1, 20000);
  intern_label_stack(profile, thread, control);
  free(control);

  text_sink whole = {0};
  ASSERT_OK(fxprof_write(profile, sink_write, &whole));
  assert_in_range(whole.longest, 4096, 8192);
  assert_contains(whole.bytes,
                  "\"\\u0001\\u001f\x7f\\b\\t\\n\\u000b\\f\\r\\\"\\\\/\"");
  for (int i = 1; i <= whole.pieces; i++) {
    text_sink broken = {.fail_at = i};
    ASSERT_STATUS(fxprof_write(profile, sink_write, &broken), FXPROF_OUTPUT_FAILED);
    assert_int_equal(broken.pieces, i);
    assert_memory_equal(broken.bytes, whole.bytes, broken.length);
    free(broken.bytes);
  }
  assert_document(profile, whole.bytes);

  for (int level = 1; level <= 9; level += 4) {
    text_sink packed = {0};
    ASSERT_OK(fxprof_write_gzip(profile, level, sink_write, &packed));
    assert_true(packed.longest <= 8192 && packed.length < whole.length / 3);
    char *out = calloc(whole.length + 1, 1);
    z_stream stream = {.next_in = (unsigned char *)packed.bytes, .avail_in = (uInt)packed.length,
                       .next_out = (unsigned char *)out, .avail_out = (uInt)whole.length + 1};
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    inflateEnd(&stream);
    assert_string_equal(out, whole.bytes);
    free(out);
    for (int i = 1; i <= packed.pieces; i++) {
      text_sink broken = {.fail_at = i};
      ASSERT_STATUS(fxprof_write_gzip(profile, level, sink_write, &broken), FXPROF_OUTPUT_FAILED);
      free(broken.bytes);
    }
    free(packed.bytes);
  }
  text_sink none = {0};
  ASSERT_STATUS(fxprof_write_gzip(profile, 0, sink_write, &none), FXPROF_INVALID_ARGUMENT);
  ASSERT_STATUS(fxprof_write_gzip(profile, 10, sink_write, &none), FXPROF_INVALID_ARGUMENT);
  free(whole.bytes);
  fxprof_free(profile);
}

static void test_status_codes(void **state) {
  (void)state;
  for (int i = 0; i <= FXPROF_OUTPUT_FAILED; i++) {
    for (int j = 0; j < i; j++) {
      assert_string_not_equal(fxprof_status_code((fxprof_status)i),
                              fxprof_status_code((fxprof_status)j));
    }
  }
  assert_string_equal(fxprof_status_code((fxprof_status)99), "ERR_FXPROF_UNKNOWN");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_source_locations),
      cmocka_unit_test(test_resources_of_files),
      cmocka_unit_test(test_unknown_cpu_time),
      cmocka_unit_test(test_omitted_weights),
      cmocka_unit_test(test_weights_and_cpu_times_of_any_size),
      cmocka_unit_test(test_writing_again),
      cmocka_unit_test(test_translated_sources),
      cmocka_unit_test(test_wrong_handles),
      cmocka_unit_test(test_wrong_arguments),
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_regular_keys),
      cmocka_unit_test(test_output),
      cmocka_unit_test(test_status_codes),
  };
  return cmocka_run_group_tests_name("fxprof calls", tests, NULL, NULL);
}
