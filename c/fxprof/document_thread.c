#include <string.h>

#include "document.h"

// A column of numbers: `value` is computed from `row`, the i-th one.
#define COLUMN(writer, name, list, row_type, print)                          \
  do {                                                                       \
    fx_begin_column((writer), (name));                                       \
    for (uint32_t i = 0; i < (list)->count && !(writer)->has_failed; i++) {  \
      const row_type *row = &(list)->rows[i];                                \
      char *to = fx_element((writer), i);                                    \
      fx_wrote((writer), (print));                                           \
    }                                                                        \
    fx_end_column((writer), (list)->count);                                  \
  } while (0)

static char *print_text(char *to, const char *text) {
  size_t length = strlen(text);
  memcpy(to, text, length);
  return to + length;
}

// A number, or what stands for FX_NONE.
static char *print_index(char *to, uint32_t number, const char *none) {
  return number == FX_NONE ? print_text(to, none) : fx_print_integer(to, number);
}

// A number from 1 on; 0 is none.
static char *print_known(char *to, uint32_t number) {
  return number ? fx_print_integer(to, number) : print_text(to, "null");
}

static char *print_bool(char *to, bool value) { return print_text(to, value ? "true" : "false"); }

static char *print_signed(char *to, int64_t number) {
  if (number >= 0) return fx_print_integer(to, (uint64_t)number);
  *to = '-';
  return fx_print_integer(to + 1, 0 - (uint64_t)number);
}

static void begin_table(fx_writer *writer, const char *begin, uint32_t length) {
  fx_write(writer, begin);
  fx_write(writer, "{\"length\":");
  fx_write_integer(writer, length);
}

// Frames and stacks -------------------------------------------------------------------------------

static void write_frames(fx_writer *writer, const fx_thread *thread) {
  uint32_t count = thread->frames.count;
  begin_table(writer, "\"frameTable\":", count);
  COLUMN(writer, "address", &thread->frames, fx_frame,
         row->key.place == FX_IN_LIBRARY ? fx_print_integer(to, (uint32_t)row->key.value)
                                         : print_text(to, "-1"));
  fx_write_constant_column(writer, "inlineDepth", "0", count);
  COLUMN(writer, "category", &thread->frames, fx_frame, fx_print_integer(to, row->key.category));
  COLUMN(writer, "subcategory", &thread->frames, fx_frame,
         fx_print_integer(to, row->key.subcategory));
  COLUMN(writer, "func", &thread->frames, fx_frame, fx_print_integer(to, row->function));
  COLUMN(writer, "nativeSymbol", &thread->frames, fx_frame, print_index(to, row->symbol, "null"));
  fx_write_constant_column(writer, "innerWindowID", "0", count);
  COLUMN(writer, "line", &thread->frames, fx_frame, print_known(to, row->key.line));
  COLUMN(writer, "column", &thread->frames, fx_frame, print_known(to, row->key.column));
  fx_write(writer, "}");
}

static void write_functions(fx_writer *writer, const fx_thread *thread) {
  begin_table(writer, ",\"funcTable\":", thread->functions.count);
  COLUMN(writer, "name", &thread->functions, fx_function, fx_print_integer(to, row->name));
  COLUMN(writer, "isJS", &thread->functions, fx_function,
         print_bool(to, row->flags & FXPROF_IS_JS));
  COLUMN(writer, "relevantForJS", &thread->functions, fx_function,
         print_bool(to, row->flags & FXPROF_IS_RELEVANT_FOR_JS));
  COLUMN(writer, "resource", &thread->functions, fx_function, print_index(to, row->resource, "-1"));
  COLUMN(writer, "fileName", &thread->functions, fx_function, print_index(to, row->file, "null"));
  COLUMN(writer, "lineNumber", &thread->functions, fx_function, print_known(to, row->start_line));
  COLUMN(writer, "columnNumber", &thread->functions, fx_function,
         print_known(to, row->start_column));
  fx_write(writer, "}");
}

static void write_symbols(fx_writer *writer, const fxprof_profile *profile,
                          const fx_thread *thread) {
  const fx_library *libraries = profile->libraries.rows;
  begin_table(writer, ",\"nativeSymbols\":", thread->symbols.count);
  COLUMN(writer, "address", &thread->symbols, fx_native_symbol, fx_print_integer(to, row->address));
  COLUMN(writer, "functionSize", &thread->symbols, fx_native_symbol,
         row->has_size ? fx_print_integer(to, row->size) : print_text(to, "null"));
  COLUMN(writer, "libIndex", &thread->symbols, fx_native_symbol,
         fx_print_integer(to, libraries[row->library].used));
  COLUMN(writer, "name", &thread->symbols, fx_native_symbol, fx_print_integer(to, row->name));
  fx_write(writer, "}");
}

