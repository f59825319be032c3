// Hashing of bytes and of small tuples, with numbers that differ from profile to profile, so that
// nobody who does not know them can prepare what collides.
#ifndef FXPROF_HASH_H
#define FXPROF_HASH_H

#include <stdint.h>
#include <string.h>

typedef struct {
  uint64_t a, b;
} fx_secret;

// Odd numbers without pattern: of the fractions of the golden ratio and of two square roots.
#define FX_GOLDEN UINT64_C(0x9e3779b97f4a7c15)
#define FX_ROOT3 UINT64_C(0xbb67ae8584caa73b)
#define FX_ROOT5 UINT64_C(0x3c6ef372fe94f82b)

static inline uint64_t fx_mix(uint64_t x) {
  x = (x ^ x >> 32) * FX_GOLDEN;
  x = (x ^ x >> 29) * FX_ROOT3;
  return x ^ x >> 32;
}

static inline fx_secret fx_secret_from(uint64_t seed) {
  fx_secret secret = {fx_mix(seed ^ FX_ROOT5), fx_mix(seed + FX_ROOT3)};
  return secret;
}

// Two numbers. The high half: what is multiplied ends there.
static inline uint32_t fx_hash_pair(fx_secret secret, uint64_t x, uint64_t y) {
  x = (x ^ secret.a) * FX_GOLDEN;
  x = (x ^ x >> 32 ^ y ^ secret.b) * FX_ROOT3;
  x = (x ^ x >> 29) * FX_ROOT5;
  return (uint32_t)(x >> 32);
}

// Both halves of the product of two numbers.
static inline uint64_t fx_fold(uint64_t x, uint64_t y) {
  unsigned __int128 product = (unsigned __int128)x * y;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint32_t fx_hash_bytes(fx_secret secret, const char *bytes, size_t length) {
  uint64_t hash = secret.b ^ length, words[2];
  size_t left = length;
  for (; left > 16; left -= 16, bytes += 16) {
    memcpy(words, bytes, 16);
    hash = fx_fold(words[0] ^ secret.a, words[1] ^ hash);
  }
  words[0] = words[1] = 0;
  if (left) memcpy(words, bytes, left);
  hash = fx_fold(words[0] ^ secret.a, words[1] ^ hash);
  return (uint32_t)fx_mix(hash ^ secret.a);
}

#endif
