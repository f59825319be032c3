// Hashing of bytes and of small tuples.
//
// 32-bit arithmetic only: the JS twin made from the wasm has to emulate 64-bit integers.
#ifndef TRACE_HASH_H
#define TRACE_HASH_H

#include <stdint.h>

// 64 bits of hash in two halves. Used as the identity of a text where keeping the text would cost
// more than it is worth: with 10^5 different texts two share all 64 bits once in 10^9 sessions.
typedef struct {
  uint32_t low, high;
} hash_pair;

// Hashes `length` bytes. Where the hash stands for the text, `seed` is drawn anew for each page, so
// that a page cannot prepare texts that collide. Where the bytes are compared, too, it may be 0.
hash_pair hash_bytes(const void *bytes, uint32_t length, uint32_t seed);

// Hashes `count` 32-bit numbers.
uint32_t hash_words(const uint32_t *words, uint32_t count);

#endif
