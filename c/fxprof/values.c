#include <float.h>
#include <string.h>

#include "fxprof.h"

// Each operation must round to the precision of its type.
_Static_assert(FLT_EVAL_METHOD == 0, "needs arithmetic without wider registers");

const char *fxprof_status_code(fxprof_status status) {
  switch (status) {
    case FXPROF_OK: return "OK";
    case FXPROF_NO_MEMORY: return "ERR_FXPROF_NO_MEMORY";
    case FXPROF_FOREIGN_HANDLE: return "ERR_FXPROF_FOREIGN_HANDLE";
    case FXPROF_UNKNOWN_HANDLE: return "ERR_FXPROF_UNKNOWN_HANDLE";
    case FXPROF_INVALID_ARGUMENT: return "ERR_FXPROF_INVALID_ARGUMENT";
    case FXPROF_OVERFLOW: return "ERR_FXPROF_OVERFLOW";
    case FXPROF_OUTPUT_FAILED: return "ERR_FXPROF_OUTPUT_FAILED";
  }
  return "ERR_FXPROF_UNKNOWN";
}

fxprof_text fxprof_text_of(const char *text) {
  fxprof_text made = {text, text ? strlen(text) : 0};
  return made;
}

// Truncated; negative and NaN are 0, what is too large 2^64 - 1.
static uint64_t saturate(double x) {
  if (!(x > 0)) return 0;
  return x < 18446744073709551616.0 ? (uint64_t)x : UINT64_MAX;
}

fxprof_time fxprof_time_from_ms(double ms) {
  fxprof_time time = {saturate(ms * 1e6)};
  return time;
}

fxprof_cpu fxprof_cpu_from_ns(uint64_t ns) {
  fxprof_cpu cpu = {ns / 1000, false};
  return cpu;
}

fxprof_cpu fxprof_cpu_from_ms(double ms) {
  fxprof_cpu cpu = {saturate(ms * 1000), false};
  return cpu;
}

fxprof_status fxprof_interval_from_ms(uint64_t ms, fxprof_interval *interval) {
  if (ms > UINT64_MAX / 1000000) return FXPROF_OVERFLOW;
  interval->ns = ms * 1000000;
  return FXPROF_OK;
}

fxprof_status fxprof_interval_from_hz(float hz, fxprof_interval *interval) {
  if (!(hz > 0)) return FXPROF_INVALID_ARGUMENT;
  interval->ns = saturate(1e9f / hz);
  return FXPROF_OK;
}

fxprof_reference fxprof_reference_from_seconds(uint64_t seconds, uint32_t nanoseconds) {
  fxprof_reference reference = {((double)seconds + (double)nanoseconds / 1e9) * 1000};
  return reference;
}
