// @ts-check
// Notices in place of content: loading, failed, or empty.

import { ApiError } from "../api.js";
import { h } from "../dom.js";

/** Creates the notice of a pending answer. @param {string} [what] */
export function waiting(what = "Loading …") {
  return h("p", { class: "notice quiet waits", role: "status" }, what);
}

/**
 * Creates the notice of an error, with a retry button.
 * @param {unknown} error
 * @param {() => void} [again]
 * @param {"h1" | "h2"} [heading] h1 if the notice replaces a whole page
 */
export function failed(error, again, heading = "h2") {
  const title = error instanceof ApiError ? error.title : "This page has a bug";
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
 * Creates the notice of an empty list, with advice.
 * @param {string} title
 * @param {...import("../dom.js").Children} advice
 */
export function none(title, ...advice) {
  return h("section", { class: "notice none panel" }, h("h2", {}, title), h("p", {}, ...advice));
}
