// Fuzzes the profile builder: the input is a list of calls, some of which find no memory, and do
// when they are made again. A model that is too simple to be wrong makes them too; handles, samples
// and stacks must be its, the document must be JSON, and what is in it must be in range.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fxprof/json.h"
#include "fxprof/fxprof.h"

#define CHECK(condition) \
  do {                   \
    if (!(condition)) {  \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
      abort();           \
    }                    \
  } while (0)

// The input ---------------------------------------------------------------------------------------

static const uint8_t *at, *end;
static uint32_t until_failure;  // allocations; 0: none fails

static uint8_t next_byte(void) { return at < end ? *at++ : 0; }
static uint32_t below(uint32_t limit) { return limit ? next_byte() % limit : 0; }

static void *resize(void *context, void *block, size_t size) {
  (void)context;
  if (size && until_failure && --until_failure == 0) return NULL;
  if (size) return realloc(block, size);
  free(block);
  return NULL;
}

// The model ---------------------------------------------------------------------------------------

enum { THREADS = 3, STRINGS = 8, LIBRARIES = 2, ROWS = 512, CALLS = 400 };

typedef struct {
  int place;  // 0 label, 1 unknown, 2 in a library
  uint64_t value;
  uint32_t library, category, subcategory, flags, line, start, file;
} model_frame;

typedef struct {
  uint64_t time, cpu;
  uint32_t stack;
  int32_t weight;
} model_sample;

typedef struct {
  model_frame frames[ROWS];
  struct {
    uint32_t parent, frame;
  } nodes[ROWS];
  model_sample samples[ROWS];
  uint32_t frame_count, node_count, sample_count, marker_count;
} model_thread;

typedef struct {
  uint64_t start, end;
  uint32_t library, relative;
  int is_removed;
} model_mapping;

static model_thread threads[THREADS];
static model_mapping mappings[ROWS];
static uint32_t mapping_count;

static fxprof_profile *profile;
static fxprof_process process;
static fxprof_thread handles[THREADS];
static fxprof_string strings[STRINGS];
static fxprof_library libraries[LIBRARIES];
static fxprof_category_pair categories[3];
static fxprof_marker_type marker_type;
static const char *const texts[STRINGS] = {"", "a", "b\"\n", "0x10", "https://h/a.js", "\xff\xfe",
                                           "\xc3\xa9", "file"};

// A call that may find no memory; then it is made again, and must work.
#define CALL(call)                                     \
  do {                                                 \
    fxprof_status status = (call);                     \
    if (status == FXPROF_NO_MEMORY) status = (call);   \
    CHECK(status == FXPROF_OK);                        \
  } while (0)

static void model_map(uint64_t start, uint64_t finish, uint32_t library, uint32_t relative) {
  for (uint32_t i = 0; i < mapping_count; i++) {
    model_mapping *m = &mappings[i];
    int overlaps = (start < m->end && m->start < finish) || (start >= m->start && start < m->end);
    if (overlaps) m->is_removed = 1;
  }
  if (start == finish) return;
  mappings[mapping_count++] = (model_mapping){start, finish, library, relative, 0};
}

static void model_resolve(uint64_t address, model_frame *frame) {
  frame->place = 1;
  frame->value = address;
  for (uint32_t i = 0; i < mapping_count; i++) {
    const model_mapping *m = &mappings[i];
    if (m->is_removed || address < m->start || address >= m->end) continue;
    unsigned __int128 relative = (unsigned __int128)m->relative + (address - m->start);
    if (relative > UINT32_MAX) continue;
    frame->place = 2;
    frame->library = m->library;
    frame->value = (uint64_t)relative;
  }
}

static uint32_t model_intern_frame(model_thread *t, const model_frame *frame) {
  for (uint32_t i = 0; i < t->frame_count; i++) {
    if (memcmp(&t->frames[i], frame, sizeof *frame) == 0) return i + 1;
  }
  CHECK(t->frame_count < ROWS);
  t->frames[t->frame_count] = *frame;
  return ++t->frame_count;
}

