#include "memory.h"

#include <string.h>

fxprof_status fx_grow_rows(const fx_memory *memory, void *rows, uint32_t *capacity,
                           uint64_t needed, size_t row_size) {
  if (needed > memory->max_rows) return FXPROF_OVERFLOW;
  uint64_t grown = *capacity ? *capacity : 8;
  while (grown < needed) grown *= 2;
  if (grown > SIZE_MAX / row_size) return FXPROF_NO_MEMORY;
  void *block;
  memcpy(&block, rows, sizeof block);
  block = fx_resize(memory, block, (size_t)grown * row_size);
  if (!block) return FXPROF_NO_MEMORY;
  memcpy(rows, &block, sizeof block);
  *capacity = (uint32_t)grown;
  return FXPROF_OK;
}

fxprof_status fx_grow_bytes(const fx_memory *memory, char **bytes, size_t *capacity,
                            size_t needed) {
  if (needed <= *capacity) return FXPROF_OK;
  size_t grown = *capacity ? *capacity : 256;
  while (grown < needed) {
    if (grown > SIZE_MAX / 2) return FXPROF_NO_MEMORY;
    grown *= 2;
  }
  char *block = fx_resize(memory, *bytes, grown);
  if (!block) return FXPROF_NO_MEMORY;
  *bytes = block;
  *capacity = grown;
  return FXPROF_OK;
}
