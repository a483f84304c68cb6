// @ts-check
// The median of samples with a distribution-free confidence interval.

/** Returns the median. @param {number[]} sorted */
export function median(sorted) {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Returns the interval from the k-th smallest to the k-th largest sample that contains the median
 * with this confidence. It misses the median only if fewer than k of n fair coins show heads, or
 * fewer than k tails. Returns null if n is too small.
 * @param {number[]} sorted
 * @param {number} [confidence]
 * @returns {[number, number] | null}
 */
export function interval(sorted, confidence = 0.95) {
  const n = sorted.length;
  const most = (1 - confidence) / 2;
  let term = 0.5 ** n;
  let below = 0;
  let k = 0;
  while (k < n / 2 && below + term <= most) {
    below += term;
    term *= (n - k) / (k + 1);
    k += 1;
  }
  return k === 0 ? null : [sorted[k - 1], sorted[n - k]];
}

/**
 * Returns the sorted samples with their median and its interval.
 * @param {number[]} samples samples in any order
 */
export function summary(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  return { sorted, median: median(sorted), interval: interval(sorted) };
}
