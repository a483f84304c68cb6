// @ts-check
// Positions of the elements. Rows go down and columns across; a wide row is folded into several
// lines.

/** Pixels for the names of rows and offsets, and for the numbers of columns. */
export const LEFT = 92;
export const TOP = 20;

/** Minimum width of an element in pixels. */
const LEAST = 5;
const MOST = 34;
/** Preferred height of the picture in pixels. */
const WANTED = 380;
const BETWEEN_ROWS = 6;

/**
 * @typedef {object} Fold
 * @property {number} line elements of a line
 * @property {number} lines lines of a row
 * @property {number} wide width of an element in pixels
 * @property {number} high height of a line in pixels
 * @property {number} row height of all lines of a row and the gap below, in pixels
 * @property {number} width total width in pixels
 * @property {number} height total height in pixels
 */

/**
 * Computes the fold.
 * @param {{ rows: number, columns: number }} size
 * @param {number} width available width in pixels
 * @param {number | null} wanted elements of a line; null for as many as fit
 * @param {number} zoom
 * @returns {Fold}
 */
export function fold(size, width, wanted, zoom) {
  const room = Math.max(60, width - LEFT - 2);
  const line = Math.min(size.columns, wanted ?? fitting(size.columns, room));
  const lines = Math.ceil(size.columns / line);
  const wide = clamp(room / line, wanted === null ? 1 : LEAST, MOST) * zoom;
  const high = clamp(WANTED / (size.rows * lines), 8, clamp(wide / zoom, 13, 24)) * zoom;
  const row = lines * high + (lines > 1 ? BETWEEN_ROWS : 0);
  return { line, lines, wide, high, row, width: LEFT + line * wide + 2, height: TOP + size.rows * row };
}

/**
 * Returns the longest line that fits: a whole row, or a power of two.
 * @param {number} columns
 * @param {number} room
 */
function fitting(columns, room) {
  if (columns * LEAST <= room) return columns;
  return Math.max(32, 2 ** Math.floor(Math.log2(room / LEAST)));
}

/**
 * Returns the value, limited to a range.
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
function clamp(value, low, high) {
  return Math.min(Math.max(value, low), Math.max(low, high));
}

/**
 * Returns the upper left corner of an element.
 * @param {Fold} fold
 * @param {number} row
 * @param {number} column
 */
export function cornerOf(fold, row, column) {
  return { x: LEFT + (column % fold.line) * fold.wide, y: TOP + row * fold.row + Math.floor(column / fold.line) * fold.high };
}

/**
 * Returns the element at a position, or null.
 * @param {Fold} fold
 * @param {number} x
 * @param {number} y
 * @param {{ rows: number, columns: number }} size
 */
export function elementAt(fold, x, y, size) {
  const row = Math.floor((y - TOP) / fold.row);
  const line = Math.floor((y - TOP - row * fold.row) / fold.high);
  const across = Math.floor((x - LEFT) / fold.wide);
  const column = line * fold.line + across;
  const isThere = row >= 0 && row < size.rows && line < fold.lines && across >= 0 && across < fold.line && column < size.columns;
  return isThere ? { row, column } : null;
}
