// Builds profiles for the Firefox Profiler (profiler.firefox.com): processes, threads, samples,
// markers, counters and libraries go in through calls, one JSON document in the processed profile
// format, version 55, comes out.
//
// - One profile owns everything that is added to it. There is no global state; calls on different
//   profiles may run at the same time, calls on one profile may not.
// - Every call returns a status. A call that fails has no effect, and the profile can be used on.
// - Handles are small structs, a type for each kind of thing. Those of frames, stacks and markers
//   know their thread. Handles of equal things are equal, and valid as long as the profile is. One
//   of zeros only is "none" (of a category: "Other", which every profile has).
// - Texts are UTF-8 with a length and may hold U+0000; what is not UTF-8 is replaced by U+FFFD.
//   They are copied. A text without bytes (NULL) is "none" where that is allowed, else empty.
// - Times are nanoseconds since the profile's reference timestamp.
#ifndef FXPROF_H
#define FXPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a call says. The numbers stay; fxprof_status_code() tells their names.
typedef enum {
  FXPROF_OK = 0,
  FXPROF_NO_MEMORY = 1,
  FXPROF_FOREIGN_HANDLE = 2,    // of another thread than the one named
  FXPROF_UNKNOWN_HANDLE = 3,    // this profile never gave it out, as far as can be told
  FXPROF_INVALID_ARGUMENT = 4,  // see the call
  FXPROF_OVERFLOW = 5,          // a number or a table would leave its range
  FXPROF_OUTPUT_FAILED = 6,     // the function that was to take the output failed
} fxprof_status;

// "ERR_FXPROF_NO_MEMORY" and so on; "OK" for FXPROF_OK. Never NULL.
const char *fxprof_status_code(fxprof_status status);

// Values ------------------------------------------------------------------------------------------

typedef struct {
  const char *bytes;
  size_t length;
} fxprof_text;

// Of a text that ends with a zero byte; none of NULL.
fxprof_text fxprof_text_of(const char *text);

typedef struct {
  uint64_t ns;
} fxprof_time;

// x * 1e6 nanoseconds, truncated; negative and NaN give 0, too large ones 2^64 - 1.
fxprof_time fxprof_time_from_ms(double ms);

// CPU time between a sample and the one before. Unknown is neither zero nor any other number.
typedef struct {
  uint64_t us;
  bool is_unknown;
} fxprof_cpu;

fxprof_cpu fxprof_cpu_from_ns(uint64_t ns);  // truncated: 999 ns are zero
fxprof_cpu fxprof_cpu_from_ms(double ms);    // truncated and saturated as times are

typedef struct {
  uint64_t ns;
} fxprof_interval;

// FXPROF_OVERFLOW if it has more than 2^64 - 1 ns.
fxprof_status fxprof_interval_from_ms(uint64_t ms, fxprof_interval *interval);
// 1e9 / hz in single precision, truncated and saturated; FXPROF_INVALID_ARGUMENT unless hz > 0.
fxprof_status fxprof_interval_from_hz(float hz, fxprof_interval *interval);

// Milliseconds since the Unix epoch; any number will do.
typedef struct {
  double ms;
} fxprof_reference;

fxprof_reference fxprof_reference_from_seconds(uint64_t seconds, uint32_t nanoseconds);

typedef enum { FXPROF_WEIGHT_SAMPLES, FXPROF_WEIGHT_TRACING_MS, FXPROF_WEIGHT_BYTES } fxprof_weight;

typedef enum {
  FXPROF_TRANSPARENT, FXPROF_LIGHTBLUE, FXPROF_RED, FXPROF_LIGHTRED, FXPROF_ORANGE, FXPROF_BLUE,
  FXPROF_GREEN, FXPROF_PURPLE, FXPROF_YELLOW, FXPROF_BROWN, FXPROF_MAGENTA, FXPROF_LIGHTGREEN,
  FXPROF_GREY, FXPROF_DARKGRAY,
} fxprof_color;

// Of counters and of graphs of markers. FXPROF_GRAPH_NO_COLOR: left to the front-end.
typedef enum {
  FXPROF_GRAPH_NO_COLOR, FXPROF_GRAPH_BLUE, FXPROF_GRAPH_GREEN, FXPROF_GRAPH_GREY,
  FXPROF_GRAPH_INK, FXPROF_GRAPH_MAGENTA, FXPROF_GRAPH_ORANGE, FXPROF_GRAPH_PURPLE,
  FXPROF_GRAPH_RED, FXPROF_GRAPH_TEAL, FXPROF_GRAPH_YELLOW,
} fxprof_graph_color;

