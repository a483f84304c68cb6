// @ts-check
// The map in a scrolling box: a canvas as large as the box, redrawn on each scroll.

import { colour as pageColour, onScheme, onWidth } from "../../chart/scale.js";
import { h, inFrame } from "../../dom.js";
import { drawGround, drawPlace } from "./draw.js";
import { cornerOf, elementAt, fold as folded, LEFT, TOP } from "./fold.js";

/**
 * @typedef {object} MapView
 * @property {import("./map.js").Grid} grid
 * @property {(load: number) => { fill: string, text: string }} colour
 * @property {number | null} line elements of a line; null for as many as fit
 * @property {number} zoom
 */

const MOST_HIGH = 460;

/**
 * Creates the picture of the map.
 * @param {import("./map.js").Loads} loads
 * @param {import("./cursor.js").Cursor} cursor
 * @param {string} help id of the element with the help text
 * @param {AbortSignal} signal
 */
export function picture(loads, cursor, help, signal) {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const room = h("div", { class: "room" }, canvas);
  const element = h("div", { class: "lane-map", tabindex: "0", role: "group", "aria-label": "Map of the elements", "aria-describedby": help }, room);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  /** @type {MapView | null} */
  let shown = null;
  let width = 0;
  let fold = folded({ rows: 1, columns: 1 }, 100, null, 1);
  let page = colours();
  let box = { width: 0, height: 0 };
  // The ground does not depend on the cursor, so it is cached in a canvas.
  const ground = h("canvas");
  const beneath = /** @type {CanvasRenderingContext2D} */ (ground.getContext("2d"));
  let seen = { x: 0, y: 0 };
  let isStale = true;

  const size = () => ({ rows: shown?.grid.rows.count ?? 0, columns: shown?.grid.columns.count ?? 0 });
  const layOut = () => {
    if (shown === null || width === 0) return;
    fold = folded(size(), width, shown.line, shown.zoom);
    box = { width: Math.min(width, Math.ceil(fold.width)), height: Math.min(MOST_HIGH, Math.ceil(fold.height)) };
    room.style.width = `${Math.ceil(fold.width)}px`;
    room.style.height = `${Math.ceil(fold.height)}px`;
    element.style.height = `${box.height + (fold.width > width ? 18 : 2)}px`;
    canvas.style.width = `${box.width}px`;
    canvas.style.height = `${box.height}px`;
    canvas.width = Math.round(box.width * devicePixelRatio);
    canvas.height = Math.round(box.height * devicePixelRatio);
    isStale = true;
    paint();
  };
  const paint = inFrame(() => {
    if (shown === null || signal.aborted) return;
    const drawn = { loads, grid: shown.grid, fold, colour: shown.colour, mark: (/** @type {number} */ load) => String(loads.lane[load]), page };
    const view = { x: element.scrollLeft, y: element.scrollTop, ...box };
    if (isStale || view.x !== seen.x || view.y !== seen.y) {
      [ground.width, ground.height] = [canvas.width, canvas.height];
      beneath.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
      drawGround(beneath, drawn, view);
      [seen, isStale] = [{ x: view.x, y: view.y }, false];
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(ground, 0, 0);
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    const place = cursor.now();
    if (place !== null) drawPlace(context, drawn, view, place);
  });
  /**
   * Returns the place of an element: its lane and subgroup, or null if no lane loads it.
   * @param {{ row: number, column: number } | null} at
   */
  const placeOf = (at) => {
    const load = at === null || shown === null ? -1 : shown.grid.owner[at.row * shown.grid.columns.count + at.column];
    return load < 0 || at === null ? null : { subgroup: loads.subgroup[load], lane: loads.lane[load], element: at };
  };
  const under = (/** @type {MouseEvent} */ event) => {
    const frame = element.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left - element.clientLeft, event.clientY - frame.top - element.clientTop];
    return x < LEFT || y < TOP ? null : placeOf(elementAt(fold, x + element.scrollLeft, y + element.scrollTop, size()));
  };
  /** Scrolls to an element outside the view. @param {{ row: number, column: number }} at */
  const reveal = (at) => {
    const { x, y } = cornerOf(fold, at.row, at.column);
    const [left, top] = [element.scrollLeft, element.scrollTop];
    if (x - LEFT < left || x + fold.wide > left + box.width) element.scrollLeft = x - LEFT - (box.width - LEFT) / 2;
    if (y - TOP < top || y + fold.high > top + box.height) element.scrollTop = y - TOP - (box.height - TOP) / 3;
  };

  element.addEventListener("pointermove", (event) => event.pointerType === "mouse" && cursor.point(under(event)));
  element.addEventListener("pointerleave", () => cursor.point(null));
  element.addEventListener("click", (event) => {
    const place = under(event);
    const [before, at] = [cursor.chosen()?.element, place?.element];
    const isSame = before != null && at != null && before.row === at.row && before.column === at.column;
    cursor.choose(isSame ? null : place);
  });
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape") cursor.choose(null);
    const at = next(event, cursor.now()?.element ?? null, fold, size());
    if (at === null) return;
    event.preventDefault();
    cursor.choose(placeOf(at) ?? cursor.chosen());
    reveal(at);
  });
  element.addEventListener("scroll", paint, { passive: true });
  /** Scrolls to the selected element, or to the first element of the selected lane. */
  const revealChosen = () => {
    const place = cursor.chosen();
    if (shown === null || place === null) return;
    if (place.element !== null) return reveal(place.element);
    const at = shown.grid.owner.findIndex((load) => load >= 0 && loads.subgroup[load] === place.subgroup && loads.lane[load] === place.lane);
    if (at >= 0) reveal({ row: Math.floor(at / shown.grid.columns.count), column: at % shown.grid.columns.count });
  };
  cursor.on((place) => {
    if (place !== null && place === cursor.chosen() && place.element === null) revealChosen();
    paint();
  });
  onWidth(element, (now) => {
    width = now;
    layOut();
    revealChosen();
  }, signal);
  onScheme(() => {
    page = colours();
    isStale = true;
    paint();
  }, signal);
  return {
    element,
    /** Shows a grid. @param {MapView} now */
    show(now) {
      const isOther = shown === null || shown.grid !== now.grid || shown.line !== now.line;
      shown = now;
      if (isOther) [element.scrollLeft, element.scrollTop] = [0, 0];
      layOut();
      revealChosen();
    },
  };
}

