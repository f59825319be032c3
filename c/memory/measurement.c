#include "measurement.h"

#include <string.h>

#include "trace/memory.h"

// What JSON and JavaScript can tell exactly.
static const uint64_t MOST_BYTES = (1ull << 53) - 1;

void memory_clear(memory_measurement *m) {
  mem_free(m->realms);
  mem_free(m->entries);
  mem_free(m->sets);
  mem_free(m->texts);
  memset(m, 0, sizeof *m);
}

static bool fail(memory_measurement *m, memory_status status) {
  m->status = status;
  return false;
}

// mem_reserve() for `more` elements behind `count`, of an array of any type.
static bool reserve(memory_measurement *m, void *array, uint32_t *capacity, uint32_t count,
                    uint32_t more, size_t size) {
  void *block = *(void **)array;
  if (more > UINT32_MAX - count || !mem_reserve(&block, capacity, count + more, 16, size)) {
    return fail(m, MEMORY_NO_ROOM);
  }
  *(void **)array = block;
  return true;
}

static memory_piece keep_text(memory_measurement *m, memory_text text) {
  memory_piece piece = {m->text_length, text.length};
  if (text.length) memcpy(m->texts + m->text_length, text.units, text.length * sizeof *text.units);
  m->text_length += text.length;
  return piece;
}

// Room for one realm and its texts.
static bool reserve_realm(memory_measurement *m, uint32_t url, uint32_t id, uint32_t src) {
  if (id > UINT32_MAX - url || src > UINT32_MAX - url - id) return fail(m, MEMORY_NO_ROOM);
  return reserve(m, &m->realms, &m->realm_capacity, m->realm_count, 1, sizeof *m->realms) &&
         reserve(m, &m->texts, &m->text_capacity, m->text_length, url + id + src,
                 sizeof *m->texts);
}

static uint32_t keep_realm(memory_measurement *m, memory_realm realm) {
  m->realms[m->realm_count] = realm;
  m->status = MEMORY_OK;
  return m->realm_count++;
}

uint32_t memory_add_window(memory_measurement *m, uint32_t parent, bool is_same_origin,
                           memory_text url, memory_text id, memory_text src) {
  bool is_top = parent == MEMORY_NONE;
  if (is_top ? !is_same_origin : parent >= m->realm_count) {
    fail(m, MEMORY_BAD_ARGUMENT);
    return MEMORY_NONE;
  }
  bool is_inner = !is_top && m->realms[parent].is_aggregated;  // the border is further out
  m->status = MEMORY_OK;
  if (is_inner && !is_same_origin) return parent;

  bool has_own = !is_top && !is_inner;
  if (!reserve_realm(m, is_same_origin ? url.length : 0, has_own ? id.length : 0,
                     has_own ? src.length : 0)) {
    return MEMORY_NONE;
  }
  memory_realm realm = {.scope = MEMORY_WINDOW, .is_aggregated = !is_same_origin};
  if (is_inner) {
    realm.has_container = true;
    realm.id = m->realms[parent].id;
    realm.src = m->realms[parent].src;
  }
  if (has_own) {
    realm.has_container = true;
    realm.id = keep_text(m, id);
    realm.src = keep_text(m, src);
  }
  if (is_same_origin) realm.url = keep_text(m, url);
  return keep_realm(m, realm);
}

uint32_t memory_add_worker(memory_measurement *m, uint32_t outside, memory_scope scope,
                           memory_text url) {
  bool is_dedicated = scope == MEMORY_DEDICATED_WORKER;
  bool is_known = is_dedicated ? outside < m->realm_count : outside == MEMORY_NONE;
  if (scope == MEMORY_WINDOW || scope >= MEMORY_SCOPES || !is_known) {
    fail(m, MEMORY_BAD_ARGUMENT);
    return MEMORY_NONE;
  }
  m->status = MEMORY_OK;
  if (is_dedicated && m->realms[outside].is_aggregated) return outside;

  if (!reserve_realm(m, url.length, 0, 0)) return MEMORY_NONE;
  memory_realm realm = {.scope = scope};
  if (is_dedicated) realm = m->realms[outside];
  realm.scope = scope;
  realm.url = keep_text(m, url);
  return keep_realm(m, realm);
}

static memory_entry *find_entry(memory_measurement *m, const uint32_t *realms, uint32_t count,
                                uint32_t types) {
  // Bytes of one realm come one after the other.
  for (uint32_t i = m->entry_count; i-- > 0;) {
    memory_entry *entry = &m->entries[i];
    if (entry->types != types || entry->count != count) continue;
    if (!count || !memcmp(m->sets + entry->first, realms, count * sizeof *realms)) return entry;
  }
  return NULL;
}

bool memory_add_bytes(memory_measurement *m, const uint32_t *realms, uint32_t count, uint32_t types,
                      double bytes) {
  if (types & ~(uint32_t)MEMORY_ALL_TYPES) return fail(m, MEMORY_BAD_ARGUMENT);
  for (uint32_t i = 0; i < count; i++) {
    if (realms[i] >= m->realm_count || (i && realms[i] <= realms[i - 1])) {
      return fail(m, MEMORY_BAD_ARGUMENT);
    }
  }
  // NaN is not above 0 either.
  if (!(bytes >= 0 && bytes <= (double)MOST_BYTES)) return fail(m, MEMORY_BAD_ARGUMENT);
  uint64_t whole = (uint64_t)bytes;
  if ((double)whole != bytes || whole > MOST_BYTES - m->bytes) return fail(m, MEMORY_BAD_ARGUMENT);

  memory_entry *entry = find_entry(m, realms, count, types);
  if (!entry) {
    if (!reserve(m, &m->entries, &m->entry_capacity, m->entry_count, 1, sizeof *m->entries) ||
        !reserve(m, &m->sets, &m->set_capacity, m->set_count, count, sizeof *m->sets)) {
      return false;
    }
    if (count) memcpy(m->sets + m->set_count, realms, count * sizeof *realms);
    entry = &m->entries[m->entry_count++];
    *entry = (memory_entry){0, types, m->set_count, count};
    m->set_count += count;
  }
  entry->bytes += whole;
  m->bytes += whole;
  m->status = MEMORY_OK;
  return true;
}
