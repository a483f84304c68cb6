// @ts-check
// The shortest edit script between two lists of lines (Myers, "An O(ND) difference algorithm",
// 1986).

/**
 * @typedef {object} Edit
 * @property {"same" | "out" | "in"} kind
 * @property {number} before line of the first list; -1 for an inserted line
 * @property {number} after line of the second list; -1 for a deleted line
 */

/**
 * Returns the edits; null if more than `most` lines are inserted and deleted.
 * @param {string[]} a
 * @param {string[]} b
 * @param {number} [most]
 * @returns {Edit[] | null}
 */
export function diff(a, b, most = 1500) {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const middle = shortest(a.slice(head, a.length - tail), b.slice(head, b.length - tail), most);
  if (middle === null) return null;
  /** @type {Edit[]} */
  const edits = [];
  for (let i = 0; i < head; i += 1) edits.push({ kind: "same", before: i, after: i });
  for (const { kind, before, after } of middle) edits.push({ kind, before: before < 0 ? -1 : before + head, after: after < 0 ? -1 : after + head });
  for (let i = tail; i > 0; i -= 1) edits.push({ kind: "same", before: a.length - i, after: b.length - i });
  return edits;
}

/**
 * Returns the shortest edits between two lists; null if there are more than `most`.
 * @param {string[]} a
 * @param {string[]} b
 * @param {number} most
 * @returns {Edit[] | null}
 */
function shortest(a, b, most) {
  // Integers compare faster than strings.
  const ids = new Map();
  const idOf = (/** @type {string} */ line) => {
    if (!ids.has(line)) ids.set(line, ids.size);
    return ids.get(line);
  };
  const [left, right] = [Int32Array.from(a, idOf), Int32Array.from(b, idOf)];
  const bound = Math.min(most, a.length + b.length);
  const reach = new Int32Array(2 * bound + 3);
  /** @type {Int32Array[]} furthest point on each diagonal, for each number of edits */
  const steps = [];
  for (let d = 0; d <= bound; d += 1) {
    for (let k = -d; k <= d; k += 2) {
      const at = k + bound + 1;
      let x = k === -d || (k !== d && reach[at - 1] < reach[at + 1]) ? reach[at + 1] : reach[at - 1] + 1;
      while (x < left.length && x - k < right.length && left[x] === right[x - k]) x += 1;
      reach[at] = x;
      if (x >= left.length && x - k >= right.length) return way(steps, left.length, right.length);
    }
    steps.push(reach.slice(bound + 1 - d, bound + 2 + d));
  }
  return null;
}

/**
 * Returns the edits along the shortest path, traced back from its end.
 * @param {Int32Array[]} steps
 * @param {number} x
 * @param {number} y
 * @returns {Edit[]}
 */
function way(steps, x, y) {
  /** @type {Edit[]} */
  const edits = [];
  const same = () => edits.push({ kind: "same", before: (x -= 1), after: (y -= 1) });
  for (let d = steps.length; d > 0; d -= 1) {
    const reach = (/** @type {number} */ k) => (Math.abs(k) > d - 1 ? -1 : steps[d - 1][k + d - 1]);
    const k = x - y;
    const isDown = k === -d || (k !== d && reach(k - 1) < reach(k + 1));
    const from = isDown ? reach(k + 1) : reach(k - 1);
    while (x > from + (isDown ? 0 : 1) && y > 0 && x > 0) same();
    if (isDown) edits.push({ kind: "in", before: -1, after: (y -= 1) });
    else edits.push({ kind: "out", before: (x -= 1), after: -1 });
  }
  while (x > 0 && y > 0) same();
  return edits.reverse();
}
