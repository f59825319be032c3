// Libraries, where they are mapped, and their symbols.
#ifndef FXPROF_LIBRARIES_H
#define FXPROF_LIBRARIES_H

#include "index.h"

// A symbol's name is in the table's own bytes: most symbols are never seen in a frame.
typedef struct {
  uint32_t address, size;
  size_t name;
  uint32_t name_length;
  bool has_size;
} fx_symbol;

// Sorted by address, each address once.
typedef struct {
  FX_LIST(fx_symbol) rows;
  char *names;
} fx_symbols;

typedef struct {
  uint32_t name, debug_name, path, debug_path, code_id, arch;  // the last two may be FX_NONE
  fxprof_debug_id debug_id;
  fx_symbols symbols;
  uint32_t used;  // its number in the document, or FX_NONE
} fx_library;

typedef struct {
  uint64_t start, end;  // start < end
  uint32_t library, relative;
} fx_mapping;

// Sorted, without overlap.
typedef FX_LIST(fx_mapping) fx_mappings;

// A copy, sorted and without repeats.
fxprof_status fx_symbols_build(const fx_memory *memory, fxprof_symbols given, fx_symbols *symbols);
void fx_symbols_clear(const fx_memory *memory, fx_symbols *symbols);

// The symbol at an address, or NULL.
const fx_symbol *fx_symbols_find(const fx_symbols *symbols, uint32_t address);

// See fxprof_add_mapping(). The library's handle is right.
fxprof_status fx_mappings_add(const fx_memory *memory, fx_mappings *mappings, fx_mapping mapping);
void fx_mappings_remove(fx_mappings *mappings, uint64_t start);

// The library at an address, and the address in it; false: none.
bool fx_mappings_find(const fx_mappings *mappings, uint64_t address, uint32_t *library,
                      uint32_t *relative);

// Gives a library its number in the document, if it has none.
fxprof_status fx_library_use(fxprof_profile *profile, uint32_t library);

#endif
