// @ts-check
// Small marks that mean the same on every page.

import { h } from "../dom.js";
import * as format from "../format.js";

/** Whose time something is. @param {Api.Clock} clock */
export function clock(clock) {
  const meaning = clock === "measured" ? "Times of a real GPU" : "Times of the emulator's model, not of a GPU";
  return h("span", { class: `clock ${clock}`, title: meaning }, clock);
}

/**
 * A time with its clock, which its looks tell: measured ones stand straight, modelled ones lean and are marked.
 * @param {number | null | undefined} us
 * @param {Api.Clock | null} clock none where there is no time
 */
export function time(us, clock) {
  if (us === null || us === undefined) return h("span", { class: "quiet" }, "–");
  const [number, unit] = format.time(us).split(" ");
  return h("span", { class: `time ${clock}`, title: `${us} µs, ${clock}` }, number, " ", h("small", {}, unit));
}

const VERDICTS = /** @type {Record<Api.Status, [string, string]>} */ ({
  right: ["●", "the reference results"],
  tie: ["◐", "the reference values, another tie-break"],
  wrong: ["✕", "results that differ from the reference"],
  failed: ["▲", "no results"],
});

/** A verdict. @param {Api.Status} status @param {string | null} [failure] */
export function verdict(status, failure) {
  const [mark, meaning] = VERDICTS[status];
  const text = failure ? `${status}: ${failure}` : status;
  return h("span", { class: `verdict ${status}`, title: meaning }, h("span", { "aria-hidden": "true" }, mark), " ", text);
}

/** The state of a study. @param {Api.RunState} state */
export function state(state) {
  return h("span", { class: `state ${state}` }, state);
}

/** How far something is. @param {number} done @param {number} total @param {string} name */
export function progress(done, total, name) {
  return h(
    "span",
    { class: "progress" },
    h("progress", { max: Math.max(total, 1), value: done, "aria-label": name }),
    h("span", { class: "number" }, `${format.count(done)} / ${format.count(total)}`),
  );
}

/** A problem, which breaks between its shape and its index where it must break. @param {string} text */
export function problem(text) {
  return h("code", {}, text.split(/(?<=:)(?=[a-z]+\d*$)/).flatMap((part, i) => (i > 0 ? [h("wbr"), part] : [part])));
}

/** A moment, as how long ago it was. @param {string} moment */
export function ago(moment) {
  return h("time", { datetime: moment, title: moment, class: "nowrap" }, format.ago(moment));
}

/** A number with what it is, for a row of figures. @param {string} name @param {...import("../dom.js").Children} value */
export function figure(name, ...value) {
  return h("div", { class: "fact" }, h("dt", {}, name), h("dd", {}, ...value));
}

/** Figures side by side. @param {...(HTMLElement | null | false)} figures */
export function facts(...figures) {
  return h("dl", { class: "facts" }, ...figures);
}
