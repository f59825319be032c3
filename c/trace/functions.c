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

// Decoding ----------------------------------------------------------------------------------------

enum { RANGE_MIN = 1 << 24, RANGE_MAX = 1 << 30 };
enum { HEAD, LINES, NAME, GAP, BACK, COLUMN, GROWN, LENGTH };
enum { LATER = 1, END = 2, INSERTION = 4, QUIET = 4, EXPLICIT = 8, ASYNC = 16 };

typedef struct {
  functions *table;
  const char *at, *end;    // of the positions; the names follow
  const char *names;
  uint32_t names_left;
  uint32_t open[DEPTH_MAX], depth;
  uint32_t prologue, prologue_line;
  uint32_t line, column, shift;
  uint32_t kind, past, situation;
  uint32_t range, code;
  bool bad, no_memory;
  int16_t odds[1 << 16];  // that a bit is 0, more than 1 in 2, in 1/65536
} decoder;

// 64 characters from '?' on, but for the backslash, which '=' stands for.
static void shift_in(decoder *d) {
  uint32_t digit = d->at < d->end ? (uint8_t)*d->at++ : 0;
  if (digit == '=') digit = '\\';
  digit -= '?';
  if (digit > 63) d->bad = true;
  d->code = d->code << 6 | (digit & 63);
}

static uint32_t read_bit(decoder *d, uint32_t context, uint32_t node) {
  int16_t *odds = &d->odds[(context * 0x9e3779b1u + node) * 0x2545f491u >> 16];
  uint32_t bound = (d->range >> 16) * (uint32_t)(*odds + 32768);
  uint32_t bit = d->code >= bound;
  if (bit) {
    d->code -= bound;
    d->range -= bound;
    *odds -= (*odds + 32768) >> 4;
  } else {
    d->range = bound;
    *odds += (32768 - *odds) >> 4;
  }
  while (d->range < RANGE_MIN) {
    d->range <<= 6;
    shift_in(d);
  }
  return bit;
}

static uint32_t read_number(decoder *d, uint32_t field, uint32_t extra) {
  uint32_t context = (field * 32 + d->situation) * 32 + (extra & 31), length = 0, number = 1;
  while (length < 29 && read_bit(d, context, length)) length++;
  for (uint32_t i = length; i--;) {
    number = number << 1 | read_bit(d, context, 32 + (number << 5 | length));
  }
  return number - 1;  // below 2^30
}

static bool add_mark(decoder *d, functions_marks *list, uint32_t value) {
  void *marks = list->marks;
  bool grown = mem_reserve(&marks, &list->capacity, list->count + 1, 64, sizeof *list->marks);
  list->marks = marks;
  if (!grown) return !(d->no_memory = true);
  list->marks[list->count++] = (functions_mark){d->line, d->column + d->shift, value};
  return true;
}

static bool add_function(decoder *d, uint32_t name, uint32_t line, uint32_t column,
                         uint32_t head) {
  functions *table = d->table;
  void *entries = table->entries;
  bool grown = mem_reserve(&entries, &table->entry_capacity, table->entry_count + 1, 32,
                           sizeof(functions_entry));
  table->entries = entries;
  if (!grown) return !(d->no_memory = true);
  // From places in the code to places in the file.
  uint32_t origin = line == 0 ? table->column : 1;
  table->entries[table->entry_count] = (functions_entry){
      name, table->line + line, origin + column, (head & ASYNC) != 0, (head & QUIET) != 0};
  d->open[d->depth++] = table->entry_count++;
  return add_mark(d, &table->boundaries, table->entry_count - 1);
}

static bool read_name(decoder *d, uint32_t *name) {
  uint32_t reference = read_number(d, NAME, 0);
  strings *names = &d->table->names;
  if (reference) {
    *name = reference - 1;
    return reference <= names->count;
  }
  uint32_t length = read_number(d, LENGTH, 0);
  if (length > d->names_left) return false;
  *name = strings_intern(names, d->names, length);
  d->names += length;
  d->names_left -= length;
  return *name != STRINGS_NONE || !(d->no_memory = true);
}

