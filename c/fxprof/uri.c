#include "uri.h"

#include <string.h>

#include "profile.h"

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

// The length of the scheme; 0: there is none.
static size_t find_scheme(fxprof_text text) {
  size_t i = 0;
  for (; i < text.length && text.bytes[i] != ':'; i++) {
    char c = lower(text.bytes[i]);
    bool is_letter = c >= 'a' && c <= 'z';
    if (!is_letter && (i == 0 || !((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'))) {
      return 0;
    }
  }
  return i >= 2 && i < text.length ? i : 0;
}

bool fx_uri_is(fxprof_text text) { return find_scheme(text) != 0; }

// Whether lower-case `text` is the first `length` bytes, in either case.
static bool equals(const char *bytes, size_t length, const char *text) {
  if (strlen(text) != length) return false;
  for (size_t i = 0; i < length; i++) {
    if (lower(bytes[i]) != text[i]) return false;
  }
  return true;
}

fxprof_status fx_uri_intern_origin(fxprof_profile *profile, uint32_t uri, uint32_t *origin,
                                   uint32_t *host) {
  *origin = uri;
  fxprof_text text = fx_text(profile, uri);
  size_t scheme = find_scheme(text), begin = scheme + 3;
  bool is_http = equals(text.bytes, scheme, "http"), is_https = equals(text.bytes, scheme, "https");
  if (!is_http && !is_https && !equals(text.bytes, scheme, "moz-extension")) return FXPROF_OK;
  if (text.length <= begin || memcmp(text.bytes + scheme, "://", 3) != 0) return FXPROF_OK;

  size_t end = begin;
  for (; end < text.length && !memchr("/\\?#", text.bytes[end], 4); end++) {
    if (text.bytes[end] == '@') begin = end + 1;  // what came before was a user's name
  }
  const char *port = is_http ? ":80" : is_https ? ":443" : "";
  size_t length = strlen(port);
  if (length && end - begin > length && equals(text.bytes + end - length, length, port)) {
    end -= length;
  }
  if (begin == end) return FXPROF_OK;

  size_t origin_length = scheme + 3 + (end - begin);
  char *bytes = fx_resize(&profile->memory, NULL, origin_length);
  if (!bytes) return FXPROF_NO_MEMORY;
  for (size_t i = 0; i < scheme + 3; i++) bytes[i] = lower(text.bytes[i]);
  for (size_t i = 0; i < end - begin; i++) bytes[scheme + 3 + i] = lower(text.bytes[begin + i]);
  fxprof_status status = fx_intern(profile, (fxprof_text){bytes, origin_length}, origin);
  if (status == FXPROF_OK) {
    status = fx_intern(profile, (fxprof_text){bytes + scheme + 3, end - begin}, host);
  }
  fx_free(&profile->memory, bytes);
  return status;
}
