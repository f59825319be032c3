// Compressed output, for builds with zlib.
#include <zlib.h>

#include "profile.h"

typedef struct {
  z_stream stream;
  fxprof_write_function write;
  void *context;
  unsigned char buffer[8192];
} compressor;

static void *allocate(void *memory, uInt count, uInt size) {
  if (size && count > SIZE_MAX / size) return NULL;
  return fx_resize(memory, NULL, (size_t)count * size);
}

static void release(void *memory, void *block) { fx_free(memory, block); }

// Hands on what zlib gives; with `flush` Z_FINISH, all of it.
static bool deflate_all(compressor *c, int flush) {
  int result;
  do {
    c->stream.next_out = c->buffer;
    c->stream.avail_out = sizeof c->buffer;
    result = deflate(&c->stream, flush);
    size_t length = sizeof c->buffer - c->stream.avail_out;
    if (length && !c->write(c->context, c->buffer, length)) return false;
  } while (c->stream.avail_out == 0 || (flush == Z_FINISH && result == Z_OK));
  return true;
}

static bool compress_piece(void *context, const void *bytes, size_t length) {
  compressor *c = context;
  c->stream.next_in = (unsigned char *)bytes;  // zlib does not write there
  c->stream.avail_in = (uInt)length;           // 8 KB at most
  return deflate_all(c, Z_NO_FLUSH);
}

fxprof_status fxprof_write_gzip(fxprof_profile *profile, int level, fxprof_write_function write,
                                void *context) {
  if (level < 1 || level > 9) return FXPROF_INVALID_ARGUMENT;
  compressor c = {.write = write, .context = context};
  c.stream.zalloc = allocate;
  c.stream.zfree = release;
  c.stream.opaque = &profile->memory;
  // 15 bits of window, and 16 more for the header of gzip.
  if (deflateInit2(&c.stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return FXPROF_NO_MEMORY;
  }
  fxprof_status status = fxprof_write(profile, compress_piece, &c);
  if (status == FXPROF_OK && !deflate_all(&c, Z_FINISH)) status = FXPROF_OUTPUT_FAILED;
  deflateEnd(&c.stream);
  return status;
}
