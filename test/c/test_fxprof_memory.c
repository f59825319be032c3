// The profile builder when memory or the room of tables runs out: any one call fails, has no
// effect, and works when it is made again.
#include "fxprof_support.h"

static uint32_t refused;  // calls

// Makes a call; if it fails for want of room, there is some from now on, and it is made again.
#define CALL(call)                                                               \
  do {                                                                           \
    fxprof_status status = (call);                                               \
    if (status == FXPROF_NO_MEMORY || status == FXPROF_OVERFLOW) {               \
      refused++;                                                                 \
      if (profile) profile->memory.max_rows = FX_MAX_ROWS;                       \
      status = (call);                                                           \
    }                                                                            \
    ASSERT_OK(status);                                                           \
  } while (0)

static fxprof_string intern_again(fxprof_profile *profile, const char *text) {
  fxprof_string string = {0};
  CALL(fxprof_intern_string(profile, T(text), &string));
  return string;
}

static void add_samples(fxprof_profile *profile, fxprof_thread thread, fxprof_library library,
                        const char *prefix) {
  fxprof_stack stack = {0};
  for (uint32_t i = 0; i < 30; i++) {
    char label[32];
    snprintf(label, sizeof label, "%s%u", prefix, i % 20);
    fxprof_source source = {.file = intern_again(profile, "https://example.com/a.js"),
                            .line = i + 1,
                            .start_line = i % 3,
                            .has_resource = i % 2};
    fxprof_frame_info infos[] = {
        {.label = intern_again(profile, "root"), .flags = i & 3},
        {.label = intern_again(profile, label), .source = i % 4 ? &source : NULL},
        {.kind = FXPROF_INSTRUCTION_POINTER, .address = 0x1000 + i * 8},
        {.kind = FXPROF_RELATIVE_RETURN_ADDRESS, .library = library, .address = i * 16},
        {.kind = FXPROF_RETURN_ADDRESS, .address = 0x900000 + i},
    };
    CALL(fxprof_intern_stack_frames(profile, thread, infos, 1 + i % 5, &stack));
    fxprof_frame frame = {0};
    infos[0].category = (fxprof_category_pair){1, 1};
    CALL(fxprof_intern_frame(profile, thread, &infos[0], &frame));
    CALL(fxprof_intern_stack(profile, thread, stack, frame, &stack));
    CALL(fxprof_add_sample(profile, thread, (fxprof_time){(i ^ 5) * 1000}, stack,
                           (fxprof_cpu){i % 7 ? i : UINT64_C(1) << 40, i % 11 == 0},
                           i % 5 ? 1 : INT32_MIN));
    CALL(fxprof_add_sample_same_stack_zero_cpu(profile, thread, (fxprof_time){i * 1001}, 100));
    CALL(fxprof_add_allocation_sample(profile, thread, (fxprof_time){i}, stack, i, 8));
  }
}

static void add_markers(fxprof_profile *profile, fxprof_thread thread) {
  for (uint32_t i = 0; i < 12; i++) {
    char key[8], name[8];
    snprintf(key, sizeof key, "k%u", i);
    snprintf(name, sizeof name, "type%u", i % 5);
    fxprof_field fields[] = {
        {T(key), T("Label"), FXPROF_FORMAT_UNIQUE_STRING, FXPROF_IS_SEARCHABLE},
        {T("other"), T(""), FXPROF_FORMAT_BYTES, 0},
        {T("url"), T(""), FXPROF_FORMAT_URL, 0}};
    fxprof_graph graph = {T("other"), FXPROF_BAR, FXPROF_GRAPH_RED};
    fxprof_schema schema = {.name = T(name), .description = T("text"), .locations = 3,
                            .fields = fields, .field_count = 3, .graphs = &graph,
                            .graph_count = 1};
    fxprof_value values[] = {{.is_string = true, .string = intern_again(profile, key)},
                             {.number = i},
                             {.is_string = true, .string = intern_again(profile, "url")}};
    fxprof_timing timing = {(fxprof_phase)(i % 4), {i}, {i + 1}};
    fxprof_category other = {0};
    fxprof_string string = intern_again(profile, name);
    fxprof_marker marker = {0};
    fxprof_marker_type type = {0};
    CALL(fxprof_add_static_marker(profile, thread, timing, &schema, string, other, values, 3,
                                  &marker));
    schema.name = T(key);
    if (i % 2) CALL(fxprof_register_marker_type(profile, &schema, &type));
    else CALL(fxprof_static_marker_type(profile, &schema, &type));
    CALL(fxprof_add_marker(profile, thread, timing, type, string, other, values, 3, &marker));
  }
}

static void add_counters(fxprof_profile *profile, fxprof_process process) {
  for (uint32_t i = 0; i < 10; i++) {
    fxprof_counter counter = {0};
    char name[8];
    snprintf(name, sizeof name, "c%u", i);
    CALL(fxprof_add_counter(profile, process, T(name), T("Memory"), T("text"), &counter));
    for (uint32_t j = 0; j < 2 * i; j++) {
      CALL(fxprof_add_counter_sample(profile, counter, (fxprof_time){9 - j % 9}, j, j));
    }
  }
}

