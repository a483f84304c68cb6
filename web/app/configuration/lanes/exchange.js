// @ts-check
// The exchange between lanes: a column for each lane, a band for each step, a line for each
// receiver.

import { chart } from "../../chart/frame.js";
import { onWidth } from "../../chart/scale.js";
import { h, replace, s } from "../../dom.js";
import * as format from "../../format.js";
import { none } from "../../parts/notice.js";
import { remember } from "../../router.js";
import { flow, isBetweenLanes, resultLanes, rounds } from "./flow.js";

/** @typedef {{ high: number, low: number }} Band vertical extent of the lines of a step */

const SIDE = 10;
const HEAD = 22;
const LABEL = 17;
const LINKS = 32;
const BOXES = 58;
/** Height of a band without known senders, in pixels. */
const NOTHING = 8;
const SCOPES = /** @type {Record<string, string>} */ ({ subgroup: "In each subgroup", workgroup: "In the workgroup", grid: "Between workgroups" });

/**
 * Creates the section of the exchange.
 * @param {Api.Layout} layout
 * @param {import("./cursor.js").Cursor} cursor
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
export function exchange(layout, cursor, query, signal) {
  /** @type {Api.Exchange[]} */
  const all = layout.exchange;
  if (all.length === 0) return none("No exchange", "No lane needs a value of another lane.");
  let withTies = query.get("ties") === "yes";
  const hasTies = all.some((step) => step.only_on_ties);
  const box = h("div", { class: "exchange", tabindex: "0", role: "group", "aria-label": "Lanes: the arrow keys move from lane to lane" });
  const figure = chart("Exchanges between lanes", () => twin(all), box);
  let width = 0;
  /** @type {(place: import("./cursor.js").Place | null) => void} */
  let mark = () => {};
  const draw = () => {
    if (width === 0) return;
    const steps = withTies ? all : all.filter((step) => !step.only_on_ties);
    const drawn = drawing(steps, layout, width, cursor);
    replace(box, drawn.element);
    mark = drawn.mark;
    mark(cursor.now());
    const left = all.length - steps.length;
    figure.say(`${format.counted(steps.length, "step")} from the lanes to the result${left > 0 ? `; ${left} more if several lanes hold the best value` : ""}. Lines go from the lane that sends a value to the lane that receives it; the lines of the chosen lane are thick.`);
  };
  cursor.on((place) => mark(place));
  box.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") cursor.choose(null);
    if (by === undefined) return;
    event.preventDefault();
    const { subgroup, lane } = cursor.chosen() ?? { subgroup: 0, lane: by > 0 ? -1 : layout.subgroup_size };
    cursor.choose({ subgroup, lane: Math.min(Math.max(lane + by, 0), layout.subgroup_size - 1), element: null });
  });
  onWidth(box, (now) => {
    width = now;
    draw();
  }, signal);
  if (hasTies) {
    const field = h("input", { type: "checkbox", id: "ties", checked: withTies, onchange: () => {
      withTies = field.checked;
      remember({ ties: withTies ? "yes" : null });
      draw();
    } });
    figure.element.querySelector(".drawing")?.before(h("p", {}, field, " ", h("label", { for: "ties" }, "With the steps that run only on ties")));
  }
  return figure.element;
}

/**
 * Creates the drawing of one round.
 * @param {Api.Exchange[]} steps
 * @param {Api.Layout} layout
 * @param {number} width
 * @param {import("./cursor.js").Cursor} cursor
 */
