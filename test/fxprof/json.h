// Reads JSON into a tree, for the replay of call scripts.
#ifndef TEST_FXPROF_JSON_H
#define TEST_FXPROF_JSON_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
  JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT,
} json_type;

typedef struct json json;
struct json {
  json_type type;
  const char *text;  // of strings, decoded; of numbers, as written; terminated
  size_t length;
  json *first, *next;  // of arrays and objects: the members; of a member: the next one
  const char *key;     // of a member of an object
  size_t count;        // of members
};

// The value of a text, or NULL if it is not JSON.
json *json_parse(const char *text, size_t length);

// Frees all values.
void json_free(void);

// A member of an object, or NULL if there is no such key.
const json *json_member(const json *object, const char *key);

#endif
