#include "sessions.h"

#include <stddef.h>
#include <string.h>

#include "memory.h"

static void drop_first(session *samples) {
  sessions_block *first = samples->first;
  samples->first = first->next;
  samples->count -= first->count;
  mem_free(first);
}

bool session_add(session *samples, double time, uint32_t stack) {
  sessions_block *block = samples->last;
  if (!block || block->count == SESSIONS_BLOCK) {
    block = mem_resize(NULL, sizeof *block);
    if (!block) return false;
    block->next = NULL;
    block->count = 0;
    if (samples->last) {
      samples->last->next = block;
    } else {
      samples->first = block;
    }
    samples->last = block;
  }
  block->times[block->count] = time;
  block->stacks[block->count++] = stack;
  samples->count++;
  if (samples->limit && samples->count - samples->first->count >= samples->limit) {
    drop_first(samples);
  }
  return true;
}

void session_trim(session *samples) {
  if (!samples->limit || samples->count <= samples->limit) return;
  sessions_block *first = samples->first;
  uint32_t surplus = samples->count - samples->limit;  // less than the first block holds
  samples->count -= surplus;
  first->count -= surplus;
  memmove(first->times, first->times + surplus, first->count * sizeof *first->times);
  memmove(first->stacks, first->stacks + surplus, first->count * sizeof *first->stacks);
}

void session_clear(session *samples) {
  while (samples->first) drop_first(samples);
  samples->last = NULL;
}
