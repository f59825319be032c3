#include "numbers.h"

#include <stdbool.h>
#include <string.h>

// Integers ----------------------------------------------------------------------------------------

static const char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

char *fx_print_integer(char *to, uint64_t number) {
  if (number < 10) {
    *to = (char)('0' + number);
    return to + 1;
  }
  char text[FX_INTEGER_ROOM], *begin = text + sizeof text;
  while (number >= 100) {
    begin -= 2;
    memcpy(begin, pairs + number % 100 * 2, 2);
    number /= 100;
  }
  if (number >= 10) {
    begin -= 2;
    memcpy(begin, pairs + number * 2, 2);
  } else {
    *--begin = (char)('0' + number);
  }
  size_t length = (size_t)(text + sizeof text - begin);
  memcpy(to, begin, length);
  return to + length;
}

// Doubles -----------------------------------------------------------------------------------------
//
// Schubfach: Raffaello Giulietti, "The Schubfach way to render doubles", 2020. Instead of its table
// of 617 powers of ten with 128 bits there are 24 with 192 bits here, from which all others follow
// exactly.

typedef struct {
  uint64_t high, low;
} wide;

// The leading bits of 10^(27 i), i from -11, the first bit one, rounded down.
static const uint64_t powers[24][3] = {
    {0xa76c582338ed2621, 0xaf2af2b80af6f24e, 0x657c8f4d43323a36},
    {0x873e4f75e2224e68, 0x5a7744a6e804a291, 0xcc35eddfcf0996d7},
    {0xda7f5bf590966848, 0xaf39a475506a899e, 0xa30294cc2934e662},
    {0xb080392cc4349dec, 0xbd8d794d96aacfb3, 0xfe13a5c86af64418},
    {0x8e938662882af53e, 0x547eb47b7282ee9c, 0x41b0230e1421487d},
    {0xe65829b3046b0afa, 0x0cb4a5a3112a5112, 0xa3b561b1cb208396},
    {0xba121a4650e4ddeb, 0x92f34d62616ce413, 0x21a0183e10583cd3},
    {0x964e858c91ba2655, 0x3a6a07f8d510f86f, 0xe9082f25e9c5e9ec},
    {0xf2d56790ab41c2a2, 0xfae27299423fb9c3, 0x3695dad7e8858901},
    {0xc428d05aa4751e4c, 0xaa97e14c3c26b886, 0x96842dc95323f5a8},
    {0x9e74d1b791e07e48, 0x775ea264cf55347d, 0xca49f1c05120c9c7},
    {0x8000000000000000, 0x0000000000000000, 0x0000000000000000},
    {0xcecb8f27f4200f3a, 0x0000000000000000, 0x0000000000000000},
    {0xa70c3c40a64e6c51, 0x999090b65f67d924, 0x0000000000000000},
    {0x86f0ac99b4e8dafd, 0x69a028bb3ded71a3, 0xdf9f915627c04e28},
    {0xda01ee641a708de9, 0xe80e6f4820cc9495, 0xd74baad03bc1d8d3},
    {0xb01ae745b101e9e4, 0x5ec05dcff72e7f8f, 0xc04c79ffe324301f},
    {0x8e41ade9fbebc27d, 0x14588f13be847307, 0x23bd6a2059c002f5},
    {0xe5d3ef282a242e81, 0x8f1668c8a86da5fa, 0xf0b5ccf5176ecc7c},
    {0xb9a74a0637ce2ee1, 0x6d953e2bd7173692, 0x88efb0037ac08bde},
    {0x95f83d0a1fb69cd9, 0x4abdaf101564f98e, 0x0d5a4af7b3a98e47},
    {0xf24a01a73cf2dccf, 0xbc633b39673c8cec, 0x3d9c44cd2f36917c},
    {0xc3b8358109e84f07, 0x0a862f80ec4700c8, 0x02606ea01029dc37},
    {0x9e19db92b4e31ba9, 0x6c07a2c26a8346d1, 0x4944d9f52cd0dec2},
};

// The leading 128 bits of 10^exponent, the first bit one, rounded up. -292 <= exponent <= 324.
static wide power_of_ten(int exponent) {
  int base = (exponent + 297) / 27, rest = (exponent + 297) % 27;
  uint64_t five = 1;
  for (int i = 0; i < rest; i++) five *= 5;
  // What is cut off of the base makes less than 2^-64 of the result's last bit; no power of this
  // range comes so close to the next one.
  unsigned __int128 low = (unsigned __int128)powers[base][2] * five;
  unsigned __int128 middle = (unsigned __int128)powers[base][1] * five + (low >> 64);
  unsigned __int128 high = (unsigned __int128)powers[base][0] * five + (middle >> 64);
  uint64_t words[3] = {(uint64_t)(high >> 64), (uint64_t)high, (uint64_t)middle};
  int shift = words[0] ? __builtin_clzll(words[0]) : 64;
  wide power = {words[1], words[2]};
  if (shift < 64) {
    power.high = words[0] << shift | words[1] >> (64 - shift);
    power.low = words[1] << shift | words[2] >> (64 - shift);
  }
  bool is_exact = exponent >= 0 && exponent <= 55;
  if (!is_exact && ++power.low == 0) power.high++;
  return power;
}

