#include "profile.h"
#include "uri.h"

// Where a frame is --------------------------------------------------------------------------------

// Return addresses point behind the call, which may be in the next function.
static uint64_t before_return(uint64_t address) { return address ? address - 1 : 0; }

static fxprof_status locate_label(fxprof_profile *profile, const fxprof_frame_info *info,
                                  fx_frame_key *key) {
  FX_CHECK(&profile->strings.entries, info->label);
  key->place = FX_LABEL;
  key->value = info->label.id - 1;
  const fxprof_source *source = info->source;
  if (!source) return FXPROF_OK;
  if (source->file.id) FX_CHECK(&profile->strings.entries, source->file);
  key->line = source->line;
  key->column = source->column;
  key->has_source = source->file.id || source->start_line || source->start_column;
  key->has_resource = source->has_resource && source->file.id &&
                      fx_uri_is(fx_text(profile, source->file.id - 1));
  return FXPROF_OK;
}

fxprof_status fx_frame_locate(fxprof_profile *profile, const fx_thread *thread,
                              const fxprof_frame_info *info, fx_frame_key *key) {
  if (info->flags > (FXPROF_IS_JS | FXPROF_IS_RELEVANT_FOR_JS)) return FXPROF_INVALID_ARGUMENT;
  FX_TRY(fx_check_category(profile, info->category));
  *key = (fx_frame_key){.category = info->category.category,
                        .subcategory = info->category.subcategory,
                        .flags = (uint8_t)info->flags};
  if (info->kind == FXPROF_LABEL) return locate_label(profile, info, key);

  bool is_return = info->kind == FXPROF_RETURN_ADDRESS ||
                   info->kind == FXPROF_RELATIVE_RETURN_ADDRESS;
  uint64_t address = is_return ? before_return(info->address) : info->address;
  uint32_t library, relative;
  if (info->kind <= FXPROF_ADJUSTED_RETURN_ADDRESS) {
    const fx_mappings *own = &profile->processes.rows[thread->process].mappings;
    // The kernel's mapping that has no address for it counts as none.
    if (!fx_mappings_find(&profile->kernel_mappings, address, &library, &relative) &&
        !fx_mappings_find(own, address, &library, &relative)) {
      key->place = FX_UNKNOWN;
      key->value = address;
      return FXPROF_OK;
    }
  } else {
    if (info->kind > FXPROF_RELATIVE_ADJUSTED_RETURN_ADDRESS || address > UINT32_MAX) {
      return FXPROF_INVALID_ARGUMENT;
    }
    FX_CHECK(&profile->libraries, info->library);
    library = info->library.id - 1;
    relative = (uint32_t)address;
  }
  key->place = FX_IN_LIBRARY;
  key->value = (uint64_t)library << 32 | relative;
  return FXPROF_OK;
}

// What a new frame needs --------------------------------------------------------------------------

// `source`: the library, or what it is called; `name` and `host`: strings of the profile.
static fxprof_status intern_resource(fxprof_profile *profile, fx_thread *thread, uint8_t type,
                                     uint32_t source, uint32_t name, uint32_t host,
                                     uint32_t *number) {
  uint32_t hash = fx_hash_pair(profile->secret, source, type);
  fx_index *index = &thread->resource_index;
  for (uint32_t at = hash; (*number = fx_index_next(index, hash, &at)) != FX_NONE;) {
    const fx_resource *row = &thread->resources.rows[*number];
    if (row->type == type && row->source == source) return FXPROF_OK;
  }
  FX_TRY(fx_thread_string(profile, thread, name, &name));
  if (host != FX_NONE) FX_TRY(fx_thread_string(profile, thread, host, &host));
  FX_TRY(FX_RESERVE(&profile->memory, &thread->resources, 1));
  FX_TRY(fx_index_reserve(&profile->memory, index, 1));
  *number = thread->resources.count;
  FX_PUSH(&thread->resources, (fx_resource){source, name, host, type});
  fx_index_put(index, hash, *number);
  return FXPROF_OK;
}