static uint32_t model_intern_node(model_thread *t, uint32_t parent, uint32_t frame) {
  for (uint32_t i = 0; i < t->node_count; i++) {
    if (t->nodes[i].parent == parent && t->nodes[i].frame == frame) return i + 1;
  }
  CHECK(t->node_count < ROWS);
  t->nodes[t->node_count].parent = parent;
  t->nodes[t->node_count].frame = frame;
  return ++t->node_count;
}

// Calls -------------------------------------------------------------------------------------------

// A frame for both; *source is used if it has one.
static fxprof_frame_info next_frame(model_frame *model, fxprof_source *source) {
  memset(model, 0, sizeof *model);
  *source = (fxprof_source){0};
  fxprof_frame_info info = {.kind = (fxprof_frame_kind)below(7),
                            .category = categories[below(3)],
                            .flags = below(4)};
  model->category = info.category.category;
  model->subcategory = info.category.subcategory;
  model->flags = info.flags;
  if (info.kind == FXPROF_LABEL) {
    uint32_t which = below(STRINGS);
    info.label = strings[which];
    model->value = info.label.id;
    if (next_byte() & 1) {
      source->line = model->line = below(3);
      source->start_line = model->start = below(2);
      if (next_byte() & 1) source->file = strings[below(STRINGS)];
      model->file = source->file.id;
      info.source = source;
    }
    return info;
  }
  uint64_t address = (uint64_t)next_byte() << (next_byte() & 1 ? 56 : 2);
  int is_relative = info.kind >= FXPROF_RELATIVE_INSTRUCTION_POINTER;
  if (is_relative) address = (uint32_t)address;
  info.address = address;
  int is_return = info.kind == FXPROF_RETURN_ADDRESS || info.kind == FXPROF_RELATIVE_RETURN_ADDRESS;
  if (is_return && address) address--;
  if (is_relative) {
    model->library = below(LIBRARIES);
    info.library = libraries[model->library];
    model->place = 2;
    model->value = address;
  } else {
    model_resolve(address, model);
  }
  return info;
}

static void call_stack_frames(uint32_t which, fxprof_stack *stack) {
  model_thread *t = &threads[which];
  fxprof_frame_info infos[4];
  fxprof_source sources[4];
  model_frame frames[4];
  uint32_t count = below(5), node = 0;
  for (uint32_t i = 0; i < count; i++) infos[i] = next_frame(&frames[i], &sources[i]);
  CALL(fxprof_intern_stack_frames(profile, handles[which], infos, count, stack));
  for (uint32_t i = 0; i < count; i++) {
    node = model_intern_node(t, node, model_intern_frame(t, &frames[i]));
  }
  CHECK(stack->id == node && stack->thread == (node ? handles[which].id : 0));
}

// A node by node; sometimes of another thread, which must be refused.
static void call_intern(uint32_t which) {
  model_thread *t = &threads[which];
  fxprof_source source;
  model_frame model;
  fxprof_frame_info info = next_frame(&model, &source);
  fxprof_frame frame;
  fxprof_stack parent = {0, 0}, stack;
  CALL(fxprof_intern_frame(profile, handles[which], &info, &frame));
  CHECK(frame.id == model_intern_frame(t, &model) && frame.thread == handles[which].id);
  if (t->node_count && next_byte() & 1) {
    parent = (fxprof_stack){handles[which].id, 1 + below(t->node_count)};
  }
  uint32_t other = (which + 1) % THREADS;
  CHECK(fxprof_intern_stack(profile, handles[other], parent, frame, &stack) ==
        FXPROF_FOREIGN_HANDLE);
  CALL(fxprof_intern_stack(profile, handles[which], parent, frame, &stack));
  CHECK(stack.id == model_intern_node(t, parent.id, frame.id));
}

