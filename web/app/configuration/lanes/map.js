// @ts-check
// The map of a workgroup's elements: converts the list of loads into a grid with the load of each
// element.

/**
 * @typedef {object} Loads columns of the loads, one entry for each load
 * @property {Int32Array} step
 * @property {Int32Array} subgroup
 * @property {Int32Array} batch
 * @property {Int32Array} lane
 * @property {Float64Array} row index among all rows of the problem
 * @property {Float64Array} column
 * @property {Int32Array} length
 * @property {Float64Array} offset input elements before the first one, gaps between rows included
 * @property {Int32Array} repeated leading elements that were loaded before
 * @property {number} count
 * @property {{ isRow: boolean, stride: number, dimension: number }} along direction of a load, and
 *   its stride in rows or columns
 *
 * @typedef {object} Grid the elements of some steps, without rows and columns that no lane loads
 * @property {Stretches} rows
 * @property {Stretches} columns
 * @property {Int32Array} owner load of each element, row by row; -1 for none
 * @property {Uint8Array} times number of loads of each element
 * @property {number} repeated number of elements that are loaded more than once
 */

/** Returns the loads of an answer. @param {Api.Layout} layout @returns {Loads} */
export function loadsOf(layout) {
  const { columns, values } = layout.loads;
  const count = values.length;
  const whole = (/** @type {string} */ name) => list(new Int32Array(count), columns.indexOf(name), values);
  const large = (/** @type {string} */ name) => list(new Float64Array(count), columns.indexOf(name), values);
  const length = whole("length");
  return {
    step: whole("step"),
    subgroup: whole("subgroup"),
    batch: whole("batch"),
    lane: whole("lane"),
    row: large("row"),
    column: large("column"),
    length,
    offset: large("offset"),
    repeated: whole("repeated"),
    count,
    along: along(layout, length[0] ?? 1),
  };
}

/**
 * Expands a column of the answer into a list.
 * @template {Int32Array | Float64Array} List
 * @param {List} into
 * @param {number} column
 * @param {number[][]} values
 */
function list(into, column, values) {
  for (let i = 0; i < values.length; i += 1) into[i] = values[i][column];
  return into;
}

/**
 * Returns the dimension along which loads extend: the innermost with `length` elements for each
 * lane. It is reduced if loads cover neighbouring columns, and parallel if they cover neighbouring
 * rows.
 * @param {Api.Layout} layout
 * @param {number} length
 */
function along(layout, length) {
  const { dimensions } = layout;
  const fits = (/** @type {boolean} */ reduced) => dimensions.findLastIndex((d) => d.reduced === reduced && d.element.count === length);
  const d = fits(layout.loads.along !== "rows");
  if (length === 1 || d < 0) return { isRow: layout.loads.along === "rows", stride: 1, dimension: dimensions.length - 1 };
  const inner = dimensions.slice(d + 1).filter((other) => other.reduced === dimensions[d].reduced);
  return { isRow: !dimensions[d].reduced, dimension: d, stride: inner.reduce((product, other) => product * other.size, 1) };
}

/** Numbers in rising order, stored as ranges. */
export class Stretches {
  /**
   * @param {Float64Array} starts first numbers of the ranges, in any order
   * @param {number} length length of each range
   */
  constructor(starts, length) {
    const sorted = starts.slice().sort();
    /** @type {{ first: number, end: number, index: number }[]} */
    this.parts = [];
    this.count = 0;
    for (const start of sorted) {
      const last = this.parts.at(-1);
      if (last === undefined || start > last.end) this.parts.push({ first: start, end: start + length, index: 0 });
      else last.end = Math.max(last.end, start + length);
    }
    for (const part of this.parts) {
      part.index = this.count;
      this.count += part.end - part.first;
    }
  }

  /** Returns the index of a number; -1 if it is missing. @param {number} value */
  index(value) {
    const part = this.before((one) => one.first <= value);
    return part === undefined || value >= part.end ? -1 : part.index + value - part.first;
  }

  /** Returns the number at an index. @param {number} index */
  value(index) {
    const part = this.before((one) => one.index <= index);
    return part === undefined ? 0 : part.first + index - part.index;
  }

  /**
   * Returns the last range that satisfies a condition.
   * @param {(part: { first: number, end: number, index: number }) => boolean} holds
   */
  before(holds) {
    let [low, high] = [0, this.parts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(this.parts[middle])) low = middle + 1;
      else high = middle;
    }
    return this.parts[low - 1];
  }

  /** Returns whether a range other than the first begins at an index. @param {number} index */
  beginsAt(index) {
    return index > 0 && this.before((one) => one.index <= index)?.index === index;
  }
}

/**
 * Returns the grid of the loads of these steps.
 * @param {Loads} loads
 * @param {number[]} steps
 * @returns {Grid}
 */
export function gridOf(loads, steps) {
  const wanted = new Set(steps);
  /** @type {number[]} */
  const which = [];
  for (let i = 0; i < loads.count; i += 1) if (wanted.has(loads.step[i])) which.push(i);
  const { isRow, stride } = loads.along;
  const length = loads.count === 0 ? 1 : loads.length[0];
  const spread = (/** @type {Float64Array} */ of, /** @type {boolean} */ goesOn) => {
    if (!goesOn || stride === 1) return new Stretches(Float64Array.from(which, (i) => of[i]), goesOn ? length : 1);
    return new Stretches(Float64Array.from(which.flatMap((i) => Array.from({ length }, (_, k) => of[i] + k * stride))), 1);
  };
  const rows = spread(loads.row, isRow);
  const columns = spread(loads.column, !isRow);
  const owner = new Int32Array(rows.count * columns.count).fill(-1);
  const times = new Uint8Array(owner.length);
  let repeated = 0;
  const take = (/** @type {number} */ i, /** @type {number} */ k) => {
    const away = k * stride;
    const at = rows.index(loads.row[i] + (isRow ? away : 0)) * columns.count + columns.index(loads.column[i] + (isRow ? 0 : away));
    const isAgain = k < loads.repeated[i];
    if (owner[at] < 0) owner[at] = i;
    if (times[at] < 2 && (times[at] === 1 || isAgain)) repeated += 1;
    times[at] = Math.min(255, times[at] === 0 && isAgain ? 2 : times[at] + 1);
  };
  // A load that does not repeat an element owns it. A repeating load owns it only if there is no
  // other.
  for (const i of which) for (let k = loads.repeated[i]; k < loads.length[i]; k += 1) take(i, k);
  for (const i of which) for (let k = 0; k < loads.repeated[i]; k += 1) take(i, k);
  return { rows, columns, owner, times, repeated };
}

/**
 * Returns the number of input elements before an element of a load.
 * @param {Loads} loads
 * @param {number} load
 * @param {number} within index of the element in its load
 * @param {Api.Dimension[]} dimensions
 * @param {number | null} pitch elements between the starts of adjacent rows of the last dimension;
 *   null without gaps
 */
export function offsetOf(loads, load, within, dimensions, pitch) {
  if (within === 0) return loads.offset[load];
  const inner = dimensions.slice(loads.along.dimension + 1);
  const apart = inner.reduce((product, { size }, i) => product * (i === inner.length - 1 ? (pitch ?? size) : size), 1);
  return loads.offset[load] + within * apart;
}
