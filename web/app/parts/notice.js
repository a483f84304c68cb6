// @ts-check
// What stands where there is nothing else to show: it waits, it failed, there is none.

import { Trouble } from "../api.js";
import { h } from "../dom.js";

/** What is there until an answer comes. @param {string} [what] */
export function waiting(what = "Loading …") {
  return h("p", { class: "notice quiet waits", role: "status" }, what);
}

/**
 * Why there is nothing, and what to do.
 * @param {unknown} error
 * @param {() => void} [again]
 * @param {"h1" | "h2"} [heading] the first where it stands in place of a page
 */
export function failed(error, again, heading = "h2") {
  const title = error instanceof Trouble ? error.title : "This page has a bug";
  const detail = error instanceof Error ? error.message : String(error);
  return h(
    "section",
    { class: "notice failed panel", role: "alert" },
    h(heading, {}, title),
    h("p", { class: "break" }, detail),
    again && h("p", {}, h("button", { onclick: again }, "Try again")),
  );
}

/**
 * There is nothing of the kind: what would bring some.
 * @param {string} title
 * @param {...import("../dom.js").Children} advice
 */
export function none(title, ...advice) {
  return h("section", { class: "notice none panel" }, h("h2", {}, title), h("p", {}, ...advice));
}
