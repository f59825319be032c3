#include "libraries.h"

#include <string.h>

#include "profile.h"
#include "sort.h"

static bool is_same(const fx_library *a, const fx_library *b) {
  const fxprof_debug_id *x = &a->debug_id, *y = &b->debug_id;
  return a->name == b->name && a->debug_name == b->debug_name && a->path == b->path &&
         a->debug_path == b->debug_path && a->code_id == b->code_id && a->arch == b->arch &&
         x->is_pdb20 == y->is_pdb20 && x->age == y->age && x->timestamp == y->timestamp &&
         memcmp(x->uuid, y->uuid, sizeof x->uuid) == 0;
}

static uint32_t hash_library(fx_secret secret, const fx_library *row) {
  uint32_t words[12] = {row->name,    row->debug_name, row->path,         row->debug_path,
                        row->code_id, row->arch,       row->debug_id.age, row->debug_id.timestamp};
  memcpy(words + 8, row->debug_id.uuid, sizeof row->debug_id.uuid);
  return fx_hash_bytes(secret, (const char *)words, sizeof words);
}

fxprof_status fxprof_add_library(fxprof_profile *profile, const fxprof_library_info *info,
                                 fxprof_library *library) {
  fx_library row = {.debug_id = info->debug_id, .used = FX_NONE};
  if (row.debug_id.is_pdb20) memset(row.debug_id.uuid, 0, sizeof row.debug_id.uuid);
  else row.debug_id.timestamp = 0;
  FX_TRY(fx_intern(profile, info->name, &row.name));
  FX_TRY(fx_intern(profile, info->debug_name, &row.debug_name));
  FX_TRY(fx_intern(profile, info->path, &row.path));
  FX_TRY(fx_intern(profile, info->debug_path, &row.debug_path));
  FX_TRY(fx_intern_optional(profile, info->code_id, &row.code_id));
  FX_TRY(fx_intern_optional(profile, info->arch, &row.arch));

  uint32_t hash = hash_library(profile->secret, &row);
  fx_index *index = &profile->library_index;
  for (uint32_t at = hash, i; (i = fx_index_next(index, hash, &at)) != FX_NONE;) {
    if (!is_same(&profile->libraries.rows[i], &row)) continue;
    library->id = i + 1;
    return info->symbols ? fxprof_set_library_symbols(profile, *library, *info->symbols)
                         : FXPROF_OK;
  }
  FX_TRY(FX_RESERVE(&profile->memory, &profile->libraries, 1));
  FX_TRY(fx_index_reserve(&profile->memory, index, 1));
  if (info->symbols) FX_TRY(fx_symbols_build(&profile->memory, *info->symbols, &row.symbols));
  FX_PUSH(&profile->libraries, row);
  library->id = profile->libraries.count;
  fx_index_put(index, hash, library->id - 1);
  return FXPROF_OK;
}

fxprof_status fxprof_set_library_symbols(fxprof_profile *profile, fxprof_library library,
                                         fxprof_symbols symbols) {
  FX_CHECK(&profile->libraries, library);
  fx_symbols built;
  FX_TRY(fx_symbols_build(&profile->memory, symbols, &built));
  fx_symbols *kept = &profile->libraries.rows[library.id - 1].symbols;
  fx_symbols_clear(&profile->memory, kept);
  *kept = built;
  return FXPROF_OK;
}

fxprof_status fxprof_get_library(const fxprof_profile *profile, fxprof_library library,
                                 fxprof_library_info *info) {
  FX_CHECK(&profile->libraries, library);
  const fx_library *row = &profile->libraries.rows[library.id - 1];
  fxprof_text none = {NULL, 0};
  *info = (fxprof_library_info){
      .name = fx_text(profile, row->name),
      .debug_name = fx_text(profile, row->debug_name),
      .path = fx_text(profile, row->path),
      .debug_path = fx_text(profile, row->debug_path),
      .debug_id = row->debug_id,
      .code_id = row->code_id == FX_NONE ? none : fx_text(profile, row->code_id),
      .arch = row->arch == FX_NONE ? none : fx_text(profile, row->arch),
  };
  return FXPROF_OK;
}

// Mappings ----------------------------------------------------------------------------------------

