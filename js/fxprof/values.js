// Numbers as the builder takes them. Where a method takes a number of milliseconds or a bigint of the
// unit that the builder counts in, the former are truncated and saturated as c/fxprof/values.c does it.

import { FxprofError, INVALID_ARGUMENT, OVERFLOW } from './error.js';

const MAX_U64 = 2n ** 64n - 1n;
const WORD = 2 ** 32;

/** The halves of the 64-bit number that was split last. */
export let low = 0;
export let high = 0;

const invalid = (value, wanted) =>
  new FxprofError(INVALID_ARGUMENT, `${typeof value} ${String(value)} is not ${wanted}`);

function splitBigint(value) {
  low = Number(value & 0xffffffffn);
  high = Number(value >> 32n & 0xffffffffn);
}

/** Splits a count: a bigint, or a number of milliseconds of which each is so many. */
function split(value, perMillisecond) {
  if (typeof value === 'number') {
    const count = value * perMillisecond;
    if (!(count > 0)) low = high = 0;
    else if (count >= 2 ** 64) low = high = WORD - 1;
    else {
      low = count >>> 0; // modulo 2^32
      high = count / WORD >>> 0;
    }
  } else if (typeof value === 'bigint' && value >= 0n && value <= MAX_U64) splitBigint(value);
  else throw invalid(value, 'a time');
}

/** A time: milliseconds as a number, nanoseconds as a bigint. */
export const splitTime = (time) => split(time, 1e6);

/** CPU time: milliseconds as a number, microseconds as a bigint. */
export const splitCpu = (cpu) => split(cpu, 1000);

/** An integer of 64 bits, a safe one or a bigint; signed ones in two's complement. */
export function splitInteger(value, min = 0n, max = MAX_U64) {
  const integer = Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof integer !== 'bigint' || integer < min || integer > max) throw invalid(value, 'a 64-bit integer');
  splitBigint(integer);
}

export const splitSigned = (value) => splitInteger(value, -(2n ** 63n), 2n ** 63n - 1n);

export function toU32(value) {
  if (typeof value !== 'number' || value >>> 0 !== value) throw invalid(value, 'a u32');
  return value;
}

export function toI32(value) {
  if (typeof value !== 'number' || (value | 0) !== value) throw invalid(value, 'an i32');
  return value;
}

export function toDouble(value) {
  if (typeof value !== 'number') throw invalid(value, 'a number');
  return value;
}

/** The place of a word in a list. */
export function toIndex(words, word) {
  const index = words.indexOf(word);
  if (index < 0) throw invalid(word, `one of ${words.filter(Boolean).join(', ')}`);
  return index;
}

const saturate = (count) => (!(count > 0) ? 0n : count >= 2 ** 64 ? MAX_U64 : BigInt(Math.trunc(count)));

/** Times relative to the reference timestamp, as bigints of nanoseconds. */
export const Timestamp = Object.freeze({
  fromNanoseconds: (ns) => BigInt(ns),
  fromMilliseconds: (ms) => saturate(ms * 1e6),
});

/** CPU times, as bigints of microseconds. */
export const CpuDelta = Object.freeze({
  ZERO: 0n,
  UNKNOWN: null,
  fromMicroseconds: (us) => BigInt(us),
  fromNanoseconds: (ns) => BigInt(ns) / 1000n,
  fromMilliseconds: (ms) => saturate(ms * 1000),
});

/** Intervals between samples, as bigints of nanoseconds. */
export const SamplingInterval = Object.freeze({
  fromNanoseconds: (ns) => BigInt(ns),
  /** @param {number | bigint} ms whole milliseconds */
  fromMilliseconds(ms) {
    const ns = BigInt(ms) * 1_000_000n;
    if (ns > MAX_U64) throw new FxprofError(OVERFLOW);
    return ns;
  },
  /** In single precision: 999 Hz are 1001001 ns. */
  fromHertz(hz) {
    const single = Math.fround(hz);
    if (!(single > 0)) throw invalid(hz, 'a frequency');
    return saturate(Math.fround(1e9 / single));
  },
});

/** Milliseconds since the Unix epoch, as numbers. */
export const ReferenceTimestamp = Object.freeze({
  fromMilliseconds: (ms) => ms,
  fromDuration: (seconds, nanoseconds) => (Number(seconds) + nanoseconds / 1e9) * 1000,
});
