#include <string.h>

#include "profile.h"

// Types -------------------------------------------------------------------------------------------

static bool is_text(fxprof_text text, const char *expected) {
  return text.length == strlen(expected) && memcmp(text.bytes, expected, text.length) == 0;
}

static fxprof_status intern_fields(fxprof_profile *profile, const fxprof_schema *schema,
                                   fx_field *rows) {
  for (uint32_t i = 0; i < schema->field_count; i++) {
    const fxprof_field *field = &schema->fields[i];
    if (field->format > FXPROF_FORMAT_DECIMAL || field->flags > FXPROF_IS_SEARCHABLE) {
      return FXPROF_INVALID_ARGUMENT;
    }
    FX_TRY(fx_intern(profile, field->key, &rows[i].key));
    FX_TRY(fx_intern(profile, field->label, &rows[i].label));
    rows[i].format = (uint8_t)field->format;
    rows[i].flags = (uint8_t)field->flags;
    // The data of a marker has these for itself, and each key once.
    fxprof_text key = fx_text(profile, rows[i].key);
    if (is_text(key, "type") || is_text(key, "cause")) return FXPROF_INVALID_ARGUMENT;
    for (uint32_t j = 0; j < i; j++) {
      if (rows[j].key == rows[i].key) return FXPROF_INVALID_ARGUMENT;
    }
  }
  return FXPROF_OK;
}

static fxprof_status intern_graphs(fxprof_profile *profile, const fxprof_schema *schema,
                                   fx_graph *rows) {
  for (uint32_t i = 0; i < schema->graph_count; i++) {
    const fxprof_graph *graph = &schema->graphs[i];
    if (graph->type > FXPROF_LINE_FILLED || graph->color > FXPROF_GRAPH_YELLOW) {
      return FXPROF_INVALID_ARGUMENT;
    }
    FX_TRY(fx_intern(profile, graph->key, &rows[i].key));
    rows[i].type = (uint8_t)graph->type;
    rows[i].color = (uint8_t)graph->color;
  }
  return FXPROF_OK;
}

