// @ts-check
// A heat map: cells of a grid, each with a step of the ramp and its number.

import { h, s } from "../dom.js";

/**
 * @typedef {object} Cell
 * @property {number} column
 * @property {number} row counted from above
 * @property {number} step of the ramp, 0 to 5
 * @property {string} text what stands in it
 * @property {string} tell what it is, in a sentence
 * @property {string} [href] where it leads
 *
 * @typedef {object} Grid
 * @property {string} name
 * @property {string} across what goes across, with its unit
 * @property {string} down what goes down, with its unit
 * @property {string[]} columns
 * @property {string[]} rows
 * @property {Cell[]} cells
 */

const WIDE = 46;
const HIGH = 26;
const LEFT = 66;
const ABOVE = 4;
const BELOW = 40;

/** @param {Grid} grid */
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

/** @param {Cell} cell */
function cell({ column, row, step, text, tell, href }) {
  const x = LEFT + column * WIDE;
  const y = ABOVE + row * HIGH;
  // Who speaks to a browser says what can be seen.
  const name = `${text}: ${tell}`;
  const drawn = [
    s("title", {}, tell),
    s("rect", { class: `cell heat-${step}`, x: x + 0.5, y: y + 0.5, width: WIDE - 1, height: HIGH - 1, rx: 2 }),
    s("text", { class: `on-${step}`, x: x + WIDE / 2, y: y + HIGH / 2 + 4, "text-anchor": "middle", "aria-hidden": "true" }, text),
  ];
  return href === undefined ? s("g", { role: "img", "aria-label": name }, drawn) : s("a", { href, "aria-label": name }, drawn);
}

/** The step of the ramp of a value, given where the steps above the first begin. @param {number} value @param {number[]} begins */
export function stepOf(value, begins) {
  return begins.filter((begin) => value >= begin).length;
}

/** What the steps mean. @param {string[]} names of each step, from the first */
export function ramp(names) {
  return h("p", { class: "legend" }, names.map((name, step) => h("span", {}, h("span", { class: `swatch heat-${step}`, "aria-hidden": "true" }), name)));
}
