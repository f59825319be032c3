#include "hash.h"

#include <string.h>

// Odd constants with about half of their bits set (the fractions of the square roots of 2 and 3
// and of the golden ratio), so that a multiplication spreads low bits over the high ones.
enum { SPREAD_A = (int)0x6a09e667u, SPREAD_B = (int)0xbb67ae85u, SPREAD_C = (int)0x9e3779b1u };

static uint32_t rotate(uint32_t value, unsigned bits) {
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
  const unsigned char *bytes = data;
  uint32_t a = seed ^ length, b = rotate(seed, 16) + (uint32_t)SPREAD_C;
  uint32_t left = length;
  // Two lanes that the processor can run side by side; each takes in the other, so that the pair
  // is 64 bits of state and not twice 32. Every step can be undone: two states stay two.
  for (; left >= 8; left -= 8, bytes += 8) {
    a = (a ^ load(bytes)) * (uint32_t)SPREAD_A;
    b = (b ^ load(bytes + 4)) * (uint32_t)SPREAD_B;
    a = rotate(a, 15) + b;
    b = rotate(b, 13) ^ a;
  }
  unsigned char rest[8] = {0};
  if (left) memcpy(rest, bytes, left);
  a = (a ^ load(rest)) * (uint32_t)SPREAD_A;
  b = (b ^ load(rest + 4)) * (uint32_t)SPREAD_B;
  a ^= rotate(b, 11);
  b += rotate(a, 19);
  hash_pair pair = {finish(a + (uint32_t)SPREAD_C * b), finish(b ^ rotate(a, 7))};
  return pair;
}

uint32_t hash_words(const uint32_t *words, uint32_t count) {
  uint32_t hash = (uint32_t)SPREAD_C;
  for (uint32_t i = 0; i < count; i++) {
    hash = (rotate(hash, 5) ^ words[i]) * (uint32_t)SPREAD_A;
  }
  return finish(hash);
}