static void write_resources(fx_writer *writer, const fxprof_profile *profile,
                            const fx_thread *thread) {
  const fx_library *libraries = profile->libraries.rows;
  begin_table(writer, ",\"resourceTable\":", thread->resources.count);
  COLUMN(writer, "lib", &thread->resources, fx_resource,
         row->type == FX_RESOURCE_LIBRARY ? fx_print_integer(to, libraries[row->source].used)
                                          : print_text(to, "null"));
  COLUMN(writer, "name", &thread->resources, fx_resource, fx_print_integer(to, row->name));
  COLUMN(writer, "host", &thread->resources, fx_resource, print_index(to, row->host, "null"));
  COLUMN(writer, "type", &thread->resources, fx_resource, fx_print_integer(to, row->type));
  fx_write(writer, "}");
}

static void write_stacks(fx_writer *writer, const fx_thread *thread) {
  begin_table(writer, ",\"stackTable\":", thread->nodes.count);
  COLUMN(writer, "prefix", &thread->nodes, fx_node, print_index(to, row->parent, "null"));
  COLUMN(writer, "frame", &thread->nodes, fx_node, fx_print_integer(to, row->frame));
  fx_write(writer, "}");
}

// Samples -----------------------------------------------------------------------------------------

// Stacks as samples hold them: a node + 1, 0 for none.
static char *print_stack(char *to, uint32_t stack) {
  return print_index(to, (stack & ~FX_UNKNOWN_CPU) - 1, "null");
}

static void sort_samples(fx_thread *thread) {
  fx_sample *rows = thread->samples.rows;
  uint32_t count = thread->samples.count;
  if (!count) return;
  uint64_t newest = rows[thread->newest_sample].time;
  fx_sort_by_time(rows, count, sizeof *rows);
  // It is the last one of its time.
  uint32_t begin = 0, end = count;
  while (begin < end) {
    uint32_t middle = begin + (end - begin) / 2;
    if (rows[middle].time <= newest) begin = middle + 1;
    else end = middle;
  }
  thread->newest_sample = begin - 1;
}

static void write_samples(fx_writer *writer, fx_thread *thread) {
  static const char *const types[] = {"samples", "tracing-ms", "bytes"};
  const fx_sample *rows = thread->samples.rows;
  uint32_t count = thread->samples.count, unknown = 0, ones = 0;
  sort_samples(thread);
  for (uint32_t i = 0; i < count; i++) {
    unknown += rows[i].stack >> 31;
    ones += fx_sample_load(thread, &rows[i]).weight == 1;
  }
  begin_table(writer, ",\"samples\":", count);
  fx_write(writer, ",\"weightType\":\"");
  fx_write(writer, types[thread->weight_type]);
  fx_write(writer, "\"");
  COLUMN(writer, "stack", &thread->samples, fx_sample, print_stack(to, row->stack));
  COLUMN(writer, "timeDeltas", &thread->samples, fx_sample,
         fx_print_ms(to, row->time - (i ? row[-1].time : 0)));
  if (thread->omits_weights && ones == count && thread->weight_type == FXPROF_WEIGHT_SAMPLES) {
    fx_write(writer, ",\"weight\":null");
  } else {
    COLUMN(writer, "weight", &thread->samples, fx_sample,
           print_signed(to, fx_sample_load(thread, row).weight));
  }
  if (!count || unknown < count) {
    COLUMN(writer, "threadCPUDelta", &thread->samples, fx_sample,
           row->stack & FX_UNKNOWN_CPU
               ? print_text(to, "null")
               : fx_print_integer(to, fx_sample_load(thread, row).cpu));
  }
  fx_write(writer, "}");
}

static void write_allocations(fx_writer *writer, fx_thread *thread) {
  uint32_t count = thread->allocations.count;
  if (!count) return;
  fx_sort_by_time(thread->allocations.rows, count, sizeof *thread->allocations.rows);
  begin_table(writer, ",\"nativeAllocations\":", count);
  COLUMN(writer, "time", &thread->allocations, fx_allocation, fx_print_ms(to, row->time));
  COLUMN(writer, "weight", &thread->allocations, fx_allocation, print_signed(to, row->size));
  fx_write(writer, ",\"weightType\":\"bytes\"");
  COLUMN(writer, "stack", &thread->allocations, fx_allocation, print_stack(to, row->stack));
  COLUMN(writer, "memoryAddress", &thread->allocations, fx_allocation,
         fx_print_integer(to, row->address));
  fx_write_constant_column(writer, "threadId", "0", count);
  fx_write(writer, "}");
}

// Markers -----------------------------------------------------------------------------------------

static void write_field(fx_writer *writer, const fxprof_profile *profile, uint32_t format,
                        uint64_t bits) {
  if (format == FXPROF_FORMAT_UNIQUE_STRING) {
    fx_write_integer(writer, bits);
  } else if (format < FXPROF_FORMAT_UNIQUE_STRING) {
    fx_write_string(writer, fx_text(profile, (uint32_t)bits));
  } else {
    double number;
    memcpy(&number, &bits, sizeof number);
    fx_write_double(writer, number);
  }
}

