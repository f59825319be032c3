#include "profile.h"

fxprof_status fx_node_intern(fxprof_profile *profile, fx_thread *thread, uint32_t parent,
                             uint32_t frame, uint32_t *node) {
  // Most stacks were interned from root to leaf once, so that a node's first child comes right
  // after it.
  uint32_t next = parent + 1;
  if (next < thread->nodes.count && thread->nodes.rows[next].parent == parent &&
      thread->nodes.rows[next].frame == frame) {
    *node = next;
    return FXPROF_OK;
  }
  uint32_t hash = fx_hash_pair(profile->secret, (uint64_t)parent << 32 | frame, 0);
  fx_index *index = &thread->node_index;
  for (uint32_t at = hash; (*node = fx_index_next(index, hash, &at)) != FX_NONE;) {
    const fx_node *row = &thread->nodes.rows[*node];
    if (row->parent == parent && row->frame == frame) return FXPROF_OK;
  }
  FX_TRY(FX_RESERVE(&profile->memory, &thread->nodes, 1));
  FX_TRY(fx_index_reserve(&profile->memory, index, 1));
  *node = thread->nodes.count;
  FX_PUSH(&thread->nodes, (fx_node){parent, frame});
  fx_index_put(index, hash, *node);
  return FXPROF_OK;
}

fxprof_status fxprof_intern_stack(fxprof_profile *profile, fxprof_thread thread,
                                  fxprof_stack parent, fxprof_frame frame, fxprof_stack *stack) {
  FX_CHECK(&profile->threads, thread);
  fx_thread *row = &profile->threads.rows[thread.id - 1];
  FX_TRY(fx_check_stack(profile, thread, parent));
  FX_TRY(fx_check_owner(profile, thread, frame.thread, frame.id, row->frames.count));
  uint32_t node;
  FX_TRY(fx_node_intern(profile, row, parent.id - 1, frame.id - 1, &node));
  *stack = (fxprof_stack){thread.id, node + 1};
  return FXPROF_OK;
}

static fxprof_status intern_frames(fxprof_profile *profile, fx_thread *thread,
                                   const fxprof_frame_info *frames, size_t count,
                                   uint32_t *node) {
  for (size_t i = 0; i < count; i++) {
    fx_frame_key key;
    uint32_t frame;
    FX_TRY(fx_frame_locate(profile, thread, &frames[i], &key));
    FX_TRY(fx_frame_intern(profile, thread, &key, frames[i].source, &frame));
    FX_TRY(fx_node_intern(profile, thread, *node, frame, node));
  }
  return FXPROF_OK;
}

fxprof_status fxprof_intern_stack_frames(fxprof_profile *profile, fxprof_thread thread,
                                         const fxprof_frame_info *frames, size_t count,
                                         fxprof_stack *stack) {
  FX_CHECK(&profile->threads, thread);
  fx_thread *row = &profile->threads.rows[thread.id - 1];
  fx_thread_mark mark = fx_thread_mark_of(profile, row);
  uint32_t node = FX_NONE;
  fxprof_status status = intern_frames(profile, row, frames, count, &node);
  if (status != FXPROF_OK) {
    fx_thread_reset(profile, row, mark);
    return status;
  }
  *stack = (fxprof_stack){count ? thread.id : 0, node + 1};
  return FXPROF_OK;
}

// Stacks on another thread ------------------------------------------------------------------------

static fxprof_status translate_frame(fxprof_profile *profile, const fx_thread *from, fx_thread *to,
                                     uint32_t number, uint32_t *frame) {
  const fx_frame *row = &from->frames.rows[number];
  const fx_function *function = &from->functions.rows[row->function];
  fxprof_source source = {.start_line = function->start_line,
                          .start_column = function->start_column};
  if (function->file != FX_NONE) source.file.id = from->strings.rows[function->file] + 1;
  return fx_frame_intern(profile, to, &row->key, &source, frame);
}

fxprof_status fx_translate_stack(fxprof_profile *profile, fx_thread *from, fx_thread *to,
                                 uint32_t leaf, uint32_t *node) {
  fx_u32_list *known = &from->translated, *chain = &profile->chain;
  FX_TRY(FX_RESERVE(&profile->memory, known, from->nodes.count - known->count));
  while (known->count < from->nodes.count) FX_PUSH(known, 0);
  chain->count = 0;
  *node = FX_NONE;
  for (uint32_t i = leaf; i != FX_NONE; i = from->nodes.rows[i].parent) {
    if (known->rows[i]) {
      *node = known->rows[i] - 1;
      break;
    }
    FX_TRY(FX_RESERVE(&profile->memory, chain, 1));
    FX_PUSH(chain, i);
  }
  for (uint32_t i = chain->count; i-- > 0;) {
    uint32_t frame, from_node = chain->rows[i];
    fxprof_status status =
        translate_frame(profile, from, to, from->nodes.rows[from_node].frame, &frame);
    if (status == FXPROF_OK) status = fx_node_intern(profile, to, *node, frame, node);
    if (status != FXPROF_OK) {
      while (++i < chain->count) known->rows[chain->rows[i]] = 0;
      return status;
    }
    known->rows[from_node] = *node + 1;
  }
  return FXPROF_OK;
}
