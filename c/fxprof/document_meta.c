#include "document.h"

static const char *const category_colors[] = {
    "transparent", "lightblue", "red",   "lightred", "orange",     "blue", "green",
    "purple",      "yellow",    "brown", "magenta",  "lightgreen", "grey", "darkgray"};

static const char *const graph_colors[] = {"",       "blue",   "green", "grey", "ink",   "magenta",
                                           "orange", "purple", "red",   "teal", "yellow"};

static const char *const graph_types[] = {"bar", "line", "line-filled"};

static const char *const locations[] = {"marker-chart",    "marker-table", "timeline-overview",
                                        "timeline-memory", "timeline-ipc", "timeline-fileio"};

static const char *const formats[] = {
    "url",          "file-path",    "sanitized-string", "unique-string", "duration",
    "time",         "seconds",      "milliseconds",     "microseconds",  "nanoseconds",
    "bytes",        "percentage",   "integer",          "decimal"};

static void write_word(fx_writer *writer, const char *begin, const char *word) {
  fx_write(writer, begin);
  fx_write(writer, word);
  fx_write(writer, "\"");
}

static void write_text(fx_writer *writer, const fxprof_profile *profile, const char *begin,
                       uint32_t text) {
  fx_write(writer, begin);
  fx_write_string(writer, fx_text(profile, text));
}

static void write_optional(fx_writer *writer, const fxprof_profile *profile, const char *begin,
                           uint32_t text) {
  if (text != FX_NONE) write_text(writer, profile, begin, text);
}

static void write_categories(fx_writer *writer, const fxprof_profile *profile) {
  fx_write(writer, "{\"categories\":[");
  for (uint32_t i = 0; i < profile->categories.count; i++) {
    const fx_category *row = &profile->categories.rows[i];
    write_text(writer, profile, i ? ",{\"name\":" : "{\"name\":", row->name);
    write_word(writer, ",\"color\":\"", category_colors[row->color]);
    fx_write(writer, ",\"subcategories\":[");
    for (uint32_t j = 0; j < row->subcategories.count; j++) {
      write_text(writer, profile, j ? "," : "", row->subcategories.rows[j]);
    }
    fx_write(writer, "]}");
  }
  fx_write(writer, "]");
}

static void write_field(fx_writer *writer, const fxprof_profile *profile, const fx_field *field) {
  write_text(writer, profile, "{\"key\":", field->key);
  if (fx_text(profile, field->label).length) {
    write_text(writer, profile, ",\"label\":", field->label);
  }
  write_word(writer, ",\"format\":\"", formats[field->format]);
  if (field->flags & FXPROF_IS_SEARCHABLE) fx_write(writer, ",\"searchable\":true");
  fx_write(writer, "}");
}

static void write_graph(fx_writer *writer, const fxprof_profile *profile, const fx_graph *graph) {
  write_text(writer, profile, "{\"key\":", graph->key);
  write_word(writer, ",\"type\":\"", graph_types[graph->type]);
  if (graph->color) write_word(writer, ",\"color\":\"", graph_colors[graph->color]);
  fx_write(writer, "}");
}

static void write_schema(fx_writer *writer, const fxprof_profile *profile,
                         const fx_marker_type *type) {
  write_text(writer, profile, "{\"name\":", type->name);
  fx_write(writer, ",\"display\":[");
  for (uint32_t i = 0, written = 0; i < 6; i++) {
    if (type->locations >> i & 1) write_word(writer, written++ ? ",\"" : "\"", locations[i]);
  }
  fx_write(writer, "]");
  write_optional(writer, profile, ",\"chartLabel\":", type->chart_label);
  write_optional(writer, profile, ",\"tooltipLabel\":", type->tooltip_label);
  write_optional(writer, profile, ",\"tableLabel\":", type->table_label);
  write_optional(writer, profile, ",\"description\":", type->description);
  fx_write(writer, ",\"fields\":[");
  for (uint32_t i = 0; i < type->field_count; i++) {
    if (i) fx_write(writer, ",");
    write_field(writer, profile, &profile->fields.rows[type->first_field + i]);
  }
  fx_write(writer, "]");
  for (uint32_t i = 0; i < type->graph_count; i++) {
    fx_write(writer, i ? "," : ",\"graphs\":[");
    write_graph(writer, profile, &profile->graphs.rows[type->first_graph + i]);
  }
  fx_write(writer, type->graph_count ? "]}" : "}");
}

static bool has_js(const fxprof_profile *profile) {
  for (uint32_t i = 0; i < profile->threads.count; i++) {
    const fx_thread *thread = &profile->threads.rows[i];
    for (uint32_t j = 0; j < thread->functions.count; j++) {
      if (thread->functions.rows[j].flags) return true;
    }
  }
  return false;
}

static void write_threads(fx_writer *writer, const fxprof_profile *profile, const char *name,
                          const fx_u32_list *threads) {
  if (!threads->count) return;
  fx_begin_column(writer, name);
  for (uint32_t i = 0; i < threads->count; i++) {
    uint32_t rank = profile->threads.rows[threads->rows[i]].rank;
    fx_wrote(writer, fx_print_integer(fx_element(writer, i), rank));
  }
  fx_end_column(writer, threads->count);
}

void fx_write_meta(fx_writer *writer, const fxprof_profile *profile) {
  write_categories(writer, profile);
  fx_write(writer, ",\"debug\":false,"
                   "\"extensions\":{\"baseURL\":[],\"id\":[],\"length\":0,\"name\":[]},"
                   "\"interval\":");
  fx_write_double(writer, (double)profile->interval / 1e9 * 1000);
  fx_write(writer, ",\"preprocessedProfileVersion\":55,\"processType\":0");
  write_text(writer, profile, ",\"product\":", profile->product);
  write_optional(writer, profile, ",\"oscpu\":", profile->os_name);
  fx_write(writer, ",\"sampleUnits\":{\"eventDelay\":\"ms\",\"threadCPUDelta\":\"\xc2\xb5s\","
                   "\"time\":\"ms\"},\"startTime\":");
  fx_write_double(writer, profile->reference);
  fx_write(writer, ",\"symbolicated\":");
  fx_write_bool(writer, profile->is_symbolicated);
  fx_write(writer, ",\"pausedRanges\":[],\"version\":24,\"usesOnlyOneStackType\":");
  fx_write_bool(writer, !has_js(profile));
  fx_write(writer, ",\"sourceCodeIsNotOnSearchfox\":true,\"markerSchema\":[");
  for (uint32_t i = 0; i < profile->sorted_types.count; i++) {
    if (i) fx_write(writer, ",");
    write_schema(writer, profile, &profile->marker_types.rows[profile->sorted_types.rows[i]]);
  }
  fx_write(writer, "]");
  write_threads(writer, profile, "initialVisibleThreads", &profile->visible);
  write_threads(writer, profile, "initialSelectedThreads", &profile->selected);
  fx_write(writer, "}");
}
