// @ts-check
// The timeline of a call: the commands of plain iree-compile above those with the kernels that stay,
// on one scale.

import { chart } from "../chart/frame.js";
import { linear, onWidth } from "../chart/scale.js";
import { h, replace, s } from "../dom.js";
import * as format from "../format.js";
import { counted } from "./commands.js";

const LEFT = 58;
const RIGHT = 12;
const HIGH = 30;
const GAP = 10;
const BELOW = 34;
/** The largest zoom. */
const MOST = 64;
/** Pixels of a digit. */
const DIGIT = 8;

/** Lower limits of the ramp's steps: the time in multiples of the bound. */
const STEPS = [1.1, 1.5, 3, 10];
/** Names of the steps, from the first. */
const NAMES = ["at its bound", "1.1×", "1.5×", "3×", "10× and more"];

/**
 * @typedef {object} Bar a command on the timeline
 * @property {number} number place in the order of launch, from 1
 * @property {number} start start of the command in microseconds
 * @property {Api.CommandProfile} command
 */

/** Returns the commands of a call one after the other. @param {Api.FunctionProfile} call @returns {Bar[]} */
export function bars(call) {
  let start = 0;
  return call.commands.map((command, i) => {
    const bar = { number: i + 1, start, command };
    start += counted(command) ?? 0;
    return bar;
  });
}

/**
 * Creates the chart.
 * @param {Api.FunctionProfile | null} before
 * @param {Api.FunctionProfile} after
 * @param {AbortSignal} signal
 */
export function timeline(before, after, signal) {
  const rows = [...(before === null ? [] : [{ name: "plain", call: before }]), { name: "tuned", call: after }]
    .map(({ name, call }) => ({ name, call, bars: bars(call) }));
  const longest = Math.max(...rows.map(({ call }) => call.time_us), 0.001);
  const place = h("div", {});
  let zoom = 1;
  let width = 0;
  const draw = () => replace(place, picture(rows, longest, Math.max(width, 200) * zoom));
  /** Zooms about the middle of the view. @param {number} factor */
  const scale = (factor) => {
    const view = /** @type {HTMLElement} */ (place.parentElement);
    const middle = (view.scrollLeft + view.clientWidth / 2) / Math.max(view.scrollWidth, 1);
    zoom = Math.min(MOST, Math.max(1, zoom * factor));
    draw();
    view.scrollLeft = middle * view.scrollWidth - view.clientWidth / 2;
    [out.disabled, all.disabled, closer.disabled] = [zoom === 1, zoom === 1, zoom === MOST];
  };
  const button = (/** @type {string} */ text, /** @type {string | null} */ name, /** @type {number} */ factor) =>
    h("button", { class: "small", type: "button", "aria-label": name, onclick: () => scale(factor) }, text);
  const closer = button("+", "Zoom in", 2);
  const out = button("−", "Zoom out", 0.5);
  const all = button("Show all", null, 1 / MOST);
  [out.disabled, all.disabled] = [true, true];
  const data = () => ({
    columns: ["module", "number", "start in µs", "time in µs", "bound in µs", "kind", "operations"],
    rows: rows.flatMap(({ name, bars }) => bars.map(({ number, start, command }) =>
      [name, number, start, command.time_us ?? (command.least_us === undefined ? null : `> ${command.least_us}`), command.bound_us, command.kind, command.operations.join(", ") || command.name])),
  });
  const shown = chart("Timeline", data, place);
  const legend = h("p", { class: "legend" },
    NAMES.map((name, step) => h("span", {}, h("span", { class: `swatch heat-${step + 1}`, "aria-hidden": "true" }), name)),
    h("span", {}, h("span", { class: "swatch moves", "aria-hidden": "true" }), "copy or fill"),
    rows.some(({ call }) => call.untimed > 0 || call.bounded > 0) && h("span", {}, h("span", { class: "swatch untimed", "aria-hidden": "true" }), "not timed, or longer than drawn"));
  shown.element.querySelector(".drawing")?.after(h("div", { class: "row" }, closer, out, all), legend);
  shown.say(sentence(before, after));
  onWidth(shown.element, (now) => {
    width = now - 2;
    draw();
  }, signal);
  return shown.element;
}