// Everything there is. Returns the document and what fxprof_list_used_libraries() tells.
static char *build(watch *w, uint32_t max_rows) {
  fxprof_allocator allocator = {watched_resize, w};
  fxprof_profile *profile = NULL;
  CALL(fxprof_new(T("test"), (fxprof_reference){0}, (fxprof_interval){1}, &allocator, 1,
                  &profile));
  profile->memory.max_rows = max_rows;
  CALL(fxprof_set_product(profile, T("product \xff")));
  CALL(fxprof_set_os_name(profile, T("os")));
  for (int i = 0; i < 10; i++) {
    fxprof_category category = {0};
    fxprof_category_pair pair = {0};
    CALL(fxprof_add_category(profile, T("category"), FXPROF_RED, &category));
    for (int j = 0; j < 12; j++) CALL(fxprof_add_subcategory(profile, category, T("sub"), &pair));
  }
  fxprof_process process = {0};
  fxprof_thread thread = {0}, first = {0};
  fxprof_library library = {0};
  for (uint32_t i = 0; i < 10; i++) {
    char name[300];
    memset(name, 'a', sizeof name);
    snprintf(name + 290, 8, "%u", i);
    CALL(fxprof_add_process(profile, T(name), 7, (fxprof_time){0}, &process));
    CALL(fxprof_set_process_name(profile, process, T(name + 280)));
    CALL(fxprof_add_thread(profile, process, i, (fxprof_time){0}, false, &first));
    CALL(fxprof_add_thread(profile, process, 7, (fxprof_time){1}, false, &thread));
    CALL(fxprof_set_thread_name(profile, thread, T(name + 270)));
    CALL(fxprof_set_thread_tid(profile, thread, 7));
    CALL(fxprof_add_visible_thread(profile, thread));
    CALL(fxprof_add_selected_thread(profile, thread));
    fxprof_symbol symbols[] = {
        {16, 8, true, T("b")}, {64, 0, false, T("c")}, {16, 8, true, T("a")}};
    fxprof_symbols table = {symbols, 3};
    fxprof_library_info info = {.name = T(name), .path = T("p"), .code_id = T("c"),
                                .symbols = i % 2 ? &table : NULL};
    CALL(fxprof_add_library(profile, &info, &library));
    CALL(fxprof_set_library_symbols(profile, library, table));
    CALL(fxprof_add_kernel_mapping(profile, library, i * 4096, i * 4096 + 512, i));
    for (uint32_t j = 0; j < 10; j++) {
      CALL(fxprof_add_mapping(profile, process, library, j * 8192, j * 8192 + 4096, j));
    }
  }
  add_samples(profile, thread, library, "a");
  add_samples(profile, first, library, "b");
  add_markers(profile, thread);
  add_counters(profile, process);

  const fxprof_used_library *used = NULL;
  uint32_t count = 0;
  CALL(fxprof_list_used_libraries(profile, &used, &count));
  text_sink sink = {0};
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t j = 0; j < used[i].count; j++) {
      char text[32];
      int length = snprintf(text, sizeof text, "%u:%u ", i, used[i].addresses[j]);
      sink_write(&sink, text, (size_t)length);
    }
  }
  uint32_t calls = w->calls;
  ASSERT_OK(fxprof_write(profile, sink_write, &sink));
  assert_int_equal(w->calls, calls);  // writing takes no memory
  CALL(fxprof_write_gzip(profile, 1, sink_write, &sink));
  fxprof_free(profile);
  assert_int_equal(w->blocks, 0);
  return sink.bytes;
}

static void test_any_allocation_fails(void **state) {
  (void)state;
  watch w = {0};
  char *expected = build(&w, FX_MAX_ROWS);
  uint32_t requests = w.calls;
  assert_in_range(requests, 200, 2000);
  for (uint32_t i = 1; i <= requests; i++) {
    w = (watch){.fail_at = i};
    refused = 0;
    char *text = build(&w, FX_MAX_ROWS);
    assert_int_equal(refused, 1);
    assert_string_equal(text, expected);
    free(text);
  }
  free(expected);
}

static void test_any_table_is_full(void **state) {
  (void)state;
  watch w = {0};
  char *expected = build(&w, FX_MAX_ROWS);
  uint32_t full = 0;
  for (uint32_t rows = 1; rows < 400; rows++) {
    w = (watch){0};
    refused = 0;
    char *text = build(&w, rows);
    full += refused;
    assert_string_equal(text, expected);
    free(text);
  }
  assert_true(full > 100);
  free(expected);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_allocation_fails),
      cmocka_unit_test(test_any_table_is_full),
  };
  return cmocka_run_group_tests_name("fxprof memory", tests, NULL, NULL);
}
