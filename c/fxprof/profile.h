// What a profile consists of. Rows refer to each other by number; FX_NONE is none. Texts are
// numbers of the profile's strings; in a thread's own tables, of the thread's list.
//
//   profile --- strings, categories, libraries, marker types, counters
//     |-- processes: mappings
//     '-- threads: strings (of the profile), resources, native symbols
//           |        functions -> string, resource
//           |        frames    -> function, native symbol, category
//           |        nodes     -> node of the caller, frame
//           '------  samples, allocations, markers -> node
#ifndef FXPROF_PROFILE_H
#define FXPROF_PROFILE_H

#include "libraries.h"
#include "strings.h"
#include "threads.h"

typedef struct {
  uint32_t name;
  fxprof_color color;
  fx_u32_list subcategories;  // names
} fx_category;

typedef struct {
  uint32_t name, pid;
  uint64_t start, end;
  bool has_end;
  uint32_t first_thread;  // added
  uint32_t first_rank;    // of its threads in the document, when it is written
  fx_mappings mappings;
} fx_process;

typedef struct {
  uint32_t key, label;
  uint8_t format, flags;
} fx_field;

typedef struct {
  uint32_t key;
  uint8_t type, color;
} fx_graph;

typedef struct {
  uint32_t name, description, chart_label, tooltip_label, table_label;
  uint32_t first_field, field_count, first_graph, graph_count;
  uint8_t locations;
} fx_marker_type;

typedef struct {
  uint64_t time;
  double value;
  uint32_t operations;
} fx_counter_sample;

typedef struct {
  uint32_t process, name, category, description;
  fxprof_graph_color color;
  FX_LIST(fx_counter_sample) samples;
} fx_counter;

// The ids of processes or threads that were taken: how often each number was.
typedef struct {
  uint32_t number, uses;
} fx_id;

typedef struct {
  FX_LIST(fx_id) rows;
  fx_index index;
} fx_ids;

struct fxprof_profile {
  fx_memory memory;
  fx_secret secret;
  fx_strings strings;
  uint32_t product, os_name;
  double reference;
  uint64_t interval;
  bool is_symbolicated;

  FX_LIST(fx_category) categories;
  FX_LIST(fx_process) processes;
  FX_LIST(fx_thread) threads;
  fx_ids pids, tids;
  fx_u32_list visible, selected;  // threads
  fx_u32_list order;              // threads in the order of the document, when it is written

  FX_LIST(fx_library) libraries;
  fx_index library_index;
  fx_u32_list used_libraries;
  fx_mappings kernel_mappings;
  FX_LIST(uint64_t) used_addresses;                 // what fxprof_list_used_libraries() tells
  FX_LIST(fxprof_used_library) used_address_lists;  // of it, by library

  FX_LIST(fx_marker_type) marker_types;
  fx_u32_list sorted_types;       // by name
  fx_index static_types;          // by name
  FX_LIST(fx_field) fields;
  FX_LIST(fx_graph) graphs;

  FX_LIST(fx_counter) counters;
  fx_u32_list chain;  // nodes, while a stack is translated
};

static inline fxprof_status fx_intern(fxprof_profile *profile, fxprof_text text,
                                      uint32_t *number) {
  return fx_strings_intern(&profile->memory, profile->secret, &profile->strings, text, number);
}

// FX_NONE for a text that is none.
static inline fxprof_status fx_intern_optional(fxprof_profile *profile, fxprof_text text,
                                               uint32_t *number) {
  *number = FX_NONE;
  return text.bytes ? fx_intern(profile, text, number) : FXPROF_OK;
}

static inline fxprof_text fx_text(const fxprof_profile *profile, uint32_t number) {
  return fx_strings_text(&profile->strings, number);
}

// Handles count from 1. FXPROF_UNKNOWN_HANDLE where there is no such row.
#define FX_CHECK(list, handle)                                            \
  do {                                                                    \
    if ((handle).id - 1 >= (list)->count) return FXPROF_UNKNOWN_HANDLE;   \
  } while (0)

static inline fxprof_status fx_check_category(const fxprof_profile *profile,
                                              fxprof_category_pair pair) {
  return pair.category < profile->categories.count &&
                 pair.subcategory < profile->categories.rows[pair.category].subcategories.count
             ? FXPROF_OK
             : FXPROF_UNKNOWN_HANDLE;
}

// A handle of a thread's table that has `count` rows: whether it is of this thread.
static inline fxprof_status fx_check_owner(const fxprof_profile *profile, fxprof_thread thread,
                                           uint32_t owner, uint32_t id, uint32_t count) {
  if (owner - 1 >= profile->threads.count) return FXPROF_UNKNOWN_HANDLE;
  if (owner != thread.id) return FXPROF_FOREIGN_HANDLE;
  return id - 1 < count ? FXPROF_OK : FXPROF_UNKNOWN_HANDLE;
}

// A stack of the thread, or none. The thread's handle is right.
static inline fxprof_status fx_check_stack(const fxprof_profile *profile, fxprof_thread thread,
                                           fxprof_stack stack) {
  if (!stack.id && !stack.thread) return FXPROF_OK;
  return fx_check_owner(profile, thread, stack.thread, stack.id,
                        profile->threads.rows[thread.id - 1].nodes.count);
}

#endif
