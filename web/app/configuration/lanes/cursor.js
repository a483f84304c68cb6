// @ts-check
// The selected lane and element, which both pictures share.

/**
 * @typedef {object} Place
 * @property {number} subgroup
 * @property {number} lane
 * @property {{ row: number, column: number } | null} element one element of the lane; null for all
 */

/**
 * Creates a cursor. The place under the pointer takes precedence over the selected place.
 * @param {Place | null} first
 */
export function cursor(first) {
  /** @type {Place | null} */
  let chosen = first;
  /** @type {Place | null} */
  let pointed = null;
  /** @type {((place: Place | null) => void)[]} */
  const listeners = [];
  const tell = () => listeners.forEach((listener) => listener(pointed ?? chosen));
  return {
    now: () => pointed ?? chosen,
    chosen: () => chosen,
    /** Sets the place under the pointer. @param {Place | null} place */
    point(place) {
      if (same(place, pointed)) return;
      pointed = place;
      tell();
    },
    /** Selects a place. @param {Place | null} place */
    choose(place) {
      chosen = place;
      pointed = null;
      tell();
    },
    /** Adds a listener. @param {(place: Place | null) => void} listener */
    on(listener) {
      listeners.push(listener);
    },
  };
}

/** @typedef {ReturnType<typeof cursor>} Cursor */

/** Returns whether two places are equal. @param {Place | null} a @param {Place | null} b */
function same(a, b) {
  if (a === null || b === null) return a === b;
  const sameElement = a.element?.row === b.element?.row && a.element?.column === b.element?.column;
  return a.subgroup === b.subgroup && a.lane === b.lane && sameElement;
}