function drawing(steps, layout, width, cursor) {
  const lanes = layout.subgroup_size;
  const pitch = Math.max(9, (width - 2 * SIDE) / lanes);
  const x = (/** @type {number} */ lane) => SIDE + (lane + 0.5) * pitch;
  const whole = Math.max(width, 2 * SIDE + lanes * pitch);
  const soft = s("g", { class: "links" });
  const texts = s("g", { class: "names" });
  const marks = s("g", { class: "marked", "aria-hidden": "true" });
  let y = HEAD;
  let scope = "";
  /** @type {((place: import("./cursor.js").Place) => void)[]} */
  const markers = [];
  /** @type {{ arrived: Set<number> | null }} */
  const passed = { arrived: null };

  for (const round of rounds(steps, lanes)) {
    if (round[0].scope !== scope) {
      scope = round[0].scope;
      texts.append(s("text", { x: SIDE, y: y + 15, class: "scope" }, SCOPES[scope] ?? scope));
      y += 22;
    }
    if (!isBetweenLanes(round[0], lanes)) {
      const drawn = boxes(round[0], layout, y, x, whole);
      soft.append(...drawn.soft);
      texts.append(...drawn.texts);
      markers.push((place) => (passed.arrived = drawn.mark(marks, place)));
      y += LABEL + BOXES;
      continue;
    }
    /** @type {Band[]} */
    const bands = round.map((step) => {
      const high = y + LABEL;
      const low = high + (step.from.every((from) => from === null) ? NOTHING : LINKS);
      texts.append(s("text", { x: SIDE, y: y + 12 }, named(step)));
      soft.append(s("path", { d: links(step, x, { high, low }) }), s("path", { class: "rail", d: `M${x(0)} ${high}H${x(lanes - 1)}M${x(0)} ${low}H${x(lanes - 1)}` }));
      y = low;
      return { high, low };
    });
    const targets = resultLanes(round, lanes);
    const isFirst = scope === "subgroup";
    markers.push((place) => {
      const begin = isFirst ? new Set([place.lane]) : (passed.arrived ?? new Set());
      const [first] = begin;
      flow(round, begin, first === undefined ? -1 : targets[first]).forEach((one, k) => markFlow(marks, round[k], one, x, bands[k]));
    });
    y += 4;
  }
  const ticks = [...Array(lanes).keys()].filter((lane) => lane % (pitch >= 16 ? 4 : 8) === 0 || lane === lanes - 1);
  const axis = s("g", { class: "axis", "aria-hidden": "true" }, ticks.map((lane) => s("text", { x: x(lane), y: 13, "text-anchor": "middle" }, lane)));
  const column = s("rect", { class: "column", width: pitch, y: HEAD - 4, height: y - HEAD + 8, x: -100, "aria-hidden": "true" });
  const element = s("svg", { viewBox: `0 0 ${whole} ${y + 6}`, width: whole, height: y + 6, role: "img", "aria-label": `Lanes 0 to ${lanes - 1} across, ${steps.length} steps down` }, column, axis, soft, marks, texts);
  const laneAt = (/** @type {MouseEvent} */ event) => {
    const at = Math.floor((event.clientX - element.getBoundingClientRect().left - SIDE) / pitch);
    return at >= 0 && at < lanes ? { subgroup: cursor.chosen()?.subgroup ?? 0, lane: at, element: null } : null;
  };
  element.addEventListener("pointermove", (event) => event.pointerType === "mouse" && cursor.point(laneAt(event)));
  element.addEventListener("pointerleave", () => cursor.point(null));
  element.addEventListener("click", (event) => cursor.choose(laneAt(event)));
  /** Highlights the flow of a lane's value. @param {import("./cursor.js").Place | null} place */
  const mark = (place) => {
    marks.replaceChildren();
    column.setAttribute("x", String(place === null ? -100 : x(place.lane) - pitch / 2));
    if (place === null) return;
    passed.arrived = null;
    for (const marker of markers) marker(place);
  };
  return { element, mark };
}

/** Returns the title of a step. @param {Api.Exchange} step */
function named(step) {
  return `${step.what ? `${step.what}: ` : ""}${step.name}${step.only_on_ties ? " (on ties)" : ""}`;
}

/**
 * Draws the lines of a step.
 * @param {Api.Exchange} step
 * @param {(lane: number) => number} x
 * @param {Band} band
 */
function links(step, x, { high, low }) {
  return step.from.map((from, lane) => (from === null ? "" : `M${x(from).toFixed(1)} ${high}L${x(lane).toFixed(1)} ${low}`)).join("");
}

/**
 * Draws the highlighted lines of a step.
 * @param {SVGElement} marks
 * @param {Api.Exchange} step
 * @param {import("./flow.js").Flow} flow
 * @param {(lane: number) => number} x
 * @param {Band} band
 */