/**
 * Returns the element that a key moves to; null for other keys.
 * @param {KeyboardEvent} event
 * @param {{ row: number, column: number } | null} at
 * @param {import("./fold.js").Fold} fold
 * @param {{ rows: number, columns: number }} size
 */
function next(event, at, fold, size) {
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
  const down = { ArrowUp: -1, ArrowDown: 1, PageUp: -8, PageDown: 8 }[event.key];
  if (step === undefined && down === undefined) return null;
  if (at === null) return { row: 0, column: 0 };
  if (step !== undefined) {
    const begin = at.column - (at.column % fold.line);
    const end = Math.min(size.columns, begin + fold.line) - 1;
    const column = Number.isFinite(step) ? at.column + step : step < 0 ? begin : end;
    return { row: at.row, column: Math.min(Math.max(column, 0), size.columns - 1) };
  }
  const line = at.row * fold.lines + Math.floor(at.column / fold.line) + (down ?? 0);
  const bounded = Math.min(Math.max(line, 0), size.rows * fold.lines - 1);
  const column = (bounded % fold.lines) * fold.line + (at.column % fold.line);
  return { row: Math.floor(bounded / fold.lines), column: Math.min(column, size.columns - 1) };
}

function colours() {
  const [text, quiet, ground, line, accent] = ["text", "quiet", "ground", "line", "accent"].map(pageColour);
  return { text, quiet, ground, line, accent };
}
