// The parts of the document.
#ifndef FXPROF_DOCUMENT_H
#define FXPROF_DOCUMENT_H

#include "profile.h"
#include "writer.h"

// Rows that begin with their time, in its order; equal times stay as they are.
void fx_sort_by_time(void *rows, uint32_t count, size_t size);

void fx_write_meta(fx_writer *writer, const fxprof_profile *profile);
void fx_write_thread(fx_writer *writer, const fxprof_profile *profile, fx_thread *thread);

#endif
