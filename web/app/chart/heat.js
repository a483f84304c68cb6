// @ts-check
// A heat map: a grid of cells, each with its ramp step and its number.

import { h, s } from "../dom.js";

/**
 * @typedef {object} Cell
 * @property {number} column
 * @property {number} row index from the top
 * @property {number} step step of the ramp, 0 to 5
 * @property {string} text text of the cell
 * @property {string} tell description in a sentence
 * @property {string} [href] address behind the cell
 *
 * @typedef {object} Grid
 * @property {string} name
 * @property {string} across name of the horizontal axis, with its unit
 * @property {string} down name of the vertical axis, with its unit
 * @property {string[]} columns
 * @property {string[]} rows
 * @property {Cell[]} cells
 */

const WIDE = 46;
const HIGH = 26;
const LEFT = 66;
const ABOVE = 4;
const BELOW = 40;

/** Creates a heat map. @param {Grid} grid */
export function heatMap(grid) {
  const width = LEFT + grid.columns.length * WIDE + 8;
  const height = ABOVE + grid.rows.length * HIGH + BELOW;
  const middle = ABOVE + (grid.rows.length * HIGH) / 2;
  return s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": grid.name },
    s("g", { class: "axis", "aria-hidden": "true" },
      grid.columns.map((text, i) => s("text", { x: LEFT + (i + 0.5) * WIDE, y: height - BELOW + 16, "text-anchor": "middle" }, text)),
      grid.rows.map((text, i) => s("text", { x: LEFT - 6, y: ABOVE + (i + 0.5) * HIGH + 4, "text-anchor": "end" }, text)),
      s("text", { x: LEFT + (grid.columns.length * WIDE) / 2, y: height - 6, "text-anchor": "middle" }, grid.across),
      s("text", { x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, grid.down),
    ),
    grid.cells.map(cell),
  );
}

/** Creates a cell, as a link if it has an address. @param {Cell} cell */
function cell({ column, row, step, text, tell, href }) {
  const x = LEFT + column * WIDE;
  const y = ABOVE + row * HIGH;
  // The accessible name begins with the visible text, so that voice control finds the cell.
  const name = `${text}: ${tell}`;
  const drawn = [
    s("title", {}, tell),
    s("rect", { class: `cell heat-${step}`, x: x + 0.5, y: y + 0.5, width: WIDE - 1, height: HIGH - 1, rx: 2 }),
    s("text", { class: `on-${step}`, x: x + WIDE / 2, y: y + HIGH / 2 + 4, "text-anchor": "middle", "aria-hidden": "true" }, text),
  ];
  return href === undefined ? s("g", { role: "img", "aria-label": name }, drawn) : s("a", { href, "aria-label": name }, drawn);
}

/**
 * Returns the ramp step of a value. `begins` holds the lower limit of each step above the first.
 * @param {number} value
 * @param {number[]} begins
 */
export function stepOf(value, begins) {
  return begins.filter((begin) => value >= begin).length;
}

/** Creates the legend of the ramp. @param {string[]} names label of each step, from the first */
export function ramp(names) {
  return h("p", { class: "legend" }, names.map((name, step) => h("span", {}, h("span", { class: `swatch heat-${step}`, "aria-hidden": "true" }), name)));
}
