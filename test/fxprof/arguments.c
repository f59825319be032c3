#include "arguments.h"

#include <stdlib.h>
#include <string.h>

static const char *const graph_colors[] = {"blue",   "green",  "grey", "ink",  "magenta", "orange",
                                           "purple", "red",    "teal", "yellow", NULL};
static const char *const graph_types[] = {"bar", "line", "line-filled", NULL};
static const char *const locations[] = {"marker-chart",    "marker-table", "timeline-overview",
                                        "timeline-memory", "timeline-ipc", "timeline-fileio", NULL};
static const char *const formats[] = {
    "url",         "file-path",  "sanitized-string", "unique-string", "duration",
    "time",        "seconds",    "milliseconds",     "microseconds",  "nanoseconds",
    "bytes",       "percentage", "integer",          "decimal",       NULL};
static const char *const phases[] = {"instant", "interval", "interval_start", "interval_end"};

// Kinds of frames by the keys of their addresses.
static const char *const addresses[] = {
    "ip", "return_address", "adjusted_return_address",
    "relative_ip", "relative_return_address", "relative_adjusted_return_address"};

static void *take(size_t count, size_t size) {
  void *block = calloc(count ? count : 1, size);
  if (!block) abort();
  return block;
}

static variable find_variable(const script *s, const json *name) {
  if (name && name->type == JSON_STRING) {
    for (size_t i = s->variable_count; i-- > 0;) {
      if (strcmp(s->variables[i].name, name->text) == 0) return s->variables[i];
    }
  }
  return (variable){0};
}

variable get_variable(const script *s, const json *args, const char *key) {
  return find_variable(s, json_member(args, key));
}

static fxprof_text text_of(const json *value) {
  fxprof_text text = {NULL, 0};
  if (value && value->type == JSON_STRING) text = (fxprof_text){value->text, value->length};
  return text;
}

fxprof_text get_text(const json *args, const char *key) { return text_of(json_member(args, key)); }

bool get_bool(const json *args, const char *key) {
  const json *value = json_member(args, key);
  return value && value->type == JSON_TRUE;
}

double get_double(const json *value) {
  return value && value->text ? strtod(value->text, NULL) : 0;
}

uint64_t get_u64(const json *value) {
  if (!value || !value->text) return 0;
  return strtoull(value->text, NULL, strncmp(value->text, "0x", 2) == 0 ? 16 : 10);
}

int64_t get_i64(const json *value) {
  return value && value->text ? strtoll(value->text, NULL, 10) : 0;
}

unsigned find_word(const char *const *words, const json *word) {
  unsigned i = 0;
  while (words[i] && !(word && word->text && strcmp(words[i], word->text) == 0)) i++;
  return i;
}

fxprof_time get_time(const json *value) {
  const json *ms = json_member(value, "ms");
  return ms ? fxprof_time_from_ms(get_double(ms)) : (fxprof_time){get_u64(value)};
}

fxprof_cpu get_cpu(const json *value) {
  const json *ns = json_member(value, "ns"), *ms = json_member(value, "ms");
  if (ns) return fxprof_cpu_from_ns(get_u64(ns));
  return ms ? fxprof_cpu_from_ms(get_double(ms)) : (fxprof_cpu){get_u64(value), false};
}

fxprof_reference get_reference(const json *value) {
  const json *ms = json_member(value, "ms");
  if (ms) return (fxprof_reference){get_double(ms)};
  return fxprof_reference_from_seconds(get_u64(json_member(value, "secs")),
                                       (uint32_t)get_u64(json_member(value, "nanos")));
}

fxprof_status get_interval(const json *value, fxprof_interval *interval) {
  const json *ms = json_member(value, "ms"), *hz = json_member(value, "hz");
  if (hz) return fxprof_interval_from_hz((float)get_double(hz), interval);
  if (ms) return fxprof_interval_from_ms(get_u64(ms), interval);
  interval->ns = get_u64(json_member(value, "ns"));
  return FXPROF_OK;
}

fxprof_timing get_timing(const json *value) {
  fxprof_timing timing = {FXPROF_INSTANT, {0}, {0}};
  for (unsigned i = 0; i < 4; i++) {
    const json *time = json_member(value, phases[i]);
    if (!time) continue;
    timing.phase = (fxprof_phase)i;
    if (i == FXPROF_INTERVAL) {
      timing.start = get_time(time->first);
      timing.end = get_time(time->first->next);
    } else if (i == FXPROF_INTERVAL_END) {
      timing.end = get_time(time);
    } else {
      timing.start = get_time(time);
    }
  }
  return timing;
}

