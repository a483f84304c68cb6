// @ts-check
// The table of marked trials.

import { h, put, replace } from "../dom.js";
import * as format from "../format.js";
import * as marks from "../parts/marks.js";
import { longTable } from "../parts/table.js";
import { address, remember } from "../router.js";
import { TIME, heightOf } from "./parallel.js";

const STATUSES = ["right", "tie", "wrong", "failed", "timed"];

/**
 * Creates the table.
 * @param {import("./trials.js").Trials} trials
 * @param {import("./selection.js").TrialSelection} marked
 * @param {Api.Clock} clock
 * @param {URLSearchParams} query
 */
export function list(trials, marked, clock, query) {
  let by = query.get("sort") ?? "trial";
  const said = h("p", { class: "quiet", role: "status" });
  const holder = h("div", {});
  let names = "";
  /** @type {ReturnType<typeof longTable<number>> | null} */
  let table = null;
  const sorting = () => ({ by, choose: (/** @type {string} */ next) => {
    by = next;
    remember({ sort: next === "trial" ? null : next });
    draw();
  } });

  /**
   * Sort keys by the name of the order.
   * @type {Record<string, (i: number) => number | string | null>}
   */
  const orders = {
    trial: (i) => trials.ordinal[i],
    time: (i) => trials.time[i],
    compile: (i) => trials.compile[i],
    verdict: (i) => trials.failure[i] ?? trials.status[i],
  };

  function columns() {
    const first = trials.role.indexOf("default");
    const untuned = first < 0 ? null : trials.time[first];
    return [
      { name: "Trial", sort: "trial", number: true, cell: (/** @type {number} */ i) => h("a", { href: address(["configuration"], { study: trials.study, trial: trials.ordinal[i] }) }, format.count(trials.ordinal[i])) },
      { name: "Verdict", sort: "verdict", cell: (/** @type {number} */ i) => marks.verdict(trials.status[i], trials.failure[i]) },
      { name: "Time", sort: "time", number: true, cell: (/** @type {number} */ i) => marks.time(trials.time[i], clock) },
      { name: "Speedup", number: true, class: "speedup", cell: (/** @type {number} */ i) => (untuned === null || trials.time[i] === null ? "–" : format.ratio(untuned / /** @type {number} */ (trials.time[i]))) },
      { name: "Compiled in", sort: "compile", number: true, class: "phone-hidden", cell: (/** @type {number} */ i) => (trials.compile[i] === null ? "–" : format.time(/** @type {number} */ (trials.compile[i]) * 1000)) },
      ...trials.varying.map(({ name }) => ({ name, sort: name, number: true, cell: (/** @type {number} */ i) => valueOf(name, i) })),
    ];
  }

  /** Returns the text of an attribute's value. @param {string} name @param {number} i */
  function valueOf(name, i) {
    const attribute = trials.attributes.find((one) => one.name === name);
    return attribute === undefined || attribute.codes[i] < 0 ? "–" : String(attribute.values[attribute.codes[i]]);
  }

  function draw() {
    const places = sorted();
    const now = trials.varying.map(({ name }) => name).join();
    if (table === null || now !== names) {
      names = now;
      table = longTable("Trials", columns(), { height: 32, view: 480, sorting: sorting() });
      replace(holder, table.element);
    }
    table.show({ count: places.length, at: (k) => places[k] }, sorting());
    said.textContent = places.length === trials.length ? format.counted(places.length, "trial") : `${format.count(places.length)} of ${format.counted(trials.length, "trial")} are marked`;
    drawFilters();
  }

  /**
   * All trials in the selected order, cached by order and length. A drag filters it without a new
   * sort.
   */
  let order = { of: "", places: /** @type {number[]} */ ([]) };

  /** Returns the indices of the marked trials, in order. */
  function sorted() {
    const of = `${by} ${trials.length}`;
    if (order.of !== of) order = { of, places: inOrder() };
    const { isMarked } = marked;
    return order.places.filter((i) => isMarked[i] === 1);
  }

  function inOrder() {
    const places = trials.ordinal.map((_, i) => i);
    const name = by.replace(/^-/, "");
    if (by === "trial") return places;
    const way = by.startsWith("-") ? -1 : 1;
    const attribute = trials.attributes.find((one) => one.name === name);
    const key = attribute ? (/** @type {number} */ i) => (attribute.codes[i] < 0 ? null : attribute.codes[i]) : (orders[name] ?? orders.trial);
    const keys = places.map(key);
    return places.sort((a, b) => {
      const [one, other] = [keys[a], keys[b]];
      if (one === null || other === null) return Number(one === null) - Number(other === null) || a - b;
      return one < other ? -way : one > other ? way : a - b;
    });
  }

  // Marks can be seen, changed and removed here without a pointer.
  const verdict = h("select", { id: "verdict", onchange: () => marked.choose(verdict.value) }, ["", ...STATUSES].map((one) => h("option", { value: one }, one === "" ? "all" : one)));
  const value = h("select", { id: "axis-value" });
  const axis = h("select", { id: "axis", onchange: () => offer() });
  const add = h("button", { type: "button", onclick: () => {
    const attribute = trials.varying.find(({ name }) => name === axis.value);
    if (attribute === undefined) return;
    const height = heightOf(value.selectedIndex, attribute.values.length);
    marked.mark(attribute.name, [height, height]);
    marked.settle();
  } }, "Mark");
  const chips = h("div", { class: "row", role: "group", "aria-label": "Marks" });
  const attributes = [labelled("Attribute", axis), labelled("Value", value), add];
  const filters = h("div", { class: "filters" }, labelled("Verdict", verdict), attributes, chips);

  /** Lists the values of the selected attribute. They grow while a study runs. */
  function offer() {
    const values = trials.varying.find(({ name }) => name === axis.value)?.values ?? [];
    const before = value.value;
    if (values.join() !== [...value.options].map((one) => one.value).join()) replace(value, values.map((one) => h("option", {}, String(one))));
    if (values.map(String).includes(before)) value.value = before;
  }

  function drawFilters() {
    verdict.value = marked.status;
    const names = trials.varying.map(({ name }) => name);
    const before = axis.value;
    if (names.join() !== [...axis.options].map((one) => one.value).join()) replace(axis, names.map((name) => h("option", {}, name)));
    if (names.includes(before)) axis.value = before;
    offer();
    for (const element of attributes) element.hidden = names.length === 0;
    replace(chips, [...marked.ranges.keys()].map((name) =>
      h("button", { class: "small", type: "button", onclick: () => {
        marked.mark(name, null);
        marked.settle();
      } }, `${name}${name === TIME ? "" : `: ${marksOf(name)}`} ✕`)));
    if (marked.ranges.size > 0 || marked.status !== "") put(chips, h("button", { type: "button", onclick: () => marked.clear() }, "Mark all"));
    chips.hidden = chips.childElementCount === 0;
  }

  /** Returns the marked values of an axis as text. @param {string} name */
  function marksOf(name) {
    const attribute = trials.attributes.find((one) => one.name === name);
    const range = marked.range(name);
    if (attribute === undefined || range === null) return "";
    const fits = attribute.values.filter((_, code) => heightOf(code, attribute.values.length) >= range[0] - 0.004 && heightOf(code, attribute.values.length) <= range[1] + 0.004);
    return fits.length > 3 ? `${fits[0]} to ${fits[fits.length - 1]}` : fits.join(", ") || "none";
  }

  return { element: h("section", { class: "stack" }, h("div", { class: "heading" }, h("h2", {}, "Trials"), said), filters, holder), draw };
}

/** Creates a labelled control. @param {string} name @param {HTMLSelectElement} select */
function labelled(name, select) {
  return h("div", { class: "field" }, h("label", { for: select.id }, name), select);
}
