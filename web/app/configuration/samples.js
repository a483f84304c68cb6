// @ts-check
// The times of a trial beside those of others: each sample a dot, their median, and an interval for it.

import { chart } from "../chart/frame.js";
import { linear, onWidth } from "../chart/scale.js";
import { h, replace, s } from "../dom.js";
import * as format from "../format.js";
import { none } from "../parts/notice.js";
import * as marks from "../parts/marks.js";
import { summary } from "./interval.js";

/**
 * @typedef {object} Of
 * @property {string} name
 * @property {any} trial
 */

const HIGH = 62;
const LEFT = 12;
const BELOW = 40;

/**
 * @param {Of[]} all the first is the one that the page is about; all have the same clock
 * @param {string} clock
 * @param {AbortSignal} signal
 */
export function samples(all, clock, signal) {
  const timed = all.filter(({ trial }) => trial?.samples_us?.length > 0);
  if (timed.length === 0) return none("No times", "A trial that failed has none.");
  if (clock === "modelled") return modelled(timed);
  const lines = timed.map(({ name, trial }) => ({ name, ...summary(trial.samples_us) }));
  const box = h("div", {});
  const figure = chart(timed.length > 1 ? "Samples, side by side" : "Samples", () => twin(lines), box);
  onWidth(box, (width) => replace(box, strips(lines, width)), signal);
  figure.say(lines.map(inWords).join(" "));
  return figure.element;
}

/** @typedef {{ name: string } & ReturnType<typeof summary>} Line */

/** @param {Line} line */
function inWords({ name, sorted, median, interval }) {
  const between = interval === null ? "too few for an interval" : `between ${format.time(interval[0])} and ${format.time(interval[1])} with 95 % confidence`;
  return `${name}: median ${format.time(median)} of ${format.counted(sorted.length, "sample")}, ${between}.`;
}

/** One value each, which is no sample. @param {Of[]} timed */
function modelled(timed) {
  const values = timed.map(({ name, trial }) => marks.figure(name, marks.time(trial.time_us, "modelled")));
  return h(
    "div",
    { class: "panel stack" },
    marks.facts(...values),
    h("p", { class: "quiet" }, "The model gives one time for a kernel, the same each time it is asked, so there is nothing to be spread."),
  );
}

/** @param {Line[]} lines @param {number} width */
function strips(lines, width) {
  const all = lines.flatMap(({ sorted }) => [sorted[0], sorted[sorted.length - 1]]);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const pad = (high - low) * 0.04 || high * 0.02;
  const scale = linear([low - pad, high + pad], [LEFT, width - LEFT], Math.max(3, Math.floor(width / 110)));
  const height = lines.length * HIGH + BELOW;
  const foot = lines.length * HIGH + 4;
  return s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": lines.map(inWords).join(" ") },
    s("g", { class: "grid", "aria-hidden": "true" }, scale.ticks.map((tick) => s("line", { x1: scale.at(tick), x2: scale.at(tick), y1: 0, y2: foot }))),
    s("g", { class: "axis", "aria-hidden": "true" },
      scale.ticks.map((tick) => s("text", { x: scale.at(tick), y: foot + 14, "text-anchor": "middle" }, String(tick))),
      s("text", { x: width / 2, y: height - 5, "text-anchor": "middle" }, "µs, measured"),
    ),
    lines.map((line, i) => strip(line, i, scale)),
  );
}

/** @param {Line} line @param {number} i @param {import("../chart/scale.js").Scale} scale */
function strip({ name, sorted, median, interval }, i, scale) {
  const top = i * HIGH;
  const middle = top + 40;
  // Dots beside one another would hide how many there are: each row of five is a little lower than the last.
  const dots = sorted.map((value, k) => s("circle", { class: "dot", cx: scale.at(value).toFixed(1), cy: middle + ((k * 3) % 5) * 3 - 6, r: 3 }));
  return s(
    "g",
    { class: `strip of-${i}` },
    s("text", { x: LEFT, y: top + 15 }, name),
    interval && s("rect", { class: "interval", x: scale.at(interval[0]), width: Math.max(2, scale.at(interval[1]) - scale.at(interval[0])), y: middle - 14, height: 28 }),
    dots,
    s("line", { class: "median", x1: scale.at(median), x2: scale.at(median), y1: middle - 17, y2: middle + 17 }),
  );
}

/** @param {Line[]} lines */
function twin(lines) {
  const rows = lines.flatMap(({ name, sorted, median, interval }) => [
    [name, "median", median],
    ...(interval === null ? [] : [[name, "95 % interval, low", interval[0]], [name, "95 % interval, high", interval[1]]]),
    ...sorted.map((value) => [name, "sample", value]),
  ]);
  return { columns: ["trial", "what", "µs"], rows };
}
