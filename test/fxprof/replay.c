// Makes the calls of one call script (JSON, on standard input) and prints what came of them:
//
//   {"profile": the document, "errors": [{"call": number, "code": text}],
//    "values": {variable: value}, "handles": {variable: a text, equal for equal handles}}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "fxprof/writer.h"

static const char *const colors[] = {
    "transparent", "lightblue", "red",     "lightred",   "orange", "blue",     "green", "purple",
    "yellow",      "brown",     "magenta", "lightgreen", "grey",   "darkgray", NULL};
static const char *const weights[] = {"samples", "tracing-ms", "bytes", NULL};

static bool write_file(void *context, const void *bytes, size_t length) {
  return fwrite(bytes, 1, length, context) == length;
}

static fx_writer writer_to(FILE *file) {
  fx_writer writer = {.write = write_file, .context = file};
  return writer;
}

// Methods -----------------------------------------------------------------------------------------
//
// Each makes the call on profile `p` with `args`, and puts what it returns into `to`.

#define METHOD(name) \
  static fxprof_status name(script *s, fxprof_profile *p, const json *args, variable *to)
#define UNUSED (void)s, (void)p, (void)args, (void)to

#define ARG(key) json_member(args, key)
#define TEXT(key) get_text(args, key)
#define TIME(key) get_time(json_member(args, key))
#define U32(key) ((uint32_t)get_u64(json_member(args, key)))
#define U64(key) get_u64(json_member(args, key))
#define ONE(type, key) ((type){get_variable(s, args, key).a})
#define TWO(type, key) ((type){get_variable(s, args, key).a, get_variable(s, args, key).b})
#define PROCESS ONE(fxprof_process, "process")
#define THREAD ONE(fxprof_thread, "thread")
#define STACK TWO(fxprof_stack, "stack")

static fxprof_status give(variable *to, const char *kind, uint32_t a, uint32_t b,
                          fxprof_status status) {
  to->kind = kind;
  to->a = a;
  to->b = b;
  return status;
}

// Calls with one more argument for a handle, and gives it.
#define GIVE_ONE(kind, type, function, ...)                      \
  do {                                                           \
    type handle = {0};                                           \
    fxprof_status given = function(p, __VA_ARGS__, &handle);     \
    uint32_t ids[2] = {0};                                       \
    memcpy(ids, &handle, sizeof handle);                         \
    return give(to, kind, ids[0], ids[1], given);                \
  } while (0)

METHOD(new_profile) {
  (void)p, (void)to;
  fxprof_interval interval = {0};
  fxprof_status status = get_interval(ARG("interval"), &interval);
  if (status != FXPROF_OK) return status;
  return fxprof_new(TEXT("product"), get_reference(ARG("reference_timestamp")), interval, NULL, 1,
                    &s->profile);
}

METHOD(set_interval) {
  UNUSED;
  fxprof_interval interval = {0};
  fxprof_status status = get_interval(ARG("interval"), &interval);
  return status == FXPROF_OK ? fxprof_set_interval(p, interval) : status;
}

METHOD(set_reference_timestamp) {
  UNUSED;
  return fxprof_set_reference(p, get_reference(ARG("reference_timestamp")));
}

METHOD(set_product) { UNUSED; return fxprof_set_product(p, TEXT("product")); }
METHOD(set_os_name) { UNUSED; return fxprof_set_os_name(p, TEXT("os_name")); }
METHOD(set_symbolicated) {
  UNUSED;
  return fxprof_set_symbolicated(p, get_bool(args, "symbolicated"));
}

METHOD(add_category) {
  UNUSED;
  fxprof_color color = (fxprof_color)find_word(colors, ARG("color"));
  GIVE_ONE("category", fxprof_category, fxprof_add_category, TEXT("name"), color);
}
METHOD(add_subcategory) {
  GIVE_ONE("category", fxprof_category_pair, fxprof_add_subcategory,
           ONE(fxprof_category, "category"), TEXT("name"));
}

METHOD(add_process) {
  UNUSED;
  GIVE_ONE("process", fxprof_process, fxprof_add_process, TEXT("name"), U32("pid"),
           TIME("start_time"));
}
METHOD(set_process_start_time) {
  UNUSED;
  return fxprof_set_process_start(p, PROCESS, TIME("start_time"));
}
METHOD(set_process_end_time) {
  UNUSED;
  return fxprof_set_process_end(p, PROCESS, TIME("end_time"));
}
METHOD(set_process_name) { UNUSED; return fxprof_set_process_name(p, PROCESS, TEXT("name")); }

