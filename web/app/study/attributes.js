// @ts-check
// The influence of attributes on the time: the importance of each, one alone, and two together.

import { importance, quantile, timesByValue } from "../analysis.js";
import { chart } from "../chart/frame.js";
import { heatMap, ramp, stepOf } from "../chart/heat.js";
import { logarithmic, onWidth } from "../chart/scale.js";
import { h, replace, s } from "../dom.js";
import * as format from "../format.js";
import { remember } from "../router.js";

/** @typedef {import("./trials.js").Trials} Trials */

const ROW = 24;
/** Widths in pixels: names, text after a bar, and values of one attribute. */
const NAME = 140;
const AFTER = 56;
const VALUE = 72;

/**
 * Creates the chart of importances.
 * @param {Trials} trials
 * @param {(name: string) => void} choose
 * @param {AbortSignal} signal
 */
export function importances(trials, choose, signal) {
  const holder = h("div", {});
  let width = 0;
  /** @type {ReturnType<typeof importance> | null} */
  let now = null;
  const { element, say } = chart(
    "Importance of attributes",
    () => ({ columns: ["attribute", "share of the variance of log time", "low", "high"], rows: (now?.attributes ?? []).map(({ name, share, low, high }) => [name, share, low, high]) }),
    holder,
  );
  function draw() {
    if (width === 0 || now === null) return;
    const wide = Math.max(80, width - NAME - AFTER);
    const height = now.attributes.length * ROW + 4;
    const bars = now.attributes.map(({ name, share, low, high }, i) => {
      const y = i * ROW;
      const at = (/** @type {number} */ part) => NAME + part * wide;
      return s("g", { class: "pick", role: "button", tabindex: "0", "aria-label": `${name} ${format.percent(share)}, ${format.percent(low)} to ${format.percent(high)}`, onclick: () => choose(name),
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          choose(name);
        } },
        s("rect", { class: "ground", x: 0, y, width, height: ROW }),
        s("text", { x: NAME - 8, y: y + 16, "text-anchor": "end" }, `${name} `),
        s("rect", { class: "fill", x: NAME, y: y + 5, width: Math.max(1, share * wide), height: ROW - 10 }),
        s("path", { class: "error", d: `M${at(low)} ${y + 12}H${at(high)}M${at(low)} ${y + 8}v8M${at(high)} ${y + 8}v8` }),
        s("text", { class: "quiet", x: at(Math.max(share, high)) + 8, y: y + 16 }, format.percent(share)),
      );
    });
    replace(holder, s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": "Importance of attributes" }, bars));
    say(`The share of the variance of log time that an attribute explains by itself, with a 95 % interval, from ${format.counted(now.trials, "trial")}. A search prefers fast regions, so the shares describe only the trials, not the whole space.`);
  }
  onWidth(holder, (now) => {
    width = now;
    draw();
  }, signal);
  return {
    element,
    draw() {
      now = importance(trials);
      draw();
    },
  };
}

/**
 * Returns the ticks that have room for their labels.
 * @param {number[]} ticks
 * @param {(value: number) => number} at
 */
function spread(ticks, at) {
  /** @type {number[]} */
  const kept = [];
  for (const tick of ticks) if (kept.length === 0 || at(tick) - at(kept[kept.length - 1]) > 62) kept.push(tick);
  return kept;
}

/**
 * Creates the choice of an attribute.
 * @param {string} label
 * @param {string} id
 * @param {(name: string) => void} choose
 */
function chooser(label, id, choose) {
  const select = h("select", { id, onchange: () => choose(select.value) });
  return {
    element: h("div", { class: "field" }, h("label", { for: id }, label), select),
    /** Updates the names. @param {string[]} names @param {string} chosen */
    show(names, chosen) {
      replace(select, names.map((name) => h("option", { value: name, selected: name === chosen }, name)));
      select.value = chosen;
    },
  };
}

