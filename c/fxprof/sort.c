#include "sort.h"

#include <string.h>

enum { SCRATCH = 4096, RUN = 12, MAX_ROW = 64 };

typedef struct {
  char *rows;
  size_t size;
  fx_before_function before;
  const void *context;
  char scratch[SCRATCH];
} sorter;

static char *row(const sorter *s, size_t i) { return s->rows + i * s->size; }

static bool before(const sorter *s, const char *a, const char *b) {
  return s->before(s->context, a, b);
}

// Insertion sort.
static void sort_run(sorter *s, size_t begin, size_t end) {
  char moved[MAX_ROW];
  for (size_t i = begin + 1; i < end; i++) {
    size_t to = i;
    while (to > begin && before(s, row(s, i), row(s, to - 1))) to--;
    if (to == i) continue;
    memcpy(moved, row(s, i), s->size);
    memmove(row(s, to + 1), row(s, to), (i - to) * s->size);
    memcpy(row(s, to), moved, s->size);
  }
}

// The first row of a sorted range that is not before `key`; with `after`, that `key` is before.
static size_t bound(const sorter *s, size_t begin, size_t end, const char *key, bool after) {
  while (begin < end) {
    size_t middle = begin + (end - begin) / 2;
    const char *probe = row(s, middle);
    if (after ? !before(s, key, probe) : before(s, probe, key)) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

static void reverse(sorter *s, size_t begin, size_t end) {
  char moved[MAX_ROW];
  while (begin + 1 < end) {
    end--;
    memcpy(moved, row(s, begin), s->size);
    memcpy(row(s, begin), row(s, end), s->size);
    memcpy(row(s, end), moved, s->size);
    begin++;
  }
}

// Exchanges the ranges begin..middle and middle..end.
static void rotate(sorter *s, size_t begin, size_t middle, size_t end) {
  reverse(s, begin, middle);
  reverse(s, middle, end);
  reverse(s, begin, end);
}

// The left range is copied away, then both are merged from the left.
static void merge_left(sorter *s, size_t begin, size_t middle, size_t end) {
  size_t left_bytes = (middle - begin) * s->size;
  memcpy(s->scratch, row(s, begin), left_bytes);
  const char *left = s->scratch, *left_end = s->scratch + left_bytes;
  const char *right = row(s, middle), *right_end = row(s, end);
  for (char *to = row(s, begin); left < left_end; to += s->size) {
    bool takes_right = right < right_end && before(s, right, left);
    memcpy(to, takes_right ? right : left, s->size);
    if (takes_right) right += s->size;
    else left += s->size;
  }
}

// The right range is copied away, then both are merged from the right.
static void merge_right(sorter *s, size_t begin, size_t middle, size_t end) {
  size_t right_bytes = (end - middle) * s->size;
  memcpy(s->scratch, row(s, middle), right_bytes);
  size_t left = middle;
  const char *right = s->scratch + right_bytes;
  for (char *to = row(s, end); right > s->scratch;) {
    to -= s->size;
    bool takes_left = left > begin && before(s, right - s->size, row(s, left - 1));
    if (!takes_left) right -= s->size;
    memcpy(to, takes_left ? row(s, --left) : right, s->size);
  }
}

// Merges two neighbouring sorted ranges.
static void merge(sorter *s, size_t begin, size_t middle, size_t end) {
  while (begin < middle && middle < end && before(s, row(s, middle), row(s, middle - 1))) {
    // What is in its place already.
    begin = bound(s, begin, middle, row(s, middle), true);
    end = bound(s, middle, end, row(s, middle - 1), false);
    size_t left = middle - begin, right = end - middle, room = SCRATCH / s->size;
    if (left <= right && left <= room) {
      merge_left(s, begin, middle, end);
      return;
    }
    if (right <= room) {
      merge_right(s, begin, middle, end);
      return;
    }
    // Halve the longer one, and the other one where that half would come in it.
    size_t cut_left, cut_right;
    if (left > right) {
      cut_left = begin + left / 2;
      cut_right = bound(s, middle, end, row(s, cut_left), false);
    } else {
      cut_right = middle + right / 2;
      cut_left = bound(s, begin, middle, row(s, cut_right), true);
    }
    rotate(s, cut_left, middle, cut_right);
    size_t between = cut_left + (cut_right - middle);
    merge(s, begin, cut_left, between);
    begin = between;
    middle = cut_right;
  }
}

void fx_sort(void *rows, size_t count, size_t size, fx_before_function before_function,
             const void *context) {
  sorter s = {.rows = rows, .size = size, .before = before_function, .context = context};
  size_t sorted = 1;
  while (sorted < count && !before(&s, row(&s, sorted), row(&s, sorted - 1))) sorted++;
  if (sorted >= count) return;
  for (size_t i = 0; i < count; i += RUN) sort_run(&s, i, i + RUN < count ? i + RUN : count);
  for (size_t width = RUN; width < count; width *= 2) {
    for (size_t i = 0; i + width < count; i += 2 * width) {
      merge(&s, i, i + width, i + 2 * width < count ? i + 2 * width : count);
    }
  }
}
