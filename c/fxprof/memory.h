// The allocation seam of the builder, and lists that grow.
//
// Everything that a profile holds goes through its fx_memory, so that tests can make any allocation
// fail. Room is reserved before anything is changed; what comes after cannot fail.
#ifndef FXPROF_MEMORY_H
#define FXPROF_MEMORY_H

#include "fxprof.h"

#define FX_NONE UINT32_MAX

// No table has more rows: an index of so many fills three quarters of 2^31 slots.
#define FX_MAX_ROWS (UINT32_C(3) << 29)

typedef struct {
  fxprof_allocator allocator;
  uint32_t max_rows;  // FX_MAX_ROWS; tests have less
} fx_memory;

// Returns from the function with what failed.
#define FX_TRY(call)                        \
  do {                                      \
    fxprof_status fx_status = (call);       \
    if (fx_status != FXPROF_OK) return fx_status; \
  } while (0)

static inline void *fx_resize(const fx_memory *memory, void *block, size_t size) {
  return memory->allocator.resize(memory->allocator.context, block, size);
}

static inline void fx_free(const fx_memory *memory, void *block) {
  if (block) fx_resize(memory, block, 0);
}

// Rows of one type, back to back. All zero: empty.
#define FX_LIST(type)        \
  struct {                   \
    type *rows;              \
    uint32_t count, capacity; \
  }

typedef FX_LIST(uint32_t) fx_u32_list;

// Makes room for `more` rows: FXPROF_OK, FXPROF_NO_MEMORY or FXPROF_OVERFLOW. The list is unchanged
// but for its room.
#define FX_RESERVE(memory, list, more)                                             \
  ((list)->capacity - (list)->count >= (more)                                      \
       ? FXPROF_OK                                                                 \
       : fx_grow_rows((memory), &(list)->rows, &(list)->capacity,                  \
                      (uint64_t)(list)->count + (more), sizeof *(list)->rows))

// `rows`: the address of the pointer to the rows, of whatever type.
fxprof_status fx_grow_rows(const fx_memory *memory, void *rows, uint32_t *capacity,
                           uint64_t needed, size_t row_size);

#define FX_PUSH(list, ...) ((list)->rows[(list)->count++] = __VA_ARGS__)
#define FX_LAST(list) (&(list)->rows[(list)->count - 1])

// Makes room for `needed` bytes in *bytes, by doubling.
fxprof_status fx_grow_bytes(const fx_memory *memory, char **bytes, size_t *capacity,
                            size_t needed);

#endif
