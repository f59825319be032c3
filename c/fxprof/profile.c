#include "profile.h"

#include <stdlib.h>
#include <string.h>

static void *libc_resize(void *context, void *block, size_t size) {
  (void)context;
  if (size) return realloc(block, size);
  free(block);
  return NULL;
}

fxprof_status fxprof_new(fxprof_text product, fxprof_reference reference, fxprof_interval interval,
                         const fxprof_allocator *allocator, uint64_t seed,
                         fxprof_profile **profile) {
  fx_memory memory = {{libc_resize, NULL}, FX_MAX_ROWS};
  if (allocator) memory.allocator = *allocator;
  fxprof_profile *made = fx_resize(&memory, NULL, sizeof *made);
  if (!made) return FXPROF_NO_MEMORY;
  memset(made, 0, sizeof *made);
  made->memory = memory;
  made->secret = fx_secret_from(seed);
  made->os_name = FX_NONE;
  made->reference = reference.ms;
  made->interval = interval.ns;
  fxprof_category other;
  fxprof_status status = fxprof_set_product(made, product);
  if (status == FXPROF_OK) {
    status = fxprof_add_category(made, fxprof_text_of("Other"), FXPROF_GREY, &other);
  }
  if (status == FXPROF_OK) *profile = made;
  else fxprof_free(made);
  return status;
}

void fxprof_free(fxprof_profile *profile) {
  if (!profile) return;
  fx_memory memory = profile->memory;
  fx_strings_clear(&memory, &profile->strings);
  for (uint32_t i = 0; i < profile->categories.count; i++) {
    fx_free(&memory, profile->categories.rows[i].subcategories.rows);
  }
  for (uint32_t i = 0; i < profile->processes.count; i++) {
    fx_free(&memory, profile->processes.rows[i].mappings.rows);
  }
  for (uint32_t i = 0; i < profile->threads.count; i++) {
    fx_thread_clear(&memory, &profile->threads.rows[i]);
  }
  for (uint32_t i = 0; i < profile->libraries.count; i++) {
    fx_symbols_clear(&memory, &profile->libraries.rows[i].symbols);
  }
  for (uint32_t i = 0; i < profile->counters.count; i++) {
    fx_free(&memory, profile->counters.rows[i].samples.rows);
  }
  void *blocks[] = {
      profile->categories.rows,      profile->processes.rows,      profile->threads.rows,
      profile->pids.rows.rows,       profile->pids.index.slots,    profile->tids.rows.rows,
      profile->tids.index.slots,     profile->visible.rows,        profile->selected.rows,
      profile->order.rows,           profile->libraries.rows,      profile->library_index.slots,
      profile->used_libraries.rows,  profile->kernel_mappings.rows, profile->used_addresses.rows,
      profile->used_address_lists.rows, profile->marker_types.rows, profile->sorted_types.rows,
      profile->static_types.slots,   profile->fields.rows,         profile->graphs.rows,
      profile->counters.rows,        profile->chain.rows,          profile,
  };
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) fx_free(&memory, blocks[i]);
}

// The profile itself ------------------------------------------------------------------------------

fxprof_status fxprof_set_product(fxprof_profile *profile, fxprof_text product) {
  uint32_t number;
  FX_TRY(fx_intern(profile, product, &number));
  profile->product = number;
  return FXPROF_OK;
}

fxprof_status fxprof_set_os_name(fxprof_profile *profile, fxprof_text os_name) {
  uint32_t number;
  FX_TRY(fx_intern(profile, os_name, &number));
  profile->os_name = number;
  return FXPROF_OK;
}

fxprof_status fxprof_set_interval(fxprof_profile *profile, fxprof_interval interval) {
  profile->interval = interval.ns;
  return FXPROF_OK;
}

fxprof_status fxprof_set_reference(fxprof_profile *profile, fxprof_reference reference) {
  profile->reference = reference.ms;
  return FXPROF_OK;
}

fxprof_status fxprof_set_symbolicated(fxprof_profile *profile, bool is_symbolicated) {
  profile->is_symbolicated = is_symbolicated;
  return FXPROF_OK;
}

fxprof_status fxprof_add_category(fxprof_profile *profile, fxprof_text name, fxprof_color color,
                                  fxprof_category *category) {
  if (color > FXPROF_DARKGRAY) return FXPROF_INVALID_ARGUMENT;
  fx_category row = {.color = color};
  uint32_t other;
  FX_TRY(fx_intern(profile, name, &row.name));
  FX_TRY(fx_intern(profile, fxprof_text_of("Other"), &other));
  FX_TRY(FX_RESERVE(&profile->memory, &profile->categories, 1));
  FX_TRY(FX_RESERVE(&profile->memory, &row.subcategories, 1));
  FX_PUSH(&row.subcategories, other);
  FX_PUSH(&profile->categories, row);
  category->index = profile->categories.count - 1;
  return FXPROF_OK;
}

