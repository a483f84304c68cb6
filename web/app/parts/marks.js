// @ts-check
// Small marks with one meaning on every page.

import { h } from "../dom.js";
import * as format from "../format.js";

/** Creates the mark of a clock. @param {Api.Clock} clock */
export function clock(clock) {
  const meaning = clock === "measured" ? "Times of a real GPU" : "Times of the emulator's model, not of a GPU";
  return h("span", { class: `clock ${clock}`, title: meaning }, clock);
}

/**
 * Creates a time with its clock: measured times are upright, modelled times slanted and marked.
 * @param {number | null | undefined} us
 * @param {Api.Clock | null} clock null if there is no time
 * @param {"" | "more than" | "about"} [qualifier] for a time that is not exact
 */
export function time(us, clock, qualifier = "") {
  if (us === null || us === undefined) return h("span", { class: "quiet" }, "–");
  const [number, unit] = format.time(us).split(" ");
  const sign = { "": "", "more than": "> ", about: "≈ " }[qualifier];
  return h("span", { class: `time ${clock}`, title: `${qualifier} ${us} µs, ${clock}`.trimStart() }, sign, number, " ", h("small", {}, unit));
}

const VERDICTS = /** @type {Record<Api.Status, [string, string]>} */ ({
  right: ["●", "the reference results"],
  tie: ["◐", "the reference values, another tie-break"],
  wrong: ["✕", "results that differ from the reference"],
  failed: ["▲", "no results"],
  timed: ["○", "too slow to be verified; nothing serves it"],
});

/** Creates the mark of a verdict. @param {Api.Status} status @param {string | null} [failure] */
export function verdict(status, failure) {
  const [mark, meaning] = VERDICTS[status];
  const text = failure ? `${status}: ${failure}` : status;
  return h("span", { class: `verdict ${status}`, title: meaning }, h("span", { "aria-hidden": "true" }, mark), " ", text);
}

/** Creates the mark of a study's state. @param {Api.RunState} state */
export function state(state) {
  return h("span", { class: `state ${state}` }, state);
}

/** Creates a progress bar. @param {number} done @param {number} total @param {string} name */
export function progress(done, total, name) {
  return h(
    "span",
    { class: "progress" },
    h("progress", { max: Math.max(total, 1), value: done, "aria-label": name }),
    h("span", { class: "number" }, `${format.count(done)} / ${format.count(total)}`),
  );
}

/**
 * Creates a problem's text, which may break between its shape and its index.
 * @param {string} text
 */
export function problem(text) {
  return h("code", {}, text.split(/(?<=:)(?=[a-z]+\d*$)/).flatMap((part, i) => (i > 0 ? [h("wbr"), part] : [part])));
}

/** Creates the age of a moment. @param {string} moment */
export function ago(moment) {
  return h("time", { datetime: moment, title: moment, class: "nowrap" }, format.ago(moment));
}

/**
 * Creates a figure with its name.
 * @param {string} name
 * @param {...import("../dom.js").Children} value
 */
export function figure(name, ...value) {
  return h("div", { class: "fact" }, h("dt", {}, name), h("dd", {}, ...value));
}

/** Creates a row of figures. @param {...(HTMLElement | null | false)} figures */
export function facts(...figures) {
  return h("dl", { class: "facts" }, ...figures);
}
