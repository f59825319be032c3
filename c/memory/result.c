#include <string.h>

#include "measurement.h"
#include "trace/memory.h"

enum { TYPE_COUNT = 5 };

// In the order of their bits.
static const char *const type_names[TYPE_COUNT] = {"JavaScript", "DOM", "Canvas", "WebAssembly",
                                                   "Shared"};
static const char *const scope_names[MEMORY_SCOPES] = {
    "Window", "DedicatedWorkerGlobalScope", "SharedWorkerGlobalScope", "ServiceWorkerGlobalScope"};

// The order ---------------------------------------------------------------------------------------

typedef struct {
  const uint32_t *next, *end;
  bool has_ended;
} random_words;

// A number below `limit`, each as likely: words of an incomplete run of `limit` are not used.
static uint32_t pick(random_words *random, uint32_t limit) {
  uint32_t too_many = -limit % limit;  // 2^32 modulo limit
  while (random->next < random->end) {
    uint32_t word = *random->next++;
    if (word >= too_many) return word % limit;
  }
  random->has_ended = true;
  return 0;
}

// Fisher and Yates.
static void shuffle(uint32_t *items, uint32_t count, random_words *random) {
  for (uint32_t i = count; i > 1; i--) {
    uint32_t other = pick(random, i), item = items[i - 1];
    items[i - 1] = items[other];
    items[other] = item;
  }
}

uint32_t memory_random_count(const memory_measurement *m) {
  // Hardly any word is thrown away: 2^32 is no small multiple of a number of entries.
  return m->entry_count * TYPE_COUNT + 1 + 16;
}

// The text ----------------------------------------------------------------------------------------

static void add_bytes(buffer *out, uint64_t bytes) {
  char digits[20];
  uint32_t first = sizeof digits;
  do {
    digits[--first] = (char)('0' + bytes % 10);
    bytes /= 10;
  } while (bytes);
  buffer_add(out, digits + first, sizeof digits - first);
}

// is_usv: a USVString, in which U+FFFD stands for each surrogate without its other half. A
// DOMString keeps them.
static void add_text(buffer *out, const uint16_t *units, uint32_t length, bool is_usv) {
  static const char hex[] = "0123456789abcdef";
  buffer_add(out, "\"", 1);
  for (uint32_t i = 0; i < length; i++) {
    uint16_t unit = units[i];
    bool is_high = (unit & 0xfc00) == 0xd800, is_low = (unit & 0xfc00) == 0xdc00;
    bool is_paired = is_high ? i + 1 < length && (units[i + 1] & 0xfc00) == 0xdc00
                             : is_low && i && (units[i - 1] & 0xfc00) == 0xd800;
    if (is_usv && (is_high || is_low) && !is_paired) unit = 0xfffd;
    char escape[6] = {'\\', 'u', hex[unit >> 12], hex[unit >> 8 & 15], hex[unit >> 4 & 15],
                      hex[unit & 15]};
    char plain = (char)unit;
    bool is_plain = unit >= 0x20 && unit < 0x7f && unit != '"' && unit != '\\';
    buffer_add(out, is_plain ? &plain : escape, is_plain ? 1 : sizeof escape);
  }
  buffer_add(out, "\"", 1);
}

static void add_piece(const memory_measurement *m, buffer *out, memory_piece piece, bool is_usv) {
  add_text(out, m->texts + piece.start, piece.length, is_usv);
}

// Keys in lexicographic order, as WebIDL makes dictionaries.
static void add_attribution(const memory_measurement *m, buffer *out, const memory_realm *realm) {
  buffer_add_text(out, "{");
  if (realm->has_container) {
    buffer_add_text(out, "\"container\":{\"id\":");
    add_piece(m, out, realm->id, false);
    buffer_add_text(out, ",\"src\":");
    add_piece(m, out, realm->src, true);
    buffer_add_text(out, "},");
  }
  buffer_add_text(out, "\"scope\":\"");
  const char *scope = scope_names[realm->scope];
  buffer_add_text(out, realm->is_aggregated ? "cross-origin-aggregated" : scope);
  buffer_add_text(out, "\",\"url\":");
  if (realm->is_aggregated) {
    buffer_add_text(out, "\"cross-origin-url\"");
  } else {
    add_piece(m, out, realm->url, true);
  }
  buffer_add_text(out, "}");
}

static void add_types(buffer *out, uint32_t types, random_words *random) {
  uint32_t names[TYPE_COUNT], count = 0;
  for (uint32_t i = 0; i < TYPE_COUNT; i++) {
    if (types >> i & 1) names[count++] = i;
  }
  shuffle(names, count, random);
  for (uint32_t i = 0; i < count; i++) {
    buffer_add_text(out, i ? ",\"" : "\"");
    buffer_add_text(out, type_names[names[i]]);
    buffer_add_text(out, "\"");
  }
}

static void add_entry(const memory_measurement *m, buffer *out, const memory_entry *entry,
                      random_words *random) {
  buffer_add_text(out, "{\"attribution\":[");
  for (uint32_t i = 0; i < entry->count; i++) {
    if (i) buffer_add_text(out, ",");
    add_attribution(m, out, &m->realms[m->sets[entry->first + i]]);
  }
  buffer_add_text(out, "],\"bytes\":");
  add_bytes(out, entry->bytes);
  buffer_add_text(out, ",\"types\":[");
  add_types(out, entry->types, random);
  buffer_add_text(out, "]}");
}

bool memory_write_result(memory_measurement *m, const uint32_t *random, uint32_t count,
                         buffer *out) {
  static const memory_entry nothing;
  random_words words = {random, random + count, false};
  uint32_t all = m->entry_count + 1;  // and the one of 0 bytes
  size_t size;
  uint32_t *order = mem_array_bytes(all, sizeof *order, &size) ? mem_resize(NULL, size) : NULL;
  m->status = MEMORY_NO_ROOM;
  if (!order) return false;
  for (uint32_t i = 0; i < all; i++) order[i] = i;
  shuffle(order, all, &words);

  buffer_add_text(out, "{\"breakdown\":[");
  for (uint32_t i = 0; i < all; i++) {
    if (i) buffer_add_text(out, ",");
    add_entry(m, out, order[i] == m->entry_count ? &nothing : &m->entries[order[i]], &words);
  }
  buffer_add_text(out, "],\"bytes\":");
  add_bytes(out, m->bytes);
  buffer_add_text(out, "}");
  mem_free(order);
  if (out->no_memory) return false;
  m->status = words.has_ended ? MEMORY_MORE_RANDOM : MEMORY_OK;
  return !words.has_ended;
}