METHOD(add_thread) {
  GIVE_ONE("thread", fxprof_thread, fxprof_add_thread, PROCESS, U32("tid"), TIME("start_time"),
           get_bool(args, "is_main"));
}
METHOD(set_thread_name) { UNUSED; return fxprof_set_thread_name(p, THREAD, TEXT("name")); }
METHOD(set_thread_start_time) {
  UNUSED;
  return fxprof_set_thread_start(p, THREAD, TIME("start_time"));
}
METHOD(set_thread_end_time) { UNUSED; return fxprof_set_thread_end(p, THREAD, TIME("end_time")); }
METHOD(set_thread_tid) { UNUSED; return fxprof_set_thread_tid(p, THREAD, U32("tid")); }
METHOD(set_thread_show_markers_in_timeline) {
  UNUSED;
  return fxprof_set_thread_show_markers(p, THREAD, get_bool(args, "show"));
}
METHOD(set_thread_samples_weight_type) {
  UNUSED;
  return fxprof_set_thread_weight(p, THREAD, (fxprof_weight)find_word(weights, ARG("weight_type")));
}
METHOD(add_initial_visible_thread) { UNUSED; return fxprof_add_visible_thread(p, THREAD); }
METHOD(add_initial_selected_thread) { UNUSED; return fxprof_add_selected_thread(p, THREAD); }
METHOD(clear_initial_visible_threads) { UNUSED; return fxprof_clear_visible_threads(p); }
METHOD(clear_initial_selected_threads) { UNUSED; return fxprof_clear_selected_threads(p); }

METHOD(add_lib) {
  UNUSED;
  fxprof_library_info info;
  fxprof_status status = get_library(ARG("library"), &info);
  if (status != FXPROF_OK) return status;
  GIVE_ONE("library", fxprof_library, fxprof_add_library, &info);
}
METHOD(set_lib_symbol_table) {
  UNUSED;
  return fxprof_set_library_symbols(p, ONE(fxprof_library, "library"),
                                    get_symbols(ARG("symbol_table")));
}
METHOD(add_lib_mapping) {
  UNUSED;
  return fxprof_add_mapping(p, PROCESS, ONE(fxprof_library, "library"), U64("start_avma"),
                            U64("end_avma"), U32("relative_address_at_start"));
}
METHOD(remove_lib_mapping) { UNUSED; return fxprof_remove_mapping(p, PROCESS, U64("start_avma")); }
METHOD(clear_process_lib_mappings) { UNUSED; return fxprof_clear_mappings(p, PROCESS); }
METHOD(add_kernel_lib_mapping) {
  UNUSED;
  return fxprof_add_kernel_mapping(p, ONE(fxprof_library, "library"), U64("start_avma"),
                                   U64("end_avma"), U32("relative_address_at_start"));
}
METHOD(remove_kernel_lib_mapping) {
  UNUSED;
  return fxprof_remove_kernel_mapping(p, U64("start_avma"));
}

METHOD(intern_string) {
  UNUSED;
  GIVE_ONE("string", fxprof_string, fxprof_intern_string, TEXT("string"));
}
METHOD(intern_frame) {
  fxprof_frame_info info = get_frame(s, ARG("frame"));
  GIVE_ONE("frame", fxprof_frame, fxprof_intern_frame, THREAD, &info);
}
METHOD(intern_stack) {
  GIVE_ONE("stack", fxprof_stack, fxprof_intern_stack, THREAD, TWO(fxprof_stack, "parent"),
           TWO(fxprof_frame, "frame"));
}
METHOD(intern_stack_frames) {
  const json *frames = ARG("frames");
  fxprof_frame_info *infos = calloc(frames->count + 1, sizeof *infos), *info = infos;
  if (!infos) return FXPROF_NO_MEMORY;
  for (const json *frame = frames->first; frame; frame = frame->next) *info++ = get_frame(s, frame);
  fxprof_stack stack = {0};
  fxprof_status status = fxprof_intern_stack_frames(p, THREAD, infos, frames->count, &stack);
  free(infos);
  if (!stack.id) to->value = "null";
  return give(to, stack.id ? "stack" : NULL, stack.thread, stack.id, status);
}

METHOD(add_sample) {
  UNUSED;
  return fxprof_add_sample(p, THREAD, TIME("timestamp"), STACK, get_cpu(ARG("cpu_delta")),
                           (int32_t)get_i64(ARG("weight")));
}
METHOD(add_sample_same_stack_zero_cpu) {
  UNUSED;
  return fxprof_add_sample_same_stack_zero_cpu(p, THREAD, TIME("timestamp"),
                                               (int32_t)get_i64(ARG("weight")));
}
METHOD(add_allocation_sample) {
  UNUSED;
  return fxprof_add_allocation_sample(p, THREAD, TIME("timestamp"), STACK,
                                      U64("allocation_address"), get_i64(ARG("allocation_size")));
}

