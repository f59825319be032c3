#include <string.h>

#include "libraries.h"
#include "sort.h"

void fx_symbols_clear(const fx_memory *memory, fx_symbols *symbols) {
  fx_free(memory, symbols->rows.rows);
  fx_free(memory, symbols->names);
}

static bool comes_before(const void *context, const void *left, const void *right) {
  const char *names = context;
  const fx_symbol *a = left, *b = right;
  if (a->address != b->address) return a->address < b->address;
  if (a->has_size != b->has_size) return b->has_size;
  if (a->size != b->size) return a->size < b->size;
  uint32_t common = a->name_length < b->name_length ? a->name_length : b->name_length;
  int order = memcmp(names + a->name, names + b->name, common);
  return order ? order < 0 : a->name_length < b->name_length;
}

static fxprof_status copy(const fx_memory *memory, fxprof_symbols given, fx_symbols *symbols) {
  size_t length = 1, used = 0;
  for (uint32_t i = 0; i < given.count; i++) {
    size_t more = given.symbols[i].name.bytes ? given.symbols[i].name.length : 0;
    if (more > UINT32_MAX) return FXPROF_OVERFLOW;
    if (more > SIZE_MAX - length) return FXPROF_NO_MEMORY;
    length += more;
  }
  symbols->names = fx_resize(memory, NULL, length);
  if (!symbols->names) return FXPROF_NO_MEMORY;
  FX_TRY(FX_RESERVE(memory, &symbols->rows, given.count));
  for (uint32_t i = 0; i < given.count; i++) {
    const fxprof_symbol *symbol = &given.symbols[i];
    uint32_t name_length = symbol->name.bytes ? (uint32_t)symbol->name.length : 0;
    if (name_length) memcpy(symbols->names + used, symbol->name.bytes, name_length);
    FX_PUSH(&symbols->rows, (fx_symbol){symbol->address, symbol->has_size ? symbol->size : 0, used,
                                        name_length, symbol->has_size});
    used += name_length;
  }
  return FXPROF_OK;
}

fxprof_status fx_symbols_build(const fx_memory *memory, fxprof_symbols given,
                               fx_symbols *symbols) {
  memset(symbols, 0, sizeof *symbols);
  fxprof_status status = copy(memory, given, symbols);
  if (status != FXPROF_OK) {
    fx_symbols_clear(memory, symbols);
    return status;
  }
  fx_symbol *rows = symbols->rows.rows;
  fx_sort(rows, symbols->rows.count, sizeof *rows, comes_before, symbols->names);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < symbols->rows.count; i++) {
    if (!kept || rows[i].address != rows[kept - 1].address) rows[kept++] = rows[i];
  }
  symbols->rows.count = kept;
  return FXPROF_OK;
}

const fx_symbol *fx_symbols_find(const fx_symbols *symbols, uint32_t address) {
  uint32_t begin = 0, end = symbols->rows.count;
  while (begin < end) {
    uint32_t middle = begin + (end - begin) / 2;
    if (symbols->rows.rows[middle].address <= address) begin = middle + 1;
    else end = middle;
  }
  if (!begin) return NULL;
  // Only this one: if it does not reach so far, it still hides those before.
  const fx_symbol *symbol = &symbols->rows.rows[begin - 1];
  if (!symbol->has_size) return symbol;
  uint32_t reach = UINT32_MAX - symbol->address < symbol->size ? UINT32_MAX
                                                                : symbol->address + symbol->size;
  return address < reach ? symbol : NULL;
}
