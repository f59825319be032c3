#include "sessions.h"

#include <stddef.h>
#include <string.h>

#include "memory.h"

static void drop_oldest(session *samples) {
  sessions_block *first = samples->first;
  samples->count--;
  if (--first->count) {
    memmove(first->times, first->times + 1, first->count * sizeof *first->times);
    memmove(first->stacks, first->stacks + 1, first->count * sizeof *first->stacks);
  } else {
    samples->first = first->next;
    mem_free(first);
  }
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
  if (samples->limit && samples->count > samples->limit) drop_oldest(samples);
  return true;
}

void session_clear(session *samples) {
  while (samples->first) {
    sessions_block *next = samples->first->next;
    mem_free(samples->first);
    samples->first = next;
  }
  samples->last = NULL;
  samples->count = 0;
}
