#include "profile.h"

fxprof_status fxprof_add_counter(fxprof_profile *profile, fxprof_process process, fxprof_text name,
                                 fxprof_text category, fxprof_text description,
                                 fxprof_counter *counter) {
  FX_CHECK(&profile->processes, process);
  fx_counter row = {.process = process.id - 1};
  FX_TRY(fx_intern(profile, name, &row.name));
  FX_TRY(fx_intern(profile, category, &row.category));
  FX_TRY(fx_intern(profile, description, &row.description));
  FX_TRY(FX_RESERVE(&profile->memory, &profile->counters, 1));
  FX_PUSH(&profile->counters, row);
  counter->id = profile->counters.count;
  return FXPROF_OK;
}

fxprof_status fxprof_set_counter_color(fxprof_profile *profile, fxprof_counter counter,
                                       fxprof_graph_color color) {
  FX_CHECK(&profile->counters, counter);
  if (color > FXPROF_GRAPH_YELLOW) return FXPROF_INVALID_ARGUMENT;
  profile->counters.rows[counter.id - 1].color = color;
  return FXPROF_OK;
}

fxprof_status fxprof_add_counter_sample(fxprof_profile *profile, fxprof_counter counter,
                                        fxprof_time time, double value, uint32_t operations) {
  FX_CHECK(&profile->counters, counter);
  fx_counter *row = &profile->counters.rows[counter.id - 1];
  FX_TRY(FX_RESERVE(&profile->memory, &row->samples, 1));
  FX_PUSH(&row->samples, (fx_counter_sample){time.ns, value, operations});
  return FXPROF_OK;
}
