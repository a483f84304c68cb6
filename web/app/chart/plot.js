// @ts-check
// Scatter and line plots by uPlot, which draws 100,000 points as one path.

import { freshId, h } from "../dom.js";
import uPlot from "../vendor/uPlot.js";
import { hint, readByKeys } from "./keys.js";
import { colour, logarithmicTicks, onScheme, onWidth } from "./scale.js";

/**
 * @typedef {object} Series
 * @property {string} name
 * @property {string} colour name of a colour of the page
 * @property {(number | null)[]} values
 * @property {"points" | "line" | "steps" | "ticks"} form shape of the series; ticks stand at the
 *   lower edge for any value
 * @property {boolean} [dashed]
 * @property {number} [size] size of points in pixels
 *
 * @typedef {object} Axis
 * @property {string} name name with its unit
 * @property {boolean} [logarithmic]
 * @property {boolean} [whole] true if only whole numbers have grid lines
 * @property {(value: number) => string} write
 *
 * @typedef {object} Plot
 * @property {string} name name for screen readers
 * @property {Axis} x
 * @property {Axis} y
 * @property {number} height
 * @property {(i: number) => string | null} [tell] returns the tooltip of a point
 * @property {(i: number) => void} [open] opens a point after a click
 */

/**
 * Creates a plot as wide as its element. `show` passes the data.
 * @param {Plot} plot
 * @param {AbortSignal} signal
 */
export function plot(plot, signal) {
  const element = h("div", { class: "plot" });
  const tip = h("div", { class: "tip", role: "status", hidden: true });
  const help = h("p", { class: "hint", id: freshId("plot") }, hint(plot.open !== undefined));
  element.append(tip, help);
  element.style.minHeight = `${plot.height}px`;
  /** @type {{ x: number[], series: Series[] } | null} */
  let now = null;
  /** @type {uPlot | null} */
  let drawn = null;
  let forms = "";
  let width = 0;

  const draw = () => {
    if (now === null || width === 0) return;
    const data = /** @type {uPlot.AlignedData} */ ([now.x, ...now.series.map((one) => one.values)]);
    const wanted = JSON.stringify([plot.x.name, now.series.map(({ name, colour, form, dashed, size }) => [name, colour, form, dashed, size])]);
    if (drawn !== null && wanted === forms) {
      drawn.setData(data);
      return;
    }
    forms = wanted;
    drawn?.destroy();
    drawn = new uPlot(options(plot, now.series, width, tip, help.id), data, element);
  };
  onWidth(element, (now) => {
    width = now;
    if (drawn === null) draw();
    else drawn.setSize({ width, height: plot.height });
  }, signal);
  onScheme(() => {
    forms = "";
    draw();
  }, signal);
  signal.addEventListener("abort", () => drawn?.destroy());
  return {
    element,
    /**
     * Draws series with common x values.
     * @param {number[]} x x values in rising order
     * @param {Series[]} series
     */
    show(x, series) {
      now = { x, series };
      draw();
    },
  };
}

/**
 * Returns uPlot's options.
 * @param {Plot} plot
 * @param {Series[]} series
 * @param {number} width
 * @param {HTMLElement} tip
 * @param {string} help
 * @returns {uPlot.Options}
 */
function options(plot, series, width, tip, help) {
  /** Redraws the point of the keyboard. */
  let again = () => {};
  const [text, line] = ["quiet", "line"].map(colour);
  const hasValues = series.some(({ form, values }) => form !== "ticks" && values.some((value) => value !== null));
  const axis = (/** @type {Axis} */ of, /** @type {number} */ size) => ({
    label: of.name,
    labelSize: 18,
    size,
    font: "12px system-ui, sans-serif",
    labelFont: "12px system-ui, sans-serif",
    stroke: text,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1 },
    // uPlot's own grid lines begin at the least value, nine in each power of ten.
    ...(of.whole ? { incrs: [1, 2, 5, 10, 20, 50, 100, 1000] } : {}),
    ...(of.logarithmic ? { splits: logarithmicSplits, filter: (/** @type {uPlot} */ _, /** @type {number[]} */ splits) => splits } : {}),
    values: (/** @type {uPlot} */ _, /** @type {(number | null)[]} */ splits) => splits.map((value) => (value === null ? null : of.write(value))),
  });
  // Without a range of its own, uPlot rounds a logarithmic axis to powers of ten, mostly empty.
  const scale = (/** @type {Axis} */ of) =>
    of.logarithmic
      ? { time: false, distr: /** @type {const} */ (3), log: /** @type {const} */ (10), range: (/** @type {uPlot} */ _, /** @type {number} */ low, /** @type {number} */ high) => /** @type {[number, number]} */ ([low / 1.1, high * 1.1]) }
      : { time: false };
  return {
    width,
    height: plot.height,
    legend: { show: false },
    cursor: { drag: { x: true, y: true, uni: 20 }, points: { show: false } },
    scales: { x: scale(plot.x), y: scale(plot.y) },
    axes: [axis(plot.x, 40), axis(plot.y, 72)],
    series: [{}, ...series.map((one) => looks(one, hasValues))],
    hooks: {
      setCursor: [(u) => told(u, plot, series, tip)],
      draw: [() => again()],
      ready: [(u) => {
        const { name, tell, open } = plot;
        again = readByKeys(u, { name, series, tip, tell, open, show: (u, left, top, text) => say(u, tip, left, top, text) }, help);
        u.over.addEventListener("click", () => {
          const i = nearest(u, series);
          if (i !== null) plot.open?.(i);
        });
        u.over.addEventListener("mouseleave", () => (tip.hidden = true));
      }],
    },
  };
}

