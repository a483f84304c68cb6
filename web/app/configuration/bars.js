// @ts-check
// Bar charts: one bar for each name, or one for each of several series.

import { chart } from "../chart/frame.js";
import { onWidth } from "../chart/scale.js";
import { h, replace, s } from "../dom.js";

/**
 * @typedef {object} Bar
 * @property {string} name
 * @property {number[]} values one value for each series
 * @property {boolean} [marked] true for the highlighted bar
 * @property {string} [after] text after its value
 *
 * @typedef {object} Bars
 * @property {string} title
 * @property {string} unit unit of the values, for the table
 * @property {Bar[]} bars
 * @property {(value: number) => string} write
 * @property {string[]} [series] names of the series, if there are several
 * @property {number} [most] value at the right end
 * @property {string} say
 * @property {string} [look] class of the SVG
 */

const THICK = 15;
const BETWEEN = 9;
/** Average width of a letter in pixels, and the ratio of a bold letter's width. */
const LETTER = 6.8;
const BOLD = 1.12;

/** Creates a bar chart. @param {Bars} of @param {AbortSignal} signal */
export function bars(of, signal) {
  const box = h("div", {});
  const series = of.series ?? [of.unit];
  const figure = chart(of.title, () => ({
    columns: ["name", ...series.map((name) => (of.series ? `${name}, ${of.unit}` : of.unit))],
    rows: of.bars.map(({ name, values }) => [name, ...values]),
  }), box);
  onWidth(box, (width) => replace(box, drawing(of, width)), signal);
  figure.say(of.say);
  if (of.series) {
    const legend = of.series.map((name, i) => h("span", {}, h("span", { class: `swatch bar-${i}`, "aria-hidden": "true" }), name));
    figure.element.insertBefore(h("p", { class: "legend" }, legend), figure.element.querySelector(".drawing"));
  }
  return figure.element;
}

/** Creates the SVG of a bar chart. @param {Bars} of @param {number} width */
function drawing({ title, bars, write, most, look }, width) {
  const count = Math.max(1, ...bars.map(({ values }) => values.length));
  const thick = count > 1 ? 13 : THICK;
  const high = count * thick + BETWEEN;
  const said = (/** @type {number} */ value, /** @type {string | undefined} */ after) => `${write(value)}${after ? ` ${after}` : ""}`;
  const longest = (/** @type {string[]} */ texts) => Math.max(0, ...texts.map((text) => text.length)) * LETTER;
  const names = Math.min(longest(bars.map(({ name }) => name)) * BOLD + 16, width * 0.4);
  const full = most ?? Math.max(...bars.flatMap(({ values }) => values), 1e-12);
  const room = Math.max(20, width - names - longest(bars.flatMap(({ values, after }) => values.map((value, k) => said(value, k === 0 ? after : undefined)))) * BOLD - 8);
  const long = (/** @type {number} */ value) => Math.max(value > 0 ? 1.5 : 0, (Math.min(value, full) / full) * room);
  const one = (/** @type {Bar} */ { name, values, marked, after }, /** @type {number} */ i) => {
    const y = i * high + BETWEEN / 2;
    return s(
      "g",
      { class: marked ? "marked" : undefined },
      s("text", { x: names - 8, y: y + (high - BETWEEN) / 2 + 4, "text-anchor": "end" }, name),
      values.map((value, k) => [
        s("rect", { class: `bar-${k}`, x: names, y: y + k * thick, width: long(value), height: thick - (count > 1 ? 1 : 0), rx: 2 }),
        s("text", { class: marked ? undefined : "quiet", x: names + long(value) + 6, y: y + k * thick + thick / 2 + 4 }, said(value, k === 0 ? after : undefined)),
      ]).flat(),
    );
  };
  const height = bars.length * high + 2;
  return s("svg", { class: `bars ${look ?? ""}`, viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": title },
    s("line", { class: "base", x1: names, x2: names, y1: 0, y2: height }), bars.map(one));
}