// Identifies a build of a library: a UUID and an age, or (PDB 2.0) a timestamp and an age.
typedef struct {
  uint8_t uuid[16];    // zeros for PDB 2.0
  uint32_t timestamp;  // of PDB 2.0
  uint32_t age;
  bool is_pdb20;
} fxprof_debug_id;

fxprof_debug_id fxprof_debug_id_from_uuid(const uint8_t uuid[16], uint32_t age);
// The GUID as Windows stores it: its first three numbers are little-endian.
fxprof_debug_id fxprof_debug_id_from_guid(const uint8_t guid[16], uint32_t age);
fxprof_debug_id fxprof_debug_id_from_pdb20(uint32_t timestamp, uint32_t age);
// Breakpad's text: 32 or (PDB 2.0) 8 hexadecimal digits and 1 to 8 digits of the age, in either
// case; else FXPROF_INVALID_ARGUMENT.
fxprof_status fxprof_debug_id_parse(fxprof_text text, fxprof_debug_id *id);
// Breakpad's text, terminated; returns its length.
#define FXPROF_DEBUG_ID_ROOM 41
size_t fxprof_debug_id_print(const fxprof_debug_id *id, char text[FXPROF_DEBUG_ID_ROOM]);

// Handles -----------------------------------------------------------------------------------------

typedef struct { uint32_t id; } fxprof_process;
typedef struct { uint32_t id; } fxprof_thread;
typedef struct { uint32_t id; } fxprof_library;
typedef struct { uint32_t id; } fxprof_string;
typedef struct { uint32_t id; } fxprof_counter;
typedef struct { uint32_t id; } fxprof_marker_type;

typedef struct { uint32_t thread, id; } fxprof_frame;
typedef struct { uint32_t thread, id; } fxprof_stack;
typedef struct { uint32_t thread, id; } fxprof_marker;

// The category 0 is "Other", and so is the subcategory 0 of each category.
typedef struct { uint32_t index; } fxprof_category;
typedef struct { uint32_t category, subcategory; } fxprof_category_pair;

static inline fxprof_category_pair fxprof_pair_of(fxprof_category category) {
  fxprof_category_pair pair = {category.index, 0};
  return pair;
}

// Profiles ----------------------------------------------------------------------------------------

typedef struct fxprof_profile fxprof_profile;

// Where memory comes from. Resizes `block` (NULL: a new one) to `size` bytes; size 0 frees it.
// Returns NULL when there is no memory; `block` is then untouched.
typedef struct {
  void *(*resize)(void *context, void *block, size_t size);
  void *context;
} fxprof_allocator;

// A new profile. `allocator` NULL: the C library's. `seed`: any number; if texts may be hostile,
// one that their author cannot know, so that no texts can be prepared that collide.
fxprof_status fxprof_new(fxprof_text product, fxprof_reference reference, fxprof_interval interval,
                         const fxprof_allocator *allocator, uint64_t seed,
                         fxprof_profile **profile);
// Frees a profile and what it holds; NULL is nothing to free.
void fxprof_free(fxprof_profile *profile);

// The last value counts.
fxprof_status fxprof_set_product(fxprof_profile *profile, fxprof_text product);
fxprof_status fxprof_set_os_name(fxprof_profile *profile, fxprof_text os_name);
fxprof_status fxprof_set_interval(fxprof_profile *profile, fxprof_interval interval);
fxprof_status fxprof_set_reference(fxprof_profile *profile, fxprof_reference reference);
// Whether the front-end need not look up symbols.
fxprof_status fxprof_set_symbolicated(fxprof_profile *profile, bool is_symbolicated);

// Always a new one, also for a name that is there already.
fxprof_status fxprof_add_category(fxprof_profile *profile, fxprof_text name, fxprof_color color,
                                  fxprof_category *category);
fxprof_status fxprof_add_subcategory(fxprof_profile *profile, fxprof_category category,
                                     fxprof_text name, fxprof_category_pair *pair);

// Processes and threads ---------------------------------------------------------------------------

// The pid becomes a text that is unique among processes: "7", then "7.1", "7.2" ...
fxprof_status fxprof_add_process(fxprof_profile *profile, fxprof_text name, uint32_t pid,
                                 fxprof_time start, fxprof_process *process);
fxprof_status fxprof_set_process_name(fxprof_profile *profile, fxprof_process process,
                                      fxprof_text name);