// Where a type of this name goes: after those of the same one.
static uint32_t sorted_position(const fxprof_profile *profile, fxprof_text name) {
  uint32_t begin = 0, end = profile->sorted_types.count;
  while (begin < end) {
    uint32_t middle = begin + (end - begin) / 2;
    uint32_t type = profile->sorted_types.rows[middle];
    fxprof_text other = fx_text(profile, profile->marker_types.rows[type].name);
    if (fx_text_compare(other, name) <= 0) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

fxprof_status fxprof_register_marker_type(fxprof_profile *profile, const fxprof_schema *schema,
                                          fxprof_marker_type *type) {
  if (schema->locations > 2 * FXPROF_TIMELINE_FILEIO - 1) return FXPROF_INVALID_ARGUMENT;
  fx_marker_type row = {.first_field = profile->fields.count,
                        .field_count = schema->field_count,
                        .first_graph = profile->graphs.count,
                        .graph_count = schema->graph_count,
                        .locations = (uint8_t)schema->locations};
  FX_TRY(fx_intern(profile, schema->name, &row.name));
  FX_TRY(fx_intern_optional(profile, schema->description, &row.description));
  FX_TRY(fx_intern_optional(profile, schema->chart_label, &row.chart_label));
  FX_TRY(fx_intern_optional(profile, schema->tooltip_label, &row.tooltip_label));
  FX_TRY(fx_intern_optional(profile, schema->table_label, &row.table_label));
  FX_TRY(FX_RESERVE(&profile->memory, &profile->fields, schema->field_count));
  FX_TRY(FX_RESERVE(&profile->memory, &profile->graphs, schema->graph_count));
  FX_TRY(FX_RESERVE(&profile->memory, &profile->marker_types, 1));
  FX_TRY(FX_RESERVE(&profile->memory, &profile->sorted_types, 1));
  // Behind the rows that count, until everything has come so far.
  if (schema->field_count) {
    FX_TRY(intern_fields(profile, schema, profile->fields.rows + profile->fields.count));
  }
  if (schema->graph_count) {
    FX_TRY(intern_graphs(profile, schema, profile->graphs.rows + profile->graphs.count));
  }
  uint32_t number = profile->marker_types.count;
  uint32_t position = sorted_position(profile, fx_text(profile, row.name));
  uint32_t *sorted = profile->sorted_types.rows;
  memmove(sorted + position + 1, sorted + position,
          (profile->sorted_types.count - position) * sizeof *sorted);
  sorted[position] = number;
  profile->sorted_types.count++;
  profile->fields.count += schema->field_count;
  profile->graphs.count += schema->graph_count;
  FX_PUSH(&profile->marker_types, row);
  type->id = number + 1;
  return FXPROF_OK;
}

// The static type of a schema's name; *type is none if there is none yet.
static fxprof_status find_static(fxprof_profile *profile, const fxprof_schema *schema,
                                 uint32_t *hash, fxprof_marker_type *type) {
  uint32_t name;
  FX_TRY(fx_intern(profile, schema->name, &name));
  *hash = fx_hash_pair(profile->secret, name, 0);
  const fx_index *index = &profile->static_types;
  type->id = 0;
  for (uint32_t at = *hash, row; (row = fx_index_next(index, *hash, &at)) != FX_NONE;) {
    if (profile->marker_types.rows[row].name == name) type->id = row + 1;
  }
  return FXPROF_OK;
}

static fxprof_status register_static(fxprof_profile *profile, const fxprof_schema *schema,
                                     uint32_t hash, fxprof_marker_type *type) {
  FX_TRY(fx_index_reserve(&profile->memory, &profile->static_types, 1));
  FX_TRY(fxprof_register_marker_type(profile, schema, type));
  fx_index_put(&profile->static_types, hash, type->id - 1);
  return FXPROF_OK;
}

fxprof_status fxprof_static_marker_type(fxprof_profile *profile, const fxprof_schema *schema,
                                        fxprof_marker_type *type) {
  fxprof_marker_type found;
  uint32_t hash;
  FX_TRY(find_static(profile, schema, &hash, &found));
  if (!found.id) FX_TRY(register_static(profile, schema, hash, &found));
  *type = found;
  return FXPROF_OK;
}

// Markers -----------------------------------------------------------------------------------------

// What is the same for every type.
static fxprof_status check_marker(const fxprof_profile *profile, fxprof_thread thread,
                                  fxprof_timing timing, fxprof_string name,
                                  fxprof_category category, const fxprof_value *values,
                                  uint32_t count) {
  FX_CHECK(&profile->threads, thread);
  FX_CHECK(&profile->strings.entries, name);
  FX_TRY(fx_check_category(profile, fxprof_pair_of(category)));
  if (timing.phase > FXPROF_INTERVAL_END) return FXPROF_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < count; i++) {
    if (values[i].is_string) FX_CHECK(&profile->strings.entries, values[i].string);
  }
  return FXPROF_OK;
}

static bool format_is_string(uint32_t format) { return format <= FXPROF_FORMAT_UNIQUE_STRING; }

// Makes room for the marker and its strings, so that the rest cannot fail.
static fxprof_status reserve_marker(fxprof_profile *profile, fx_thread *thread, uint32_t count) {
  const fx_memory *memory = &profile->memory;
  if (count == UINT32_MAX) return FXPROF_OVERFLOW;
  FX_TRY(FX_RESERVE(memory, &thread->strings, count + 1));
  FX_TRY(fx_index_reserve(memory, &thread->string_index, count + 1));
  FX_TRY(FX_RESERVE(memory, &thread->marker_values, count));
  return FX_RESERVE(memory, &thread->markers, 1);
}

// Everything is checked and has room.
static void put_marker(fxprof_profile *profile, fxprof_thread handle, fxprof_timing timing,
                       fxprof_marker_type type, fxprof_string name, fxprof_category category,
                       const fxprof_value *values, fxprof_marker *marker) {
  fx_thread *thread = &profile->threads.rows[handle.id - 1];
  const fx_marker_type *type_row = &profile->marker_types.rows[type.id - 1];
  fx_marker row = {.type = type.id - 1,
                   .category = category.index,
                   .first_value = thread->marker_values.count,
                   .phase = (uint8_t)timing.phase};
  if (timing.phase != FXPROF_INTERVAL_END) row.start = timing.start.ns;
  if (timing.phase == FXPROF_INTERVAL || timing.phase == FXPROF_INTERVAL_END) {
    row.end = timing.end.ns;
  }
  fx_thread_string(profile, thread, name.id - 1, &row.name);
  for (uint32_t i = 0; i < type_row->field_count; i++) {
    uint32_t format = profile->fields.rows[type_row->first_field + i].format;
    uint32_t string = values[i].string.id - 1;
    uint64_t bits = string;
    if (format == FXPROF_FORMAT_UNIQUE_STRING) {
      fx_thread_string(profile, thread, string, &string);
      bits = string;
    } else if (!format_is_string(format)) {
      memcpy(&bits, &values[i].number, sizeof bits);
    }
    FX_PUSH(&thread->marker_values, bits);
  }
  FX_PUSH(&thread->markers, row);
  *marker = (fxprof_marker){handle.id, thread->markers.count};
}

fxprof_status fxprof_add_marker(fxprof_profile *profile, fxprof_thread thread, fxprof_timing timing,
                                fxprof_marker_type type, fxprof_string name,
                                fxprof_category category, const fxprof_value *values,
                                uint32_t count, fxprof_marker *marker) {
  FX_TRY(check_marker(profile, thread, timing, name, category, values, count));
  FX_CHECK(&profile->marker_types, type);
  const fx_marker_type *row = &profile->marker_types.rows[type.id - 1];
  if (count != row->field_count) return FXPROF_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t format = profile->fields.rows[row->first_field + i].format;
    if (values[i].is_string != format_is_string(format)) return FXPROF_INVALID_ARGUMENT;
  }
  FX_TRY(reserve_marker(profile, &profile->threads.rows[thread.id - 1], count));
  put_marker(profile, thread, timing, type, name, category, values, marker);
  return FXPROF_OK;
}

