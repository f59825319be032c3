// The profile builder as a wasm module: what JS may call. One instance holds one profile.
//
// All numbers are u32 unless told otherwise; 64-bit numbers come as low and high half. A handle is
// its id, of frames, stacks and markers the thread's id and its own. Texts and structs are put by JS
// into the input area, laid out as C does it for wasm32: JS asks for room with fx_input() and passes
// the address. Nothing of the input is read after the call. What is not told otherwise returns a
// status; what it gives is at fx_results().
#include <emscripten/emscripten.h>
#include <stdlib.h>

#include "fxprof/memory.h"

#define EXPORT EMSCRIPTEN_KEEPALIVE

// The only import: takes a piece of the document; 0: it cannot.
__attribute__((import_module("fxprof"), import_name("write"))) uint32_t take_piece(
    const void *bytes, size_t length);

// Told when memory grows; JS looks at the memory anew after each call instead.
void emscripten_notify_memory_growth(size_t index) { (void)index; }

// What JS lays out.
#define AT(type, member, offset) \
  _Static_assert(offsetof(type, member) == (offset), "JS puts it elsewhere")
AT(fxprof_frame_info, label, 4);
AT(fxprof_frame_info, library, 8);
AT(fxprof_frame_info, address, 16);
AT(fxprof_frame_info, category, 24);
AT(fxprof_frame_info, flags, 32);
AT(fxprof_frame_info, source, 36);
_Static_assert(sizeof(fxprof_frame_info) == 40 && sizeof(fxprof_source) == 24, "JS has others");
AT(fxprof_symbol, has_size, 8);
AT(fxprof_symbol, name, 12);
_Static_assert(sizeof(fxprof_symbol) == 20, "JS has others");
AT(fxprof_library_info, code_id, 60);
AT(fxprof_library_info, symbols, 76);
AT(fxprof_schema, locations, 16);
AT(fxprof_schema, fields, 44);
_Static_assert(sizeof(fxprof_field) == 24 && sizeof(fxprof_graph) == 16, "JS has others");
AT(fxprof_value, number, 8);

static fxprof_profile *profile;
static char *input;
static size_t input_capacity;
static union {
  uint32_t words[8];
  fxprof_string string;
  fxprof_process process;
  fxprof_thread thread;
  fxprof_library library;
  fxprof_counter counter;
  fxprof_marker_type type;
  fxprof_frame frame;
  fxprof_stack stack;
  fxprof_marker marker;
  fxprof_category category;
  fxprof_category_pair pair;
  fxprof_text text;
} results;

static uint64_t join(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }

static fxprof_time time_of(uint32_t low, uint32_t high) {
  return (fxprof_time){join(low, high)};
}

// The address of at least so many bytes to write input into, aligned for everything; 0: no memory.
EXPORT char *fx_input(uint32_t length) {
  if (length <= input_capacity) return input;
  char *bytes = realloc(input, length);
  if (!bytes) return NULL;
  input = bytes;
  input_capacity = length;
  return input;
}

EXPORT uint32_t *fx_results(void) { return results.words; }

EXPORT uint32_t fx_new(const fxprof_text *product, double reference, uint32_t interval_low,
                       uint32_t interval_high, uint32_t seed_low, uint32_t seed_high) {
  return fxprof_new(*product, (fxprof_reference){reference},
                    (fxprof_interval){join(interval_low, interval_high)}, NULL,
                    join(seed_low, seed_high), &profile);
}

EXPORT uint32_t fx_set_product(const fxprof_text *product) {
  return fxprof_set_product(profile, *product);
}

EXPORT uint32_t fx_set_os_name(const fxprof_text *name) {
  return fxprof_set_os_name(profile, *name);
}

EXPORT uint32_t fx_set_interval(uint32_t low, uint32_t high) {
  return fxprof_set_interval(profile, (fxprof_interval){join(low, high)});
}

