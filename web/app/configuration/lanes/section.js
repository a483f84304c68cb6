// @ts-check
// The section of lanes: the map with its controls, the data of an element, and the exchange between
// lanes.

import { chart } from "../../chart/frame.js";
import { freshId, h, replace } from "../../dom.js";
import * as format from "../../format.js";
import { none } from "../../parts/notice.js";
import { remember } from "../../router.js";
import { elementBytes, pitch } from "../subject.js";
import { COLOUR_MODES, colouring, batchColour, laneColour as colourOf, stepColour } from "./colours.js";
import { ALL, colourChoice, foldChoice, laneChoice, stepChoice, zoomChoice, ZOOMS } from "./controls.js";
import { cursor } from "./cursor.js";
import { exchange } from "./exchange.js";
import { gridOf, loadsOf } from "./map.js";
import { picture } from "./picture.js";
import { placeData } from "./place_data.js";
import { lines, sentences } from "./sentences.js";

/**
 * Creates the section.
 * @param {Api.Explanation} said explanation of the configuration
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
export function lanes(said, query, signal) {
  const { layout } = said;
  if (layout === null || layout.loads.values.length === 0) {
    return none("No map of the lanes", `The compiler of the generator ${said.generator} distributes its kernels and does not report the elements of each lane. Only the attributes below are known.`);
  }
  const loads = loadsOf(layout);
  const bytes = elementBytes(said.problem);
  const steps = [...new Set(loads.step)].sort((a, b) => a - b);
  const allSteps = layout.steps;
  const batches = loads.batch.reduce((most, batch) => Math.max(most, batch), 0) + 1;
  const counts = { lanes: layout.subgroup_size, batches, steps };
  const place = cursor(chosenLane(query, layout));
  const help = freshId("map-help");
  const map = picture(loads, place, help, signal);
  /** @type {import("./controls.js").MapSettings} */
  const now = {
    step: stepOf(query.get("step"), steps),
    by: COLOUR_MODES.find(([by]) => by === query.get("colour"))?.[0] ?? "lane",
    line: wholeAbove(query.get("fold"), 8),
    zoom: ZOOMS.find((zoom) => String(zoom) === query.get("zoom")) ?? 1,
  };
  const kept = new Map();
  const grid = () => {
    if (!kept.has(now.step)) kept.set(now.step, gridOf(loads, now.step === ALL ? steps : [Number(now.step)]));
    return kept.get(now.step);
  };
  const spoken = h("div", { class: "told" });
  const key = h("p", { class: "legend" });
  const controls = h("div", { class: "filters" });
  const ofLane = laneChoice(place, layout);
  const figure = chart("Elements of workgroup 0", () => twin(loads, bytes), map.element);
  let drawn = now.step;
  const draw = () => {
    const chosen = place.chosen();
    // Another step has other elements, so only the lane stays selected.
    if (now.step !== drawn && chosen !== null) place.choose({ ...chosen, element: null });
    drawn = now.step;
    remember({ step: now.step === String(steps[0]) ? null : now.step, colour: now.by === "lane" ? null : now.by, fold: now.line, zoom: now.zoom === 1 ? null : now.zoom });
    map.show({ grid: grid(), colour: colouring(loads, now.by, counts), line: now.line, zoom: now.zoom });
    replace(key, legend(now.by, layout, counts));
    figure.say(what(grid(), now.step, steps, allSteps, layout.loads.truncated));
    replace(controls, stepChoice(now, steps, allSteps, draw), colourChoice(now, steps, draw), foldChoice(now, grid(), draw), zoomChoice(now, draw), ofLane);
  };
  const tell = () => replace(spoken, placeData(place.now(), { loads, grid: grid(), layout, bytes, allSteps, pitch: pitch(said.problem) }));
  place.on(() => {
    tell();
    const chosen = place.chosen();
    const element = chosen?.element ? `${grid().rows.value(chosen.element.row)}.${grid().columns.value(chosen.element.column)}` : null;
    remember({ lane: chosen === null ? null : `${chosen.subgroup}.${chosen.lane}`, element });
  });
  draw();
  const element = elementOf(query.get("element"), grid());
  const chosen = place.chosen();
  if (chosen !== null && element !== null) place.choose({ ...chosen, element });
  tell();
  figure.element.querySelector(".drawing")?.before(controls, spoken);
  const advice = "Point at an element, or move to it with the arrow keys: the map outlines all elements that its lane reads. A click holds the lane, Escape releases it.";
  figure.element.querySelector(".drawing")?.after(key, h("p", { id: help, class: "quiet small" }, advice));
  const text = [...sentences(layout, bytes), bytes === null ? "" : lines(loads, bytes)].filter((sentence) => sentence !== "");
  return h("div", { class: "stack" }, h("ul", { class: "words panel" }, text.map((sentence) => h("li", {}, sentence))), figure.element, exchange(layout, place, query, signal));
}

