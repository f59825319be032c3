// A memory measurement: which realms there are, what they are attributed to, and how many bytes
// they hold; and the result that performance.measureUserAgentSpecificMemory() makes of it.
// https://wicg.github.io/performance-measure-memory/
//
//   realms:   | scope, flag, url, id, src | ...        the memory attribution tokens, and what an
//                                                      attribution tells beside them
//   entries:  | bytes, types, realms from-to | ...     the intermediate breakdown entries
//   sets:     |0|1|0 3|2|...                           realm numbers, ascending, entry by entry
//   texts:    |https://a.example/|frame-1|...          UTF-16, as DOM strings are
//
// What lies behind the first border to another origin is folded into the frame at that border, and
// no text of it is kept.
#ifndef MEMORY_MEASUREMENT_H
#define MEMORY_MEASUREMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/buffer.h"

// A realm is a number, counted from 0 in the order in which they were added.
static const uint32_t MEMORY_NONE = UINT32_MAX;

typedef enum {
  MEMORY_WINDOW,
  MEMORY_DEDICATED_WORKER,
  MEMORY_SHARED_WORKER,
  MEMORY_SERVICE_WORKER,
  MEMORY_SCOPES
} memory_scope;

// Bits of a set of types.
enum {
  MEMORY_JAVASCRIPT = 1,
  MEMORY_DOM = 2,
  MEMORY_CANVAS = 4,
  MEMORY_WEBASSEMBLY = 8,
  MEMORY_SHARED = 16,
  MEMORY_ALL_TYPES = 31
};

typedef enum {
  MEMORY_OK,
  MEMORY_NO_ROOM,       // no memory
  MEMORY_BAD_ARGUMENT,  // no such realm, type or number of bytes, or more than 2^53 - 1 in all
  MEMORY_MORE_RANDOM    // the random words have run out
} memory_status;

typedef struct {
  const uint16_t *units;
  uint32_t length;
} memory_text;

typedef struct {
  uint32_t start, length;
} memory_piece;

typedef struct {
  memory_scope scope;
  bool is_aggregated;   // the cross-origin aggregated flag
  bool has_container;
  memory_piece url, id, src;
} memory_realm;

typedef struct {
  uint64_t bytes;
  uint32_t types, first, count;  // realms: sets[first] to sets[first + count - 1]
} memory_entry;

typedef struct {
  memory_realm *realms;
  memory_entry *entries;
  uint32_t *sets;
  uint16_t *texts;
  uint64_t bytes;  // of all entries
  uint32_t realm_count, realm_capacity, entry_count, entry_capacity;
  uint32_t set_count, set_capacity, text_length, text_capacity;
  memory_status status;  // of the last function that says so
} memory_measurement;

void memory_clear(memory_measurement *m);  // frees all; stays usable, empty

// Adds a window; returns its realm's number, or MEMORY_NONE: status, everything is as before.
//
// parent: the realm of the window around it; MEMORY_NONE for top-level ones, which have no
// container.
// is_same_origin: as the top-level window. A window of another origin within another of them is
// no realm of its own: its number is that of the outer one.
uint32_t memory_add_window(memory_measurement *m, uint32_t parent, bool is_same_origin,
                           memory_text url, memory_text id, memory_text src);

// As above, for a worker. outside: the realm that made a dedicated worker, whose token it has;
// MEMORY_NONE for all other workers, which have an empty one.
uint32_t memory_add_worker(memory_measurement *m, uint32_t outside, memory_scope scope,
                           memory_text url);

// Adds bytes to the entry of a set of realms and of types; makes that if there is none. The
// numbers of the realms must be ascending. False: status, everything is as before.
bool memory_add_bytes(memory_measurement *m, const uint32_t *realms, uint32_t count, uint32_t types,
                      double bytes);

// How many random words make it all but certain that memory_write_result() has enough.
uint32_t memory_random_count(const memory_measurement *m);

// Writes the result as JSON, in ASCII, its entries in an order made of the random words. May be
// called again, for another order. False: status, the text is of no use.
bool memory_write_result(memory_measurement *m, const uint32_t *random, uint32_t count,
                         buffer *out);

#endif
