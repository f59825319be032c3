// Prints numbers as JSON has them, and as JavaScript prints them.
#ifndef FXPROF_NUMBERS_H
#define FXPROF_NUMBERS_H

#include <stdint.h>

// Each of these writes at `to` and returns the end of what it has written.

#define FX_INTEGER_ROOM 20
char *fx_print_integer(char *to, uint64_t number);

// The shortest digits that read back as the same number, of these the closest. `null` for NaN and
// infinities; -0 keeps its sign; integers from 2^53 on end in ".0".
#define FX_DOUBLE_ROOM 26
char *fx_print_double(char *to, double number);

// Nanoseconds in milliseconds: (double)ns / 1e6, printed as above.
char *fx_print_ms(char *to, uint64_t ns);

#endif
