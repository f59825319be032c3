// Writes a small profile: drop the file onto profiler.firefox.com.
//
//   cc c/example/fxprof.c $(pkg-config --cflags --libs fxprof) -o example
//   ./example profile.json.gz
//
// with wasm-out/lib/pkgconfig in PKG_CONFIG_PATH, after `make lib`.
#include <fxprof.h>
#include <stdio.h>
#include <stdlib.h>

static void check(fxprof_status status) {
  if (status == FXPROF_OK) return;
  fprintf(stderr, "%s\n", fxprof_status_code(status));
  exit(1);
}

static bool write_file(void *file, const void *bytes, size_t length) {
  return fwrite(bytes, 1, length, file) == length;
}

static fxprof_string intern(fxprof_profile *profile, const char *text) {
  fxprof_string string;
  check(fxprof_intern_string(profile, fxprof_text_of(text), &string));
  return string;
}

int main(int argument_count, char **arguments) {
  fxprof_interval interval;
  fxprof_profile *profile;
  check(fxprof_interval_from_ms(1, &interval));
  check(fxprof_new(fxprof_text_of("Example"), fxprof_reference_from_seconds(1700000000, 0),
                   interval, NULL, 0, &profile));

  fxprof_process process;
  fxprof_thread thread;
  fxprof_time start = {0};
  check(fxprof_add_process(profile, fxprof_text_of("example"), 42, start, &process));
  check(fxprof_add_thread(profile, process, 42, start, true, &thread));

  // main() calls work(), which is busy for ten samples.
  fxprof_source source = {.file = intern(profile, "example.c"), .line = 12, .start_line = 10};
  fxprof_frame_info frames[] = {
      {.label = intern(profile, "main")},
      {.label = intern(profile, "work"), .source = &source},
  };
  fxprof_stack stack;
  check(fxprof_intern_stack_frames(profile, thread, frames, 2, &stack));
  for (uint32_t i = 0; i < 10; i++) {
    check(fxprof_add_sample(profile, thread, fxprof_time_from_ms(i), stack,
                            fxprof_cpu_from_ms(0.9), 1));
  }

  // A marker that shows its text.
  fxprof_field field = {fxprof_text_of("text"), fxprof_text_of("Text"),
                        FXPROF_FORMAT_UNIQUE_STRING, FXPROF_IS_SEARCHABLE};
  fxprof_schema note = {.name = fxprof_text_of("Note"),
                        .locations = FXPROF_MARKER_CHART | FXPROF_MARKER_TABLE,
                        .chart_label = fxprof_text_of("{marker.data.text}"),
                        .fields = &field,
                        .field_count = 1};
  fxprof_timing timing = {FXPROF_INTERVAL, {2000000}, {5000000}};
  fxprof_value text = {.is_string = true, .string = intern(profile, "half way")};
  fxprof_category other = {0};
  fxprof_marker marker;
  check(fxprof_add_static_marker(profile, thread, timing, &note, intern(profile, "Phase"), other,
                                 &text, 1, &marker));
  check(fxprof_set_marker_stack(profile, thread, marker, stack));

  FILE *file = argument_count > 1 ? fopen(arguments[1], "wb") : stdout;
  if (!file) {
    perror(arguments[1]);
    return 1;
  }
  check(argument_count > 1 ? fxprof_write_gzip(profile, 6, write_file, file)
                           : fxprof_write(profile, write_file, file));
  fxprof_free(profile);
  return fclose(file) == 0 ? 0 : 1;
}
