// @ts-check
// Which lane reads which element: the map with its choices, what is said of an element, and how the lanes meet.

import { chart } from "../../chart/frame.js";
import { freshId, h, replace } from "../../dom.js";
import * as format from "../../format.js";
import { choice, field } from "../../parts/field.js";
import { none } from "../../parts/notice.js";
import { remember } from "../../router.js";
import { elementBytes, pitch } from "../subject.js";
import { BY, colouring, ofBatch, ofLane, ofStep } from "./colours.js";
import { cursor } from "./cursor.js";
import { exchange } from "./exchange.js";
import { gridOf, loadsOf } from "./map.js";
import { picture } from "./picture.js";
import { told } from "./told.js";
import { lines, sentences } from "./words.js";

const ALL = "all";
const ZOOMS = [1, 1.5, 2, 3, 4];
const FOLDS = [32, 64, 128, 256, 512, 1024];

/**
 * @param {any} said the explanation
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
export function lanes(said, query, signal) {
  const { layout } = said;
  if (layout === null || layout.loads.values.length === 0) {
    return none("No map of the lanes", `Kernels of the generator ${said.generator} are distributed by its compiler, which does not say which lane reads what. The attributes below are all that there is.`);
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
  /** @type {{ step: string, by: import("./colours.js").By, line: number | null, zoom: number }} */
  const now = {
    step: stepOf(query.get("step"), steps),
    by: BY.find(([by]) => by === query.get("colour"))?.[0] ?? "lane",
    line: Number(query.get("fold")) || null,
    zoom: Number(query.get("zoom")) || 1,
  };
  const kept = new Map();
  const grid = () => {
    if (!kept.has(now.step)) kept.set(now.step, gridOf(loads, now.step === ALL ? steps : [Number(now.step)]));
    return kept.get(now.step);
  };
  const said_ = h("div", { class: "told" });
  const key = h("p", { class: "legend" });
  const controls = h("div", { class: "filters" });
  const figure = chart("Elements of workgroup 0", () => twin(loads, bytes), map.element);
  let drawn = now.step;
  const draw = () => {
    const chosen = place.chosen();
    // Another step has other elements; the lane is the same.
    if (now.step !== drawn && chosen !== null) place.choose({ ...chosen, element: null });
    drawn = now.step;
    remember({ step: now.step === String(steps[0]) ? null : now.step, colour: now.by === "lane" ? null : now.by, fold: now.line, zoom: now.zoom === 1 ? null : now.zoom });
    map.show({ grid: grid(), colour: colouring(loads, now.by, counts), line: now.line, zoom: now.zoom });
    replace(key, legend(now.by, layout, counts));
    figure.say(what(grid(), now.step, steps, allSteps, layout.loads.truncated));
    replace(controls, stepChoice(now, steps, allSteps, draw), field("Colour by", choice(BY.map(([value, text]) => ({ value, text })), now.by, (by) => {
      now.by = /** @type {import("./colours.js").By} */ (by);
      if (now.by === "step" && steps.length > 1) now.step = ALL;
      draw();
    })).element, foldChoice(now, grid(), draw), zoomChoice(now, draw), laneChoice(place, layout));
  };
  const tell = () => replace(said_, told(place.now(), { loads, grid: grid(), layout, bytes, allSteps, pitch: pitch(said.problem) }));
  place.on(() => {
    tell();
    const chosen = place.chosen();
    remember({ lane: chosen === null ? null : `${chosen.subgroup}.${chosen.lane}` });
  });
  draw();
  tell();
  figure.element.querySelector(".drawing")?.before(controls, said_);
  const text_ = "Point at an element, or go there by the arrow keys: all that its lane reads is outlined. A click keeps the lane, Escape lets it go.";
  figure.element.querySelector(".drawing")?.after(key, h("p", { id: help, class: "quiet small" }, text_));
  const text = [...sentences(layout, bytes), bytes === null ? "" : lines(loads, bytes)].filter((sentence) => sentence !== "");
  return h("div", { class: "stack" }, h("ul", { class: "words panel" }, text.map((sentence) => h("li", {}, sentence))), figure.element, exchange(layout, place, query, signal));
}

/** @param {URLSearchParams} query @param {any} layout */
function chosenLane(query, layout) {
  const [subgroup, lane] = (query.get("lane") ?? "").split(".").map(Number);
  const isThere = Number.isInteger(lane) && subgroup >= 0 && subgroup < layout.subgroups && lane >= 0 && lane < layout.subgroup_size;
  return isThere ? { subgroup, lane, element: null } : null;
}

