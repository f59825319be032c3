#include "json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *at, *end;
} reader;

// Where values are kept: a list of blocks, each filled from its beginning.
typedef struct block block;
struct block {
  block *next;
  size_t used, size;
  max_align_t bytes[];
};
static block *newest;

static void *take(size_t size) {
  size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t);
  if (!newest || newest->size - newest->used < size) {
    size_t room = size > 4096 ? size : 4096;
    block *made = calloc(1, sizeof *made + room * sizeof(max_align_t));
    if (!made) abort();
    made->next = newest;
    made->size = room;
    newest = made;
  }
  void *taken = newest->bytes + newest->used;
  newest->used += size;
  return taken;
}

void json_free(void) {
  while (newest) {
    block *next = newest->next;
    free(newest);
    newest = next;
  }
}

static void skip_space(reader *r) {
  while (r->at < r->end && strchr(" \t\n\r", *r->at) && *r->at) r->at++;
}

static bool eat(reader *r, const char *text) {
  size_t length = strlen(text);
  if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0) return false;
  r->at += length;
  return true;
}

static bool read_hex(reader *r, uint32_t *number) {
  char digits[5] = {0}, *end;
  if (r->end - r->at < 4) return false;
  memcpy(digits, r->at, 4);
  *number = (uint32_t)strtoul(digits, &end, 16);
  r->at += 4;
  return end == digits + 4;
}

static char *put_utf8(char *to, uint32_t code) {
  if (code < 0x80) {
    *to++ = (char)code;
    return to;
  }
  int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
  *to++ = (char)(first[more] | code >> (6 * more));
  while (more--) *to++ = (char)(0x80 | (code >> (6 * more) & 0x3f));
  return to;
}

static bool read_string(reader *r, const char **text, size_t *length) {
  const char *close = r->at + 1;
  while (close < r->end && *close != '"') close += *close == '\\' ? 2 : 1;
  if (close >= r->end) return false;
  char *bytes = take((size_t)(close - r->at)), *to = bytes;
  for (r->at++; r->at < close;) {
    char c = *r->at++;
    if (c != '\\') {
      *to++ = c;
      continue;
    }
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    c = *r->at++;
    const char *found = memchr(names, c, sizeof names - 1);
    uint32_t code, low;
    if (found) {
      *to++ = values[found - names];
      continue;
    }
    if (c != 'u' || !read_hex(r, &code)) return false;
    const char *after = r->at;
    if (code >= 0xd800 && code < 0xdc00 && eat(r, "\\u") && read_hex(r, &low) && low >= 0xdc00 &&
        low < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else {
      r->at = after;
    }
    to = put_utf8(to, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
  }
  r->at = close + 1;
  *text = bytes;
  *length = (size_t)(to - bytes);
  return true;
}

static bool read_value(reader *r, json *value);

static bool read_members(reader *r, json *value, char close) {
  json **last = &value->first;
  r->at++;
  for (skip_space(r); r->at < r->end && *r->at != close; skip_space(r)) {
    if (value->count && !eat(r, ",")) return false;
    json *member = *last = take(sizeof *member);
    skip_space(r);
    if (close == '}') {
      size_t length;
      if (r->at == r->end || *r->at != '"' || !read_string(r, &member->key, &length)) return false;
      skip_space(r);
      if (!eat(r, ":")) return false;
    }
    if (!read_value(r, member)) return false;
    last = &member->next;
    value->count++;
  }
  return r->at++ < r->end;
}

static bool read_number(reader *r, json *value) {
  const char *begin = r->at;
  while (r->at < r->end && strchr("+-.0123456789eE", *r->at) && *r->at) r->at++;
  value->length = (size_t)(r->at - begin);
  char *text = take(value->length + 1);
  memcpy(text, begin, value->length);
  value->text = text;
  return value->length > 0;
}

static bool read_value(reader *r, json *value) {
  skip_space(r);
  if (r->at == r->end) return false;
  value->type = JSON_NULL;
  if (eat(r, "null")) return true;
  value->type = JSON_FALSE;
  if (eat(r, "false")) return true;
  value->type = JSON_TRUE;
  if (eat(r, "true")) return true;
  value->type = JSON_STRING;
  if (*r->at == '"') return read_string(r, &value->text, &value->length);
  value->type = JSON_ARRAY;
  if (*r->at == '[') return read_members(r, value, ']');
  value->type = JSON_OBJECT;
  if (*r->at == '{') return read_members(r, value, '}');
  value->type = JSON_NUMBER;
  return read_number(r, value);
}

json *json_parse(const char *text, size_t length) {
  reader r = {text, text + length};
  json *value = take(sizeof *value);
  if (!read_value(&r, value)) return NULL;
  skip_space(&r);
  return r.at == r.end ? value : NULL;
}

const json *json_member(const json *object, const char *key) {
  if (!object || object->type != JSON_OBJECT) return NULL;
  for (const json *member = object->first; member; member = member->next) {
    if (strcmp(member->key, key) == 0) return member;
  }
  return NULL;
}