// The resource of a file that is a URI.
static fxprof_status intern_file_resource(fxprof_profile *profile, fx_thread *thread,
                                          uint32_t file, uint32_t *number) {
  uint32_t origin, host = FX_NONE;
  uint8_t type = FX_RESOURCE_ORIGIN;
  FX_TRY(fx_uri_intern_origin(profile, file, &origin, &host));
  if (host == FX_NONE) type = FX_RESOURCE_URI;
  return intern_resource(profile, thread, type, origin, origin, host, number);
}

static fxprof_status intern_function(fxprof_profile *profile, fx_thread *thread, fx_function row,
                                     uint32_t *number) {
  uint32_t hash = fx_hash_pair(profile->secret, (uint64_t)row.name << 32 | row.resource,
                               (uint64_t)row.flags << 32 | row.file);
  hash = fx_hash_pair(profile->secret, hash, (uint64_t)row.start_line << 32 | row.start_column);
  fx_index *index = &thread->function_index;
  for (uint32_t at = hash; (*number = fx_index_next(index, hash, &at)) != FX_NONE;) {
    const fx_function *held = &thread->functions.rows[*number];
    if (held->name == row.name && held->resource == row.resource && held->flags == row.flags &&
        held->file == row.file && held->start_line == row.start_line &&
        held->start_column == row.start_column) {
      return FXPROF_OK;
    }
  }
  FX_TRY(FX_RESERVE(&profile->memory, &thread->functions, 1));
  FX_TRY(fx_index_reserve(&profile->memory, index, 1));
  *number = thread->functions.count;
  FX_PUSH(&thread->functions, row);
  fx_index_put(index, hash, *number);
  return FXPROF_OK;
}

// A symbol's row; one that is there keeps its name and size, whatever the library says now.
static fxprof_status intern_symbol(fxprof_profile *profile, fx_thread *thread, uint32_t library,
                                   const fx_symbol *symbol, uint32_t *number) {
  uint32_t hash = fx_hash_pair(profile->secret, library, symbol->address);
  fx_index *index = &thread->symbol_index;
  for (uint32_t at = hash; (*number = fx_index_next(index, hash, &at)) != FX_NONE;) {
    const fx_native_symbol *row = &thread->symbols.rows[*number];
    if (row->library == library && row->address == symbol->address) return FXPROF_OK;
  }
  const char *names = profile->libraries.rows[library].symbols.names;
  uint32_t name;
  FX_TRY(fx_intern(profile, (fxprof_text){names + symbol->name, symbol->name_length}, &name));
  FX_TRY(fx_thread_string(profile, thread, name, &name));
  FX_TRY(FX_RESERVE(&profile->memory, &thread->symbols, 1));
  FX_TRY(fx_index_reserve(&profile->memory, index, 1));
  *number = thread->symbols.count;
  FX_PUSH(&thread->symbols, (fx_native_symbol){library, symbol->address, symbol->size, name,
                                               symbol->has_size});
  fx_index_put(index, hash, *number);
  return FXPROF_OK;
}

// The name of what has none: its address.
static fxprof_status intern_address(fxprof_profile *profile, fx_thread *thread, uint64_t address,
                                    uint32_t *name) {
  char text[18], *begin = text + sizeof text;
  do {
    *--begin = "0123456789abcdef"[address & 15];
    address >>= 4;
  } while (address);
  *--begin = 'x';
  *--begin = '0';
  FX_TRY(fx_intern(profile, (fxprof_text){begin, (size_t)(text + sizeof text - begin)}, name));
  return fx_thread_string(profile, thread, *name, name);
}

// The order of the steps is the order of the strings in the document.
static fxprof_status name_frame(fxprof_profile *profile, fx_thread *thread,
                                const fx_frame_key *key, const fxprof_source *source,
                                fx_function *function, uint32_t *symbol) {
  if (key->place == FX_UNKNOWN) return intern_address(profile, thread, key->value, &function->name);
  if (key->place == FX_LABEL) {
    FX_TRY(fx_thread_string(profile, thread, (uint32_t)key->value, &function->name));
    if (!key->has_source) return FXPROF_OK;
    function->start_line = source->start_line;
    function->start_column = source->start_column;
    if (!source->file.id) return FXPROF_OK;
    FX_TRY(fx_thread_string(profile, thread, source->file.id - 1, &function->file));
    return key->has_resource ? intern_file_resource(profile, thread, source->file.id - 1,
                                                    &function->resource)
                             : FXPROF_OK;
  }
  uint32_t library = (uint32_t)(key->value >> 32), address = (uint32_t)key->value;
  FX_TRY(intern_resource(profile, thread, FX_RESOURCE_LIBRARY, library,
                         profile->libraries.rows[library].name, FX_NONE, &function->resource));
  const fx_symbol *found = fx_symbols_find(&profile->libraries.rows[library].symbols, address);
  if (!found) return intern_address(profile, thread, address, &function->name);
  FX_TRY(intern_symbol(profile, thread, library, found, symbol));
  function->name = thread->symbols.rows[*symbol].name;
  return FXPROF_OK;
}