fxprof_status fxprof_add_subcategory(fxprof_profile *profile, fxprof_category category,
                                     fxprof_text name, fxprof_category_pair *pair) {
  FX_TRY(fx_check_category(profile, fxprof_pair_of(category)));
  fx_u32_list *list = &profile->categories.rows[category.index].subcategories;
  uint32_t number;
  FX_TRY(fx_intern(profile, name, &number));
  FX_TRY(FX_RESERVE(&profile->memory, list, 1));
  FX_PUSH(list, number);
  *pair = (fxprof_category_pair){category.index, list->count - 1};
  return FXPROF_OK;
}

// Processes and threads ---------------------------------------------------------------------------

// A text for a number that nobody had: "7", then "7.1", "7.2" ... Taken by fx_id_take().
static fxprof_status intern_id(fxprof_profile *profile, fx_ids *ids, uint32_t number,
                               uint32_t *row, uint32_t *text) {
  uint32_t hash = fx_hash_pair(profile->secret, number, 0), uses = 0;
  for (uint32_t at = hash; (*row = fx_index_next(&ids->index, hash, &at)) != FX_NONE;) {
    if (ids->rows.rows[*row].number == number) break;
  }
  if (*row == FX_NONE) {
    FX_TRY(FX_RESERVE(&profile->memory, &ids->rows, 1));
    FX_TRY(fx_index_reserve(&profile->memory, &ids->index, 1));
    *row = ids->rows.count;
    FX_PUSH(&ids->rows, (fx_id){number, 0});
    fx_index_put(&ids->index, hash, *row);
  }
  uses = ids->rows.rows[*row].uses;
  char bytes[24], *begin = bytes + sizeof bytes;
  if (uses) {
    for (uint32_t left = uses; left; left /= 10) *--begin = (char)('0' + left % 10);
    *--begin = '.';
  }
  do {
    *--begin = (char)('0' + number % 10);
    number /= 10;
  } while (number);
  size_t length = (size_t)(bytes + sizeof bytes - begin);
  return fx_intern(profile, (fxprof_text){begin, length}, text);
}

fxprof_status fxprof_add_process(fxprof_profile *profile, fxprof_text name, uint32_t pid,
                                 fxprof_time start, fxprof_process *process) {
  fx_process row = {.start = start.ns, .first_thread = FX_NONE};
  uint32_t id;
  FX_TRY(fx_intern(profile, name, &row.name));
  FX_TRY(FX_RESERVE(&profile->memory, &profile->processes, 1));
  FX_TRY(intern_id(profile, &profile->pids, pid, &id, &row.pid));
  profile->pids.rows.rows[id].uses++;
  FX_PUSH(&profile->processes, row);
  process->id = profile->processes.count;
  return FXPROF_OK;
}

fxprof_status fxprof_set_process_name(fxprof_profile *profile, fxprof_process process,
                                      fxprof_text name) {
  FX_CHECK(&profile->processes, process);
  uint32_t number;
  FX_TRY(fx_intern(profile, name, &number));
  profile->processes.rows[process.id - 1].name = number;
  return FXPROF_OK;
}

fxprof_status fxprof_set_process_start(fxprof_profile *profile, fxprof_process process,
                                       fxprof_time start) {
  FX_CHECK(&profile->processes, process);
  profile->processes.rows[process.id - 1].start = start.ns;
  return FXPROF_OK;
}

fxprof_status fxprof_set_process_end(fxprof_profile *profile, fxprof_process process,
                                     fxprof_time end) {
  FX_CHECK(&profile->processes, process);
  profile->processes.rows[process.id - 1].end = end.ns;
  profile->processes.rows[process.id - 1].has_end = true;
  return FXPROF_OK;
}