/**
 * Returns the message of the chart.
 * @param {Api.FunctionProfile | null} before
 * @param {Api.FunctionProfile} after
 */
function sentence(before, after) {
  const one = (/** @type {Api.FunctionProfile} */ call) => `${call.bounded > 0 ? "more than " : ""}${format.time(call.time_us)} in ${format.counted(call.commands.length, "command")}`;
  const untimed = after.untimed > 0 ? ` ${format.counted(after.untimed, "command")} without a time ${after.untimed === 1 ? "counts" : "count"} in no sum.` : "";
  if (before === null) return `With tuned kernels the call takes ${one(after)}; plain iree-compile does not compile it.${untimed}`;
  return `The call takes ${one(after)} with tuned kernels, and ${one(before)} as plain iree-compile compiles it (modelled).${untimed}`;
}

/**
 * Creates the drawing.
 * @param {{ name: string, call: Api.FunctionProfile, bars: Bar[] }[]} rows
 * @param {number} longest time of the longer row, in microseconds
 * @param {number} width
 */
function picture(rows, longest, width) {
  const height = rows.length * (HIGH + GAP) + BELOW;
  const x = linear([0, longest], [LEFT, width - RIGHT], Math.max(3, Math.floor((width - LEFT) / 90)));
  const low = rows.length * (HIGH + GAP);
  return s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": "Timeline of the commands; the table below has all figures" },
    s("g", { class: "grid" }, x.ticks.map((tick) => s("line", { x1: x.at(tick), x2: x.at(tick), y1: 0, y2: low }))),
    s("g", { class: "axis" },
      x.ticks.map((tick) => s("text", { x: x.at(tick), y: low + 14, "text-anchor": "middle" }, String(tick))),
      s("text", { x: (LEFT + width - RIGHT) / 2, y: height - 4, "text-anchor": "middle" }, "time in µs (modelled)")),
    rows.map((row, i) => s("g", {},
      s("text", { class: "quiet", x: LEFT - 6, y: i * (HIGH + GAP) + HIGH / 2 + 4, "text-anchor": "end" }, row.name),
      row.bars.map((bar) => drawn(bar, i * (HIGH + GAP), x)))));
}

/**
 * Creates the bar of a command.
 * @param {Bar} bar
 * @param {number} y
 * @param {import("../chart/scale.js").Scale} x
 */
function drawn({ number, start, command }, y, x) {
  const [from, to] = [x.at(start), x.at(start + (counted(command) ?? 0))];
  const step = stepOf(command);
  // A command without a time is a mark at the moment of its launch. One with a lower bound is as
  // long as that.
  const isUntimed = command.time_us === null;
  const look = isUntimed ? "untimed" : command.kind === "kernel" ? `heat-${step}` : "moves";
  const wide = Math.max(isUntimed ? 2 : 1, to - from);
  const text = String(number);
  return s("g", { class: "command" },
    s("title", {}, tell(number, command)),
    s("rect", { class: `cell ${look}`, x: from, y: y + 0.5, width: wide, height: HIGH - 1 }),
    !isUntimed && wide > (text.length + 1) * DIGIT && s("text", { class: command.kind === "kernel" ? `on-${step}` : "quiet", x: (from + to) / 2, y: y + HIGH / 2 + 4, "text-anchor": "middle" }, text));
}

/** Returns the ramp step of a command's time in multiples of its bound. @param {Api.CommandProfile} command */
function stepOf({ time_us: time, bound_us: bound }) {
  return 1 + (time === null || bound === null || bound === 0 ? 0 : STEPS.filter((limit) => time / bound >= limit).length);
}

/** Returns the description of a command. @param {number} number @param {Api.CommandProfile} command */
function tell(number, command) {
  const what = command.operations.join(", ") || command.name;
  const unknown = command.least_us === undefined ? "not timed" : `more than ${format.time(command.least_us)}`;
  const time = command.time_us === null ? `${unknown}: ${command.time_unknown}` : format.time(command.time_us);
  return `${number}: ${what}\n${time}, bound ${format.time(command.bound_us)}`;
}