EXPORT uint32_t fx_set_reference(double ms) {
  return fxprof_set_reference(profile, (fxprof_reference){ms});
}

EXPORT uint32_t fx_set_symbolicated(uint32_t is_symbolicated) {
  return fxprof_set_symbolicated(profile, is_symbolicated);
}

// Gives the category.
EXPORT uint32_t fx_add_category(const fxprof_text *name, uint32_t color) {
  return fxprof_add_category(profile, *name, (fxprof_color)color, &results.category);
}

// Gives the category and the subcategory.
EXPORT uint32_t fx_add_subcategory(uint32_t category, const fxprof_text *name) {
  return fxprof_add_subcategory(profile, (fxprof_category){category}, *name, &results.pair);
}

EXPORT uint32_t fx_add_process(const fxprof_text *name, uint32_t pid, uint32_t low,
                               uint32_t high) {
  return fxprof_add_process(profile, *name, pid, time_of(low, high), &results.process);
}

EXPORT uint32_t fx_set_process_name(uint32_t process, const fxprof_text *name) {
  return fxprof_set_process_name(profile, (fxprof_process){process}, *name);
}

EXPORT uint32_t fx_set_process_start(uint32_t process, uint32_t low, uint32_t high) {
  return fxprof_set_process_start(profile, (fxprof_process){process}, time_of(low, high));
}

EXPORT uint32_t fx_set_process_end(uint32_t process, uint32_t low, uint32_t high) {
  return fxprof_set_process_end(profile, (fxprof_process){process}, time_of(low, high));
}

EXPORT uint32_t fx_add_thread(uint32_t process, uint32_t tid, uint32_t low, uint32_t high,
                              uint32_t is_main) {
  return fxprof_add_thread(profile, (fxprof_process){process}, tid, time_of(low, high), is_main,
                           &results.thread);
}

EXPORT uint32_t fx_set_thread_name(uint32_t thread, const fxprof_text *name) {
  return fxprof_set_thread_name(profile, (fxprof_thread){thread}, *name);
}

EXPORT uint32_t fx_set_thread_start(uint32_t thread, uint32_t low, uint32_t high) {
  return fxprof_set_thread_start(profile, (fxprof_thread){thread}, time_of(low, high));
}

EXPORT uint32_t fx_set_thread_end(uint32_t thread, uint32_t low, uint32_t high) {
  return fxprof_set_thread_end(profile, (fxprof_thread){thread}, time_of(low, high));
}

EXPORT uint32_t fx_set_thread_tid(uint32_t thread, uint32_t tid) {
  return fxprof_set_thread_tid(profile, (fxprof_thread){thread}, tid);
}

EXPORT uint32_t fx_set_thread_show_markers(uint32_t thread, uint32_t shows) {
  return fxprof_set_thread_show_markers(profile, (fxprof_thread){thread}, shows);
}

EXPORT uint32_t fx_set_thread_weight(uint32_t thread, uint32_t weight) {
  return fxprof_set_thread_weight(profile, (fxprof_thread){thread}, (fxprof_weight)weight);
}

EXPORT uint32_t fx_set_thread_omit_weights(uint32_t thread, uint32_t omits) {
  return fxprof_set_thread_omit_weights(profile, (fxprof_thread){thread}, omits);
}

EXPORT uint32_t fx_add_visible_thread(uint32_t thread) {
  return fxprof_add_visible_thread(profile, (fxprof_thread){thread});
}

EXPORT uint32_t fx_add_selected_thread(uint32_t thread) {
  return fxprof_add_selected_thread(profile, (fxprof_thread){thread});
}

EXPORT uint32_t fx_clear_visible_threads(void) { return fxprof_clear_visible_threads(profile); }

EXPORT uint32_t fx_clear_selected_threads(void) { return fxprof_clear_selected_threads(profile); }

// The debug id comes as its text.
EXPORT uint32_t fx_add_library(fxprof_library_info *info, const fxprof_text *debug_id) {
  FX_TRY(fxprof_debug_id_parse(*debug_id, &info->debug_id));
  return fxprof_add_library(profile, info, &results.library);
}

