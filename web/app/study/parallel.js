// @ts-check
// Parallel coordinates: one axis for each attribute and one for the time, one line for each trial.
// Marks on the axes filter the table.

import { chart } from "../chart/frame.js";
import { colour, logarithmic, onScheme, onWidth } from "../chart/scale.js";
import { freshId, h, inFrame, replace, s } from "../dom.js";
import * as format from "../format.js";
import { axisKeys } from "./keys.js";

/** The most lines. More lines merge into a blot. */
const LINES = 1500;
/** The number of lines of one colour above which they are thin and faint. */
const MANY = 200;
const ABOVE = 46;
const INNER = 240;
const BELOW = 14;
const HEIGHT = ABOVE + INNER + BELOW;
/** Minimum distance of axes in pixels. The names of neighbours are at different heights. */
const PITCH = 76;
/** Parts of the axis of times for the keyboard. */
const TIMES = 20;
/** Steps of the ramp. */
const STEPS = 6;
/** Name of the axis of times. */
export const TIME = "time";

/**
 * @typedef {object} Axis
 * @property {string} name
 * @property {string[]} marks
 * @property {[number, number][]} parts ranges that the keyboard marks, from the top
 * @property {(i: number) => number | null} at returns the height of a trial, from 0 (top) to 1
 *   (bottom)
 */

/**
 * Creates the chart.
 * @param {import("./trials.js").Trials} trials
 * @param {import("./selection.js").TrialSelection} marked
 * @param {AbortSignal} signal
 */
