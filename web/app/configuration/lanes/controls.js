// @ts-check
// Controls of the map: step, colours, fold width, zoom, and the selected lane.

import { h } from "../../dom.js";
import * as format from "../../format.js";
import { choice, field } from "../../parts/field.js";
import { COLOUR_MODES } from "./colours.js";

/**
 * @typedef {object} MapSettings
 * @property {string} step step number, or `ALL`
 * @property {import("./colours.js").ColourMode} by
 * @property {number | null} line elements of a line; null for as many as fit
 * @property {number} zoom
 */

export const ALL = "all";
export const ZOOMS = [1, 1.5, 2, 3, 4];
const FOLDS = [32, 64, 128, 256, 512, 1024];

/**
 * Creates the choice of the colours.
 * @param {MapSettings} now
 * @param {number[]} steps
 * @param {() => void} draw
 */
export function colourChoice(now, steps, draw) {
  const kinds = COLOUR_MODES.map(([value, text]) => ({ value, text }));
  return field("Colour by", choice(kinds, now.by, (by) => {
    now.by = /** @type {import("./colours.js").ColourMode} */ (by);
    if (now.by === "step" && steps.length > 1) now.step = ALL;
    draw();
  })).element;
}

/**
 * Creates the choice of the step.
 * @param {MapSettings} now
 * @param {number[]} steps
 * @param {number} all
 * @param {() => void} draw
 */
export function stepChoice(now, steps, all, draw) {
  if (steps.length === 1) return null;
  const go = (/** @type {string} */ step) => {
    now.step = step;
    if (step !== ALL && now.by === "step") now.by = "lane";
    draw();
  };
  const buttons = steps.map((step) => h("button", { type: "button", "aria-pressed": String(now.step === String(step)), "aria-label": `Step ${step}`, onclick: () => go(String(step)) }, step));
  const every = h("button", { type: "button", "aria-pressed": String(now.step === ALL), onclick: () => go(ALL) }, "side by side");
  return h("fieldset", { class: "field plain" }, h("legend", {}, `Step of ${format.count(all)}`), h("span", { class: "joined" }, buttons, every));
}

/**
 * Creates the choice of the fold width.
 * @param {MapSettings} now
 * @param {import("./map.js").Grid} grid
 * @param {() => void} draw
 */
export function foldChoice(now, grid, draw) {
  const some = FOLDS.filter((line) => line < grid.columns.count).map((line) => ({ value: String(line), text: `${line} columns` }));
  if (some.length === 0) return null;
  const all = [{ value: "", text: "what fits" }, ...some, { value: String(grid.columns.count), text: "nothing" }];
  return field("Fold rows at", choice(all, now.line === null ? "" : String(Math.min(now.line, grid.columns.count)), (line) => {
    now.line = Number(line) || null;
    draw();
  })).element;
}

/** Creates the zoom buttons. @param {MapSettings} now @param {() => void} draw */
export function zoomChoice(now, draw) {
  const at = Math.max(0, ZOOMS.indexOf(now.zoom));
  const step = (/** @type {number} */ by, /** @type {string} */ text, /** @type {string} */ name) =>
    h("button", { type: "button", "aria-label": name, disabled: ZOOMS[at + by] === undefined, onclick: () => {
      now.zoom = ZOOMS[at + by];
      draw();
    } }, text);
  return h("fieldset", { class: "field plain" }, h("legend", {}, "Zoom"), h("span", { class: "joined" }, step(-1, "−", "Smaller"), step(1, "+", "Larger")));
}

/**
 * Creates the fields of the selected subgroup and lane.
 * @param {import("./cursor.js").Cursor} place
 * @param {Api.Layout} layout
 */
export function laneChoice(place, layout) {
  const number = (/** @type {number} */ count) => h("input", { type: "number", min: 0, max: count - 1, class: "short" });
  const subgroup = number(layout.subgroups);
  const lane = number(layout.subgroup_size);
  const fill = () => {
    const now = place.now();
    subgroup.value = now === null ? "" : String(now.subgroup);
    lane.value = now === null ? "" : String(now.lane);
  };
  const read = () => {
    if (lane.value === "" || !lane.checkValidity() || !subgroup.checkValidity()) return;
    place.choose({ subgroup: Number(subgroup.value), lane: Number(lane.value), element: null });
  };
  for (const input of [subgroup, lane]) input.addEventListener("change", read);
  place.on(fill);
  fill();
  return [field("Subgroup", subgroup).element, field("Lane", lane).element];
}
