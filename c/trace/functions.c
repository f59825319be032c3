#include "functions.h"

#include <string.h>

#include "memory.h"

// Deeper nesting than any parser follows is a malformed table.
enum { DEPTH_MAX = 4096 };

bool functions_init(functions *table, const char *positions, uint32_t positions_length,
                    const char *names, uint32_t names_length, uint32_t line, uint32_t column) {
  memset(table, 0, sizeof *table);
  strings_init(&table->names);
  if ((uint64_t)positions_length + names_length >= UINT32_MAX) return false;
  table->text = mem_resize(NULL, (size_t)positions_length + names_length + 1);
  if (!table->text) return false;
  if (positions_length) memcpy(table->text, positions, positions_length);
  if (names_length) memcpy(table->text + positions_length, names, names_length);
  table->positions_length = positions_length;
  table->names_length = names_length;
  table->line = line;
  table->column = column;
  return true;
}

void functions_start(functions *table, uint64_t line, uint64_t column) {
  table->start_line = line;
  table->start_column = column;
}

static void drop_decoded(functions *table) {
  mem_free(table->boundaries.marks);
  mem_free(table->insertions.marks);
  mem_free(table->entries);
  table->boundaries = table->insertions = (functions_marks){0};
  table->entries = NULL;
  table->entry_count = table->entry_capacity = 0;
  strings_clear(&table->names);
}

void functions_clear(functions *table) {
  drop_decoded(table);
  mem_free(table->text);
  table->text = NULL;
}

// Reading -----------------------------------------------------------------------------------------

typedef struct {
  const char *at, *end;
  bool bad;
} reader;

static int digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static uint32_t read_unsigned(reader *in) {
  uint32_t value = 0;
  for (unsigned shift = 0; shift < 32 && in->at < in->end; shift += 5) {
    int bits = digit(*in->at++);
    if (bits < 0) break;
    if (shift == 30 && (bits & 31) > 3) break;  // more than 32 bits
    value |= (uint32_t)(bits & 31) << shift;
    if (!(bits & 32)) return value;
  }
  in->bad = true;
  return 0;
}

static int32_t read_signed(reader *in) {
  uint32_t value = read_unsigned(in);
  int32_t size = (int32_t)(value >> 1);
  return value & 1 ? -size : size;
}

// One name up to the next comma, without its escapes. `room` is as long as the names' text.
static uint32_t read_name(reader *in, char *room) {
  uint32_t length = 0;
  if (in->at > in->end) {  // no name is left
    in->bad = true;
    return 0;
  }
  while (in->at < in->end && *in->at != ',') {
    if (*in->at == '\\' && in->at + 1 < in->end) in->at++;
    room[length++] = *in->at++;
  }
  in->at++;  // past the comma; one past the end after the last name
  return length;
}

// Decoding ----------------------------------------------------------------------------------------

typedef struct {
  functions *table;
  reader positions, names;
  char *room;
  uint32_t *name_ids, name_count, name_capacity;
  uint32_t open[DEPTH_MAX], depth;
  uint32_t line, column;
  int64_t shift;
  bool no_memory;
} decoder;

static bool add_mark(decoder *d, functions_marks *list, functions_mark mark) {
  void *marks = list->marks;
  bool grown = mem_reserve(&marks, &list->capacity, list->count + 1, 64, sizeof mark);
  list->marks = marks;
  if (!grown) return !(d->no_memory = true);
  list->marks[list->count++] = mark;
  return true;
}

static bool add_boundary(decoder *d, uint32_t function) {
  return add_mark(d, &d->table->boundaries, (functions_mark){d->line, d->column, function});
}

static bool add_function(decoder *d, uint32_t name, uint32_t line, uint32_t column,
                         bool is_async) {
  functions *table = d->table;
  void *entries = table->entries;
  bool grown = mem_reserve(&entries, &table->entry_capacity, table->entry_count + 1, 32,
                           sizeof(functions_entry));
  table->entries = entries;
  if (!grown) return !(d->no_memory = true);
  // From places in the code to places in the file.
  uint32_t origin = line == 0 ? table->column : 1;
  table->entries[table->entry_count++] =
      (functions_entry){name, table->line + line, origin + column, is_async, false};
  return true;
}

static bool next_name(decoder *d, uint32_t *name) {
  uint32_t reference = read_unsigned(&d->positions);
  if (reference) {
    if (reference > d->name_count) return false;
    *name = d->name_ids[reference - 1];
    return true;
  }
  uint32_t length = read_name(&d->names, d->room);
  if (d->names.bad) return false;
  void *ids = d->name_ids;
  bool grown = mem_reserve(&ids, &d->name_capacity, d->name_count + 1, 32, sizeof(uint32_t));
  d->name_ids = ids;
  *name = grown ? strings_intern(&d->table->names, d->room, length) : STRINGS_NONE;
  if (*name == STRINGS_NONE) return !(d->no_memory = true);
  d->name_ids[d->name_count++] = *name;
  return true;
}

static bool decode_start(decoder *d, bool given, bool is_async) {
  int64_t line = d->line, column;
  if (given) {
    line += read_signed(&d->positions);
    column = read_unsigned(&d->positions);
  } else {
    d->shift += read_signed(&d->positions);
    column = (int64_t)d->column - d->shift;
  }
  uint32_t name;
  if (d->positions.bad || line < 0 || line > INT32_MAX) return false;
  if (column < 0 || column > INT32_MAX) return false;
  if (d->depth == DEPTH_MAX || !next_name(d, &name) || d->positions.bad) return false;
  uint32_t function = d->table->entry_count;
  if (!add_function(d, name, (uint32_t)line, (uint32_t)column, is_async)) return false;
  d->open[d->depth++] = function;
  return add_boundary(d, function);
}

