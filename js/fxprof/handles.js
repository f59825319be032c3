// Handles: opaque, and the same object for the same thing, so that they can be compared with ===.

import { FxprofError, UNKNOWN_HANDLE } from './error.js';

class Handle {
  #table;
  #id;
  #thread;

  constructor(table, id, thread) {
    this.#table = table;
    this.#id = id;
    this.#thread = thread;
  }

  static isOf(table, value) {
    return typeof value === 'object' && value !== null && #table in value && value.#table === table;
  }

  static id(handle) {
    return handle.#id;
  }

  static thread(handle) {
    return handle.#thread;
  }
}

/** The thread of a handle that is known to be one; of a subcategory its own number. */
export const { thread: threadOf } = Handle;

/** A profile's handles of one kind. */
export class HandleTable {
  #kind;
  #threads = [];

  constructor(kind) {
    this.#kind = kind;
  }

  /** The handle of a thing; of frames, stacks and markers with the thread's id. */
  give(id, thread = 0) {
    const handles = this.#threads[thread] ??= [];
    return handles[id] ??= new Handle(this, id, thread);
  }

  has(value) {
    return Handle.isOf(this, value);
  }

  /** The id of a handle, if it is one of these. */
  id(value) {
    if (Handle.isOf(this, value)) return Handle.id(value);
    throw new FxprofError(UNKNOWN_HANDLE, `not a ${this.#kind} of this profile`);
  }
}