static void call_sample(uint32_t which) {
  model_thread *t = &threads[which];
  fxprof_time time = {(uint64_t)next_byte() << (next_byte() & 1 ? 20 : 0)};
  int32_t weight = (int8_t)next_byte() * (next_byte() & 1 ? 1 : 16000000);
  model_sample *last = t->sample_count ? &t->samples[t->sample_count - 1] : NULL;
  if (next_byte() & 1) {
    fxprof_status status;
    do {
      status = fxprof_add_sample_same_stack_zero_cpu(profile, handles[which], time, weight);
    } while (status == FXPROF_NO_MEMORY);
    if (last && last->cpu == 0) {
      int64_t sum = (int64_t)last->weight + weight;
      CHECK(status == (sum == (int32_t)sum ? FXPROF_OK : FXPROF_OVERFLOW));
      if (status != FXPROF_OK) return;
      last->weight = (int32_t)sum;
      last->time = time.ns;
      return;
    }
    CHECK(status == FXPROF_OK);
    t->samples[t->sample_count++] = (model_sample){time.ns, 0, last ? last->stack : 0, weight};
    return;
  }
  uint32_t node = below(t->node_count + 1);
  fxprof_stack stack = {node ? handles[which].id : 0, node};
  fxprof_cpu cpu = {(uint64_t)below(3) << (next_byte() & 1 ? 30 : 0), false};
  CALL(fxprof_add_sample(profile, handles[which], time, stack, cpu, weight));
  t->samples[t->sample_count++] = (model_sample){time.ns, cpu.us, node, weight};
}

static void call_marker(uint32_t which) {
  model_thread *t = &threads[which];
  fxprof_value values[] = {{.is_string = true, .string = strings[below(STRINGS)]},
                           {.number = (double)next_byte() / 3}};
  fxprof_timing timing = {(fxprof_phase)below(4), {next_byte()}, {next_byte()}};
  fxprof_marker marker;
  fxprof_category other = {0};
  CALL(fxprof_add_marker(profile, handles[which], timing, marker_type, strings[below(STRINGS)],
                         other, values, 2, &marker));
  CHECK(marker.id == ++t->marker_count);
  uint32_t node = below(t->node_count + 1);
  fxprof_stack stack = {node ? handles[which].id : 0, node};
  CALL(fxprof_set_marker_stack(profile, handles[which], marker, stack));
}

static void call_mapping(void) {
  uint64_t start = (uint64_t)next_byte() << 2;
  uint64_t finish = start + ((uint64_t)next_byte() << below(58));
  uint32_t library = below(LIBRARIES);
  uint32_t relative = (uint32_t)next_byte() << (next_byte() & 1 ? 24 : 0);
  if (next_byte() % 4 == 0) {
    CALL(fxprof_remove_mapping(profile, process, start));
    for (uint32_t i = 0; i < mapping_count; i++) {
      if (mappings[i].start == start) mappings[i].is_removed = 1;
    }
    return;
  }
  CALL(fxprof_add_mapping(profile, process, libraries[library], start, finish, relative));
  model_map(start, finish, library, relative);
}

static void call_symbols(void) {
  fxprof_symbol rows[4];
  uint32_t count = below(5);
  for (uint32_t i = 0; i < count; i++) {
    rows[i] = (fxprof_symbol){(uint32_t)next_byte() << 2, next_byte(), next_byte() & 1,
                              fxprof_text_of(texts[below(STRINGS)])};
  }
  CALL(fxprof_set_library_symbols(profile, libraries[below(LIBRARIES)],
                                  (fxprof_symbols){rows, count}));
}

// The document ------------------------------------------------------------------------------------

static char *written;
static size_t length, capacity;

static bool write_text(void *context, const void *bytes, size_t count) {
  (void)context;
  CHECK(count && count <= 8192);
  if (length + count > capacity) {
    capacity = (length + count) * 2;
    written = realloc(written, capacity);
    CHECK(written);
  }
  memcpy(written + length, bytes, count);
  length += count;
  return true;
}

static const json *get(const json *object, const char *key) {
  const json *value = json_member(object, key);
  CHECK(value);
  return value;
}

// A column has as many elements as its table, numbers below a limit or (if it may) null or -1.
static void check_column(const json *table, const char *name, size_t limit, bool may_lack) {
  const json *column = get(table, name);
  CHECK(column->count == strtoul(get(table, "length")->text, NULL, 10));
  for (const json *row = column->first; row; row = row->next) {
    bool lacks = row->type == JSON_NULL || strcmp(row->text, "-1") == 0;
    CHECK(lacks ? may_lack : row->type == JSON_NUMBER && strtoull(row->text, NULL, 10) < limit);
  }
}

