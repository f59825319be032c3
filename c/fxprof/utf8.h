// Valid UTF-8: a reader rejects a whole document over one bad byte.
#ifndef FXPROF_UTF8_H
#define FXPROF_UTF8_H

#include <stdbool.h>
#include <stddef.h>

bool fx_utf8_is_valid(const char *bytes, size_t length);

// Copies a text to `to`, where up to three times its length has room, with each longest beginning
// of a character that does not go on (Unicode 15, 3.9, "U+FFFD Substitution of Maximal Subparts")
// replaced by U+FFFD. Returns the length.
size_t fx_utf8_repair(const char *bytes, size_t length, char *to);

#endif