fxprof_status fxprof_set_process_start(fxprof_profile *profile, fxprof_process process,
                                       fxprof_time start);
fxprof_status fxprof_set_process_end(fxprof_profile *profile, fxprof_process process,
                                     fxprof_time end);

// The tid becomes a text that is unique among threads, as pids do. There may be several main
// threads in a process, or none.
fxprof_status fxprof_add_thread(fxprof_profile *profile, fxprof_process process, uint32_t tid,
                                fxprof_time start, bool is_main, fxprof_thread *thread);
// Main threads show the process's name instead.
fxprof_status fxprof_set_thread_name(fxprof_profile *profile, fxprof_thread thread,
                                     fxprof_text name);
fxprof_status fxprof_set_thread_start(fxprof_profile *profile, fxprof_thread thread,
                                      fxprof_time start);
fxprof_status fxprof_set_thread_end(fxprof_profile *profile, fxprof_thread thread, fxprof_time end);
// Takes a new unique text, also for the number that the thread has.
fxprof_status fxprof_set_thread_tid(fxprof_profile *profile, fxprof_thread thread, uint32_t tid);
fxprof_status fxprof_set_thread_show_markers(fxprof_profile *profile, fxprof_thread thread,
                                             bool shows);
fxprof_status fxprof_set_thread_weight(fxprof_profile *profile, fxprof_thread thread,
                                       fxprof_weight weight);
// Leaves the weights out, which is what shows running times, if all of them are 1 and the thread's
// weights are of samples.
fxprof_status fxprof_set_thread_omit_weights(fxprof_profile *profile, fxprof_thread thread,
                                             bool omits);

// Lists that keep repeats; empty, the front-end chooses.
fxprof_status fxprof_add_visible_thread(fxprof_profile *profile, fxprof_thread thread);
fxprof_status fxprof_add_selected_thread(fxprof_profile *profile, fxprof_thread thread);
fxprof_status fxprof_clear_visible_threads(fxprof_profile *profile);
fxprof_status fxprof_clear_selected_threads(fxprof_profile *profile);

// Libraries ---------------------------------------------------------------------------------------

typedef struct {
  uint32_t address;  // relative to the library
  uint32_t size;
  bool has_size;  // without: up to the next symbol
  fxprof_text name;
} fxprof_symbol;

// In any order; of symbols with one address, the first by size (none before any) and name counts.
typedef struct {
  const fxprof_symbol *symbols;
  uint32_t count;
} fxprof_symbols;

typedef struct {
  fxprof_text name, debug_name, path, debug_path;
  fxprof_debug_id debug_id;
  fxprof_text code_id, arch;      // or none
  const fxprof_symbols *symbols;  // or NULL
} fxprof_library_info;

// The library that equals this one in everything but the symbols, or a new one. Symbols that are
// given replace those that it has.
fxprof_status fxprof_add_library(fxprof_profile *profile, const fxprof_library_info *info,
                                 fxprof_library *library);
// For frames that are interned from now on.
fxprof_status fxprof_set_library_symbols(fxprof_profile *profile, fxprof_library library,
                                         fxprof_symbols symbols);

// The addresses start <= a < end belong to the library, at `relative` + (a - start). Mappings that
// overlap them are removed as a whole; an empty range removes the one that it lies in, and maps
// nothing. FXPROF_INVALID_ARGUMENT when end < start.
fxprof_status fxprof_add_mapping(fxprof_profile *profile, fxprof_process process,
                                 fxprof_library library, uint64_t start, uint64_t end,
                                 uint32_t relative);
// Removes the mapping that begins at `start`, if there is one.
fxprof_status fxprof_remove_mapping(fxprof_profile *profile, fxprof_process process,
                                    uint64_t start);
fxprof_status fxprof_clear_mappings(fxprof_profile *profile, fxprof_process process);
// The same in all processes; these go before a process's own.
fxprof_status fxprof_add_kernel_mapping(fxprof_profile *profile, fxprof_library library,
                                        uint64_t start, uint64_t end, uint32_t relative);
fxprof_status fxprof_remove_kernel_mapping(fxprof_profile *profile, uint64_t start);

// A library that frames lie in, and its addresses for which there was no symbol, ascending.
typedef struct {
  fxprof_library library;
  const uint32_t *addresses;
  uint32_t count;
} fxprof_used_library;

// All of them, in the order of the document. Valid until the next call on the profile.
fxprof_status fxprof_list_used_libraries(fxprof_profile *profile, const fxprof_used_library **used,
                                         uint32_t *count);