static void check_ranges(const json *thread, size_t library_count) {
  const json *frames = get(thread, "frameTable"), *functions = get(thread, "funcTable");
  const json *stacks = get(thread, "stackTable"), *samples = get(thread, "samples");
  const json *markers = get(thread, "markers"), *symbols = get(thread, "nativeSymbols");
  const json *resources = get(thread, "resourceTable");
  size_t strings_count = get(thread, "stringArray")->count, any = SIZE_MAX;
  size_t stack_count = get(stacks, "frame")->count;
  check_column(frames, "func", get(functions, "name")->count, false);
  check_column(frames, "nativeSymbol", get(symbols, "name")->count, true);
  check_column(frames, "address", any, true);
  check_column(frames, "category", 2, false);
  check_column(frames, "subcategory", 2, false);
  check_column(frames, "line", 3, true);
  check_column(frames, "column", any, true);
  check_column(functions, "name", strings_count, false);
  check_column(functions, "resource", get(resources, "name")->count, true);
  check_column(functions, "fileName", strings_count, true);
  check_column(symbols, "libIndex", library_count, false);
  check_column(symbols, "name", strings_count, false);
  check_column(resources, "lib", library_count, true);
  check_column(resources, "name", strings_count, false);
  check_column(stacks, "prefix", stack_count, true);
  check_column(stacks, "frame", get(frames, "func")->count, false);
  check_column(samples, "stack", stack_count, true);
  check_column(markers, "name", strings_count, false);
  check_column(markers, "category", 1, false);
  const json *allocations = json_member(thread, "nativeAllocations");
  if (allocations) check_column(allocations, "stack", stack_count, true);
}

// A column of the model's numbers, in their order.
#define CHECK_COLUMN(table, name, row_count, present, ...)                            \
  do {                                                                                \
    const json *cell = get((table), (name))->first;                                   \
    for (uint32_t i = 0; i < (row_count); i++, cell = cell->next) {                   \
      CHECK(cell);                                                                    \
      if (!(present)) CHECK(cell->type == JSON_NULL);                                 \
      else CHECK(strtoll(cell->text, NULL, 10) == (long long)(__VA_ARGS__));          \
    }                                                                                 \
    CHECK(!cell);                                                                     \
  } while (0)

static void check_thread(const json *thread, const model_thread *t) {
  static model_sample sorted[ROWS];
  for (uint32_t i = 0; i < t->sample_count; i++) {
    uint32_t to = i;
    for (; to && t->samples[i].time < sorted[to - 1].time; to--) sorted[to] = sorted[to - 1];
    sorted[to] = t->samples[i];
  }
  const json *samples = get(thread, "samples"), *stacks = get(thread, "stackTable");
  CHECK_COLUMN(samples, "weight", t->sample_count, true, sorted[i].weight);
  CHECK_COLUMN(samples, "threadCPUDelta", t->sample_count, true, sorted[i].cpu);
  CHECK_COLUMN(samples, "stack", t->sample_count, sorted[i].stack, sorted[i].stack - 1);
  CHECK_COLUMN(get(thread, "frameTable"), "address", t->frame_count, true,
               t->frames[i].place == 2 ? (long long)t->frames[i].value : -1);
  CHECK(get(get(thread, "markers"), "data")->count == t->marker_count);
  // The first thread also has the stacks that allocations of others brought.
  if (t == threads) return;
  CHECK_COLUMN(stacks, "prefix", t->node_count, t->nodes[i].parent, t->nodes[i].parent - 1);
  CHECK_COLUMN(stacks, "frame", t->node_count, true, t->nodes[i].frame - 1);
}