function markFlow(marks, step, flow, x, { high, low }) {
  const spread = step.from.map((from, lane) => (from !== null && flow.before.has(from) ? `M${x(from)} ${high}L${x(lane)} ${low}` : "")).join("");
  const kept = [...flow.before].map((lane) => `M${x(lane)} ${high}V${low}`).join("");
  marks.append(s("path", { class: "spread", d: spread }), s("path", { class: "kept", d: kept }));
  if (flow.link !== null) marks.append(s("path", { class: "way", d: `M${x(flow.link[0])} ${high}L${x(flow.link[1])} ${low}` }));
  // A line of length 0 with round ends is drawn as a dot.
  const dots = (/** @type {Set<number>} */ set, /** @type {number} */ y) => [...set].map((lane) => `M${x(lane)} ${y}h0`).join("");
  marks.append(s("path", { class: "dots", d: dots(flow.before, high) + dots(flow.after, low) }));
}

/**
 * Draws a step through LDS or memory: writers as boxes, with lines to their readers.
 * @param {Api.Exchange} step
 * @param {Api.Layout} layout
 * @param {number} y
 * @param {(lane: number) => number} x
 * @param {number} width
 */
function boxes(step, layout, y, x, width) {
  const isGrid = step.kind === "memory";
  const lanes = layout.subgroup_size;
  const count = isGrid ? layout.split : layout.subgroups;
  const shown = Math.min(count, 32);
  const wide = (width - 2 * SIDE) / shown;
  const middle = (/** @type {number} */ i) => SIDE + (Math.min(i, shown - 1) + 0.5) * wide;
  const [high, low] = [y + LABEL + 18, y + LABEL + BOXES - 6];
  const noun = isGrid ? "workgroup" : "subgroup";
  const texts = [
    s("text", { x: SIDE, y: y + 12 }, named(step)),
    ...[...Array(shown).keys()].map((i) => s("text", { x: middle(i), y: high - 5, "text-anchor": "middle" }, wide > 90 ? `${noun} ${i}` : i === shown - 1 && count > shown ? "…" : i)),
  ];
  const soft = [...Array(shown).keys()].map((i) => s("rect", { class: "writer", x: middle(i) - wide / 2 + 1, y: y + LABEL, width: wide - 2, height: 18, rx: 3 }));
  /** @type {[number, number][]} pairs of writers and readers */
  const pairs = isGrid
    ? [...Array(shown).keys()].map((i) => /** @type {[number, number]} */ ([i, -1]))
    : step.from.flatMap((from, thread) => (from === null ? [] : [/** @type {[number, number]} */ ([Math.floor(from / lanes), thread % lanes])]));
  const readers = new Set(step.from.flatMap((from, thread) => (from === null ? [] : [Math.floor(thread / lanes)]))).size;
  if (readers > 1) texts[0].append(` (by lanes of ${format.counted(readers, "subgroup")})`);
  const line = ([writer, reader] = [0, 0]) => `M${middle(writer).toFixed(1)} ${high}L${(reader < 0 ? width / 2 : x(reader)).toFixed(1)} ${low}`;
  const path = s("path", { d: pairs.map(line).join("") });
  if (isGrid) texts.push(s("text", { x: width / 2 + 8, y: low + 2 }, "the last to finish"));
  /**
   * Highlights the boxes of a lane.
   * @param {SVGElement} marks
   * @param {import("./cursor.js").Place} place
   */
  const mark = (marks, place) => {
    const writer = isGrid ? 0 : place.subgroup;
    const own = pairs.filter(([from]) => from === writer);
    marks.append(s("rect", { class: "writer", x: middle(writer) - wide / 2 + 1, y: y + LABEL, width: wide - 2, height: 18, rx: 3 }));
    if (own.length === 0) marks.append(s("text", { class: "later", x: middle(writer), y: high + 14, "text-anchor": "middle" }, "read in a later round"));
    marks.append(s("path", { class: "way", d: own.map(line).join("") }));
    return new Set(own.map(([, reader]) => reader).filter((reader) => reader >= 0));
  };
  return { soft: [...soft, path], texts, mark };
}

/** Returns the exchange as a table. @param {Api.Exchange[]} steps */
function twin(steps) {
  const columns = ["step", "scope", "what", "name", "kind", "only on ties", "lane", "receives from"];
  const rows = steps.flatMap((step, k) => {
    const same = [k, step.scope, step.what ?? null, step.name, step.kind, step.only_on_ties ? "yes" : "no"];
    const pairs = step.from.flatMap((from, lane) => (from === null ? [] : [[...same, lane, from]]));
    return pairs.length > 0 ? pairs : [[...same, null, null]];
  });
  return { columns, rows };
}
