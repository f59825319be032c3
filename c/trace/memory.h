// The allocation seam of the core.
//
// Everything the core allocates goes through mem_resize(), so that tests can make any allocation
// fail and so that the same sources run on a browser's wasm heap and under native sanitizers.
// No function of the core aborts when memory runs out: each says what it leaves behind.
#ifndef TRACE_MEMORY_H
#define TRACE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Resizes `block` (NULL: a new one) to `size` bytes; size 0 frees it and returns NULL.
// Returns NULL when there is no memory; `block` is then untouched.
typedef void *(*mem_resize_function)(void *block, size_t size);

// Replaces the allocator; NULL brings back the C library's.
void mem_set_allocator(mem_resize_function resize);

void *mem_resize(void *block, size_t size);
void mem_free(void *block);

// count * size into *bytes; false when it does not fit, *bytes is then untouched.
bool mem_array_bytes(size_t count, size_t size, size_t *bytes);

// A new array of `count` elements of `size` bytes, all of them zero; NULL when there is no memory
// or `count` is 0.
void *mem_new(size_t count, size_t size);

// The capacity to grow to from `capacity` (`first` if that is 0) so that `needed` elements fit:
// doubling keeps appending linear. Returns 0 when it does not fit in 32 bits.
uint32_t mem_grown_capacity(uint32_t capacity, uint32_t needed, uint32_t first);

// Makes room for `needed` elements of `size` bytes in the array *array of capacity *capacity.
// False when there is no memory; array and capacity are then untouched.
bool mem_reserve(void **array, uint32_t *capacity, uint32_t needed, uint32_t first, size_t size);

#endif
