// Handles: opaque, and the same object for the same thing, so that they can be compared with ===.

import { FxprofError, UNKNOWN_HANDLE } from './error.js';

/** What a profile gives for what it has; see Profile. */
export class Handle {
  #owner;
  #kind;
  #id;
  #thread;

  /**
   * @param {object} owner the profile's own Handles
   * @param {string} kind
   * @param {number} id
   * @param {number} thread of frames, stacks and markers; of a subcategory its index
   */
  constructor(owner, kind, id, thread) {
    this.#owner = owner;
    this.#kind = kind;
    this.#id = id;
    this.#thread = thread;
  }

  /** The id of a handle, if it is one of this profile and kind. */
  static id(handle, owner, kind) {
    if (typeof handle !== 'object' || handle === null || !(#id in handle) || handle.#owner !== owner ||
      handle.#kind !== kind) {
      throw new FxprofError(UNKNOWN_HANDLE, `not a ${kind} of this profile`);
    }
    return handle.#id;
  }

  /** Of a handle whose id() was asked for. */
  static thread(handle) {
    return handle.#thread;
  }

  /** As far as the kind goes. */
  static is(handle, kind) {
    return typeof handle === 'object' && handle !== null && #id in handle && handle.#kind === kind;
  }
}

/** All handles of a profile. */
export class Handles {
  #given = {};

  /** The handle of a thing. */
  give(kind, id, thread = 0) {
    const threads = this.#given[kind] ??= [];
    const given = threads[thread] ??= [];
    return given[id] ??= new Handle(this, kind, id, thread);
  }

  id(handle, kind) {
    return Handle.id(handle, this, kind);
  }
}