fxprof_status fxprof_add_mapping(fxprof_profile *profile, fxprof_process process,
                                 fxprof_library library, uint64_t start, uint64_t end,
                                 uint32_t relative) {
  FX_CHECK(&profile->processes, process);
  FX_CHECK(&profile->libraries, library);
  return fx_mappings_add(&profile->memory, &profile->processes.rows[process.id - 1].mappings,
                         (fx_mapping){start, end, library.id - 1, relative});
}

fxprof_status fxprof_remove_mapping(fxprof_profile *profile, fxprof_process process,
                                    uint64_t start) {
  FX_CHECK(&profile->processes, process);
  fx_mappings_remove(&profile->processes.rows[process.id - 1].mappings, start);
  return FXPROF_OK;
}

fxprof_status fxprof_clear_mappings(fxprof_profile *profile, fxprof_process process) {
  FX_CHECK(&profile->processes, process);
  profile->processes.rows[process.id - 1].mappings.count = 0;
  return FXPROF_OK;
}

fxprof_status fxprof_add_kernel_mapping(fxprof_profile *profile, fxprof_library library,
                                        uint64_t start, uint64_t end, uint32_t relative) {
  FX_CHECK(&profile->libraries, library);
  return fx_mappings_add(&profile->memory, &profile->kernel_mappings,
                         (fx_mapping){start, end, library.id - 1, relative});
}

fxprof_status fxprof_remove_kernel_mapping(fxprof_profile *profile, uint64_t start) {
  fx_mappings_remove(&profile->kernel_mappings, start);
  return FXPROF_OK;
}

// Used libraries ----------------------------------------------------------------------------------

fxprof_status fx_library_use(fxprof_profile *profile, uint32_t library) {
  fx_library *row = &profile->libraries.rows[library];
  if (row->used != FX_NONE) return FXPROF_OK;
  FX_TRY(FX_RESERVE(&profile->memory, &profile->used_libraries, 1));
  row->used = profile->used_libraries.count;
  FX_PUSH(&profile->used_libraries, library);
  return FXPROF_OK;
}

static bool is_below(const void *context, const void *a, const void *b) {
  (void)context;
  return *(const uint64_t *)a < *(const uint64_t *)b;
}

fxprof_status fxprof_list_used_libraries(fxprof_profile *profile,
                                         const fxprof_used_library **used, uint32_t *count) {
  // Whether a frame found a symbol stays with it, so the frames know the addresses: of all of them
  // pairs of library and address, sorted.
  uint32_t libraries = profile->used_libraries.count;
  profile->used_addresses.count = profile->used_address_lists.count = 0;
  for (uint32_t i = 0; i < profile->threads.count; i++) {
    const fx_thread *thread = &profile->threads.rows[i];
    for (uint32_t j = 0; j < thread->frames.count; j++) {
      const fx_frame *frame = &thread->frames.rows[j];
      if (frame->key.place != FX_IN_LIBRARY || frame->symbol != FX_NONE) continue;
      uint64_t number = profile->libraries.rows[frame->key.value >> 32].used;
      FX_TRY(FX_RESERVE(&profile->memory, &profile->used_addresses, 1));
      FX_PUSH(&profile->used_addresses, number << 32 | (uint32_t)frame->key.value);
    }
  }
  FX_TRY(FX_RESERVE(&profile->memory, &profile->used_address_lists, libraries));
  uint64_t *pairs = profile->used_addresses.rows;
  uint32_t pair_count = profile->used_addresses.count;
  if (pair_count) fx_sort(pairs, pair_count, sizeof *pairs, is_below, NULL);

  // The addresses alone go where their pairs were, and never ahead of what is still to be read.
  uint32_t *addresses = (uint32_t *)pairs, read = 0, written = 0;
  for (uint32_t i = 0; i < libraries; i++) {
    fxprof_used_library *row = &profile->used_address_lists.rows[i];
    *row = (fxprof_used_library){{profile->used_libraries.rows[i] + 1}, NULL, 0};
    if (pair_count) row->addresses = addresses + written;
    for (uint64_t last = UINT64_MAX; read < pair_count && pairs[read] >> 32 == i; read++) {
      if (pairs[read] == last) continue;
      last = pairs[read];
      uint32_t address = (uint32_t)last;
      memcpy(&addresses[written++], &address, sizeof address);
      row->count++;
    }
  }
  *used = profile->used_address_lists.rows;
  *count = libraries;
  return FXPROF_OK;
}
