// Writes the document. Nothing is allocated: what must be sorted is sorted in place.
#include "document.h"

#include "sort.h"

// Order -------------------------------------------------------------------------------------------

static bool is_earlier(const void *context, const void *a, const void *b) {
  (void)context;
  return *(const uint64_t *)a < *(const uint64_t *)b;
}

void fx_sort_by_time(void *rows, uint32_t count, size_t size) {
  if (count) fx_sort(rows, count, size, is_earlier, NULL);
}

static int compare_times(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int compare_processes(const fxprof_profile *profile, uint32_t left, uint32_t right) {
  const fx_process *a = &profile->processes.rows[left], *b = &profile->processes.rows[right];
  int order = compare_times(a->start, b->start);
  if (!order) order = fx_text_compare(fx_text(profile, a->pid), fx_text(profile, b->pid));
  return order;
}

static bool thread_is_before(const void *context, const void *left, const void *right) {
  const fxprof_profile *profile = context;
  uint32_t first = *(const uint32_t *)left, second = *(const uint32_t *)right;
  const fx_thread *a = &profile->threads.rows[first], *b = &profile->threads.rows[second];
  int order = 0;
  if (a->process != b->process) order = compare_processes(profile, a->process, b->process);
  if (!order) order = b->is_main - a->is_main;
  if (!order) order = compare_times(a->start, b->start);
  if (!order && a->name != b->name) {
    fxprof_text none = {"", 0};  // a name, even an empty one, comes after none
    order = (a->name != FX_NONE) - (b->name != FX_NONE);
    if (!order) {
      order = fx_text_compare(a->name == FX_NONE ? none : fx_text(profile, a->name),
                              b->name == FX_NONE ? none : fx_text(profile, b->name));
    }
  }
  if (!order) order = fx_text_compare(fx_text(profile, a->tid), fx_text(profile, b->tid));
  return order ? order < 0 : first < second;
}

static void sort_threads(fxprof_profile *profile) {
  uint32_t *order = profile->order.rows;
  if (!profile->order.count) return;
  fx_sort(order, profile->order.count, sizeof *order, thread_is_before, profile);
  for (uint32_t i = profile->order.count; i-- > 0;) {
    fx_thread *thread = &profile->threads.rows[order[i]];
    thread->rank = i;
    profile->processes.rows[thread->process].first_rank = i;
  }
}

// Libraries and counters --------------------------------------------------------------------------

static void write_member(fx_writer *writer, const fxprof_profile *profile, const char *begin,
                         uint32_t text) {
  fx_write(writer, begin);
  if (text == FX_NONE) fx_write(writer, "null");
  else fx_write_string(writer, fx_text(profile, text));
}

static void write_libraries(fx_writer *writer, const fxprof_profile *profile) {
  fx_write(writer, ",\"libs\":[");
  for (uint32_t i = 0; i < profile->used_libraries.count; i++) {
    const fx_library *row = &profile->libraries.rows[profile->used_libraries.rows[i]];
    char id[FXPROF_DEBUG_ID_ROOM];
    fxprof_debug_id_print(&row->debug_id, id);
    write_member(writer, profile, i ? ",{\"name\":" : "{\"name\":", row->name);
    write_member(writer, profile, ",\"path\":", row->path);
    write_member(writer, profile, ",\"debugName\":", row->debug_name);
    write_member(writer, profile, ",\"debugPath\":", row->debug_path);
    fx_write(writer, ",\"breakpadId\":\"");
    fx_write(writer, id);
    write_member(writer, profile, "\",\"codeId\":", row->code_id);
    write_member(writer, profile, ",\"arch\":", row->arch);
    fx_write(writer, "}");
  }
  fx_write(writer, "]");
}

static void write_counter_samples(fx_writer *writer, fx_counter *counter) {
  fx_counter_sample *rows = counter->samples.rows;
  uint32_t count = counter->samples.count;
  fx_sort_by_time(rows, count, sizeof *rows);
  fx_write(writer, "{\"length\":");
  fx_write_integer(writer, count);
  fx_begin_column(writer, "count");
  for (uint32_t i = 0; i < count && !writer->has_failed; i++) {
    fx_wrote(writer, fx_print_double(fx_element(writer, i), rows[i].value));
  }
  fx_end_column(writer, count);
  fx_begin_column(writer, "number");
  for (uint32_t i = 0; i < count && !writer->has_failed; i++) {
    fx_wrote(writer, fx_print_integer(fx_element(writer, i), rows[i].operations));
  }
  fx_end_column(writer, count);
  fx_begin_column(writer, "timeDeltas");
  for (uint32_t i = 0; i < count && !writer->has_failed; i++) {
    uint64_t delta = rows[i].time - (i ? rows[i - 1].time : 0);
    fx_wrote(writer, fx_print_ms(fx_element(writer, i), delta));
  }
  fx_end_column(writer, count);
  fx_write(writer, "}");
}

static void write_counters(fx_writer *writer, fxprof_profile *profile) {
  static const char *const colors[] = {"",        "blue",   "green",  "grey", "ink",   "magenta",
                                       "orange",  "purple", "red",    "teal", "yellow"};
  fx_write(writer, ",\"counters\":[");
  for (uint32_t i = 0, written = 0; i < profile->counters.count; i++) {
    fx_counter *row = &profile->counters.rows[i];
    const fx_process *process = &profile->processes.rows[row->process];
    // It has to be shown with some thread.
    if (process->first_thread == FX_NONE) continue;
    write_member(writer, profile, written++ ? ",{\"category\":" : "{\"category\":",
                 row->category);
    write_member(writer, profile, ",\"name\":", row->name);
    write_member(writer, profile, ",\"description\":", row->description);
    fx_write(writer, ",\"mainThreadIndex\":");
    fx_write_integer(writer, process->first_rank);
    write_member(writer, profile, ",\"pid\":", process->pid);
    fx_write(writer, ",\"samples\":");
    write_counter_samples(writer, row);
    if (row->color != FXPROF_GRAPH_NO_COLOR) {
      fx_write(writer, ",\"color\":\"");
      fx_write(writer, colors[row->color]);
      fx_write(writer, "\"");
    }
    fx_write(writer, "}");
  }
  fx_write(writer, "]");
}

// The document ------------------------------------------------------------------------------------

fxprof_status fxprof_write(fxprof_profile *profile, fxprof_write_function write, void *context) {
  fx_writer writer;
  writer.write = write;
  writer.context = context;
  writer.has_failed = false;
  writer.used = 0;
  sort_threads(profile);
  fx_write(&writer, "{\"meta\":");
  fx_write_meta(&writer, profile);
  write_libraries(&writer, profile);
  fx_write(&writer, ",\"threads\":[");
  for (uint32_t i = 0; i < profile->order.count && !writer.has_failed; i++) {
    if (i) fx_write(&writer, ",");
    fx_write_thread(&writer, profile, &profile->threads.rows[profile->order.rows[i]]);
  }
  fx_write(&writer, "],\"pages\":[],\"profilerOverhead\":[]");
  write_counters(&writer, profile);
  fx_write(&writer, "}");
  fx_flush(&writer);
  return writer.has_failed ? FXPROF_OUTPUT_FAILED : FXPROF_OK;
}