fxprof_graph_color get_graph_color(const json *value) {
  if (!value || value->type == JSON_NULL) return FXPROF_GRAPH_NO_COLOR;
  return (fxprof_graph_color)(find_word(graph_colors, value) + 1);
}

fxprof_symbols get_symbols(const json *value) {
  fxprof_symbol *rows = take(value->count, sizeof *rows), *row = rows;
  for (const json *symbol = value->first; symbol; symbol = symbol->next, row++) {
    const json *size = json_member(symbol, "size");
    row->address = (uint32_t)get_u64(json_member(symbol, "address"));
    row->has_size = size && size->type == JSON_NUMBER;
    row->size = (uint32_t)get_u64(size);
    row->name = get_text(symbol, "name");
  }
  return (fxprof_symbols){rows, (uint32_t)value->count};
}

fxprof_status get_library(const json *value, fxprof_library_info *info) {
  const json *table = json_member(value, "symbol_table");
  *info = (fxprof_library_info){.name = get_text(value, "name"),
                                .debug_name = get_text(value, "debug_name"),
                                .path = get_text(value, "path"),
                                .debug_path = get_text(value, "debug_path"),
                                .code_id = get_text(value, "code_id"),
                                .arch = get_text(value, "arch")};
  if (table && table->type == JSON_ARRAY) {
    fxprof_symbols *symbols = take(1, sizeof *symbols);
    *symbols = get_symbols(table);
    info->symbols = symbols;
  }
  return fxprof_debug_id_parse(get_text(value, "debug_id"), &info->debug_id);
}

fxprof_frame_info get_frame(const script *s, const json *value) {
  variable label = get_variable(s, value, "label"), library = get_variable(s, value, "lib");
  variable category = get_variable(s, value, json_member(value, "category") ? "category"
                                                                            : "subcategory");
  fxprof_frame_info info = {
      .label = {label.a}, .library = {library.a}, .category = {category.a, category.b}};
  for (unsigned i = 0; i < sizeof addresses / sizeof *addresses; i++) {
    const json *address = json_member(value, addresses[i]);
    if (!address) continue;
    info.kind = (fxprof_frame_kind)(FXPROF_INSTRUCTION_POINTER + i);
    info.address = get_u64(address);
  }
  const json *flags = json_member(value, "flags");
  for (const json *flag = flags ? flags->first : NULL; flag; flag = flag->next) {
    info.flags |= strcmp(flag->text, "is_js") == 0 ? FXPROF_IS_JS : FXPROF_IS_RELEVANT_FOR_JS;
  }
  return info;
}

fxprof_schema get_schema(const json *value) {
  const json *fields = json_member(value, "fields"), *graphs = json_member(value, "graphs");
  const json *display = json_member(value, "display");
  fxprof_field *field = take(fields->count, sizeof *field);
  fxprof_graph *graph = take(graphs->count, sizeof *graph);
  fxprof_schema schema = {.name = get_text(value, "name"),
                          .description = get_text(value, "description"),
                          .chart_label = get_text(value, "chart_label"),
                          .tooltip_label = get_text(value, "tooltip_label"),
                          .table_label = get_text(value, "table_label"),
                          .fields = field,
                          .field_count = (uint32_t)fields->count,
                          .graphs = graph,
                          .graph_count = (uint32_t)graphs->count};
  for (const json *word = display->first; word; word = word->next) {
    schema.locations |= 1u << find_word(locations, word);
  }
  for (const json *row = fields->first; row; row = row->next, field++) {
    field->key = get_text(row, "key");
    field->label = get_text(row, "label");
    field->format = (fxprof_format)find_word(formats, json_member(row, "format"));
    field->flags = get_bool(row, "searchable") ? FXPROF_IS_SEARCHABLE : 0;
  }
  for (const json *row = graphs->first; row; row = row->next, graph++) {
    graph->key = get_text(row, "key");
    graph->type = (fxprof_graph_type)find_word(graph_types, json_member(row, "type"));
    graph->color = get_graph_color(json_member(row, "color"));
  }
  return schema;
}

const fxprof_value *get_values(const script *s, const json *value) {
  fxprof_value *values = take(value->count, sizeof *values), *to = values;
  for (const json *item = value->first; item; item = item->next, to++) {
    to->is_string = item->type == JSON_STRING && item->text[0] == '$';
    if (to->is_string) to->string.id = find_variable(s, item).a;
    else to->number = get_double(item);
  }
  return values;
}