METHOD(register_marker_type) {
  UNUSED;
  fxprof_schema schema = get_schema(ARG("schema"));
  GIVE_ONE("type", fxprof_marker_type, fxprof_register_marker_type, &schema);
}
METHOD(static_schema_marker_type) {
  fxprof_schema schema = get_schema(json_member(s->static_schemas, ARG("static")->text));
  GIVE_ONE("type", fxprof_marker_type, fxprof_static_marker_type, &schema);
}
METHOD(add_marker) {
  const json *values = ARG("values"), *label = ARG("static");
  fxprof_string name = ONE(fxprof_string, "name");
  fxprof_category category = ONE(fxprof_category, "category");
  fxprof_timing timing = get_timing(ARG("timing"));
  const fxprof_value *row = get_values(s, values);
  uint32_t count = (uint32_t)values->count;
  if (!label) {
    GIVE_ONE("marker", fxprof_marker, fxprof_add_marker, THREAD, timing,
             ONE(fxprof_marker_type, "type"), name, category, row, count);
  }
  fxprof_schema schema = get_schema(json_member(s->static_schemas, label->text));
  GIVE_ONE("marker", fxprof_marker, fxprof_add_static_marker, THREAD, timing, &schema, name,
           category, row, count);
}
METHOD(set_marker_stack) {
  UNUSED;
  return fxprof_set_marker_stack(p, THREAD, TWO(fxprof_marker, "marker"), STACK);
}

METHOD(add_counter) {
  GIVE_ONE("counter", fxprof_counter, fxprof_add_counter, PROCESS, TEXT("name"), TEXT("category"),
           TEXT("description"));
}
METHOD(set_counter_color) {
  UNUSED;
  return fxprof_set_counter_color(p, ONE(fxprof_counter, "counter"), get_graph_color(ARG("color")));
}
METHOD(add_counter_sample) {
  UNUSED;
  return fxprof_add_counter_sample(p, ONE(fxprof_counter, "counter"), TIME("timestamp"),
                                   get_double(ARG("value_delta")),
                                   U32("number_of_operations_delta"));
}

// Methods that give values: as JSON ---------------------------------------------------------------

METHOD(get_string) {
  fxprof_text text;
  fxprof_status status = fxprof_get_string(p, ONE(fxprof_string, "handle"), &text);
  if (status != FXPROF_OK) return status;
  size_t size;
  FILE *file = open_memstream((char **)&to->value, &size);
  fx_writer writer = writer_to(file);
  fx_write_string(&writer, text);
  fx_flush(&writer);
  fclose(file);
  return FXPROF_OK;
}

static void write_member(fx_writer *writer, const char *begin, fxprof_text text) {
  fx_write(writer, begin);
  if (text.bytes) fx_write_string(writer, text);
  else fx_write(writer, "null");
}

METHOD(lib_used_rva_iter) {
  (void)s, (void)args;
  const fxprof_used_library *used;
  uint32_t count;
  fxprof_status status = fxprof_list_used_libraries(p, &used, &count);
  if (status != FXPROF_OK) return status;
  size_t size;
  FILE *file = open_memstream((char **)&to->value, &size);
  fx_writer writer = writer_to(file);
  fx_write(&writer, "[");
  for (uint32_t i = 0; i < count; i++) {
    fxprof_library_info info;
    char id[FXPROF_DEBUG_ID_ROOM];
    fxprof_get_library(p, used[i].library, &info);
    fxprof_debug_id_print(&info.debug_id, id);
    write_member(&writer, i ? ",{\"lib\":{\"name\":" : "{\"lib\":{\"name\":", info.name);
    write_member(&writer, ",\"path\":", info.path);
    write_member(&writer, ",\"debugName\":", info.debug_name);
    write_member(&writer, ",\"debugPath\":", info.debug_path);
    write_member(&writer, ",\"breakpadId\":", fxprof_text_of(id));
    write_member(&writer, ",\"codeId\":", info.code_id);
    write_member(&writer, ",\"arch\":", info.arch);
    fx_write(&writer, "},\"addresses\":");
    for (uint32_t j = 0; j < used[i].count; j++) {
      fx_wrote(&writer, fx_print_integer(fx_element(&writer, j), used[i].addresses[j]));
    }
    fx_end_column(&writer, used[i].count);
    fx_write(&writer, "}");
  }
  fx_write(&writer, "]");
  fx_flush(&writer);
  fclose(file);
  return FXPROF_OK;
}

typedef fxprof_status (*method)(script *s, fxprof_profile *p, const json *args, variable *to);