static void check_document(void) {
  length = 0;
  CHECK(fxprof_write(profile, write_text, NULL) == FXPROF_OK);
  const json *root = json_parse(written, length);
  CHECK(root);
  size_t library_count = get(root, "libs")->count;
  const json *thread = get(root, "threads")->first;
  for (uint32_t i = 0; i < THREADS; i++, thread = thread->next) {
    CHECK(thread);
    check_ranges(thread, library_count);
    check_thread(thread, &threads[i]);
  }
  CHECK(!thread);
  json_free();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  at = data;
  end = data + size;
  for (uint32_t i = 0; i < THREADS; i++) {
    model_thread *t = &threads[i];
    t->frame_count = t->node_count = t->sample_count = t->marker_count = 0;
  }
  mapping_count = 0;
  until_failure = 0;
  fxprof_allocator allocator = {resize, NULL};
  CALL(fxprof_new(fxprof_text_of("fuzz"), (fxprof_reference){0}, (fxprof_interval){1}, &allocator,
                  next_byte(), &profile));
  CALL(fxprof_add_process(profile, fxprof_text_of("p"), 1, (fxprof_time){0}, &process));
  for (uint32_t i = 0; i < THREADS; i++) {
    CALL(fxprof_add_thread(profile, process, i, (fxprof_time){i}, false, &handles[i]));
  }
  for (uint32_t i = 0; i < STRINGS; i++) {
    CALL(fxprof_intern_string(profile, fxprof_text_of(texts[i]), &strings[i]));
  }
  for (uint32_t i = 0; i < LIBRARIES; i++) {
    fxprof_library_info info = {.name = fxprof_text_of(texts[i])};
    CALL(fxprof_add_library(profile, &info, &libraries[i]));
  }
  fxprof_category category;
  CALL(fxprof_add_category(profile, fxprof_text_of("c"), FXPROF_RED, &category));
  categories[0] = (fxprof_category_pair){0, 0};
  categories[1] = fxprof_pair_of(category);
  CALL(fxprof_add_subcategory(profile, category, fxprof_text_of("s"), &categories[2]));
  fxprof_field fields[] = {
      {fxprof_text_of("a"), fxprof_text_of("A"), FXPROF_FORMAT_UNIQUE_STRING, 1},
      {fxprof_text_of("b"), fxprof_text_of(""), FXPROF_FORMAT_DECIMAL, 0}};
  fxprof_schema schema = {.name = fxprof_text_of("m"), .fields = fields, .field_count = 2};
  CALL(fxprof_register_marker_type(profile, &schema, &marker_type));

  fxprof_stack stack;
  for (int i = 0; i < CALLS / 4 && at < end; i++) {
    uint32_t which = below(THREADS);
    until_failure = next_byte() & 3 ? 0 : 1 + below(20);
    switch (next_byte() % 9) {
      case 0: case 1: call_stack_frames(which, &stack); break;
      case 2: call_intern(which); break;
      case 3: case 4: call_sample(which); break;
      case 5: call_marker(which); break;
      case 6: call_mapping(); break;
      case 7: call_symbols(); break;
      case 8:
        if (which == 0) {  // those of the first thread stay there: nothing new for the model
          CALL(fxprof_add_allocation_sample(profile, handles[0], (fxprof_time){next_byte()},
                                            (fxprof_stack){0, 0}, 1, 1));
        } else if (next_byte() % 8 == 0) {
          check_document();
        }
        break;
    }
  }
  until_failure = 0;
  check_document();
  // Stacks of the others on the first thread: in range, and none twice.
  for (uint32_t i = 1; i < THREADS; i++) {
    for (uint32_t j = 1; j <= threads[i].node_count; j++) {
      until_failure = j % 3 ? 0 : 1 + j % 20;
      CALL(fxprof_add_allocation_sample(profile, handles[i], (fxprof_time){j},
                                        (fxprof_stack){handles[i].id, j}, 1, 1));
    }
  }
  until_failure = 0;
  length = 0;
  CHECK(fxprof_write(profile, write_text, NULL) == FXPROF_OK);
  const json *root = json_parse(written, length);
  CHECK(root);
  check_ranges(get(root, "threads")->first, get(root, "libs")->count);
  json_free();
  fxprof_free(profile);
  return 0;
}
