#include "profile.h"

// As fx_sample_load() reads it.
static fxprof_status pack_load(fxprof_profile *profile, fx_thread *thread, fx_load load,
                               uint32_t *packed) {
  if (load.cpu <= 0xffffff && load.weight >= -63 && load.weight <= 64) {
    *packed = (uint32_t)load.cpu | (uint32_t)(load.weight + 63) << 24;
    return FXPROF_OK;
  }
  FX_TRY(FX_RESERVE(&profile->memory, &thread->loads, 1));
  *packed = thread->loads.count | UINT32_C(1) << 31;
  FX_PUSH(&thread->loads, load);
  return FXPROF_OK;
}

fxprof_status fxprof_add_sample(fxprof_profile *profile, fxprof_thread thread, fxprof_time time,
                                fxprof_stack stack, fxprof_cpu cpu, int32_t weight) {
  FX_CHECK(&profile->threads, thread);
  FX_TRY(fx_check_stack(profile, thread, stack));
  fx_thread *row = &profile->threads.rows[thread.id - 1];
  fx_sample sample = {time.ns, stack.id | (cpu.is_unknown ? FX_UNKNOWN_CPU : 0), 0};
  FX_TRY(FX_RESERVE(&profile->memory, &row->samples, 1));
  FX_TRY(pack_load(profile, row, (fx_load){cpu.is_unknown ? 0 : cpu.us, weight}, &sample.load));
  row->newest_sample = row->samples.count;
  FX_PUSH(&row->samples, sample);
  return FXPROF_OK;
}

// Changes the sample that was added last. If the document has been written since, it may have been
// sorted before older ones; it goes back to the end, where the order of equal times is right.
static void replace_newest(fx_thread *thread, fx_sample sample) {
  fx_sample *rows = thread->samples.rows;
  uint32_t last = thread->samples.count - 1;
  for (uint32_t i = thread->newest_sample; i < last; i++) rows[i] = rows[i + 1];
  rows[last] = sample;
  thread->newest_sample = last;
}

fxprof_status fxprof_add_sample_same_stack_zero_cpu(fxprof_profile *profile, fxprof_thread thread,
                                                    fxprof_time time, int32_t weight) {
  FX_CHECK(&profile->threads, thread);
  fx_thread *row = &profile->threads.rows[thread.id - 1];
  fxprof_stack stack = {0, 0};
  if (row->samples.count) {
    fx_sample newest = row->samples.rows[row->newest_sample];
    fx_load load = fx_sample_load(row, &newest);
    if (!load.cpu && !(newest.stack & FX_UNKNOWN_CPU)) {
      int64_t sum = (int64_t)load.weight + weight;
      if (sum < INT32_MIN || sum > INT32_MAX) return FXPROF_OVERFLOW;
      load.weight = (int32_t)sum;
      newest.time = time.ns;
      if (newest.load >> 31) row->loads.rows[newest.load & ~(UINT32_C(1) << 31)] = load;
      else FX_TRY(pack_load(profile, row, load, &newest.load));
      replace_newest(row, newest);
      return FXPROF_OK;
    }
    stack.id = newest.stack & ~FX_UNKNOWN_CPU;
    if (stack.id) stack.thread = thread.id;
  }
  return fxprof_add_sample(profile, thread, time, stack, (fxprof_cpu){0, false}, weight);
}

fxprof_status fxprof_add_allocation_sample(fxprof_profile *profile, fxprof_thread thread,
                                           fxprof_time time, fxprof_stack stack, uint64_t address,
                                           int64_t size) {
  FX_CHECK(&profile->threads, thread);
  FX_TRY(fx_check_stack(profile, thread, stack));
  fx_thread *from = &profile->threads.rows[thread.id - 1];
  fx_thread *to = &profile->threads.rows[profile->processes.rows[from->process].first_thread];
  FX_TRY(FX_RESERVE(&profile->memory, &to->allocations, 1));
  uint32_t node = stack.id - 1;
  if (from != to && stack.id) {
    fx_thread_mark mark = fx_thread_mark_of(profile, to);
    fxprof_status status = fx_translate_stack(profile, from, to, stack.id - 1, &node);
    if (status != FXPROF_OK) {
      fx_thread_reset(profile, to, mark);
      return status;
    }
  }
  FX_PUSH(&to->allocations, (fx_allocation){time.ns, address, size, node + 1});
  return FXPROF_OK;
}