// What was given, with `symbols` NULL. Texts are valid until the next call on the profile.
fxprof_status fxprof_get_library(const fxprof_profile *profile, fxprof_library library,
                                 fxprof_library_info *info);

// Strings, frames, stacks -------------------------------------------------------------------------

fxprof_status fxprof_intern_string(fxprof_profile *profile, fxprof_text text,
                                   fxprof_string *string);
// Valid until the next call on the profile.
fxprof_status fxprof_get_string(const fxprof_profile *profile, fxprof_string string,
                                fxprof_text *text);

// How a frame says where it is. The address of a return address is the one before it; an adjusted
// one lies in the calling instruction already. Relative ones are 32-bit offsets in a library.
typedef enum {
  FXPROF_LABEL,
  FXPROF_INSTRUCTION_POINTER,
  FXPROF_RETURN_ADDRESS,
  FXPROF_ADJUSTED_RETURN_ADDRESS,
  FXPROF_RELATIVE_INSTRUCTION_POINTER,
  FXPROF_RELATIVE_RETURN_ADDRESS,
  FXPROF_RELATIVE_ADJUSTED_RETURN_ADDRESS,
} fxprof_frame_kind;

enum { FXPROF_IS_JS = 1, FXPROF_IS_RELEVANT_FOR_JS = 2 };  // flags of a frame

// Where a label's code is. Whatever is zero is not known. Lines and columns count from 1.
typedef struct {
  fxprof_string file;
  uint32_t line, column;              // that runs
  uint32_t start_line, start_column;  // of the function
  bool has_resource;                  // group it by its origin; only files that are URIs have one
} fxprof_source;

typedef struct {
  fxprof_frame_kind kind;
  fxprof_string label;     // of a label
  fxprof_library library;  // of a relative address
  uint64_t address;        // of all others than labels
  fxprof_category_pair category;
  uint32_t flags;
  const fxprof_source *source;  // of a label; or NULL
} fxprof_frame_info;

fxprof_status fxprof_intern_frame(fxprof_profile *profile, fxprof_thread thread,
                                  const fxprof_frame_info *info, fxprof_frame *frame);
// The stack of `frame`, called by `parent` (or none: the frame is the root).
fxprof_status fxprof_intern_stack(fxprof_profile *profile, fxprof_thread thread,
                                  fxprof_stack parent, fxprof_frame frame, fxprof_stack *stack);
// The stack of so many frames, the root first; none of no frames.
fxprof_status fxprof_intern_stack_frames(fxprof_profile *profile, fxprof_thread thread,
                                         const fxprof_frame_info *frames, size_t count,
                                         fxprof_stack *stack);

// Samples -----------------------------------------------------------------------------------------

// They come in any order, and are written in the order of their times; equal times in the order of
// the calls.
fxprof_status fxprof_add_sample(fxprof_profile *profile, fxprof_thread thread, fxprof_time time,
                                fxprof_stack stack, fxprof_cpu cpu, int32_t weight);
// If the sample added last has no CPU time, adds to its weight and moves it to `time`; else adds
// one of the same stack without CPU time. FXPROF_OVERFLOW when the sum of the weights leaves its
// range.
fxprof_status fxprof_add_sample_same_stack_zero_cpu(fxprof_profile *profile, fxprof_thread thread,
                                                    fxprof_time time, int32_t weight);
// size > 0: so many bytes were allocated at `address`; < 0: freed. Kept with the first thread of
// the process, whose stacks it then uses.
fxprof_status fxprof_add_allocation_sample(fxprof_profile *profile, fxprof_thread thread,
                                           fxprof_time time, fxprof_stack stack, uint64_t address,
                                           int64_t size);

// Markers -----------------------------------------------------------------------------------------

typedef enum {
  FXPROF_FORMAT_URL, FXPROF_FORMAT_FILE_PATH, FXPROF_FORMAT_SANITIZED_STRING,
  FXPROF_FORMAT_UNIQUE_STRING,  // up to here values are strings, from here on numbers
  FXPROF_FORMAT_DURATION, FXPROF_FORMAT_TIME, FXPROF_FORMAT_SECONDS, FXPROF_FORMAT_MILLISECONDS,
  FXPROF_FORMAT_MICROSECONDS, FXPROF_FORMAT_NANOSECONDS, FXPROF_FORMAT_BYTES,
  FXPROF_FORMAT_PERCENTAGE, FXPROF_FORMAT_INTEGER, FXPROF_FORMAT_DECIMAL,
} fxprof_format;

