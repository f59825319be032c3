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

functions_result scripts_find(scripts *all, uint32_t script, uint32_t line, uint32_t column,
                              const functions_entry **found, const functions **where) {
  bool bad = false;
  for (; script != SCRIPTS_NONE; script = all->entries[script].older) {
    functions *table = &all->entries[script].functions;
    functions_result result = functions_find(table, line, column, found);
    *where = table;
    if (result == FUNCTIONS_FOUND || result == FUNCTIONS_NO_MEMORY) return result;
    bad = bad || result == FUNCTIONS_BAD;
  }
  return bad ? FUNCTIONS_BAD : FUNCTIONS_OUTSIDE;
}
