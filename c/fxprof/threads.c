#include "threads.h"

#include "profile.h"

fx_thread_mark fx_thread_mark_of(const fxprof_profile *profile, const fx_thread *thread) {
  return (fx_thread_mark){thread->strings.count,   thread->resources.count,
                          thread->symbols.count,   thread->functions.count,
                          thread->frames.count,    thread->nodes.count,
                          profile->used_libraries.count};
}

void fx_thread_reset(fxprof_profile *profile, fx_thread *thread, fx_thread_mark mark) {
  thread->strings.count = mark.strings;
  fx_index_truncate(&thread->string_index, mark.strings);
  thread->resources.count = mark.resources;
  fx_index_truncate(&thread->resource_index, mark.resources);
  thread->symbols.count = mark.symbols;
  fx_index_truncate(&thread->symbol_index, mark.symbols);
  thread->functions.count = mark.functions;
  fx_index_truncate(&thread->function_index, mark.functions);
  thread->frames.count = mark.frames;
  fx_index_truncate(&thread->frame_index, mark.frames);
  thread->nodes.count = mark.nodes;
  fx_index_truncate(&thread->node_index, mark.nodes);
  while (profile->used_libraries.count > mark.used_libraries) {
    profile->libraries.rows[*FX_LAST(&profile->used_libraries)].used = FX_NONE;
    profile->used_libraries.count--;
  }
}

void fx_thread_clear(const fx_memory *memory, fx_thread *thread) {
  void *blocks[] = {
      thread->strings.rows,       thread->resources.rows,        thread->symbols.rows,
      thread->functions.rows,     thread->frames.rows,           thread->nodes.rows,
      thread->translated.rows,    thread->samples.rows,          thread->allocations.rows,
      thread->markers.rows,       thread->marker_values.rows,    thread->string_index.slots,
      thread->symbol_index.slots, thread->resource_index.slots,  thread->function_index.slots,
      thread->frame_index.slots,  thread->node_index.slots,      thread->loads.rows,
  };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) fx_free(memory, blocks[i]);
}

fxprof_status fx_thread_string(fxprof_profile *profile, fx_thread *thread, uint32_t string,
                               uint32_t *number) {
  uint32_t hash = fx_hash_pair(profile->secret, string, 0);
  fx_index *index = &thread->string_index;
  for (uint32_t at = hash; (*number = fx_index_next(index, hash, &at)) != FX_NONE;) {
    if (thread->strings.rows[*number] == string) return FXPROF_OK;
  }
  FX_TRY(FX_RESERVE(&profile->memory, &thread->strings, 1));
  FX_TRY(fx_index_reserve(&profile->memory, index, 1));
  *number = thread->strings.count;
  FX_PUSH(&thread->strings, string);
  fx_index_put(index, hash, *number);
  return FXPROF_OK;
}