static void write_marker_data(fx_writer *writer, const fxprof_profile *profile,
                              const fx_thread *thread, const fx_marker *marker) {
  const fx_marker_type *type = &profile->marker_types.rows[marker->type];
  fx_write(writer, "{\"type\":");
  fx_write_string(writer, fx_text(profile, type->name));
  if (marker->stack) {
    fx_write(writer, ",\"cause\":{\"stack\":");
    fx_write_integer(writer, marker->stack - 1);
    fx_write(writer, "}");
  }
  for (uint32_t i = 0; i < type->field_count; i++) {
    const fx_field *field = &profile->fields.rows[type->first_field + i];
    fx_write(writer, ",");
    fx_write_string(writer, fx_text(profile, field->key));
    fx_write(writer, ":");
    write_field(writer, profile, field->format,
                thread->marker_values.rows[marker->first_value + i]);
  }
  fx_write(writer, "}");
}

static void write_markers(fx_writer *writer, const fxprof_profile *profile,
                          const fx_thread *thread) {
  begin_table(writer, ",\"markers\":", thread->markers.count);
  COLUMN(writer, "category", &thread->markers, fx_marker, fx_print_integer(to, row->category));
  fx_begin_column(writer, "data");
  for (uint32_t i = 0; i < thread->markers.count && !writer->has_failed; i++) {
    fx_write(writer, i ? "," : "[");
    write_marker_data(writer, profile, thread, &thread->markers.rows[i]);
  }
  fx_end_column(writer, thread->markers.count);
  COLUMN(writer, "endTime", &thread->markers, fx_marker, fx_print_ms(to, row->end));
  COLUMN(writer, "name", &thread->markers, fx_marker, fx_print_integer(to, row->name));
  COLUMN(writer, "phase", &thread->markers, fx_marker, fx_print_integer(to, row->phase));
  COLUMN(writer, "startTime", &thread->markers, fx_marker, fx_print_ms(to, row->start));
  fx_write(writer, "}");
}

// The thread --------------------------------------------------------------------------------------

static void write_time_or_null(fx_writer *writer, bool has_time, uint64_t ns) {
  if (has_time) fx_write_ms(writer, ns);
  else fx_write(writer, "null");
}

static void write_name(fx_writer *writer, const fxprof_profile *profile, const fx_thread *thread,
                       const fx_process *process) {
  fx_write(writer, ",\"name\":");
  if (thread->is_main) {
    fx_write_string(writer, fx_text(profile, process->name));
  } else if (thread->name != FX_NONE) {
    fx_write_string(writer, fx_text(profile, thread->name));
  } else {
    fxprof_text tid = fx_text(profile, thread->tid);
    fx_write(writer, "\"Thread <");
    char *to = fx_room(writer, tid.length);  // digits and a point
    memcpy(to, tid.bytes, tid.length);
    fx_wrote(writer, to + tid.length);
    fx_write(writer, ">\"");
  }
}

void fx_write_thread(fx_writer *writer, const fxprof_profile *profile, fx_thread *thread) {
  const fx_process *process = &profile->processes.rows[thread->process];
  fx_write(writer, "{");
  write_frames(writer, thread);
  write_functions(writer, thread);
  write_markers(writer, profile, thread);
  write_name(writer, profile, thread, process);
  fx_write(writer, ",\"isMainThread\":");
  fx_write_bool(writer, thread->is_main);
  write_symbols(writer, profile, thread);
  fx_write(writer, ",\"pausedRanges\":[],\"pid\":");
  fx_write_string(writer, fx_text(profile, process->pid));
  fx_write(writer, ",\"processName\":");
  fx_write_string(writer, fx_text(profile, process->name));
  fx_write(writer, ",\"processShutdownTime\":");
  write_time_or_null(writer, process->has_end, process->end);
  fx_write(writer, ",\"processStartupTime\":");
  fx_write_ms(writer, process->start);
  fx_write(writer, ",\"processType\":\"default\",\"registerTime\":");
  fx_write_ms(writer, thread->start);
  write_resources(writer, profile, thread);
  write_samples(writer, thread);
  write_allocations(writer, thread);
  write_stacks(writer, thread);
  fx_begin_column(writer, "stringArray");
  for (uint32_t i = 0; i < thread->strings.count && !writer->has_failed; i++) {
    fx_write(writer, i ? "," : "[");
    fx_write_string(writer, fx_text(profile, thread->strings.rows[i]));
  }
  fx_end_column(writer, thread->strings.count);
  fx_write(writer, ",\"tid\":");
  fx_write_string(writer, fx_text(profile, thread->tid));
  fx_write(writer, ",\"unregisterTime\":");
  write_time_or_null(writer, thread->has_end, thread->end);
  fx_write(writer, ",\"showMarkersInTimeline\":");
  fx_write_bool(writer, thread->shows_markers);
  fx_write(writer, "}");
}