/**
 * Creates the chart of times by the values of one attribute.
 * @param {Trials} trials
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
export function marginals(trials, query, signal) {
  let chosen = query.get("attribute") ?? "";
  let width = 0;
  const holder = h("div", {});
  const choice = chooser("Attribute", "attribute", (name) => choose(name));
  const summary = () => {
    const attribute = trials.varying.find(({ name }) => name === chosen);
    if (attribute === undefined) return [];
    return timesByValue(trials, attribute).flatMap((times, i) =>
      times.length === 0 ? [] : [{ value: attribute.values[i], count: times.length, best: times[0], low: quantile(times, 0.25), median: quantile(times, 0.5), high: quantile(times, 0.75), most: times[times.length - 1] }]);
  };
  const { element, say } = chart(
    "One attribute",
    () => ({ columns: [chosen, "trials", "best, µs", "first quartile, µs", "median, µs", "third quartile, µs", "slowest, µs"], rows: summary().map(({ value, count, best, low, median, high, most }) => [String(value), count, best, low, median, high, most]) }),
    choice.element,
    holder,
  );

  /** Selects an attribute. @param {string} name */
  function choose(name) {
    chosen = name;
    remember({ attribute: name });
    draw();
  }

  function draw() {
    const names = trials.varying.map(({ name }) => name);
    if (!names.includes(chosen)) chosen = names[0] ?? "";
    choice.show(names, chosen);
    const boxes = summary();
    if (width === 0) return;
    if (boxes.length === 0) {
      replace(holder, h("p", { class: "quiet" }, "No attribute differs among trials that have a time."));
      return;
    }
    const x = logarithmic([Math.min(...boxes.map(({ best }) => best)) * 0.96, Math.max(...boxes.map(({ most }) => most)) * 1.04], [VALUE, width - 30]);
    const height = boxes.length * ROW + 30;
    const rows = boxes.map(({ value, count, best, low, median, high, most }, i) => {
      const y = i * ROW + ROW / 2;
      return s("g", {}, s("title", {}, `${chosen} ${value}: ${count} trials, best ${format.time(best)}, median ${format.time(median)}`),
        s("text", { x: VALUE - 10, y: y + 4, "text-anchor": "end" }, String(value)),
        s("path", { class: "whisker", d: `M${x.at(best)} ${y}H${x.at(most)}` }),
        s("rect", { class: "box", x: x.at(low), y: y - 6, width: Math.max(1.5, x.at(high) - x.at(low)), height: 12 }),
        s("path", { class: "median", d: `M${x.at(median)} ${y - 7}v14` }),
        s("circle", { class: "least", cx: x.at(best), cy: y, r: 4 }));
    });
    const axis = spread(x.ticks, x.at).map((tick) => s("g", { class: "axis" }, s("line", { x1: x.at(tick), x2: x.at(tick), y1: 0, y2: height - 26 }), s("text", { x: x.at(tick), y: height - 10, "text-anchor": "middle" }, format.time(tick))));
    replace(holder, s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Times by ${chosen}` }, axis, rows));
    const fastest = boxes.reduce((one, other) => (other.best < one.best ? other : one));
    say(`The fastest, ${format.time(fastest.best)}, has ${chosen} ${fastest.value}. Dot: the best; box: the middle half of the trials, with the median.`);
  }
  onWidth(holder, (now) => {
    width = now;
    if (trials.length > 0) draw();
  }, signal);
  return { element, draw, choose };
}

/**
 * Creates the heat map of the best time by the values of two attributes.
 * @param {Trials} trials
 * @param {URLSearchParams} query
 */
export function pairs(trials, query) {
  const chosen = { a: query.get("a") ?? "", b: query.get("b") ?? "" };
  const holder = h("div", {});
  const choices = /** @type {const} */ (["a", "b"]).map((side) =>
    chooser(side === "a" ? "Across" : "Down", `pair-${side}`, (name) => {
      chosen[side] = name;
      remember({ [side]: name });
      draw();
    }));
  const cells = () => {
    const [a, b] = [chosen.a, chosen.b].map((wanted) => trials.varying.find(({ name }) => name === wanted));
    /** @type {{ a: number, b: number, count: number, best: number }[]} */
    const found = [];
    if (a === undefined || b === undefined) return { a, b, found };
    /** @type {Map<number, { a: number, b: number, count: number, best: number }>} */
    const at = new Map();
    trials.time.forEach((time, i) => {
      if (time === null || trials.status[i] === "wrong" || a.codes[i] < 0 || b.codes[i] < 0) return;
      const key = a.codes[i] * b.values.length + b.codes[i];
      const cell = at.get(key);
      if (cell === undefined) at.set(key, { a: a.codes[i], b: b.codes[i], count: 1, best: time });
      else {
        cell.count += 1;
        cell.best = Math.min(cell.best, time);
      }
    });
    return { a, b, found: [...at.values()] };
  };
  const { element, say } = chart(
    "Two attributes",
    () => {
      const { a, b, found } = cells();
      return { columns: [chosen.a, chosen.b, "trials", "best, µs"], rows: found.map((cell) => [String(a?.values[cell.a]), String(b?.values[cell.b]), cell.count, cell.best]) };
    },
    h("div", { class: "row" }, choices.map(({ element }) => element)),
    holder,
  );

  function draw() {
    const names = trials.varying.map(({ name }) => name);
    if (!names.includes(chosen.a)) chosen.a = names[0] ?? "";
    if (!names.includes(chosen.b)) chosen.b = names.find((name) => name !== chosen.a) ?? chosen.a;
    choices[0].show(names, chosen.a);
    choices[1].show(names, chosen.b);
    const { a, b, found } = cells();
    if (a === undefined || b === undefined || found.length === 0) {
      replace(holder, h("p", { class: "quiet" }, "The map needs two attributes that differ."));
      return;
    }
    const least = Math.min(...found.map(({ best }) => best));
    const drawn = found.map((cell) => {
      const factor = cell.best / least;
      return { column: cell.a, row: cell.b, step: 5 - stepOf(factor, [1.02, 1.1, 1.3, 2, 4]), text: factor < 9.95 ? factor.toFixed(2) : factor.toFixed(0),
        tell: `${chosen.a} ${a.values[cell.a]}, ${chosen.b} ${b.values[cell.b]}: best ${format.time(cell.best)}, ${format.counted(cell.count, "trial")}` };
    });
    replace(holder, heatMap({ name: "Best time by two attributes", across: chosen.a, down: chosen.b, columns: a.values.map(String), rows: b.values.map(String), cells: drawn }),
      ramp(["over 4×", "to 4×", "to 2×", "to 1.3×", "to 1.1×", "to 1.02×"]));
    say(`How many times as long as the best of all, ${format.time(least)}, the best with each pair takes.`);
  }
  return { element, draw };
}
