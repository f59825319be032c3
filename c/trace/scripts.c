#include "scripts.h"

#include <string.h>

#include "memory.h"

void scripts_init(scripts *all) {
  memset(all, 0, sizeof *all);
  strings_init(&all->urls);
}

void scripts_clear(scripts *all) {
  for (uint32_t i = 0; i < all->count; i++) functions_clear(&all->entries[i].functions);
  mem_free(all->entries);
  mem_free(all->newest);
  strings_clear(&all->urls);
  scripts_init(all);
}

bool scripts_add(scripts *all, const char *url, uint32_t url_length, functions *table) {
  uint32_t id = strings_intern(&all->urls, url, url_length);
  if (id == STRINGS_NONE) return false;
  void *entries = all->entries, *newest = all->newest;
  bool grown = mem_reserve(&entries, &all->capacity, all->count + 1, 8, sizeof(scripts_entry)) &&
               mem_reserve(&newest, &all->newest_capacity, id + 1, 8, sizeof(uint32_t));
  all->entries = entries;
  all->newest = newest;
  if (!grown) return false;
  while (all->newest_count <= id) all->newest[all->newest_count++] = SCRIPTS_NONE;
  all->entries[all->count] = (scripts_entry){*table, all->newest[id]};
  all->newest[id] = all->count++;
  return true;
}

uint32_t scripts_newest(const scripts *all, const char *url, uint32_t url_length) {
  uint32_t id = strings_find(&all->urls, url, url_length);
  return id == STRINGS_NONE || id >= all->newest_count ? SCRIPTS_NONE : all->newest[id];
}

// Engines print all of a function's name, its end (`x` for `get x`), or none. The top-level code
// has none; other functions without one may be given any when they are made.
static bool is_misnamed(const functions *table, const functions_entry *found, const char *printed,
                        uint32_t printed_length) {
  uint32_t length;
  const char *name = strings_text(&table->names, found->name, &length);
  if (!printed_length) return false;
  if (!length) return found == table->entries;
  if (printed_length > length) return true;
  uint32_t rest = length - printed_length;
  return memcmp(name + rest, printed, printed_length) || (rest && name[rest - 1] != ' ');
}

functions_result scripts_find(scripts *all, uint32_t script, uint32_t line, uint32_t column,
                              const char *printed, uint32_t printed_length,
                              const functions_entry **found, const functions **where) {
  functions_result best = FUNCTIONS_OUTSIDE;
  for (; script != SCRIPTS_NONE && best; script = all->entries[script].older) {
    functions *table = &all->entries[script].functions;
    const functions_entry *function = NULL;
    functions_result result = functions_find(table, line, column, &function);
    if (result == FUNCTIONS_NO_MEMORY) return result;
    if (!result && is_misnamed(table, function, printed, printed_length)) {
      result = FUNCTIONS_MISNAMED;
    }
    if (result >= best) continue;
    best = result;
    *found = function;
    *where = table;
  }
  return best;
}
