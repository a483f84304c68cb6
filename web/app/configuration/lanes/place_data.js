// @ts-check
// The data of the element or lane under the cursor.

import { h } from "../../dom.js";
import * as format from "../../format.js";
import { facts, figure } from "../../parts/marks.js";
import { offsetOf } from "./map.js";

/**
 * @typedef {object} PlaceContext
 * @property {import("./map.js").Loads} loads
 * @property {import("./map.js").Grid} grid
 * @property {Api.Layout} layout
 * @property {number | null} bytes bytes of an element; null if unknown
 * @property {number | null} pitch elements between the starts of adjacent rows of the last
 *   dimension; null without gaps
 * @property {number} allSteps
 */

/**
 * Creates the list of a place's data.
 * @param {import("./cursor.js").Place | null} place
 * @param {PlaceContext} known
 */
export function placeData(place, known) {
  if (place === null) return h("p", { class: "quiet" }, "No lane is chosen.");
  const { layout } = known;
  const thread = place.subgroup * layout.subgroup_size + place.lane;
  const rows = [
    ["Lane", `${place.lane} of subgroup ${place.subgroup}`],
    ["Thread", format.count(thread)],
    ...(place.element === null ? [] : ofElement(place.element, known)),
    ...ofLane(place, known),
  ];
  return facts(...rows.map(([name, value]) => figure(name, value)));
}

/**
 * Returns the rows of an element.
 * @param {{ row: number, column: number }} element
 * @param {PlaceContext} known
 * @returns {string[][]}
 */
function ofElement({ row, column }, { loads, grid, layout, bytes, pitch, allSteps }) {
  const at = row * grid.columns.count + column;
  const load = grid.owner[at];
  if (load === undefined || load < 0) return [];
  const [whole, across] = [grid.rows.value(row), grid.columns.value(column)];
  const within = (loads.along.isRow ? whole - loads.row[load] : across - loads.column[load]) / loads.along.stride;
  const offset = offsetOf(loads, load, within, layout.dimensions, pitch);
  const batches = layout.dimensions.reduce((product, d) => product * d.batch.count, 1);
  return [
    ["Element", `row ${format.count(whole)}, column ${format.count(across)}`],
    ["Step", `${loads.step[load]} of ${format.count(allSteps)}`],
    ["Batch of its step", `${loads.batch[load]} of ${batches}`],
    ["In its load", `${within} of ${loads.length[load]}`],
    ["Offset", bytes === null ? `${format.count(offset)} elements` : `${format.count(offset * bytes)} B`],
    ...(grid.times[at] > 1 ? [["Loaded", "more than once"]] : []),
  ];
}

/**
 * Returns the row with a lane's loads in the displayed steps.
 * @param {import("./cursor.js").Place} place
 * @param {PlaceContext} known
 * @returns {string[][]}
 */
function ofLane({ subgroup, lane }, { loads, grid, bytes }) {
  let [count, elements] = [0, 0];
  const shown = new Set();
  for (const load of grid.owner) if (load >= 0) shown.add(loads.step[load]);
  for (let i = 0; i < loads.count; i += 1) {
    if (loads.subgroup[i] !== subgroup || loads.lane[i] !== lane || !shown.has(loads.step[i])) continue;
    count += 1;
    elements += loads.length[i];
  }
  const weight = bytes === null ? "" : `, ${format.bytes(elements * bytes)}`;
  return [["It reads", `${format.counted(elements, "element")}${weight}, by ${format.counted(count, "load")}`]];
}
