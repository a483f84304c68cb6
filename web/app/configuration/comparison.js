// @ts-check
// Two configurations side by side: attributes, times, instructions and text.

import { h } from "../dom.js";
import * as format from "../format.js";
import * as marks from "../parts/marks.js";
import { table } from "../parts/table.js";
import { attributesOf, formatValue } from "./attributes.js";
import { FACTS, LIMITS, mix } from "./costs.js";
import { samples } from "./samples.js";
import { trialAddress } from "./subject.js";
import { textDiff } from "./isa.js";

/** @typedef {import("./subject.js").Subject} Subject */
/** @typedef {import("./subject.js").TrialSubject} TrialSubject */

/**
 * Creates the comparison that needs no kernel: times and attributes.
 * @param {Subject} subject
 * @param {Api.Explanation | null} said explanation of the subject
 * @param {TrialSubject} other
 * @param {AbortSignal} signal
 */
export function comparison(subject, said, other, signal) {
  return h(
    "div",
    { class: "stack" },
    same(subject, other),
    times(subject, other),
    h("div", { class: "columns" }, attributeDiff(subject, said, other), sideBySide(subject, other, signal)),
  );
}

/**
 * Returns a short name for a column beside the other configuration.
 * @param {Subject} of
 * @param {Subject} other
 */
export function shortName({ trial, study }, other) {
  if (trial === null) return "this one";
  return other.study?.id === study.id ? `trial ${trial.ordinal}` : `trial ${study.id}:${trial.ordinal}`;
}

/**
 * Creates a warning if problem, target, device or generator differ.
 * @param {Subject} subject
 * @param {Subject} other
 */
function same(subject, other) {
  const differ = /** @type {const} */ (["problem", "target", "device", "generator"]).filter((name) => subject[name] !== other[name] && (name !== "device" || subject.device !== null));
  if (differ.length === 0) return null;
  const text = differ.map((name) => `${name}: ${subject[name]} and ${other[name]}`).join("; ");
  return h("p", { class: "panel warn" }, h("b", {}, "They are not of the same kind: "), text, ".");
}

/**
 * Creates the comparison of times. It never compares a measured with a modelled time.
 * @param {Subject} subject
 * @param {TrialSubject} other
 */
function times(subject, other) {
  const [a, b] = [subject, other].map((one) => ({ ...one, clock: one.study?.clock ?? null, us: one.trial?.time_us ?? null }));
  const figure = (/** @type {typeof a} */ one, /** @type {import("../dom.js").Children} */ name) => marks.figure(String(name), one.us === null || one.clock === null ? "no time" : [marks.time(one.us, one.clock), " ", marks.clock(one.clock)]);
  const link = h("a", { href: trialAddress(other.study.id, other.trial.ordinal) }, other.name);
  const figures = [figure(a, subject.name), figure(b, other.name)];
  if (a.clock !== null && a.clock !== b.clock) {
    return h("div", { class: "panel stack" }, h("p", {}, link, ": one time is measured, the other modelled. Such times are not comparable."), h("div", {}, marks.facts(...figures)));
  }
  if (a.us === null || b.us === null || subject.problem !== other.problem || subject.device !== other.device) {
    return h("div", { class: "panel stack" }, h("p", {}, "Other: ", link), marks.facts(...figures));
  }
  const factor = b.us / a.us;
  const text = factor >= 1 ? `${format.ratio(factor)} as fast as the other` : `takes ${format.ratio(1 / factor)} the other's time`;
  return h("div", { class: "panel stack" }, h("p", {}, "Other: ", link), marks.facts(...figures, marks.figure(subject.trial === null ? "This one" : capital(shortName(subject, other)), h("span", { class: "speedup" }, text))));
}

/** @typedef {{ name: string, mine: unknown, others: unknown }} Row */

/**
 * Creates the table of both configurations' attributes.
 * @param {Subject} subject
 * @param {Api.Explanation | null} said
 * @param {Subject} other
 */