EXPORT uint32_t fx_set_library_symbols(uint32_t library, const fxprof_symbol *symbols,
                                       uint32_t count) {
  return fxprof_set_library_symbols(profile, (fxprof_library){library},
                                    (fxprof_symbols){symbols, count});
}

EXPORT uint32_t fx_add_mapping(uint32_t process, uint32_t library, uint32_t start_low,
                               uint32_t start_high, uint32_t end_low, uint32_t end_high,
                               uint32_t relative) {
  return fxprof_add_mapping(profile, (fxprof_process){process}, (fxprof_library){library},
                            join(start_low, start_high), join(end_low, end_high), relative);
}

EXPORT uint32_t fx_remove_mapping(uint32_t process, uint32_t low, uint32_t high) {
  return fxprof_remove_mapping(profile, (fxprof_process){process}, join(low, high));
}

EXPORT uint32_t fx_clear_mappings(uint32_t process) {
  return fxprof_clear_mappings(profile, (fxprof_process){process});
}

EXPORT uint32_t fx_add_kernel_mapping(uint32_t library, uint32_t start_low, uint32_t start_high,
                                      uint32_t end_low, uint32_t end_high, uint32_t relative) {
  return fxprof_add_kernel_mapping(profile, (fxprof_library){library},
                                   join(start_low, start_high), join(end_low, end_high), relative);
}

EXPORT uint32_t fx_remove_kernel_mapping(uint32_t low, uint32_t high) {
  return fxprof_remove_kernel_mapping(profile, join(low, high));
}

// Gives the address of the list and its length; the entries are library, address and length of the
// library's list of addresses.
EXPORT uint32_t fx_list_used_libraries(void) {
  const fxprof_used_library *used;
  FX_TRY(fxprof_list_used_libraries(profile, &used, results.words + 1));
  results.words[0] = (uint32_t)(uintptr_t)used;
  return FXPROF_OK;
}

// Gives the address of seven texts, of which the last two may be none: name, path, debug name and
// path, debug id, code id, arch.
EXPORT uint32_t fx_get_library(uint32_t library) {
  static char id[FXPROF_DEBUG_ID_ROOM];
  static fxprof_text texts[7];
  fxprof_library_info info;
  FX_TRY(fxprof_get_library(profile, (fxprof_library){library}, &info));
  size_t length = fxprof_debug_id_print(&info.debug_id, id);
  fxprof_text all[7] = {info.name,    info.path,    info.debug_name, info.debug_path,
                        {id, length}, info.code_id, info.arch};
  for (int i = 0; i < 7; i++) texts[i] = all[i];
  results.words[0] = (uint32_t)(uintptr_t)texts;
  return FXPROF_OK;
}

EXPORT uint32_t fx_intern_string(const fxprof_text *text) {
  return fxprof_intern_string(profile, *text, &results.string);
}

// Gives address and length.
EXPORT uint32_t fx_get_string(uint32_t string) {
  return fxprof_get_string(profile, (fxprof_string){string}, &results.text);
}

EXPORT uint32_t fx_intern_frame(uint32_t thread, const fxprof_frame_info *frame) {
  return fxprof_intern_frame(profile, (fxprof_thread){thread}, frame, &results.frame);
}

EXPORT uint32_t fx_intern_stack(uint32_t thread, uint32_t parent_thread, uint32_t parent,
                                uint32_t frame_thread, uint32_t frame) {
  return fxprof_intern_stack(profile, (fxprof_thread){thread},
                             (fxprof_stack){parent_thread, parent},
                             (fxprof_frame){frame_thread, frame}, &results.stack);
}

EXPORT uint32_t fx_intern_stack_frames(uint32_t thread, const fxprof_frame_info *frames,
                                       uint32_t count) {
  return fxprof_intern_stack_frames(profile, (fxprof_thread){thread}, frames, count,
                                    &results.stack);
}