/** Pixels that a label takes along its axis. */
const ROOM = [62, 24];

/**
 * Returns the grid lines of a logarithmic axis, as many as have room for their labels.
 * @param {uPlot} u
 * @param {number} axis 0 for x, 1 for y
 * @param {number} low
 * @param {number} high
 */
function logarithmicSplits(u, axis, low, high) {
  const ticks = logarithmicTicks(low, high);
  const length = (axis === 0 ? u.bbox.width : u.bbox.height) / devicePixelRatio;
  const each = Math.max(1, Math.ceil((ticks.length * ROOM[axis]) / length));
  return ticks.filter((_, i) => i % each === 0);
}

/**
 * Returns the uPlot options of a series.
 * @param {Series} one
 * @param {boolean} hasValues true if a series has values that the axis must cover
 * @returns {uPlot.Series}
 */
function looks(one, hasValues) {
  const stroke = colour(one.colour);
  switch (one.form) {
    case "points":
      // uPlot draws all fills before all edges. Half-transparent fills show overlaps, which edges
      // of another colour would hide.
      return { label: one.name, stroke, paths: () => null, points: { show: true, size: one.size ?? 5, width: 1, stroke, fill: stroke.replace(/^rgb\((.*)\)$/, "rgba($1, 0.5)") } };
    case "ticks":
      return { label: one.name, stroke, auto: !hasValues, paths: ticks, points: { show: false } };
    case "steps":
      return { label: one.name, stroke, width: 2, paths: uPlot.paths.stepped?.({ align: 1 }), points: { show: false }, spanGaps: true };
    case "line":
      return { label: one.name, stroke, width: 1.5, dash: one.dashed ? [6, 4] : undefined, points: { show: false }, spanGaps: true };
  }
}

/** Draws short lines at the lower edge. @type {uPlot.Series.PathBuilder} */
function ticks(u, series, from, to) {
  const path = new Path2D();
  const low = u.bbox.top + u.bbox.height;
  for (let i = from; i <= to; i += 1) {
    if (u.data[series][i] === null) continue;
    const x = u.valToPos(/** @type {number} */ (u.data[0][i]), "x", true);
    path.moveTo(x, low);
    path.lineTo(x, low - 10 * devicePixelRatio);
  }
  return { stroke: path, fill: undefined, clip: undefined, band: undefined, gaps: undefined, flags: 0 };
}

/** Pixels around the pointer within which it hits a point. */
const REACH = 18;

/**
 * Returns the data index of the point nearest to the pointer; null if none is in reach.
 * @param {uPlot} u
 * @param {Series[]} series
 */
function nearest(u, series) {
  const { left, top } = u.cursor;
  if (left === undefined || top === undefined || left < 0) return null;
  const [from, to] = [left - REACH, left + REACH].map((place) => u.posToIdx(place));
  let best = null;
  let least = REACH * REACH;
  series.forEach(({ form }, k) => {
    if (form !== "points" && form !== "ticks") return;
    for (let i = from; i <= to; i += 1) {
      const value = u.data[k + 1][i];
      if (value === null || value === undefined) continue;
      const x = u.valToPos(/** @type {number} */ (u.data[0][i]), "x");
      const y = form === "ticks" ? u.over.clientHeight : u.valToPos(value, "y");
      const away = (x - left) ** 2 + (y - top) ** 2;
      if (away < least) [best, least] = [i, away];
    }
  });
  return best;
}

/**
 * Shows the tooltip of the point under the pointer.
 * @param {uPlot} u
 * @param {Plot} plot
 * @param {Series[]} series
 * @param {HTMLElement} tip
 */
function told(u, plot, series, tip) {
  const i = plot.tell === undefined ? null : nearest(u, series);
  const text = i === null ? null : plot.tell?.(i);
  u.over.style.cursor = text && plot.open ? "pointer" : "";
  const { left = 0, top = 0 } = u.cursor;
  // Without a pointer, the tooltip of the keyboard stays.
  if (left >= 0) say(u, tip, left, top, text ?? null);
}

/**
 * Shows a tooltip beside a position; hides it without a text.
 * @param {uPlot} u
 * @param {HTMLElement} tip
 * @param {number} left
 * @param {number} top
 * @param {string | null} text
 */
function say(u, tip, left, top, text) {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const isRight = left > u.over.clientWidth / 2;
  tip.style.left = `${u.over.offsetLeft + left + (isRight ? -12 - tip.offsetWidth : 12)}px`;
  // The plot cuts off everything below its lower edge.
  const lowest = u.root.clientHeight - tip.offsetHeight;
  tip.style.top = `${Math.max(0, Math.min(u.over.offsetTop + top - 10, lowest))}px`;
}

/** Creates the legend of the series. @param {Series[]} series */
export function legend(series) {
  return h("p", { class: "legend" }, series.map((one) => h("span", {}, sample(one), one.name)));
}

/** Creates the legend mark of a series. @param {Series} one */
function sample(one) {
  const mark = h("span", { class: `sample ${one.form}${one.dashed ? " dashed" : ""}`, "aria-hidden": "true" });
  mark.style.color = `var(--${one.colour})`;
  return mark;
}