// On the line of the prologue everything is behind it.
static void begin_line(decoder *d) {
  d->column = 0;
  d->shift = d->line == d->prologue_line ? d->prologue : 0;
}

static bool decode_event(decoder *d) {
  functions *table = d->table;
  d->situation = d->kind;
  uint32_t head = read_number(d, HEAD, d->past), later = head & LATER, end = head & END;
  bool is_insertion = end && head & INSERTION;
  uint32_t kind = is_insertion ? 4
                  : end        ? 2 + table->entries[d->open[d->depth - 1]].is_quiet
                               : (head & QUIET) != 0;
  d->situation = kind * 4 + (d->past & 1) * 2 + later;
  if (later) {
    d->line += read_number(d, LINES, 0) + 1;
    begin_line(d);
  }
  uint32_t extra = d->depth, name = 0, back = 0, column = 0;
  if (!end) {
    if (d->depth == DEPTH_MAX || !read_name(d, &name)) return false;
    strings_text(&table->names, name, &extra);
    if (head & EXPLICIT) {
      back = read_number(d, BACK, 0);
      column = read_number(d, COLUMN, 0);
    }
  }
  uint32_t gap = read_number(d, GAP, extra);
  d->column += gap;
  d->shift += read_number(d, GROWN, 31 - (uint32_t)__builtin_clz(gap + 1));
  if ((d->line | d->column | d->shift | (d->line - back)) >> 31) return false;
  if (is_insertion) return add_mark(d, &table->insertions, d->column);
  d->kind = kind;
  d->past = d->past * 2 + end / END;
  if (!end) {
    if (!(head & EXPLICIT)) column = d->column;
    return add_function(d, name, d->line - back, column, head);
  }
  if (--d->depth) return add_mark(d, &table->boundaries, d->open[d->depth - 1]);
  table->last_line = d->line;
  table->last_column = d->column + d->shift;
  return true;
}

static bool decode_all(decoder *d) {
  functions *table = d->table;
  uint32_t name = strings_intern(&table->names, "", 0);
  if (name == STRINGS_NONE) return !(d->no_memory = true);
  if (!add_function(d, name, 0, 0, 0) || !add_mark(d, &table->insertions, 0)) return false;
  for (uint32_t i = 0; i < 5; i++) shift_in(d);
  d->prologue = d->code;
  d->code = 0;
  for (uint32_t i = 0; i < 5; i++) shift_in(d);
  d->range = RANGE_MAX;
  d->prologue_line = read_number(d, HEAD, 0);
  begin_line(d);
  while (d->depth && !d->bad) {
    if (!decode_event(d)) return false;
  }
  return !d->bad && d->at == d->end;
}

static functions_result decode(functions *table) {
  decoder *d = mem_new(1, sizeof *d);
  if (!d) return FUNCTIONS_NO_MEMORY;
  d->table = table;
  d->at = table->text;
  d->end = d->names = d->at + table->positions_length;
  d->names_left = table->names_length;
  bool decoded = decode_all(d), no_memory = d->no_memory;
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

static bool is_before(uint64_t line, uint64_t column, uint64_t other_line, uint64_t other_column) {
  return line < other_line || (line == other_line && column < other_column);
}

// The last mark at or before a position; the first one is at the start of the code. Of several at
// one place it is the last: what is between them is empty.
static uint32_t find_mark(const functions_marks *list, uint64_t line, uint64_t column) {
  uint32_t low = 0, high = list->count;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    const functions_mark *mark = &list->marks[middle];
    if (is_before(line, column, mark->line, mark->column)) {
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
  if (is_before(line, column, table->start_line, table->start_column)) return FUNCTIONS_OUTSIDE;
  line -= table->line;
  column -= origin;
  if (is_before(table->last_line, table->last_column, line, column)) return FUNCTIONS_OUTSIDE;
  const functions_marks *boundaries = &table->boundaries;
  *found = &table->entries[boundaries->marks[find_mark(boundaries, line, column)].value];
  return FUNCTIONS_FOUND;
}

uint32_t functions_original_column(const functions *table, uint32_t line, uint32_t column) {
  const functions_marks *insertions = &table->insertions;
  if (insertions->count < 2) return 0;
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
