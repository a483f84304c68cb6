// @ts-check
// Samples of several trials: each sample as a dot, with the median and its confidence interval.

import { chart } from "../chart/frame.js";
import { linear, onWidth } from "../chart/scale.js";
import { h, replace, s } from "../dom.js";
import * as format from "../format.js";
import { none } from "../parts/notice.js";
import * as marks from "../parts/marks.js";
import { summary } from "./interval.js";

/**
 * @typedef {object} NamedTrial
 * @property {string} name
 * @property {Api.Trial} trial
 */

const HIGH = 62;
const LEFT = 12;
const BELOW = 44;

/**
 * Creates the chart of samples.
 * @param {NamedTrial[]} all trials on one clock; the page's own trial is first
 * @param {Api.Clock} clock
 * @param {AbortSignal} signal
 * @param {string} [title]
 */
export function samples(all, clock, signal, title = "Samples") {
  const timed = all.flatMap(({ name, trial }) => (trial.samples_us?.length ? [{ name, trial, samples: trial.samples_us }] : []));
  if (timed.length === 0) return none("No times", "A failed trial has none.");
  if (clock === "modelled") return modelled(timed);
  const lines = timed.map(({ name, samples }) => ({ name, ...summary(samples) }));
  const box = h("div", {});
  const figure = chart(title, () => twin(lines), box);
  onWidth(box, (width) => replace(box, strips(lines, width)), signal);
  figure.say(`${lines.map(inWords).join(" ")}${areFar(lines) ? " The times differ so much that each has its own axis." : ""}`);
  return figure.element;
}

/** @typedef {{ name: string } & ReturnType<typeof summary>} Line */

/** Returns a trial's median and interval in a sentence. @param {Line} line */
function inWords({ name, sorted, median, interval }) {
  const between = interval === null ? "too few for an interval" : `between ${format.time(interval[0])} and ${format.time(interval[1])} with 95 % confidence`;
  return `${name}: median ${format.time(median)} of ${format.counted(sorted.length, "sample")}, ${between}.`;
}

/** Creates the figures of modelled times, one for each trial. @param {NamedTrial[]} timed */
function modelled(timed) {
  const values = timed.map(({ name, trial }) => marks.figure(name, marks.time(trial.time_us, "modelled"), " ", marks.clock("modelled")));
  return h(
    "div",
    { class: "panel stack" },
    marks.facts(...values),
    h("p", { class: "quiet" }, "The model always gives the same time for a kernel, so there is no distribution."),
  );
}

/**
 * Returns whether the trials differ so much that one axis would hide their spread.
 * @param {Line[]} lines
 */
function areFar(lines) {
  const spread = (/** @type {number[]} */ of) => of[of.length - 1] - of[0];
  const all = lines.flatMap(({ sorted }) => [sorted[0], sorted[sorted.length - 1]]).sort((a, b) => a - b);
  return lines.length > 1 && spread(all) > 6 * Math.max(...lines.map(({ sorted }) => spread(sorted)));
}

/** Creates the strips of all trials. @param {Line[]} lines @param {number} width */
function strips(lines, width) {
  const groups = areFar(lines) ? lines.map((line) => [line]) : [lines];
  let y = 0;
  const drawn = groups.map((group) => {
    const top = y;
    y += group.length * HIGH + BELOW;
    return s("g", { transform: `translate(0 ${top})` }, onAxis(group, lines.indexOf(group[0]), width));
  });
  return s("svg", { viewBox: `0 0 ${width} ${y}`, width, height: y, role: "img", "aria-label": lines.map(inWords).join(" ") }, drawn);
}

/**
 * Creates the strips on one axis.
 * @param {Line[]} lines
 * @param {number} first
 * @param {number} width
 */
function onAxis(lines, first, width) {
  const all = lines.flatMap(({ sorted }) => [sorted[0], sorted[sorted.length - 1]]);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const pad = (high - low) * 0.04 || high * 0.02;
  const scale = linear([low - pad, high + pad], [LEFT, width - LEFT], Math.max(3, Math.floor(width / 110)));
  const foot = lines.length * HIGH + 4;
  return [
    s("g", { class: "grid", "aria-hidden": "true" }, scale.ticks.map((tick) => s("line", { x1: scale.at(tick), x2: scale.at(tick), y1: 0, y2: foot }))),
    s("g", { class: "axis", "aria-hidden": "true" },
      scale.ticks.map((tick) => s("text", { x: scale.at(tick), y: foot + 14, "text-anchor": "middle" }, String(tick))),
      s("text", { x: width / 2, y: foot + 30, "text-anchor": "middle" }, "µs, measured"),
    ),
    ...lines.map((line, i) => strip(line, i, first + i, scale)),
  ];
}

/**
 * Creates the strip of a trial.
 * @param {Line} line
 * @param {number} i index on its axis
 * @param {number} of index among all trials
 * @param {import("../chart/scale.js").Scale} scale
 */
function strip({ name, sorted, median, interval }, i, of, scale) {
  const top = i * HIGH;
  const middle = top + 40;
  // Dots at one height would overlap, so neighbours have five heights.
  const dots = sorted.map((value, k) => s("circle", { class: "dot", cx: scale.at(value).toFixed(1), cy: middle + ((k * 3) % 5) * 3 - 6, r: 3 }));
  return s(
    "g",
    { class: `strip of-${of}` },
    s("text", { x: LEFT, y: top + 15 }, name),
    interval && s("rect", { class: "interval", x: scale.at(interval[0]), width: Math.max(2, scale.at(interval[1]) - scale.at(interval[0])), y: middle - 14, height: 28 }),
    dots,
    s("line", { class: "median", x1: scale.at(median), x2: scale.at(median), y1: middle - 17, y2: middle + 17 }),
  );
}

/** Returns the samples as a table. @param {Line[]} lines */
function twin(lines) {
  const rows = lines.flatMap(({ name, sorted, median, interval }) => [
    [name, "median", median],
    ...(interval === null ? [] : [[name, "95 % interval, low", interval[0]], [name, "95 % interval, high", interval[1]]]),
    ...sorted.map((value) => [name, "sample", value]),
  ]);
  return { columns: ["trial", "what", "µs"], rows };
}
