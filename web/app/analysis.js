// @ts-check
// Statistics of trials by attribute. They compare logarithms of times, so half and double the time
// weigh the same.

/**
 * The most trials in an importance estimate, and the number of bootstrap resamples for its
 * interval.
 */
const SAMPLE = 4000;
const RESAMPLES = 100;

/**
 * Returns a generator of numbers from 0 to 1 (mulberry32). The same seed gives the same sequence.
 * @param {number} seed
 */
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Returns the share of the variance of log time that one attribute explains alone: epsilon squared.
 * It is the variance between values, less the part that chance gives. The result is from 0 (no
 * effect) to 1 (decides all).
 * @param {Int32Array | number[]} codes value index of each trial
 * @param {number} levels number of values
 * @param {Float64Array | number[]} logs logarithm of each trial's time
 * @param {Int32Array | number[]} which indices into both lists
 */
export function share(codes, levels, logs, which) {
  const sum = new Float64Array(levels);
  const count = new Float64Array(levels);
  let all = 0;
  let squares = 0;
  for (const i of which) {
    const log = logs[i];
    sum[codes[i]] += log;
    count[codes[i]] += 1;
    all += log;
    squares += log * log;
  }
  const total = squares - (all * all) / which.length;
  let between = -(all * all) / which.length;
  let groups = 0;
  for (let level = 0; level < levels; level += 1) {
    if (count[level] === 0) continue;
    between += (sum[level] * sum[level]) / count[level];
    groups += 1;
  }
  if (total <= 1e-12 || which.length <= groups) return 0;
  const within = (total - between) / (which.length - groups);
  return Math.max(0, (between - (groups - 1) * within) / total);
}

/**
 * Returns the importance of each attribute with its 95 % bootstrap interval, the largest first.
 * @param {{ time: (number | null)[], status: string[], varying:
 *   import("./study/trials.js").Attribute[] }} trials
 */
export function importance(trials) {
  const timed = trials.time.flatMap((time, i) => (time !== null && trials.status[i] !== "wrong" ? [i] : []));
  const draw = random(1);
  const sample = timed.length <= SAMPLE ? timed : Array.from({ length: SAMPLE }, () => timed[Math.floor(draw() * timed.length)]);
  const logs = trials.time.map((time) => (time === null ? 0 : Math.log(time)));
  const found = trials.varying.map(({ name, values, codes }) => {
    const which = sample.filter((i) => codes[i] >= 0);
    const shares = [];
    const again = new Int32Array(which.length);
    for (let round = 0; round < RESAMPLES; round += 1) {
      for (let k = 0; k < again.length; k += 1) again[k] = which[Math.floor(draw() * which.length)];
      shares.push(share(codes, values.length, logs, again));
    }
    shares.sort((a, b) => a - b);
    return { name, share: share(codes, values.length, logs, which), low: shares[Math.floor(RESAMPLES * 0.025)], high: shares[Math.ceil(RESAMPLES * 0.975) - 1] };
  });
  return { attributes: found.sort((a, b) => b.share - a.share), trials: sample.length };
}

/**
 * Returns a quantile of sorted numbers by linear interpolation.
 * @param {number[]} sorted
 * @param {number} part
 */
export function quantile(sorted, part) {
  const place = (sorted.length - 1) * part;
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}

/**
 * Returns the sorted times of each value of an attribute.
 * @param {{ time: (number | null)[], status: string[] }} trials
 * @param {import("./study/trials.js").Attribute} attribute
 */
export function timesByValue(trials, attribute) {
  const times = attribute.values.map(() => /** @type {number[]} */ ([]));
  trials.time.forEach((time, i) => {
    if (time !== null && trials.status[i] !== "wrong" && attribute.codes[i] >= 0) times[attribute.codes[i]].push(time);
  });
  for (const of of times) of.sort((a, b) => a - b);
  return times;
}
