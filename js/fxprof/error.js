// By status, as c/fxprof/fxprof.h numbers them.
const errors = [
  undefined,
  ['ERR_FXPROF_NO_MEMORY', 'there is no memory'],
  ['ERR_FXPROF_FOREIGN_HANDLE', 'the handle belongs to another thread'],
  ['ERR_FXPROF_UNKNOWN_HANDLE', 'this profile has no such thing'],
  ['ERR_FXPROF_INVALID_ARGUMENT', 'an argument is not what it has to be'],
  ['ERR_FXPROF_OVERFLOW', 'a number or a table would leave its range'],
  ['ERR_FXPROF_OUTPUT_FAILED', 'the output was not taken'],
];

export const NO_MEMORY = 1;
export const UNKNOWN_HANDLE = 3;
export const INVALID_ARGUMENT = 4;
export const OVERFLOW = 5;

/** What all calls throw that cannot be carried out. They have no effect then. */
export class FxprofError extends Error {
  constructor(status, detail) {
    const [code, message] = errors[status];
    super(detail ? `${message}: ${detail}` : message);
    this.name = 'FxprofError';
    this.code = code;
  }
}

/** Throws the error of a status, if it is one. */
export function check(status) {
  if (status) throw new FxprofError(status);
}
