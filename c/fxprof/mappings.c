#include <string.h>

#include "libraries.h"

// The first mapping that ends above an address.
static uint32_t find(const fx_mappings *mappings, uint64_t address) {
  uint32_t begin = 0, end = mappings->count;
  while (begin < end) {
    uint32_t middle = begin + (end - begin) / 2;
    if (mappings->rows[middle].end <= address) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

// Puts `with` rows in the place of the rows from first to last. There is room.
static void replace(fx_mappings *mappings, uint32_t first, uint32_t last, uint32_t with) {
  fx_mapping *rows = mappings->rows;
  if (first + with != last && last < mappings->count) {
    memmove(rows + first + with, rows + last, (mappings->count - last) * sizeof *rows);
  }
  mappings->count = mappings->count - (last - first) + with;
}

fxprof_status fx_mappings_add(const fx_memory *memory, fx_mappings *mappings, fx_mapping mapping) {
  if (mapping.end < mapping.start) return FXPROF_INVALID_ARGUMENT;
  FX_TRY(FX_RESERVE(memory, mappings, 1));
  uint32_t first = find(mappings, mapping.start), last = first;
  while (last < mappings->count && (mappings->rows[last].start < mapping.end ||
                                    mappings->rows[last].start <= mapping.start)) {
    last++;
  }
  // An empty one covers nothing.
  bool is_empty = mapping.end == mapping.start;
  replace(mappings, first, last, !is_empty);
  if (!is_empty) mappings->rows[first] = mapping;
  return FXPROF_OK;
}

void fx_mappings_remove(fx_mappings *mappings, uint64_t start) {
  uint32_t found = find(mappings, start);
  if (found < mappings->count && mappings->rows[found].start == start) {
    replace(mappings, found, found + 1, 0);
  }
}

bool fx_mappings_find(const fx_mappings *mappings, uint64_t address, uint32_t *library,
                      uint32_t *relative) {
  uint32_t found = find(mappings, address);
  if (found == mappings->count || mappings->rows[found].start > address) return false;
  const fx_mapping *mapping = &mappings->rows[found];
  uint64_t offset = address - mapping->start;
  if (offset > UINT32_MAX - mapping->relative) return false;
  *library = mapping->library;
  *relative = mapping->relative + (uint32_t)offset;
  return true;
}
