// @ts-check
// The convergence of the best time, over trials or over their seconds.

import { chart } from "../chart/frame.js";
import { legend, plot } from "../chart/plot.js";
import { h, replace } from "../dom.js";
import * as format from "../format.js";
import { address, go, remember } from "../router.js";

/**
 * Creates the chart of convergence.
 * @param {import("./trials.js").Trials} trials
 * @param {{ clock: Api.Clock, bound: number | null, neighbours: { name: string, time: number }[] }}
 *   lines reference lines in microseconds
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
export function convergence(trials, lines, query, signal) {
  let isSeconds = query.get("over") === "seconds";
  let x = /** @type {number[]} */ ([]);
  const across = { name: "", write: (/** @type {number} */ value) => (isSeconds ? format.seconds(value) : format.count(value)) };
  const drawn = plot(
    {
      name: "the convergence",
      x: across,
      y: { name: `Time, ${lines.clock}`, logarithmic: true, write: format.time },
      height: 300,
      tell: (i) => told(trials, i),
      open: (i) => go(address(["configuration"], { study: trials.study, trial: trials.ordinal[i] })),
    },
    signal,
  );
  const keys = h("div", {});
  const chooser = choice(isSeconds, (seconds) => {
    isSeconds = seconds;
    remember({ over: seconds ? "seconds" : null });
    draw();
  });
  const { element, say } = chart("Convergence", () => table(trials, x, isSeconds), chooser, drawn.element, keys);

  function draw() {
    x = isSeconds ? summed(trials.seconds) : trials.ordinal;
    across.name = isSeconds ? "Seconds of trials" : "Trial";
    const best = bestSoFar(trials);
    const first = trials.role.indexOf("default");
    const level = (/** @type {number} */ value) => x.map(() => value);
    const of = (/** @type {string} */ status) => trials.time.map((time, i) => (trials.status[i] === status ? time : null));
    const untuned = first < 0 ? null : trials.time[first];
    /** @type {import("../chart/plot.js").Series[]} */
    const series = [
      { name: "right", colour: "right", values: of("right"), form: "points", size: size(trials.length) },
      { name: "another tie-break", colour: "tie", values: of("tie"), form: "points", size: size(trials.length) },
      { name: "only timed", colour: "quiet", values: of("timed"), form: "points", size: size(trials.length) },
      { name: "failed or wrong", colour: "failed", values: trials.status.map((status) => (status === "failed" || status === "wrong" ? 1 : null)), form: "ticks" },
      { name: "best so far", colour: "text", values: best, form: "steps" },
    ];
    const shown = series.filter(({ values }) => values.some((value) => value !== null));
    if (untuned !== null) shown.push({ name: `default ${format.time(untuned)}`, colour: "wrong", values: level(untuned), form: "line", dashed: true });
    if (lines.bound !== null) shown.push({ name: `bound ${format.time(lines.bound)}`, colour: "measured", values: level(lines.bound), form: "line", dashed: true });
    for (const { name, time } of lines.neighbours) shown.push({ name: `best of ${name} ${format.time(time)}`, colour: "tie", values: level(time), form: "line", dashed: true });
    drawn.show(x, shown);
    replace(keys, legend(shown));
    say(said(best, untuned));
  }
  return { element, draw };
}

/** Returns the size of points in pixels, smaller for many trials. @param {number} count */
function size(count) {
  return count > 20_000 ? 2 : count > 2000 ? 3 : 5;
}

/**
 * Creates the choice of the horizontal axis.
 * @param {boolean} isSeconds
 * @param {(seconds: boolean) => void} choose
 */
function choice(isSeconds, choose) {
  const buttons = [false, true].map((seconds) =>
    h("button", { class: "small", "aria-pressed": String(seconds === isSeconds), onclick: () => {
      buttons.forEach((button, i) => button.setAttribute("aria-pressed", String((i === 1) === seconds)));
      choose(seconds);
    } }, seconds ? "over seconds" : "over trials"));
  return h("div", { class: "row", role: "group", "aria-label": "Horizontal axis" }, buttons);
}

/**
 * Returns the best time so far at each trial. Ties count only in a study without a right result.
 * @param {import("./trials.js").Trials} trials
 */
export function bestSoFar(trials) {
  const hasRight = trials.status.includes("right");
  let best = /** @type {number | null} */ (null);
  return trials.time.map((time, i) => {
    const counts = time !== null && (trials.status[i] === "right" || (!hasRight && trials.status[i] === "tie"));
    if (counts && (best === null || time < best)) best = time;
    return best;
  });
}

/** Returns the running sums. @param {number[]} values */
function summed(values) {
  let sum = 0;
  return values.map((value) => (sum += value));
}

/**
 * Returns the tooltip of a trial.
 * @param {import("./trials.js").Trials} trials
 * @param {number} i
 */
function told(trials, i) {
  const time = trials.time[i];
  const first = `trial ${trials.ordinal[i]}: ${time === null ? (trials.failure[i] ?? trials.status[i]) : format.time(time)}`;
  const attributes = trials.varying.map(({ name, values, codes }) => (codes[i] < 0 ? null : `${name} ${values[codes[i]]}`));
  return [first, ...attributes].filter(Boolean).join("\n");
}

/** Returns the chart's message. @param {(number | null)[]} best @param {number | null} untuned */
function said(best, untuned) {
  const last = best.at(-1);
  if (last === null || last === undefined) return "No trial has a time yet.";
  const at = best.findIndex((value) => value === last);
  const gain = untuned === null ? "" : `, ${format.ratio(untuned / last)} as fast as the default`;
  return `The best, ${format.time(last)}${gain}, came at trial ${format.count(at)} of ${format.count(best.length)}. Drag to zoom, double-click to see all.`;
}

/**
 * Returns the trials that improved the best time, as a table.
 * @param {import("./trials.js").Trials} trials
 * @param {number[]} x
 * @param {boolean} isSeconds
 */
function table(trials, x, isSeconds) {
  const best = bestSoFar(trials);
  const rows = best.flatMap((value, i) => (value !== null && value !== best[i - 1] ? [[trials.ordinal[i], ...(isSeconds ? [x[i]] : []), value]] : []));
  return { columns: ["trial", ...(isSeconds ? ["seconds of trials"] : []), "best so far, µs"], rows };
}