/** @param {string | null} asked @param {number[]} steps */
function stepOf(asked, steps) {
  if (asked === ALL && steps.length > 1) return ALL;
  return steps.some((step) => String(step) === asked) ? String(asked) : String(steps[0]);
}

/** @param {import("./map.js").Grid} grid @param {string} step @param {number[]} steps @param {number} all @param {boolean} truncated */
function what(grid, step, steps, all, truncated) {
  const which = all === 1 ? "The only step" : step === ALL ? `Steps ${steps.join(", ")} of ${format.count(all)}, side by side${steps.length < all ? "; a dashed line is where others are left out" : ""}` : `Step ${step} of ${format.count(all)}`;
  const size = `: ${format.counted(grid.rows.count, "row")} × ${format.counted(grid.columns.count, "column")}`;
  const again = grid.repeated > 0 ? ` ${format.counted(grid.repeated, "element")} (struck through) ${grid.repeated === 1 ? "is" : "are"} read more than once, here or in another step.` : "";
  const cut = truncated ? " The service gave the first 65,536 loads; elements of others are blank." : "";
  return `${which}${size}.${again}${cut}`;
}

/** @param {any} layout @param {import("./colours.js").By} by @param {{ lanes: number, batches: number, steps: number[] }} counts */
function legend(by, layout, counts) {
  const swatch = (/** @type {{ fill: string }[]} */ colours) => {
    const element = h("span", { class: "swatch wide", "aria-hidden": "true" });
    element.style.background = colours.length === 1 ? colours[0].fill : `linear-gradient(to right, ${colours.map((one) => one.fill).join(", ")})`;
    return element;
  };
  if (by === "step") return counts.steps.map((step, i) => h("span", {}, swatch([ofStep(i, counts.steps.length)]), `step ${step}`));
  if (by === "batch") return h("span", {}, swatch([...Array(Math.min(counts.batches, 8)).keys()].map((i) => ofBatch(Math.round((i * (counts.batches - 1)) / Math.max(1, Math.min(counts.batches, 8) - 1)), counts.batches))), counts.batches === 1 ? "one batch" : `batch 0 to ${counts.batches - 1}`);
  const ends = (/** @type {number} */ subgroup) => [ofLane(subgroup, 0, counts.lanes), ofLane(subgroup, counts.lanes - 1, counts.lanes)];
  return [...Array(layout.subgroups).keys()].map((subgroup) => h("span", {}, swatch(ends(subgroup)), `subgroup ${subgroup}${subgroup === 0 ? `, lane 0 to ${counts.lanes - 1}` : ""}`));
}

/** @param {{ step: string, by: string }} now @param {number[]} steps @param {number} all @param {() => void} draw */
function stepChoice(now, steps, all, draw) {
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

/** @param {{ line: number | null }} now @param {import("./map.js").Grid} grid @param {() => void} draw */
function foldChoice(now, grid, draw) {
  const some = FOLDS.filter((line) => line < grid.columns.count).map((line) => ({ value: String(line), text: `${line} columns` }));
  if (some.length === 0) return null;
  const all = [{ value: "", text: "what fits" }, ...some, { value: String(grid.columns.count), text: "nothing" }];
  return field("Fold rows at", choice(all, now.line === null ? "" : String(Math.min(now.line, grid.columns.count)), (line) => {
    now.line = Number(line) || null;
    draw();
  })).element;
}

/** @param {{ zoom: number }} now @param {() => void} draw */
function zoomChoice(now, draw) {
  const at = Math.max(0, ZOOMS.indexOf(now.zoom));
  const step = (/** @type {number} */ by, /** @type {string} */ text, /** @type {string} */ name) =>
    h("button", { type: "button", "aria-label": name, disabled: ZOOMS[at + by] === undefined, onclick: () => {
      now.zoom = ZOOMS[at + by];
      draw();
    } }, text);
  return h("fieldset", { class: "field plain" }, h("legend", {}, "Zoom"), h("span", { class: "joined" }, step(-1, "−", "Smaller"), step(1, "+", "Larger")));
}

/** @param {import("./cursor.js").Cursor} place @param {any} layout */
function laneChoice(place, layout) {
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

/** The loads as a table. @param {import("./map.js").Loads} loads @param {number | null} bytes */
function twin(loads, bytes) {
  const columns = ["step", "subgroup", "batch", "lane", "row", "column", "elements", "of which repeated", "offset in bytes"];
  const offset = (/** @type {number} */ i) => (bytes === null ? null : loads.offset[i] * bytes);
  const rows = Array.from({ length: loads.count }, (_, i) => [loads.step[i], loads.subgroup[i], loads.batch[i], loads.lane[i], loads.row[i], loads.column[i], loads.length[i], loads.repeated[i], offset(i)]);
  return { columns, rows };
}