enum { FXPROF_IS_SEARCHABLE = 1 };  // flags of a field

typedef struct {
  fxprof_text key, label;
  fxprof_format format;
  uint32_t flags;
} fxprof_field;

typedef enum { FXPROF_BAR, FXPROF_LINE, FXPROF_LINE_FILLED } fxprof_graph_type;

typedef struct {
  fxprof_text key;  // of a field that is a number
  fxprof_graph_type type;
  fxprof_graph_color color;
} fxprof_graph;

enum {  // where the front-end shows markers
  FXPROF_MARKER_CHART = 1,
  FXPROF_MARKER_TABLE = 2,
  FXPROF_TIMELINE_OVERVIEW = 4,
  FXPROF_TIMELINE_MEMORY = 8,
  FXPROF_TIMELINE_IPC = 16,
  FXPROF_TIMELINE_FILEIO = 32,
};

typedef struct {
  fxprof_text name;
  fxprof_text description;                              // or none
  uint32_t locations;
  fxprof_text chart_label, tooltip_label, table_label;  // or none; "{marker.data.KEY}"
  const fxprof_field *fields;
  uint32_t field_count;
  const fxprof_graph *graphs;
  uint32_t graph_count;
} fxprof_schema;

// Always a new type. FXPROF_INVALID_ARGUMENT when a key is `type`, `cause`, or there twice.
fxprof_status fxprof_register_marker_type(fxprof_profile *profile, const fxprof_schema *schema,
                                          fxprof_marker_type *type);
// For schemas that are fixed in a program's source: the first one of a name counts.
fxprof_status fxprof_static_marker_type(fxprof_profile *profile, const fxprof_schema *schema,
                                        fxprof_marker_type *type);

typedef enum {
  FXPROF_INSTANT, FXPROF_INTERVAL, FXPROF_INTERVAL_START, FXPROF_INTERVAL_END,
} fxprof_phase;

typedef struct {
  fxprof_phase phase;
  fxprof_time start, end;  // as the phase has them; end < start is allowed
} fxprof_timing;

// The value of a field, as its format wants it: a string or a number.
typedef struct {
  bool is_string;
  fxprof_string string;
  double number;
} fxprof_value;

// The values are those of the type's fields, in their order; else FXPROF_INVALID_ARGUMENT.
fxprof_status fxprof_add_marker(fxprof_profile *profile, fxprof_thread thread, fxprof_timing timing,
                                fxprof_marker_type type, fxprof_string name,
                                fxprof_category category, const fxprof_value *values,
                                uint32_t count, fxprof_marker *marker);
// The same with a static schema, which is registered if it is not yet.
fxprof_status fxprof_add_static_marker(fxprof_profile *profile, fxprof_thread thread,
                                       fxprof_timing timing, const fxprof_schema *schema,
                                       fxprof_string name, fxprof_category category,
                                       const fxprof_value *values, uint32_t count,
                                       fxprof_marker *marker);
fxprof_status fxprof_set_marker_stack(fxprof_profile *profile, fxprof_thread thread,
                                      fxprof_marker marker, fxprof_stack stack);

// Counters ----------------------------------------------------------------------------------------

// `category` is free; the front-end knows "Memory", "power", "Bandwidth" and "CPU".
fxprof_status fxprof_add_counter(fxprof_profile *profile, fxprof_process process, fxprof_text name,
                                 fxprof_text category, fxprof_text description,
                                 fxprof_counter *counter);
fxprof_status fxprof_set_counter_color(fxprof_profile *profile, fxprof_counter counter,
                                       fxprof_graph_color color);
// Both numbers are differences to the sample before. The front-end takes the first for zero.
fxprof_status fxprof_add_counter_sample(fxprof_profile *profile, fxprof_counter counter,
                                        fxprof_time time, double value, uint32_t operations);

// The document ------------------------------------------------------------------------------------

// Takes the next piece of the output; false: it cannot, which ends the writing.
typedef bool (*fxprof_write_function)(void *context, const void *bytes, size_t length);

// Writes the document in pieces of 8 KB at most, with no other memory. May be done at any time, and
// again. FXPROF_OUTPUT_FAILED when `write` fails.
fxprof_status fxprof_write(fxprof_profile *profile, fxprof_write_function write, void *context);

// The same compressed with gzip, in builds that have zlib. level: 1 (fast) to 9 (small).
fxprof_status fxprof_write_gzip(fxprof_profile *profile, int level, fxprof_write_function write,
                                void *context);

#ifdef __cplusplus
}
#endif

#endif