// The product's highest 64 bits; the last one is set if any of those below are, so that halves and
// what is a little more can be told apart.
static uint64_t multiply(wide power, uint64_t factor) {
  uint64_t low = (uint64_t)((unsigned __int128)power.low * factor >> 64);
  unsigned __int128 high = (unsigned __int128)power.high * factor + low;
  return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

// The digits of a positive number: digits * 10^*exponent. May end in zeros.
static uint64_t shortest_digits(uint64_t bits, int *exponent) {
  uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
  int biased = (int)(bits >> 52);
  uint64_t significand = biased ? fraction | UINT64_C(1) << 52 : fraction;
  int binary = biased ? biased - 1075 : -1074;
  bool is_odd = significand & 1;
  // Below a power of two, the next number is half as far.
  bool is_closer_below = fraction == 0 && biased > 1;

  // floor(log10(2^binary)), of 3/4 of it where the interval is so short; floor(log2(10^-k)).
  int k = (binary * 1262611 - (is_closer_below ? 524031 : 0)) >> 22;
  int shift = binary + ((-k * 1741647) >> 19) + 1;
  wide power = power_of_ten(-k);
  uint64_t value = multiply(power, significand * 4 << shift);
  uint64_t lower = multiply(power, (significand * 4 - 2 + is_closer_below) << shift) + is_odd;
  uint64_t upper = multiply(power, (significand * 4 + 2) << shift) - is_odd;

  // One digit less, if just one such number lies between the bounds.
  uint64_t digits = value / 4;
  if (digits >= 10) {
    uint64_t tens = digits / 10;
    bool down = lower <= tens * 40, up = tens * 40 + 40 <= upper;
    if (down != up) {
      *exponent = k + 1;
      return tens + up;
    }
  }
  *exponent = k;
  bool down = lower <= digits * 4, up = digits * 4 + 4 <= upper;
  if (down != up) return digits + up;
  uint64_t middle = digits * 4 + 2;
  return digits + (value > middle || (value == middle && (digits & 1)));
}

static char *print_zeros(char *to, int count) {
  memset(to, '0', (size_t)count);
  return to + count;
}

// Where JavaScript has exponents: below 1e-6 and from 1e21 on.
static char *print_digits(char *to, uint64_t number, int exponent) {
  while (number % 10 == 0) {
    number /= 10;
    exponent++;
  }
  char digits[FX_INTEGER_ROOM];
  int count = (int)(fx_print_integer(digits, number) - digits), point = count + exponent;
  if (point > 0 && point <= 21) {
    int before = count < point ? count : point;
    memcpy(to, digits, (size_t)before);
    to = print_zeros(to + before, point - before);
    *to++ = '.';
    if (before == count) *to++ = '0';  // so that nobody takes it for an exact integer
    memcpy(to, digits + before, (size_t)(count - before));
    return to + count - before;
  }
  if (point > -6 && point <= 0) {
    memcpy(to, "0.", 2);
    to = print_zeros(to + 2, -point);
    memcpy(to, digits, (size_t)count);
    return to + count;
  }
  *to++ = digits[0];
  if (count > 1) *to++ = '.';
  memcpy(to, digits + 1, (size_t)count - 1);
  to += count - 1;
  *to++ = 'e';
  *to++ = point > 0 ? '+' : '-';
  return fx_print_integer(to, (uint64_t)(point > 0 ? point - 1 : 1 - point));
}

char *fx_print_double(char *to, double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  if (bits >> 52 == 0x7ff || bits >> 52 == 0xfff) {
    memcpy(to, "null", 4);
    return to + 4;
  }
  if (bits >> 63) *to++ = '-';
  bits &= UINT64_MAX >> 1;
  if (!bits) {
    *to++ = '0';
    return to;
  }
  if (number < 0) number = -number;
  if (number < 9007199254740992.0 && number == (double)(uint64_t)number) {
    return fx_print_integer(to, (uint64_t)number);
  }
  int exponent;
  uint64_t digits = shortest_digits(bits, &exponent);
  return print_digits(to, digits, exponent);
}

char *fx_print_ms(char *to, uint64_t ns) {
  // No two decimals of 15 digits are the same double, so that these are the shortest digits: there
  // is no need to divide. From 1e-6 on there is no exponent.
  if (ns >= UINT64_C(1000000000000000)) return fx_print_double(to, (double)ns / 1e6);
  to = fx_print_integer(to, ns / 1000000);
  uint32_t rest = ns % 1000000;
  if (!rest) return to;
  *to++ = '.';
  for (uint32_t unit = 100000; rest; unit /= 10) {
    *to++ = (char)('0' + rest / unit);
    rest %= unit;
  }
  return to;
}