fxprof_status fxprof_add_static_marker(fxprof_profile *profile, fxprof_thread thread,
                                       fxprof_timing timing, const fxprof_schema *schema,
                                       fxprof_string name, fxprof_category category,
                                       const fxprof_value *values, uint32_t count,
                                       fxprof_marker *marker) {
  fxprof_marker_type type;
  uint32_t hash;
  FX_TRY(find_static(profile, schema, &hash, &type));
  if (type.id) {
    return fxprof_add_marker(profile, thread, timing, type, name, category, values, count, marker);
  }
  FX_TRY(check_marker(profile, thread, timing, name, category, values, count));
  if (count != schema->field_count) return FXPROF_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < count; i++) {
    if (values[i].is_string != format_is_string(schema->fields[i].format)) {
      return FXPROF_INVALID_ARGUMENT;
    }
  }
  FX_TRY(reserve_marker(profile, &profile->threads.rows[thread.id - 1], count));
  FX_TRY(register_static(profile, schema, hash, &type));
  put_marker(profile, thread, timing, type, name, category, values, marker);
  return FXPROF_OK;
}

fxprof_status fxprof_set_marker_stack(fxprof_profile *profile, fxprof_thread thread,
                                      fxprof_marker marker, fxprof_stack stack) {
  FX_CHECK(&profile->threads, thread);
  fx_thread *row = &profile->threads.rows[thread.id - 1];
  FX_TRY(fx_check_owner(profile, thread, marker.thread, marker.id, row->markers.count));
  FX_TRY(fx_check_stack(profile, thread, stack));
  row->markers.rows[marker.id - 1].stack = stack.id;
  return FXPROF_OK;
}