/**
 * Returns the lane that the address selects.
 * @param {URLSearchParams} query
 * @param {Api.Layout} layout
 */
function chosenLane(query, layout) {
  const [subgroup, lane] = (query.get("lane") ?? "").split(".").map(Number);
  const isThere = Number.isInteger(lane) && subgroup >= 0 && subgroup < layout.subgroups && lane >= 0 && lane < layout.subgroup_size;
  return isThere ? { subgroup, lane, element: null } : null;
}

/**
 * Returns the position of an element given by row and column; null if the grid lacks it.
 * @param {string | null} asked
 * @param {import("./map.js").Grid} grid
 */
function elementOf(asked, { rows, columns }) {
  const [whole, across] = (asked ?? "").split(".").map((number) => wholeAbove(number, 0) ?? -1);
  if (whole === undefined || across === undefined) return null;
  const [row, column] = [rows.index(whole), columns.index(across)];
  return row < 0 || column < 0 ? null : { row, column };
}

/**
 * Returns a whole number of at least `least`; null for other text.
 * @param {string | null} text
 * @param {number} least
 */
function wholeAbove(text, least) {
  return text !== null && /^\d+$/.test(text) && Number(text) >= least ? Number(text) : null;
}

/**
 * Returns the step that the address selects, or the first.
 * @param {string | null} asked
 * @param {number[]} steps
 */
function stepOf(asked, steps) {
  if (asked === ALL && steps.length > 1) return ALL;
  return steps.some((step) => String(step) === asked) ? String(asked) : String(steps[0]);
}

/**
 * Returns the chart's message: steps, size, repeated and omitted elements.
 * @param {import("./map.js").Grid} grid
 * @param {string} step
 * @param {number[]} steps
 * @param {number} all
 * @param {boolean} truncated
 */
function what(grid, step, steps, all, truncated) {
  const which = all === 1 ? "The only step" : step === ALL ? `Steps ${steps.join(", ")} of ${format.count(all)}, side by side${steps.length < all ? "; a dashed line stands for omitted steps" : ""}` : `Step ${step} of ${format.count(all)}`;
  const size = `: ${format.counted(grid.rows.count, "row")} × ${format.counted(grid.columns.count, "column")}`;
  const again = grid.repeated > 0 ? ` ${format.counted(grid.repeated, "element")} (struck through) ${grid.repeated === 1 ? "is" : "are"} read more than once, here or in another step.` : "";
  const cut = truncated ? " The service returned only the first 65,536 loads; the elements of other loads are blank." : "";
  return `${which}${size}.${again}${cut}`;
}

/**
 * Creates the legend of the colours.
 * @param {Api.Layout} layout
 * @param {import("./colours.js").ColourMode} by
 * @param {{ lanes: number, batches: number, steps: number[] }} counts
 */
function legend(by, layout, counts) {
  const swatch = (/** @type {{ fill: string }[]} */ colours) => {
    const element = h("span", { class: "swatch wide", "aria-hidden": "true" });
    element.style.background = colours.length === 1 ? colours[0].fill : `linear-gradient(to right, ${colours.map((one) => one.fill).join(", ")})`;
    return element;
  };
  if (by === "step") return counts.steps.map((step, i) => h("span", {}, swatch([stepColour(i, counts.steps.length)]), `step ${step}`));
  if (by === "batch") return h("span", {}, swatch([...Array(Math.min(counts.batches, 8)).keys()].map((i) => batchColour(Math.round((i * (counts.batches - 1)) / Math.max(1, Math.min(counts.batches, 8) - 1)), counts.batches))), counts.batches === 1 ? "one batch" : `batch 0 to ${counts.batches - 1}`);
  const ends = (/** @type {number} */ subgroup) => [colourOf(subgroup, 0, counts.lanes), colourOf(subgroup, counts.lanes - 1, counts.lanes)];
  return [...Array(layout.subgroups).keys()].map((subgroup) => h("span", {}, swatch(ends(subgroup)), `subgroup ${subgroup}${subgroup === 0 ? `, lane 0 to ${counts.lanes - 1}` : ""}`));
}

/**
 * Returns the loads as a table.
 * @param {import("./map.js").Loads} loads
 * @param {number | null} bytes
 */
function twin(loads, bytes) {
  const columns = ["step", "subgroup", "batch", "lane", "row", "column", "elements", "of which repeated", "offset in bytes"];
  const offset = (/** @type {number} */ i) => (bytes === null ? null : loads.offset[i] * bytes);
  const rows = Array.from({ length: loads.count }, (_, i) => [loads.step[i], loads.subgroup[i], loads.batch[i], loads.lane[i], loads.row[i], loads.column[i], loads.length[i], loads.repeated[i], offset(i)]);
  return { columns, rows };
}
