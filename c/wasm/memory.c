// Memory measurements as a wasm module: what JS may call. There is one measurement at a time.
// Numbers are u32 unless told otherwise; realms and their texts: see c/memory/measurement.h.
//
// Texts are UTF-16. JS asks for room with memory_input(), writes all that a call wants, one behind
// the other, and names their lengths (in units) in that call.
#include <emscripten/emscripten.h>
#include <stddef.h>

#include "memory/measurement.h"
#include "trace/memory.h"

#define EXPORT EMSCRIPTEN_KEEPALIVE

// JS looks at the memory anew after each call, so that the module imports nothing.
void emscripten_notify_memory_growth(size_t index) { (void)index; }

static memory_measurement current;
static uint32_t *set;  // the realms of the next entry
static uint32_t set_count, set_capacity;
static void *input;  // texts, or random words
static uint32_t input_capacity;
static buffer output;

static void *reserve_input(uint32_t count, size_t size) {
  // One more, so that there is an address for nothing, too. A failure is told by the status.
  if (count < UINT32_MAX / size) {
    uint32_t bytes = (uint32_t)((count + 1) * size);
    if (mem_reserve(&input, &input_capacity, bytes, 1024, 1)) return input;
  }
  current.status = MEMORY_NO_ROOM;
  return NULL;
}

// The address of `units` units to write texts into; 0: status.
EXPORT uint16_t *memory_input(uint32_t units) { return reserve_input(units, sizeof(uint16_t)); }

static memory_text text_at(uint32_t start, uint32_t length) {
  return (memory_text){(const uint16_t *)input + start, length};
}

// What is in the input: URL, id, src.
EXPORT uint32_t memory_window(uint32_t parent, uint32_t is_same_origin, uint32_t url, uint32_t id,
                              uint32_t src) {
  return memory_add_window(&current, parent, is_same_origin, text_at(0, url), text_at(url, id),
                           text_at(url + id, src));
}

// The URL is in the input.
EXPORT uint32_t memory_worker(uint32_t outside, uint32_t scope, uint32_t url) {
  return memory_add_worker(&current, outside, (memory_scope)scope, text_at(0, url));
}

// One more realm, with a higher number than the one before, for the next memory_bytes(). Returns
// the status.
EXPORT uint32_t memory_attribute(uint32_t realm) {
  void *block = set;
  bool has_room = mem_reserve(&block, &set_capacity, set_count + 1, 16, sizeof *set);
  set = block;
  if (has_room) set[set_count++] = realm;
  return current.status = has_room ? MEMORY_OK : MEMORY_NO_ROOM;
}

// bytes: f64. Those of the realms named since the last call. Returns the status.
EXPORT uint32_t memory_bytes(uint32_t types, double bytes) {
  memory_add_bytes(&current, set, set_count, types, bytes);
  set_count = 0;
  return current.status;
}

// How many random words memory_result() wants in the room that memory_random() gives (0: status).
EXPORT uint32_t memory_random_words(void) { return memory_random_count(&current); }
EXPORT uint32_t *memory_random(void) {
  return reserve_input(memory_random_count(&current), sizeof(uint32_t));
}

// The address of the result as JSON, in ASCII; 0: status. May be asked for again, with other
// random words; each text is valid until the next call.
EXPORT const char *memory_result(void) {
  buffer_clear(&output);
  return memory_write_result(&current, input, memory_random_count(&current), &output) ? output.bytes
                                                                                      : NULL;
}
EXPORT uint32_t memory_length(void) { return output.length; }

// See memory_status: 0 fine, 1 no memory, 2 an argument that cannot be, 3 more random words.
EXPORT uint32_t memory_last_status(void) { return current.status; }

// Forgets the measurement; frees all.
EXPORT void memory_end(void) {
  memory_clear(&current);
  buffer_clear(&output);
  mem_free(set);
  mem_free(input);
  set = NULL;
  input = NULL;
  set_count = set_capacity = input_capacity = 0;
}
