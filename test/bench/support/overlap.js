/**
 * How much two profiles of one run agree. Pure computations, tested by test/unit/overlap.test.js.
 *
 * A profile is a list of `{ stack, weight }`: `stack` holds keys of functions, leaf first, and no other than
 * those of the program that is measured. Samples without any have been left out.
 *
 * @typedef {{ stack: string[], weight: number }[]} Profile
 */

/** A generator of numbers in [0, 1): the same on every run. */
function makeRandom(seed) {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

/**
 * @param {Profile} profile
 * @returns {{ self: Map<string, number>, total: Map<string, number> }} shares of the profile's time: those of
 *   `self` add up to 1, those of `total` count each function once a sample
 */
export function shares(profile) {
  const self = new Map();
  const total = new Map();
  let sum = 0;
  for (const { weight } of profile) sum += weight;
  const add = (map, key, share) => map.set(key, (map.get(key) ?? 0) + share);
  for (const { stack, weight } of profile) {
    if (stack.length === 0) continue;
    add(self, stack[0], weight / sum);
    for (const key of new Set(stack)) add(total, key, weight / sum);
  }
  return { self, total };
}

/**
 * Sum over functions of the smaller share, as a part of all shares: 1 = the same, 0 = nothing in common.
 *
 * @param {Map<string, number>} a
 * @param {Map<string, number>} b
 */
export function overlap(a, b) {
  let common = 0;
  let all = 0;
  for (const [key, share] of a) {
    common += Math.min(share, b.get(key) ?? 0);
    all += share;
  }
  for (const share of b.values()) all += share;
  return all === 0 ? 0 : 2 * common / all;
}

/**
 * What a perfect sampler would have got with so many samples: the overlap of the truth with samples that are
 * drawn from it at random, the mean of several draws.
 *
 * @param {Profile} truth
 * @param {number} count samples a draw
 * @param {{ draws?: number, seed?: number }} [options]
 * @returns {{ self: number, total: number }}
 */
export function ceiling(truth, count, { draws = 30, seed = 1 } = {}) {
  const random = makeRandom(seed);
  const sums = new Float64Array(truth.length);
  let sum = 0;
  truth.forEach(({ weight }, i) => { sums[i] = sum += weight; });
  const pick = () => {
    const wanted = random() * sum;
    let low = 0;
    let high = truth.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] > wanted) high = middle;
      else low = middle + 1;
    }
    return truth[low];
  };
  const all = shares(truth);
  const result = { self: 0, total: 0 };
  for (let draw = 0; draw < draws; draw++) {
    const drawn = shares(Array.from({ length: count }, () => ({ stack: pick().stack, weight: 1 })));
    result.self += overlap(drawn.self, all.self) / draws;
    result.total += overlap(drawn.total, all.total) / draws;
  }
  return result;
}

/**
 * @param {Profile} truth
 * @param {Profile} ours
 * @param {{ draws?: number, seed?: number }} [options] of ceiling()
 * @returns {Record<'self' | 'total', { overlap: number, ceiling: number, ratio: number }>}
 */
export function compare(truth, ours, options) {
  const best = ceiling(truth, ours.length, options);
  const a = shares(truth);
  const b = shares(ours);
  const result = {};
  for (const kind of ['self', 'total']) {
    const found = overlap(a[kind], b[kind]);
    result[kind] = { overlap: found, ceiling: best[kind], ratio: found / best[kind] };
  }
  return result;
}

/** The functions whose shares differ most, for looking into a bad ratio. */
export function differences(truth, ours, kind = 'self', count = 10) {
  const a = shares(truth)[kind];
  const b = shares(ours)[kind];
  return [...new Set([...a.keys(), ...b.keys()])]
    .map((key) => ({ key, truth: a.get(key) ?? 0, ours: b.get(key) ?? 0 }))
    .sort((x, y) => Math.abs(y.truth - y.ours) - Math.abs(x.truth - x.ours))
    .slice(0, count);
}

export const median = (numbers) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

export const geometricMean = (numbers) =>
  Math.exp(numbers.reduce((sum, x) => sum + Math.log(x), 0) / numbers.length);
