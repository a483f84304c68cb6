// @ts-check
// The median of samples and an interval for it, which asks nothing of how they are distributed.

/** @param {number[]} sorted */
export function median(sorted) {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The interval from the k-th least sample to the k-th largest, which has the median with at least this confidence: the median
 * is outside only where fewer than k of n fair coins show heads, or fewer than k tails. Null where n samples cannot say it.
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

/** @param {number[]} samples in any order */
export function summary(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  return { sorted, median: median(sorted), interval: interval(sorted) };
}