EXPORT uint32_t fx_add_sample(uint32_t thread, uint32_t low, uint32_t high, uint32_t stack_thread,
                              uint32_t stack, uint32_t cpu_low, uint32_t cpu_high,
                              uint32_t is_unknown, int32_t weight) {
  return fxprof_add_sample(profile, (fxprof_thread){thread}, time_of(low, high),
                           (fxprof_stack){stack_thread, stack},
                           (fxprof_cpu){join(cpu_low, cpu_high), is_unknown}, weight);
}

EXPORT uint32_t fx_add_sample_same_stack(uint32_t thread, uint32_t low, uint32_t high,
                                         int32_t weight) {
  return fxprof_add_sample_same_stack_zero_cpu(profile, (fxprof_thread){thread},
                                               time_of(low, high), weight);
}

EXPORT uint32_t fx_add_allocation(uint32_t thread, uint32_t low, uint32_t high,
                                  uint32_t stack_thread, uint32_t stack, uint32_t address_low,
                                  uint32_t address_high, uint32_t size_low, uint32_t size_high) {
  return fxprof_add_allocation_sample(profile, (fxprof_thread){thread}, time_of(low, high),
                                      (fxprof_stack){stack_thread, stack},
                                      join(address_low, address_high),
                                      (int64_t)join(size_low, size_high));
}

EXPORT uint32_t fx_register_marker_type(const fxprof_schema *schema) {
  return fxprof_register_marker_type(profile, schema, &results.type);
}

EXPORT uint32_t fx_static_marker_type(const fxprof_schema *schema) {
  return fxprof_static_marker_type(profile, schema, &results.type);
}

// type 0: by the static schema.
EXPORT uint32_t fx_add_marker(uint32_t thread, uint32_t phase, uint32_t start_low,
                              uint32_t start_high, uint32_t end_low, uint32_t end_high,
                              uint32_t type, const fxprof_schema *schema, uint32_t name,
                              uint32_t category, const fxprof_value *values, uint32_t count) {
  fxprof_timing timing = {(fxprof_phase)phase, time_of(start_low, start_high),
                          time_of(end_low, end_high)};
  fxprof_thread in = {thread};
  fxprof_string string = {name};
  fxprof_category of = {category};
  if (type) {
    return fxprof_add_marker(profile, in, timing, (fxprof_marker_type){type}, string, of, values,
                             count, &results.marker);
  }
  return fxprof_add_static_marker(profile, in, timing, schema, string, of, values, count,
                                  &results.marker);
}

EXPORT uint32_t fx_set_marker_stack(uint32_t thread, uint32_t marker_thread, uint32_t marker,
                                    uint32_t stack_thread, uint32_t stack) {
  return fxprof_set_marker_stack(profile, (fxprof_thread){thread},
                                 (fxprof_marker){marker_thread, marker},
                                 (fxprof_stack){stack_thread, stack});
}

// texts: name, category, description.
EXPORT uint32_t fx_add_counter(uint32_t process, const fxprof_text *texts) {
  return fxprof_add_counter(profile, (fxprof_process){process}, texts[0], texts[1], texts[2],
                            &results.counter);
}

EXPORT uint32_t fx_set_counter_color(uint32_t counter, uint32_t color) {
  return fxprof_set_counter_color(profile, (fxprof_counter){counter}, (fxprof_graph_color)color);
}

EXPORT uint32_t fx_add_counter_sample(uint32_t counter, uint32_t low, uint32_t high, double value,
                                      uint32_t operations) {
  return fxprof_add_counter_sample(profile, (fxprof_counter){counter}, time_of(low, high), value,
                                   operations);
}

static bool write_piece(void *context, const void *bytes, size_t length) {
  (void)context;
  return take_piece(bytes, length);
}

EXPORT uint32_t fx_write_document(void) { return fxprof_write(profile, write_piece, NULL); }
