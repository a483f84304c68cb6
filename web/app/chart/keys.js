// @ts-check
// Keyboard control of a plot: arrows move between points, Enter opens a point, + and − zoom.

import { h } from "../dom.js";
import uPlot from "../vendor/uPlot.js";

/** Points that PageUp and PageDown skip. */
const PAGE = 20;
/** The fraction of the visible range that remains after one zoom step. */
const LEFT = 0.5;

/**
 * @typedef {object} Reader
 * @property {string} name name of the plot
 * @property {import("./plot.js").Series[]} series
 * @property {HTMLElement} tip
 * @property {(i: number) => string | null} [tell]
 * @property {(i: number) => void} [open]
 * @property {(u: uPlot, left: number, top: number, text: string | null) => void} show shows the
 *   text of a point beside it
 */

/** Returns the help text of the keys. @param {boolean} opens */
export function hint(opens) {
  return `The arrow keys move from point to point${opens ? ", Enter opens one" : ""}, + and − zoom, 0 shows all.`;
}

/**
 * Adds keyboard control to a plot. Returns a function that redraws the current point.
 * @param {uPlot} u
 * @param {Reader} reader
 * @param {string} help id of the element with the help text
 */
export function readByKeys(u, { name, series, tip, tell, open, show }, help) {
  const { over } = u;
  const ring = h("div", { class: "ring", hidden: true });
  over.append(ring);
  for (const [attribute, value] of Object.entries({ tabindex: "0", role: "group", "aria-label": `Points of ${name}`, "aria-describedby": help })) over.setAttribute(attribute, value);
  /** The current point. @type {{ i: number, k: number } | null} */
  let at = null;
  /** Indices of the series with points. Line series are not navigated. */
  const own = series.flatMap(({ form }, k) => (form === "points" || form === "ticks" ? [k] : []));
  /** Returns the series with a point at a place of the data. @param {number} i */
  const seriesAt = (i) => own.find((k) => typeof u.data[k + 1][i] === "number");

  const hide = () => {
    at = null;
    ring.hidden = true;
    tip.hidden = true;
  };
  /**
   * Returns the position of a point in the plot, in pixels.
   * @param {{ i: number, k: number }} point
   */
  const placed = ({ i, k }) => [u.valToPos(u.data[0][i], "x"), series[k].form === "ticks" ? over.clientHeight - 5 : u.valToPos(/** @type {number} */ (u.data[k + 1][i]), "y")];
  const draw = () => {
    if (at === null) return;
    const [left, top] = placed(at);
    const isSeen = left >= -1 && left <= over.clientWidth + 1 && top >= -1 && top <= over.clientHeight + 1;
    ring.hidden = !isSeen;
    ring.style.left = `${left}px`;
    ring.style.top = `${top}px`;
    show(u, left, top, isSeen ? (tell?.(at.i) ?? null) : null);
  };

  /** Returns the place `by` points away from another. @param {number} from @param {number} by */
  const next = (from, by) => {
    const count = u.data[0].length;
    let found = -1;
    let passed = 0;
    for (let i = from + Math.sign(by); i >= 0 && i < count && passed < Math.abs(by); i += Math.sign(by)) {
      if (seriesAt(i) === undefined) continue;
      found = i;
      passed += 1;
    }
    return found;
  };

  /**
   * Zooms an axis about a value.
   * @param {string} axis
   * @param {number} about
   * @param {number} factor ratio of the new range to the old
   */
  const zoom = (axis, about, factor) => {
    const { min, max, distr } = u.scales[axis];
    if (typeof min !== "number" || typeof max !== "number" || min >= max) return;
    const [to, from] = distr === 3 ? [Math.log, Math.exp] : [(/** @type {number} */ value) => value, (/** @type {number} */ value) => value];
    const [low, high, middle] = [to(min), to(max), to(Math.min(Math.max(about, min), max))];
    u.setScale(axis, { min: from(middle - (middle - low) * factor), max: from(middle + (high - middle) * factor) });
  };
  const enlarge = (/** @type {number} */ factor) => {
    const i = at?.i ?? next(-1, 1);
    const k = at?.k ?? seriesAt(i) ?? 0;
    const value = series[k]?.form === "ticks" ? u.scales.y.min : u.data[k + 1]?.[i];
    u.batch(() => {
      zoom("x", u.data[0][i], factor);
      if (typeof value === "number") zoom("y", value, factor);
    });
  };
  const all = () => u.setData(u.data);
  /**
   * Moves the visible range, so that a point outside it comes to the middle.
   * @param {{ i: number, k: number }} point
   */
  const reveal = (point) => {
    const sides = [["x", u.data[0][point.i]], ["y", series[point.k].form === "ticks" ? null : u.data[point.k + 1][point.i]]];
    u.batch(() => {
      for (const [axis, value] of /** @type {[string, number | null][]} */ (sides)) {
        const { min, max, distr } = u.scales[axis];
        if (value === null || typeof min !== "number" || typeof max !== "number" || (value >= min && value <= max)) continue;
        const half = distr === 3 ? Math.sqrt(max / min) : (max - min) / 2;
        u.setScale(axis, distr === 3 ? { min: value / half, max: value * half } : { min: value - half, max: value + half });
      }
    });
  };

  over.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE, Home: -Infinity, End: Infinity }[event.key];
    if (by !== undefined) {
      const from = !Number.isFinite(by) ? (by < 0 ? -1 : u.data[0].length) : (at?.i ?? (by > 0 ? -1 : u.data[0].length));
      const to = next(from, Number.isFinite(by) ? by : -Math.sign(by));
      const k = to < 0 ? undefined : seriesAt(to);
      if (k !== undefined) {
        at = { i: to, k };
        reveal(at);
      }
    } else if (event.key === "Enter" && at !== null) open?.(at.i);
    else if (event.key === "+" || event.key === "=") enlarge(LEFT);
    else if (event.key === "-" || event.key === "−") enlarge(1 / LEFT);
    else if (event.key === "0" || event.key === "Escape") {
      all();
      hide();
    } else return;
    event.preventDefault();
    draw();
  });
  over.addEventListener("blur", hide);
  over.addEventListener("pointermove", () => {
    at = null;
    ring.hidden = true;
  });
  return draw;
}
