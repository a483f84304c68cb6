// @ts-check
// Heat maps of tuned shapes: one for each target and operation, rows by columns in powers of two.

import { chart } from "../chart/frame.js";
import { heatMap, ramp, stepOf } from "../chart/heat.js";
import { h, put, replace } from "../dom.js";
import * as format from "../format.js";
import { address, remember } from "../router.js";

/** Figures of the map, with the lower limits and labels of the ramp's steps. */
const KINDS = /** @type {const} */ ({
  speedup: { name: "Speedup over the default", begins: [1.05, 1.5, 3, 8, 20], names: ["none", "1.05×", "1.5×", "3×", "8×", "20×"] },
  distance: { name: "Distance to the bound", begins: [1.1, 1.3, 1.7, 2.5, 5], names: ["to 1.1×", "1.1×", "1.3×", "1.7×", "2.5×", "5×"] },
});

/**
 * Creates the maps.
 * @param {Record<string, string>} set
 * @param {URLSearchParams} query
 * @param {(changed: Record<string, string>) => void} change
 */
export function tunedMap(set, query, change) {
  let kind = /** @type {keyof typeof KINDS} */ (query.get("map") === "distance" ? "distance" : "speedup");
  /** @type {Api.TunedMap | null} */
  let answer = null;
  const maps = h("div", { class: "maps" });
  const keys = h("div", {});
  const cleared = h("div", {});
  const buttons = /** @type {(keyof typeof KINDS)[]} */ (Object.keys(KINDS)).map((one) =>
    h("button", { class: "small", "aria-pressed": String(one === kind), onclick: () => {
      kind = one;
      remember({ map: one === "speedup" ? null : one });
      buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.textContent === KINDS[one].name)));
      draw();
    } }, KINDS[one].name));
  const { element, say } = chart(
    "Shapes by target and operation",
    () => ({ columns: ["target", "operation", "rows from", "columns from", "problems", "least", "median", "most"],
      rows: (answer?.cells ?? []).map((cell) => [cell.target, cell.operation, 2 ** cell.rows_log2, 2 ** cell.columns_log2, cell.count, .../** @type {const} */ (["least", "median", "most"]).map((one) => cell[kind]?.[one] ?? null)]) }),
    h("div", { class: "row", role: "group", "aria-label": "Figure of the map" }, buttons, cleared),
    maps,
    keys,
  );

  function draw() {
    if (answer === null) return;
    const { cells, targets, operations, clock } = answer;
    const { names } = KINDS[kind];
    const pairs = targets.flatMap((target) => operations.map((operation) => ({ target: target.name, operation: operation.name })));
    replace(maps, pairs.flatMap((pair) => {
      const own = cells.filter((cell) => cell.target === pair.target && cell.operation === pair.operation);
      return own.length === 0 ? [] : [one(pair.target, pair.operation, own)];
    }));
    replace(keys, ramp([...names]));
    replace(cleared);
    if (set.rows !== "" || set.columns !== "") put(cleared, h("button", { class: "small", onclick: () => change({ rows: "", columns: "", target: "", operation: "" }) }, `Only ${set.rows} rows of ${set.columns} ✕`));
    say(`The median of each shape, by powers of two, times ${clock}. Click a cell for its problems.`);
  }

  /**
   * Creates the map of a target and operation.
   * @param {string} target
   * @param {string} operation
   * @param {Api.TunedMapCell[]} cells
   */
  function one(target, operation, cells) {
    const place = `${operation} on ${target}`;
    const range = (/** @type {"rows_log2" | "columns_log2"} */ of) => {
      const found = cells.map((cell) => cell[of]);
      const [low, high] = [Math.min(...found), Math.max(...found)];
      return Array.from({ length: high - low + 1 }, (_, i) => low + i);
    };
    const [across, down] = [range("columns_log2"), range("rows_log2").reverse()];
    const drawn = cells.map((cell) => {
      const value = cell[kind]?.median ?? null;
      const shape = `${span(cell.rows_log2)} rows of ${span(cell.columns_log2)}, ${place}`;
      const from = (/** @type {number} */ log) => `${2 ** log}..${2 ** (log + 1) - 1}`;
      return {
        column: across.indexOf(cell.columns_log2),
        row: down.indexOf(cell.rows_log2),
        step: value === null ? 0 : stepOf(value, [...KINDS[kind].begins]),
        text: value === null ? "–" : value < 9.95 ? value.toFixed(1) : value.toFixed(0),
        tell: `${shape}: ${value === null ? "no figure" : `${format.ratio(value)}`}, ${format.counted(cell.count, "problem")}`,
        href: address([], { target, operation, rows: from(cell.rows_log2), columns: from(cell.columns_log2), map: kind === "speedup" ? null : kind, clock: set.clock }),
      };
    });
    const grid = { name: `${KINDS[kind].name}, ${place}`, across: "columns", down: "rows", columns: across.map(power), rows: down.map(power), cells: drawn };
    return h("div", {}, h("h4", {}, place), heatMap(grid));
  }
  return {
    element,
    /** Draws an answer. @param {Api.TunedMap} now */
    draw(now) {
      answer = now;
      element.hidden = now.cells.length === 0;
      draw();
    },
  };
}

/** Returns a power of two in short form. @param {number} log */
function power(log) {
  return log < 10 ? String(2 ** log) : log < 20 ? `${2 ** (log - 10)}K` : `${2 ** (log - 20)}M`;
}

/** Returns the range from one power of two to the next. @param {number} log */
function span(log) {
  return log === 0 ? "1" : `${power(log)} to ${power(log + 1)}`;
}
