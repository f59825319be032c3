// Fuzzes the decoding of function tables: whatever the texts, every look-up answers, answers the
// same again, and with an entry of the table. Two bytes choose where the code begins, one where the
// positions end and the names begin.
#include <stdlib.h>

#include "trace/functions.h"

static void check(functions *table, uint64_t line, uint64_t column) {
  const functions_entry *found = NULL, *again = NULL;
  functions_result result = functions_find(table, line, column, &found);
  if (result != functions_find(table, line, column, &again) || found != again) abort();
  if (result == FUNCTIONS_NO_MEMORY || (result == FUNCTIONS_FOUND) != (found != NULL)) abort();
  if (!found) return;
  if (found < table->entries || found >= table->entries + table->entry_count) abort();
  uint32_t told = functions_original_column(table, (uint32_t)line, (uint32_t)column);
  if (told && table->insertions.count < 2) abort();
  uint32_t length;
  strings_text(&table->names, found->name, &length);
  if (found->name >= table->names.count || length > table->names_length) abort();
}

static void check_order(const functions *table) {
  for (uint32_t i = 0; i < table->boundaries.count; i++) {
    const functions_mark *each = &table->boundaries.marks[i];
    if (each->value >= table->entry_count) abort();
    if (!i) continue;
    if (each[-1].line > each->line) abort();
    if (each[-1].line == each->line && each[-1].column > each->column) abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 3) return 0;
  const char *text = (const char *)data + 3;
  uint32_t length = (uint32_t)size - 3, split = (uint32_t)((uint64_t)length * data[2] / 255);
  functions table;
  if (!functions_init(&table, text, split, text + split, length - split, data[0], data[1])) abort();
  check(&table, data[0], data[1]);
  check_order(&table);
  for (uint32_t i = 0; i < table.boundaries.count; i++) {
    const functions_mark *each = &table.boundaries.marks[i];
    uint64_t line = (uint64_t)table.line + each->line;
    for (uint64_t column = 0; column < 3; column++) check(&table, line, each->column + column);
  }
  check(&table, 0, 0);
  check(&table, UINT64_MAX, UINT64_MAX);
  functions_clear(&table);
  return 0;
}
