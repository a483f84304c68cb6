// @ts-check
// Which lane and which element is looked at: pictures share it.

/**
 * @typedef {object} Place
 * @property {number} subgroup
 * @property {number} lane
 * @property {{ row: number, column: number } | null} element one of the lane's, or null for all of them
 */

/**
 * What is pointed at for a moment goes before what was chosen.
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
    /** @param {Place | null} place */
    point(place) {
      if (same(place, pointed)) return;
      pointed = place;
      tell();
    },
    /** @param {Place | null} place */
    choose(place) {
      chosen = place;
      pointed = null;
      tell();
    },
    /** @param {(place: Place | null) => void} listener */
    on(listener) {
      listeners.push(listener);
    },
  };
}

/** @typedef {ReturnType<typeof cursor>} Cursor */

/** @param {Place | null} a @param {Place | null} b */
function same(a, b) {
  if (a === null || b === null) return a === b;
  const sameElement = a.element?.row === b.element?.row && a.element?.column === b.element?.column;
  return a.subgroup === b.subgroup && a.lane === b.lane && sameElement;
}
