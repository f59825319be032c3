#include "memory.h"

#include <stdlib.h>
#include <string.h>

static void *libc_resize(void *block, size_t size) {
  if (size == 0) {
    free(block);
    return NULL;
  }
  return realloc(block, size);
}

static mem_resize_function current = libc_resize;

void mem_set_allocator(mem_resize_function resize) { current = resize ? resize : libc_resize; }

void *mem_resize(void *block, size_t size) { return current(block, size); }

void mem_free(void *block) {
  if (block) current(block, 0);
}

bool mem_array_bytes(size_t count, size_t size, size_t *bytes) {
  if (size && count > SIZE_MAX / size) return false;
  *bytes = count * size;
  return true;
}

void *mem_new(size_t count, size_t size) {
  size_t bytes;
  if (!mem_array_bytes(count, size, &bytes)) return NULL;
  void *array = mem_resize(NULL, bytes);
  if (array) memset(array, 0, bytes);
  return array;
}

uint32_t mem_grown_capacity(uint32_t capacity, uint32_t needed, uint32_t first) {
  uint32_t grown = capacity ? capacity : first;
  while (grown < needed) {
    if (grown > UINT32_MAX / 2) return 0;
    grown *= 2;
  }
  return grown;
}

bool mem_reserve(void **array, uint32_t *capacity, uint32_t needed, uint32_t first, size_t size) {
  if (needed <= *capacity) return true;
  uint32_t grown = mem_grown_capacity(*capacity, needed, first);
  size_t bytes;
  if (grown == 0 || !mem_array_bytes(grown, size, &bytes)) return false;
  void *moved = mem_resize(*array, bytes);
  if (!moved) return false;
  *array = moved;
  *capacity = grown;
  return true;
}