export function parallel(trials, marked, signal) {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const frame = s("svg", { class: "axes" });
  const help = h("p", { class: "hint", id: freshId("axes") }, "The left and right keys move between axes. Up and down mark a value, with Shift several. Delete marks all trials again.");
  const box = h("div", { class: "parallel", tabindex: "0", role: "group", "aria-label": "Axes of the attributes", "aria-describedby": help.id }, canvas, frame);
  const spoken = h("p", { class: "heard", role: "status" });
  const holder = h("div", { class: "stack" }, box, help, spoken);
  const { element, say } = chart(
    "Attributes and times",
    () => ({ columns: ["trial", ...trials.varying.map(({ name }) => name), "time, µs"],
      rows: marked.places().map((i) => [trials.ordinal[i], ...trials.varying.map(({ values, codes }) => (codes[i] < 0 ? null : String(values[codes[i]]))), trials.time[i]]) }),
    holder,
  );
  let width = 0;
  /** @type {Axis[]} */
  let axes = [];
  /** Indices of the drawn trials. @type {number[]} */
  let drawn = [];
  /** Ramp step of each trial. @type {Uint8Array} */
  let steps = new Uint8Array();
  /** Canvas with all lines, faint. @type {HTMLCanvasElement | null} */
  let faint = null;

  const place = (/** @type {number} */ k) => 60 + (k * (width - 120)) / Math.max(1, axes.length - 1);

  function begin() {
    const timed = trials.time.flatMap((time, i) => (time === null ? [] : [i]));
    drawn = sampled(timed, trials);
    steps = stepsOf(trials, timed);
    // The axis of times comes first, because the last axes may be out of view.
    axes = [times(trials, timed), ...trials.varying.map((attribute) => discrete(attribute))];
    const wanted = Math.max(box.clientWidth, axes.length * PITCH);
    width = wanted;
    const scale = devicePixelRatio;
    canvas.width = width * scale;
    canvas.height = HEIGHT * scale;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${HEIGHT}px`;
    frame.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    frame.setAttribute("width", String(width));
    frame.setAttribute("height", String(HEIGHT));
    box.style.height = `${HEIGHT}px`;
    faint = document.createElement("canvas");
    faint.width = canvas.width;
    faint.height = canvas.height;
    lines(faint, drawn, () => colour("line"), 0.7);
    brushes.clear();
    replace(frame, axes.map(axis));
    keys.show();
    draw();
  }

  const draw = inFrame(() => {
    if (faint === null) return;
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(faint, 0, 0);
    const is = marked.isMarked;
    const shown = drawn.filter((i) => is[i] === 1);
    const ramp = ["strong-line", "heat-3", "heat-3", "heat-4", "heat-5", "wrong"].map(colour);
    for (let step = 0; step < STEPS; step += 1) lines(canvas, shown.filter((i) => steps[i] === step), () => ramp[step], step === STEPS - 1 ? 1.8 : 0.9);
    for (const [name, brush] of brushes) brush(marked.range(name));
    const all = drawn.length < trials.length ? ` ${format.count(drawn.length)} of ${format.counted(trials.length, "trial")} are drawn, the fastest among them.` : "";
    spoken.textContent = keys.said();
    say(`Drag along an axis to mark a part of it, or go there by keys; the table has the ${format.counted(marked.count, "trial")} that are marked. Darker is faster; the fastest twentieth stands out.${all}`);
  });

  /**
   * Draws lines.
   * @param {HTMLCanvasElement} on
   * @param {number[]} which
   * @param {() => string} stroke
   * @param {number} wide
   */
  function lines(on, which, stroke, wide) {
    if (which.length === 0) return;
    const context = /** @type {CanvasRenderingContext2D} */ (on.getContext("2d"));
    context.save();
    context.scale(devicePixelRatio, devicePixelRatio);
    context.beginPath();
    for (const i of which) {
      let isOn = false;
      axes.forEach(({ at }, k) => {
        const height = at(i);
        if (height === null) {
          isOn = false;
          return;
        }
        const y = ABOVE + height * INNER;
        if (isOn) context.lineTo(place(k), y);
        else context.moveTo(place(k), y);
        isOn = true;
      });
    }
    context.strokeStyle = stroke();
    // A line of one device pixel is drawn ten times as fast as a wider one, which matters for many
    // lines.
    context.lineWidth = which.length > MANY ? 1 / devicePixelRatio : wide;
    context.globalAlpha = which.length > MANY ? 0.45 : 0.8;
    context.stroke();
    context.restore();
  }

  /**
   * Functions that draw the mark of each axis.
   * @type {Map<string, (range: [number, number] | null) => void>}
   */
  const brushes = new Map();

  /** Creates an axis. @param {Axis} of @param {number} k */
  function axis({ name, marks }, k) {
    const x = place(k);
    const box = s("rect", { class: "brush", x: x - 9, width: 18, y: ABOVE, height: 0, visibility: "hidden" });
    brushes.set(name, (range) => {
      box.setAttribute("visibility", range === null ? "hidden" : "visible");
      if (range === null) return;
      box.setAttribute("y", String(ABOVE + range[0] * INNER));
      box.setAttribute("height", String(Math.max(2, (range[1] - range[0]) * INNER)));
    });
    const area = s("rect", { class: "reach", x: x - 20, y: ABOVE - 6, width: 40, height: INNER + 12 });
    let from = 0;
    const height = (/** @type {PointerEvent} */ event) => {
      const frameBox = frame.getBoundingClientRect();
      return Math.min(1, Math.max(0, (event.clientY - frameBox.top - ABOVE) / INNER));
    };
    area.addEventListener("pointerdown", (event) => {
      from = height(event);
      area.setPointerCapture(event.pointerId);
    });
    area.addEventListener("pointermove", (event) => {
      if (!area.hasPointerCapture(event.pointerId)) return;
      const to = height(event);
      marked.mark(name, Math.abs(to - from) < 0.01 ? null : [Math.min(from, to), Math.max(from, to)]);
    });
    area.addEventListener("pointerup", (event) => {
      if (Math.abs(height(event) - from) < 0.01) marked.mark(name, null);
      marked.settle();
    });
    return s("g", { class: "axis" },
      s("line", { x1: x, x2: x, y1: ABOVE, y2: ABOVE + INNER }),
      s("text", { x, y: k % 2 === 0 ? 14 : 30, "text-anchor": "middle", class: "name" }, name),
      marks.map((mark, i) => s("text", { x: x + 5, y: ABOVE + heightOf(i, marks.length) * INNER + 4, class: "value" }, mark)),
      box,
      area);
  }

  const keys = axisKeys(box, {
    marked,
    axes: () => axes,
    show: (k) => {
      frame.querySelectorAll(".axis").forEach((one, i) => one.classList.toggle("at", i === k));
      const drawing = box.closest(".drawing");
      if (drawing !== null && k >= 0) drawing.scrollLeft = place(k) - drawing.clientWidth / 2;
      spoken.textContent = keys.said();
    },
  });

  onWidth(element, begin, signal);
  onScheme(begin, signal);
  return { element, begin, draw };
}

/**
 * Returns the height of a value by its index. The smallest value is at the bottom.
 * @param {number} code
 * @param {number} count
 */
export function heightOf(code, count) {
  return count === 1 ? 0.5 : 1 - code / (count - 1);
}

/**
 * Returns the axis of an attribute.
 * @param {import("./trials.js").Attribute} attribute
 * @returns {Axis}
 */
function discrete({ name, values, codes }) {
  const parts = values.map((_, code) => /** @type {[number, number]} */ ([heightOf(code, values.length), heightOf(code, values.length)])).reverse();
  return { name, marks: values.map(String), parts, at: (i) => (codes[i] < 0 ? null : heightOf(codes[i], values.length)) };
}

/**
 * Returns the scale of times. The fastest time is at the top.
 * @param {import("./trials.js").Trials} trials
 */
export function timeScale(trials) {
  let low = Infinity;
  let high = 0;
  for (const time of trials.time) {
    if (time === null) continue;
    low = Math.min(low, time);
    high = Math.max(high, time);
  }
  if (high === 0) return logarithmic([1, 2], [0, 1]);
  return logarithmic(low < high ? [low, high] : [low * 0.9, low * 1.1], [0, 1]);
}

/**
 * Returns the axis of times.
 * @param {import("./trials.js").Trials} trials
 * @param {number[]} timed
 * @returns {Axis}
 */
function times(trials, timed) {
  const scale = timeScale(trials);
  const marks = timed.length === 0 ? [] : [scale.value(1), scale.value(0.5), scale.value(0)].map((time) => format.time(time));
  const parts = Array.from({ length: TIMES }, (_, k) => /** @type {[number, number]} */ ([k / TIMES, (k + 1) / TIMES]));
  return { name: TIME, marks, parts, at: (i) => (trials.time[i] === null ? null : scale.at(/** @type {number} */ (trials.time[i]))) };
}

/**
 * Returns the drawn trials: the fastest as one third of them, and the others evenly from the whole
 * study.
 * @param {number[]} timed
 * @param {import("./trials.js").Trials} trials
 */
function sampled(timed, trials) {
  if (timed.length <= LINES) return timed;
  const time = (/** @type {number} */ i) => /** @type {number} */ (trials.time[i]);
  const fastest = timed.toSorted((a, b) => time(a) - time(b)).slice(0, LINES / 3);
  const spread = Array.from({ length: (LINES * 2) / 3 }, (_, k) => timed[Math.floor((k * timed.length * 3) / (LINES * 2))]);
  return [...new Set([...spread, ...fastest])];
}

/**
 * Returns the ramp steps by rank: 0 for the slowest, 5 for the fastest 5 %.
 * @param {import("./trials.js").Trials} trials
 * @param {number[]} timed
 */
function stepsOf(trials, timed) {
  const steps = new Uint8Array(trials.length);
  const time = (/** @type {number} */ i) => /** @type {number} */ (trials.time[i]);
  const order = timed.toSorted((a, b) => time(b) - time(a));
  order.forEach((i, rank) => {
    const part = (rank + 1) / order.length;
    steps[i] = part > 0.95 ? 5 : Math.min(4, Math.floor(part * 5));
  });
  return steps;
}