fxprof_status fxprof_add_thread(fxprof_profile *profile, fxprof_process process, uint32_t tid,
                                fxprof_time start, bool is_main, fxprof_thread *thread) {
  FX_CHECK(&profile->processes, process);
  fx_thread row = {
      .process = process.id - 1, .name = FX_NONE, .start = start.ns, .is_main = is_main};
  uint32_t id;
  FX_TRY(FX_RESERVE(&profile->memory, &profile->threads, 1));
  FX_TRY(FX_RESERVE(&profile->memory, &profile->order, 1));
  FX_TRY(intern_id(profile, &profile->tids, tid, &id, &row.tid));
  profile->tids.rows.rows[id].uses++;
  fx_process *owner = &profile->processes.rows[row.process];
  if (owner->first_thread == FX_NONE) owner->first_thread = profile->threads.count;
  FX_PUSH(&profile->order, profile->threads.count);
  FX_PUSH(&profile->threads, row);
  thread->id = profile->threads.count;
  return FXPROF_OK;
}

fxprof_status fxprof_set_thread_name(fxprof_profile *profile, fxprof_thread thread,
                                     fxprof_text name) {
  FX_CHECK(&profile->threads, thread);
  uint32_t number;
  FX_TRY(fx_intern(profile, name, &number));
  profile->threads.rows[thread.id - 1].name = number;
  return FXPROF_OK;
}

fxprof_status fxprof_set_thread_tid(fxprof_profile *profile, fxprof_thread thread, uint32_t tid) {
  FX_CHECK(&profile->threads, thread);
  uint32_t id, text;
  FX_TRY(intern_id(profile, &profile->tids, tid, &id, &text));
  profile->tids.rows.rows[id].uses++;
  profile->threads.rows[thread.id - 1].tid = text;
  return FXPROF_OK;
}

fxprof_status fxprof_set_thread_start(fxprof_profile *profile, fxprof_thread thread,
                                      fxprof_time start) {
  FX_CHECK(&profile->threads, thread);
  profile->threads.rows[thread.id - 1].start = start.ns;
  return FXPROF_OK;
}

fxprof_status fxprof_set_thread_end(fxprof_profile *profile, fxprof_thread thread,
                                    fxprof_time end) {
  FX_CHECK(&profile->threads, thread);
  profile->threads.rows[thread.id - 1].end = end.ns;
  profile->threads.rows[thread.id - 1].has_end = true;
  return FXPROF_OK;
}

fxprof_status fxprof_set_thread_show_markers(fxprof_profile *profile, fxprof_thread thread,
                                             bool shows) {
  FX_CHECK(&profile->threads, thread);
  profile->threads.rows[thread.id - 1].shows_markers = shows;
  return FXPROF_OK;
}

fxprof_status fxprof_set_thread_weight(fxprof_profile *profile, fxprof_thread thread,
                                       fxprof_weight weight) {
  FX_CHECK(&profile->threads, thread);
  if (weight > FXPROF_WEIGHT_BYTES) return FXPROF_INVALID_ARGUMENT;
  profile->threads.rows[thread.id - 1].weight_type = weight;
  return FXPROF_OK;
}

fxprof_status fxprof_set_thread_omit_weights(fxprof_profile *profile, fxprof_thread thread,
                                             bool omits) {
  FX_CHECK(&profile->threads, thread);
  profile->threads.rows[thread.id - 1].omits_weights = omits;
  return FXPROF_OK;
}

static fxprof_status add_listed(fxprof_profile *profile, fx_u32_list *list, fxprof_thread thread) {
  FX_CHECK(&profile->threads, thread);
  FX_TRY(FX_RESERVE(&profile->memory, list, 1));
  FX_PUSH(list, thread.id - 1);
  return FXPROF_OK;
}

fxprof_status fxprof_add_visible_thread(fxprof_profile *profile, fxprof_thread thread) {
  return add_listed(profile, &profile->visible, thread);
}

fxprof_status fxprof_add_selected_thread(fxprof_profile *profile, fxprof_thread thread) {
  return add_listed(profile, &profile->selected, thread);
}

fxprof_status fxprof_clear_visible_threads(fxprof_profile *profile) {
  profile->visible.count = 0;
  return FXPROF_OK;
}

fxprof_status fxprof_clear_selected_threads(fxprof_profile *profile) {
  profile->selected.count = 0;
  return FXPROF_OK;
}

// Strings -----------------------------------------------------------------------------------------

fxprof_status fxprof_intern_string(fxprof_profile *profile, fxprof_text text,
                                   fxprof_string *string) {
  uint32_t number;
  FX_TRY(fx_intern(profile, text, &number));
  string->id = number + 1;
  return FXPROF_OK;
}

fxprof_status fxprof_get_string(const fxprof_profile *profile, fxprof_string string,
                                fxprof_text *text) {
  FX_CHECK(&profile->strings.entries, string);
  *text = fx_text(profile, string.id - 1);
  return FXPROF_OK;
}
