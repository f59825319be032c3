#include "hash.h"

#include <stdbool.h>
#include <string.h>

// Odd constants with about half of their bits set (the fractions of the square roots of 2 and 3
// and of the golden ratio), so that a multiplication spreads low bits over the high ones.
enum { SPREAD_A = (int)0x6a09e667u, SPREAD_B = (int)0xbb67ae85u, SPREAD_C = (int)0x9e3779b1u };

// Compilers that are asked for small code make a function of it, at twice the cost of the hash.
__attribute__((always_inline)) static inline uint32_t rotate(uint32_t value, unsigned bits) {
  return value << bits | value >> (32 - bits);
}

// Every input bit reaches every output bit after two rounds of multiply and shift.
static uint32_t finish(uint32_t value) {
  value ^= value >> 16;
  value *= 0x85ebca6bu;
  value ^= value >> 13;
  value *= 0xc2b2ae35u;
  return value ^ value >> 16;
}

static uint32_t load(const unsigned char *bytes) {
  uint32_t word;
  memcpy(&word, bytes, 4);
  return word;
}

hash_pair hash_bytes(const void *data, uint32_t length, uint32_t seed) {
  uint32_t a = seed ^ length, b = rotate(seed, 16) + (uint32_t)SPREAD_C, c = ~a, d = ~b;
  unsigned char padded[16] = {0};
  const unsigned char *block = data, *last;
  if (length < 16) {
    if (length) memcpy(padded, data, length);
    block = last = padded;
  } else {
    last = block + length - 16;
  }
  // Two pairs of lanes that the processor can run side by side; in each the one takes in the other,
  // so that it is 64 bits of state and not twice 32. Every step can be undone: two states stay two.
  for (bool is_last = false; !is_last;) {
    is_last = block == last;
    a = (a ^ load(block)) * (uint32_t)SPREAD_A;
    b = (b ^ load(block + 4)) * (uint32_t)SPREAD_B;
    c = (c ^ load(block + 8)) * (uint32_t)SPREAD_A;
    d = (d ^ load(block + 12)) * (uint32_t)SPREAD_B;
    a = rotate(a, 15) + b;
    c = rotate(c, 15) + d;
    b = rotate(b, 13) ^ a;
    d = rotate(d, 13) ^ c;
    // The last 16 bytes may have been taken in already in part; the length says which.
    block = last - block < 16 ? last : block + 16;
  }
  a ^= rotate(c * (uint32_t)SPREAD_C, 11);
  b ^= rotate(d * (uint32_t)SPREAD_C, 19);
  a += b * (uint32_t)SPREAD_C;
  b ^= rotate(a, 7);
  return (hash_pair){finish(a), finish(b)};
}

uint32_t hash_words(const uint32_t *words, uint32_t count) {
  uint32_t hash = (uint32_t)SPREAD_C;
  for (uint32_t i = 0; i < count; i++) {
    hash = (rotate(hash, 15) ^ words[i]) * (uint32_t)SPREAD_A;
  }
  return finish(hash);
}
