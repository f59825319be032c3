// A thread and its tables.
#ifndef FXPROF_THREADS_H
#define FXPROF_THREADS_H

#include "index.h"

// A resource groups functions: by library, or by where the source came from.
typedef struct {
  uint32_t source;      // the library, or the name's string of the profile
  uint32_t name, host;  // strings of the thread; no host: FX_NONE
  uint8_t type;         // as the format numbers them
} fx_resource;

enum { FX_RESOURCE_LIBRARY = 1, FX_RESOURCE_ORIGIN = 3, FX_RESOURCE_URI = 5 };

typedef struct {
  uint32_t library, address, size, name;
  bool has_size;
} fx_native_symbol;

typedef struct {
  uint32_t name, resource;                  // string of the thread; FX_NONE
  uint32_t file, start_line, start_column;  // string of the thread or FX_NONE; 0: not known
  uint8_t flags;
} fx_function;

// Where a frame is, however it was given.
enum { FX_LABEL, FX_UNKNOWN, FX_IN_LIBRARY };

// What tells frames apart. `value`: the label's string of the profile, the address, or the library
// (high half) and the address in it.
typedef struct {
  uint64_t value;
  uint32_t category, subcategory;
  uint32_t line, column;
  uint8_t place;  // FX_LABEL ...
  uint8_t flags;
  bool has_source;    // its function may have a file or a start
  bool has_resource;  // of its file
} fx_frame_key;

typedef struct {
  fx_frame_key key;
  uint32_t function, symbol;  // symbol or FX_NONE
} fx_frame;

typedef struct {
  uint32_t parent;  // FX_NONE: the frame is the root
  uint32_t frame;
} fx_node;

// 16 bytes, since there are many: what it costs to add one is mostly what it costs to get memory.
// The first member is what they are sorted by.
typedef struct {
  uint64_t time;
  uint32_t stack;  // node + 1, 0 none; FX_UNKNOWN_CPU
  uint32_t load;   // CPU time and weight, see fx_sample_load()
} fx_sample;

typedef struct {
  uint64_t cpu;
  int32_t weight;
} fx_load;

// The highest bit: no table has so many rows.
#define FX_UNKNOWN_CPU (UINT32_C(1) << 31)

typedef struct {
  uint64_t time, address;
  int64_t size;
  uint32_t stack;  // node + 1, 0 none
} fx_allocation;

typedef struct {
  uint64_t start, end;
  uint32_t type, name, category, stack;  // name: string of the thread; stack: node + 1, 0 none
  uint32_t first_value;
  uint8_t phase;
} fx_marker;

typedef struct {
  uint32_t process;
  uint32_t name, tid;  // name or FX_NONE
  uint64_t start, end;
  bool has_end, is_main, shows_markers, omits_weights;
  fxprof_weight weight_type;
  uint32_t rank;  // in the document, when it is written

  fx_u32_list strings;  // of the profile
  FX_LIST(fx_resource) resources;
  FX_LIST(fx_native_symbol) symbols;
  FX_LIST(fx_function) functions;
  FX_LIST(fx_frame) frames;
  FX_LIST(fx_node) nodes;
  fx_index string_index, resource_index, symbol_index, function_index, frame_index, node_index;
  fx_u32_list translated;  // node of the storing thread + 1, by node; 0: not yet

  FX_LIST(fx_sample) samples;
  FX_LIST(fx_load) loads;  // of samples whose own does not fit in them
  uint32_t newest_sample;  // added last; sorting may have moved it
  FX_LIST(fx_allocation) allocations;
  FX_LIST(fx_marker) markers;
  FX_LIST(uint64_t) marker_values;  // bits of a number, or a string
} fx_thread;

// How many rows each table of a thread has, to go back to when a call fails half way.
typedef struct {
  uint32_t strings, resources, symbols, functions, frames, nodes, used_libraries;
} fx_thread_mark;

fx_thread_mark fx_thread_mark_of(const fxprof_profile *profile, const fx_thread *thread);
void fx_thread_reset(fxprof_profile *profile, fx_thread *thread, fx_thread_mark mark);

// The number of a string in the thread's list, entered when new.
fxprof_status fx_thread_string(fxprof_profile *profile, fx_thread *thread, uint32_t string,
                               uint32_t *number);

// CPU time (24 bits) and weight + 63 (7 bits) in one number; where they do not fit, the highest bit
// and a row of `loads`.
static inline fx_load fx_sample_load(const fx_thread *thread, const fx_sample *sample) {
  if (sample->load >> 31) return thread->loads.rows[sample->load & ~(UINT32_C(1) << 31)];
  return (fx_load){sample->load & 0xffffff, (int32_t)(sample->load >> 24) - 63};
}

void fx_thread_clear(const fx_memory *memory, fx_thread *thread);

// A frame by its key; `source` of a label, or NULL. Leaves rows behind when it fails:
// fx_thread_reset().
fxprof_status fx_frame_intern(fxprof_profile *profile, fx_thread *thread, const fx_frame_key *key,
                              const fxprof_source *source, uint32_t *frame);

// Checks what is told of a frame, and resolves where it is. Changes nothing.
fxprof_status fx_frame_locate(fxprof_profile *profile, const fx_thread *thread,
                              const fxprof_frame_info *info, fx_frame_key *key);

// The node of a frame below `parent`. The thread is as before when it fails.
fxprof_status fx_node_intern(fxprof_profile *profile, fx_thread *thread, uint32_t parent,
                             uint32_t frame, uint32_t *node);

// The node that is on `to` what `leaf` is on `from`. Leaves rows behind on `to` when it fails.
fxprof_status fx_translate_stack(fxprof_profile *profile, fx_thread *from, fx_thread *to,
                                 uint32_t leaf, uint32_t *node);

#endif
