// One measurement of the profile builder: what it takes to add so many samples of 5,000 stacks of 20
// frames, and to write them. Prints CPU seconds, bytes of the document, and the peak of memory in MB
// (as the system sees it; in wasm the size of the memory).
//
//   fxprof-bench labels|handles|stacks SAMPLES
//
// labels   each sample interns its stack from labels
// handles  the frames are interned before, each sample interns its stack node by node
// stacks   the stacks are interned before
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fxprof/fxprof.h"

#ifdef __wasm__
#include <wasi/api.h>
#else
#include <sys/resource.h>
#endif

enum { STACKS = 5000, DEPTH = 20, FUNCTIONS = 2000 };

static void check(fxprof_status status) {
  if (status == FXPROF_OK) return;
  fprintf(stderr, "%s\n", fxprof_status_code(status));
  exit(1);
}

static double now(void) {
#ifdef __wasm__
  __wasi_timestamp_t time = 0;
  if (__wasi_clock_time_get(__WASI_CLOCKID_PROCESS_CPUTIME_ID, 1, &time)) abort();
  return (double)time / 1e9;
#else
  return (double)clock() / CLOCKS_PER_SEC;
#endif
}

static double peak(void) {
#ifdef __wasm__
  return (double)__builtin_wasm_memory_size(0) * 65536 / 1e6;
#else
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss * 1024 / 1e6;
#endif
}

static uint32_t random_below(uint32_t limit) {
  static uint32_t state = 1;
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return (uint32_t)((uint64_t)state * limit >> 32);
}

static size_t written;

static bool count_bytes(void *context, const void *bytes, size_t length) {
  (void)context, (void)bytes;
  written += length;
  return true;
}

static fxprof_profile *profile;
static fxprof_thread thread;
static fxprof_string labels[FUNCTIONS];
static fxprof_frame frames[FUNCTIONS];
static fxprof_stack stacks[STACKS];
static uint16_t functions[STACKS][DEPTH];  // of each stack; half of them share a root with another

static fxprof_stack intern_labels(uint32_t which) {
  fxprof_frame_info infos[DEPTH];
  fxprof_stack stack;
  for (int i = 0; i < DEPTH; i++) {
    infos[i] = (fxprof_frame_info){.label = labels[functions[which][i]]};
  }
  check(fxprof_intern_stack_frames(profile, thread, infos, DEPTH, &stack));
  return stack;
}

static fxprof_stack intern_nodes(uint32_t which) {
  fxprof_stack stack = {0, 0};
  for (int i = 0; i < DEPTH; i++) {
    check(fxprof_intern_stack(profile, thread, stack, frames[functions[which][i]], &stack));
  }
  return stack;
}

static fxprof_stack find_stack(uint32_t which) { return stacks[which]; }

int main(int argument_count, char **arguments) {
  if (argument_count != 3) return 2;
  const char *mode = arguments[1];
  uint32_t samples = (uint32_t)strtoul(arguments[2], NULL, 10);
  fxprof_stack (*stack_of)(uint32_t) = strcmp(mode, "labels") == 0    ? intern_labels
                                       : strcmp(mode, "handles") == 0 ? intern_nodes
                                                                      : find_stack;
  fxprof_process process;
  fxprof_time start = {0};
  check(fxprof_new(fxprof_text_of("bench"), (fxprof_reference){0}, (fxprof_interval){1000000},
                   NULL, 1, &profile));
  check(fxprof_add_process(profile, fxprof_text_of("bench"), 1, start, &process));
  check(fxprof_add_thread(profile, process, 1, start, true, &thread));
  for (uint32_t i = 0; i < FUNCTIONS; i++) {
    char name[40];
    snprintf(name, sizeof name, "function_number_%u", i);
    check(fxprof_intern_string(profile, fxprof_text_of(name), &labels[i]));
  }
  for (uint32_t i = 0; i < STACKS; i++) {
    for (int j = 0; j < DEPTH; j++) functions[i][j] = (uint16_t)random_below(FUNCTIONS);
    if (i && random_below(2)) functions[i][0] = functions[random_below(i)][0];
  }

  double began = now();
  for (uint32_t i = 0; stack_of == intern_nodes && i < FUNCTIONS; i++) {
    fxprof_frame_info info = {.label = labels[i]};
    check(fxprof_intern_frame(profile, thread, &info, &frames[i]));
  }
  for (uint32_t i = 0; stack_of == find_stack && i < STACKS; i++) stacks[i] = intern_labels(i);
  double prepared = now();
  for (uint32_t i = 0; i < samples; i++) {
    fxprof_time time = {UINT64_C(1000000) * i + random_below(1000000)};
    check(fxprof_add_sample(profile, thread, time, stack_of(random_below(STACKS)),
                            (fxprof_cpu){i % 1000, false}, 1));
  }
  double added = now();
  check(fxprof_write(profile, count_bytes, NULL));
  double done = now();
  printf("{\"prepare\":%.4f,\"add\":%.4f,\"write\":%.4f,\"bytes\":%zu,\"peak\":%.1f}\n",
         prepared - began, added - prepared, done - added, written, peak());
  fxprof_free(profile);
  return 0;
}