// Frames ------------------------------------------------------------------------------------------

static uint32_t hash_frame(fx_secret secret, const fx_frame_key *key,
                           const fxprof_source *source) {
  uint64_t kind = (uint64_t)(key->place | key->flags << 2) << 60;
  uint32_t hash = fx_hash_pair(secret, key->value,
                               ((uint64_t)key->category << 32 | key->subcategory) ^ kind);
  if (key->line || key->column) {
    hash = fx_hash_pair(secret, hash, (uint64_t)key->line << 32 | key->column);
  }
  if (key->has_source) {
    hash = fx_hash_pair(secret, (uint64_t)hash << 32 | source->file.id,
                        (uint64_t)source->start_line << 32 | source->start_column);
  }
  return hash;
}

static bool is_same(const fx_thread *thread, const fx_frame *frame, const fx_frame_key *key,
                    const fxprof_source *source) {
  const fx_frame_key *held = &frame->key;
  if (held->value != key->value || held->category != key->category ||
      held->subcategory != key->subcategory || held->place != key->place ||
      held->flags != key->flags || held->line != key->line || held->column != key->column ||
      held->has_source != key->has_source || held->has_resource != key->has_resource) {
    return false;
  }
  if (!key->has_source) return true;
  const fx_function *function = &thread->functions.rows[frame->function];
  uint32_t file = function->file == FX_NONE ? 0 : thread->strings.rows[function->file] + 1;
  return file == source->file.id && function->start_line == source->start_line &&
         function->start_column == source->start_column;
}

fxprof_status fx_frame_intern(fxprof_profile *profile, fx_thread *thread, const fx_frame_key *key,
                              const fxprof_source *source, uint32_t *frame) {
  uint32_t hash = hash_frame(profile->secret, key, source);
  fx_index *index = &thread->frame_index;
  for (uint32_t at = hash; (*frame = fx_index_next(index, hash, &at)) != FX_NONE;) {
    if (is_same(thread, &thread->frames.rows[*frame], key, source)) return FXPROF_OK;
  }
  fx_function function = {.resource = FX_NONE, .file = FX_NONE, .flags = key->flags};
  fx_frame row = {*key, FX_NONE, FX_NONE};
  if (key->place == FX_IN_LIBRARY) FX_TRY(fx_library_use(profile, (uint32_t)(key->value >> 32)));
  FX_TRY(name_frame(profile, thread, key, source, &function, &row.symbol));
  FX_TRY(intern_function(profile, thread, function, &row.function));
  FX_TRY(FX_RESERVE(&profile->memory, &thread->frames, 1));
  FX_TRY(fx_index_reserve(&profile->memory, index, 1));
  *frame = thread->frames.count;
  FX_PUSH(&thread->frames, row);
  fx_index_put(index, hash, *frame);
  return FXPROF_OK;
}

fxprof_status fxprof_intern_frame(fxprof_profile *profile, fxprof_thread thread,
                                  const fxprof_frame_info *info, fxprof_frame *frame) {
  FX_CHECK(&profile->threads, thread);
  fx_thread *row = &profile->threads.rows[thread.id - 1];
  fx_frame_key key;
  FX_TRY(fx_frame_locate(profile, row, info, &key));
  fx_thread_mark mark = fx_thread_mark_of(profile, row);
  uint32_t number;
  fxprof_status status = fx_frame_intern(profile, row, &key, info->source, &number);
  if (status != FXPROF_OK) {
    fx_thread_reset(profile, row, mark);
    return status;
  }
  *frame = (fxprof_frame){thread.id, number + 1};
  return FXPROF_OK;
}