static bool decode_insertion(decoder *d) {
  functions_marks *insertions = &d->table->insertions;
  d->shift += read_unsigned(&d->positions);
  int64_t original = (int64_t)d->column - d->shift;
  if (d->positions.bad || original < 0 || original > INT32_MAX) return false;
  if (!insertions->count && !add_mark(d, insertions, (functions_mark){0, 0, 0})) return false;
  return add_mark(d, insertions, (functions_mark){d->line, d->column, (uint32_t)original});
}

static bool decode_event(decoder *d) {
  uint32_t head = read_unsigned(&d->positions), value = head >> 4;
  if (head & 1) {
    uint32_t lines = read_unsigned(&d->positions);
    if (lines == 0 || lines > INT32_MAX - d->line) return false;
    d->line += lines;
    d->column = value;
    d->shift = 0;
  } else {
    if (value > INT32_MAX - d->column) return false;
    d->column += value;
  }
  if (d->positions.bad) return false;
  if (!(head & 2)) return decode_start(d, head & 4, head & 8);
  if (head & 4) return decode_insertion(d);
  if (d->depth <= 1) return false;  // the top-level code never ends
  d->depth--;
  if (head & 8) d->table->entries[d->open[d->depth]].is_quiet = true;
  return add_boundary(d, d->open[d->depth - 1]);
}

static bool decode_all(decoder *d) {
  functions *table = d->table;
  table->last_line = read_unsigned(&d->positions);
  table->last_column = read_unsigned(&d->positions);
  uint32_t name = strings_intern(&table->names, "", 0);
  if (name == STRINGS_NONE) return !(d->no_memory = true);
  if (!add_function(d, name, 0, 0, false) || !add_boundary(d, 0)) return false;
  d->open[d->depth++] = 0;
  while (!d->positions.bad && d->positions.at < d->positions.end) {
    if (!decode_event(d)) return false;
  }
  return !d->positions.bad;
}

static functions_result decode(functions *table) {
  decoder *d = mem_new(1, sizeof *d);
  if (!d) return FUNCTIONS_NO_MEMORY;
  d->table = table;
  const char *names = table->text + table->positions_length;
  d->positions = (reader){table->text, names, false};
  d->names = (reader){names, names + table->names_length, false};
  d->room = mem_resize(NULL, (size_t)table->names_length + 1);
  bool decoded = d->room && decode_all(d);
  bool no_memory = d->no_memory || !d->room;
  mem_free(d->room);
  mem_free(d->name_ids);
  mem_free(d);
  if (decoded) {
    table->state = FUNCTIONS_DECODED;
    mem_free(table->text);
    table->text = NULL;
    return FUNCTIONS_FOUND;
  }
  drop_decoded(table);
  if (no_memory) return FUNCTIONS_NO_MEMORY;
  table->state = FUNCTIONS_MALFORMED;
  return FUNCTIONS_BAD;
}

// Looking up --------------------------------------------------------------------------------------

static bool is_before(uint64_t line, uint64_t column, const functions_mark *mark) {
  return line < mark->line || (line == mark->line && column < mark->column);
}

// The last mark at or before a position; the first one is at the start of the code. Of several at
// one place it is the last: what is between them is empty.
static uint32_t find_mark(const functions_marks *list, uint64_t line, uint64_t column) {
  uint32_t low = 0, high = list->count;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (is_before(line, column, &list->marks[middle])) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return low;
}

functions_result functions_find(functions *table, uint64_t line, uint64_t column,
                                const functions_entry **found) {
  if (table->state == FUNCTIONS_MALFORMED) return FUNCTIONS_BAD;
  if (table->state == FUNCTIONS_ENCODED) {
    functions_result decoded = decode(table);
    if (decoded != FUNCTIONS_FOUND) return decoded;
  }
  uint32_t origin = line == table->line ? table->column : 1;
  if (line < table->line || column < origin) return FUNCTIONS_OUTSIDE;
  if (line < table->start_line) return FUNCTIONS_OUTSIDE;
  if (line == table->start_line && column < table->start_column) return FUNCTIONS_OUTSIDE;
  line -= table->line;
  column -= origin;
  if (line > table->last_line || (line == table->last_line && column > table->last_column)) {
    return FUNCTIONS_OUTSIDE;
  }
  const functions_marks *boundaries = &table->boundaries;
  *found = &table->entries[boundaries->marks[find_mark(boundaries, line, column)].value];
  return FUNCTIONS_FOUND;
}

uint32_t functions_original_column(const functions *table, uint32_t line, uint32_t column) {
  const functions_marks *insertions = &table->insertions;
  if (!insertions->count) return 0;
  uint32_t origin = line == table->line ? table->column : 1;
  line -= table->line;
  column -= origin;
  uint32_t at = find_mark(insertions, line, column);
  const functions_mark *mark = &insertions->marks[at], *next = mark + 1;
  if (mark->line == line) column = mark->value + (column - mark->column);
  bool has_next = at + 1 < insertions->count && next->line == line;
  if (has_next && column > next->value) column = next->value;  // within an insertion
  return column + origin;
}