static method find_method(const char *name) {
#define NAMED(function) {#function, function}
  static const struct {
    const char *name;
    method function;
  } methods[] = {
      {"new", new_profile},
      NAMED(set_interval), NAMED(set_reference_timestamp), NAMED(set_product), NAMED(set_os_name),
      NAMED(set_symbolicated), NAMED(add_category), NAMED(add_subcategory), NAMED(add_process),
      NAMED(set_process_start_time), NAMED(set_process_end_time), NAMED(set_process_name),
      NAMED(add_thread), NAMED(set_thread_name), NAMED(set_thread_start_time),
      NAMED(set_thread_end_time), NAMED(set_thread_tid),
      NAMED(set_thread_show_markers_in_timeline), NAMED(set_thread_samples_weight_type),
      NAMED(add_initial_visible_thread), NAMED(add_initial_selected_thread),
      NAMED(clear_initial_visible_threads), NAMED(clear_initial_selected_threads), NAMED(add_lib),
      NAMED(set_lib_symbol_table), NAMED(add_lib_mapping), NAMED(remove_lib_mapping),
      NAMED(clear_process_lib_mappings), NAMED(add_kernel_lib_mapping),
      NAMED(remove_kernel_lib_mapping), NAMED(lib_used_rva_iter), NAMED(intern_string),
      NAMED(get_string), NAMED(intern_frame), NAMED(intern_stack), NAMED(intern_stack_frames),
      NAMED(add_sample), NAMED(add_sample_same_stack_zero_cpu), NAMED(add_allocation_sample),
      NAMED(register_marker_type), NAMED(static_schema_marker_type), NAMED(add_marker),
      NAMED(set_marker_stack), NAMED(add_counter), NAMED(set_counter_color),
      NAMED(add_counter_sample),
  };
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    if (strcmp(methods[i].name, name) == 0) return methods[i].function;
  }
  return NULL;
}

// The program -------------------------------------------------------------------------------------

static char *read_all(FILE *file, size_t *length) {
  char *bytes = NULL;
  size_t capacity = 0;
  for (*length = 0; !feof(file);) {
    if (*length == capacity) bytes = realloc(bytes, capacity = capacity ? capacity * 2 : 65536);
    if (!bytes || ferror(file)) exit(2);
    *length += fread(bytes + *length, 1, capacity - *length, file);
  }
  return bytes;
}

static fxprof_status run_call(script *s, const json *call) {
  const json *args = call->first->next;
  method function = find_method(call->first->text);
  if (!function || (!s->profile && function != new_profile)) {
    fprintf(stderr, "cannot call %s\n", call->first->text);
    exit(2);
  }
  variable result = {0};
  fxprof_status status = function(s, s->profile, args, &result);
  if (status == FXPROF_OK && args->next) {
    result.name = args->next->text;
    s->variables[s->variable_count++] = result;
  }
  return status;
}

int main(void) {
  size_t length;
  char *text = read_all(stdin, &length);
  const json *root = json_parse(text, length), *calls = json_member(root, "calls");
  if (!calls) {
    fprintf(stderr, "usage: fxprof-replay < CASE\n");
    return 2;
  }
  script s = {.static_schemas = json_member(root, "static_schemas")};
  s.variables = calloc(calls->count + 1, sizeof *s.variables);
  if (!s.variables) return 2;
  s.variables[s.variable_count++] = (variable){.name = "$other", .kind = "category"};

  fx_writer writer = writer_to(stdout);
  fx_write(&writer, "{\"errors\":[");
  uint32_t index = 0, errors = 0;
  for (const json *call = calls->first; call; call = call->next, index++) {
    fxprof_status status = run_call(&s, call);
    if (status == FXPROF_OK) continue;
    fx_write(&writer, errors++ ? ",{\"call\":" : "{\"call\":");
    fx_write_integer(&writer, index);
    fx_write(&writer, ",\"code\":\"");
    fx_write(&writer, fxprof_status_code(status));
    fx_write(&writer, "\"}");
  }
  fx_write(&writer, "],\"values\":{");
  fx_flush(&writer);
  for (size_t i = 0, written = 0; i < s.variable_count; i++) {
    if (!s.variables[i].value) continue;
    printf("%s\"%s\":%s", written++ ? "," : "", s.variables[i].name, s.variables[i].value);
  }
  printf("},\"handles\":{");
  for (size_t i = 0, written = 0; i < s.variable_count; i++) {
    const variable *v = &s.variables[i];
    if (!v->kind) continue;
    printf("%s\"%s\":\"%s %u %u\"", written++ ? "," : "", v->name, v->kind, v->a, v->b);
  }
  printf("},\"profile\":");
  if (!s.profile || fxprof_write(s.profile, write_file, stdout) != FXPROF_OK) return 2;
  printf("}\n");
  fxprof_free(s.profile);
  return fflush(stdout) == 0 ? 0 : 2;
}
