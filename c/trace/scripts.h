// The instrumented scripts of a page by URL, each with its function table.
//
// One URL may have several: the inline scripts of a document, or a script that was loaded again
// with another text.
#ifndef TRACE_SCRIPTS_H
#define TRACE_SCRIPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "functions.h"
#include "strings.h"
#include "tuples.h"

static const uint32_t SCRIPTS_NONE = UINT32_MAX;

typedef struct {
  functions functions;
  uint32_t older;  // the script of the same URL registered before, or SCRIPTS_NONE
} scripts_entry;

typedef struct {
  strings urls;
  scripts_entry *entries;
  uint32_t *newest;  // by id in `urls`
  uint32_t count, capacity, newest_count, newest_capacity;
} scripts;

void scripts_init(scripts *all);
void scripts_clear(scripts *all);

// Registers a script's function table. False when there is no memory; nothing is kept then.
bool scripts_add(scripts *all, const char *url, uint32_t url_length, functions *table);

// The newest script of a URL, or SCRIPTS_NONE.
uint32_t scripts_newest(const scripts *all, const char *url, uint32_t url_length);

// As functions_find(), in the newest of the scripts from `script` on that holds the position in a
// function that an engine may print by this name; if none does, MISNAMED, in the newest that holds
// the position. BAD: none does, and a malformed table is among them.
functions_result scripts_find(scripts *all, uint32_t script, uint32_t line, uint32_t column,
                              const char *printed, uint32_t printed_length,
                              const functions_entry **found, const functions **where);

#endif