function attributeDiff(subject, said, other) {
  const mine = new Map(attributesOf(said?.configuration ?? subject.configuration ?? {}));
  const others = new Map(attributesOf(other.configuration ?? {}));
  /** @type {Row[]} */
  const rows = [...new Set([...mine.keys(), ...others.keys()])].map((name) => ({ name, mine: mine.get(name), others: others.get(name) }));
  const differs = (/** @type {Row} */ { mine, others }) => JSON.stringify(mine) !== JSON.stringify(others);
  const count = rows.filter(differs).length;
  const value = (/** @type {unknown} */ of) => (of === undefined ? h("span", { class: "quiet" }, "–") : h("code", { class: "nowrap" }, formatValue(of)));
  const columns = [
    { name: "Attribute", cell: (/** @type {Row} */ row) => [h("code", {}, row.name), differs(row) ? h("span", { class: "differs" }, " differs") : null] },
    { name: capital(shortName(subject, other)), cell: (/** @type {Row} */ row) => (differs(row) ? h("b", {}, value(row.mine)) : value(row.mine)) },
    { name: capital(shortName(other, subject)), cell: (/** @type {Row} */ row) => (differs(row) ? h("b", {}, value(row.others)) : value(row.others)) },
  ];
  rows.sort((x, y) => Number(differs(y)) - Number(differs(x)));
  return h("div", { class: "panel stack" }, h("h3", {}, "Attributes, side by side"), h("p", { class: "quiet" }, count === 0 ? "All are the same." : `${count} of ${rows.length} differ.`), table("Attributes of both", columns, rows));
}

/** Returns the text with a capital first letter. @param {string} text */
function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

/**
 * Creates the chart of both trials' samples, if both are measured.
 * @param {Subject} subject
 * @param {TrialSubject} other
 * @param {AbortSignal} signal
 */
function sideBySide(subject, other, signal) {
  if (subject.trial === null || subject.study.clock !== other.study.clock || subject.study.clock !== "measured") return null;
  return samples([subject, other].map((one) => ({ name: capital(shortName(one, one === subject ? other : subject)), trial: one.trial })), subject.study.clock, signal, "Samples of both");
}

/**
 * Creates the comparison of two kernels.
 * @param {Subject} subject
 * @param {Api.ExplainedKernel} kernel
 * @param {Subject} other
 * @param {Api.ExplainedKernel} others
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
export function kernels(subject, kernel, other, others, query, signal) {
  const names = [capital(shortName(subject, other)), capital(shortName(other, subject))];
  const isa = (/** @type {Api.ExplainedKernel} */ of, /** @type {string} */ name) => ({ name, text: of.stages.find((stage) => stage.name === "isa")?.text ?? "" });
  return h(
    "div",
    { class: "columns" },
    h("div", { class: "stack" }, mix([kernel.instructions, others.instructions], names, signal), launches(kernel, others, names)),
    textDiff(isa(others, shortName(other, subject)), isa(kernel, shortName(subject, other)), query),
  );
}

/**
 * Creates the table of launch parameters.
 * @param {Api.ExplainedKernel} kernel
 * @param {Api.ExplainedKernel} others
 * @param {string[]} names
 */
function launches(kernel, others, names) {
  /**
   * Returns launch parameters and occupancy in one object.
   * @param {Api.ExplainedKernel} of
   * @returns {Record<string, unknown>}
   */
  const flat = ({ launch, occupancy }) => ({ ...launch, waves_per_simd: occupancy?.waves_per_simd ?? null, limit: occupancy === null ? null : (LIMITS[occupancy.limit] ?? occupancy.limit) });
  const [mine, theirs] = [flat(kernel), flat(others)];
  const rows = Object.keys({ ...mine, ...theirs });
  const shown = (/** @type {unknown} */ value) => (value === null || value === undefined ? "–" : Array.isArray(value) ? value.map(format.count).join(" × ").replace(/( × 1)+$/, "") : typeof value === "number" ? String(Number(value.toFixed(2))) : String(value));
  const columns = [
    { name: "Launch", cell: (/** @type {string} */ name) => FACTS[name] ?? name.replaceAll("_", " ") },
    ...[mine, theirs].map((of, i) => ({ name: names[i], number: true, cell: (/** @type {string} */ name) => (shown(mine[name]) === shown(theirs[name]) ? shown(of[name]) : h("b", {}, shown(of[name]))) })),
  ];
  return h("div", { class: "panel stack" }, h("h3", {}, "Launch, side by side"), table("Launch facts of both", columns, rows));
}
