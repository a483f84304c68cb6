// @ts-check
// A section of a page with a request of its own. Its failure leaves the rest of the page intact.

import { isAborted, ApiError } from "../api.js";
import { freshId, h, replace } from "../dom.js";
import { failed, waiting } from "./notice.js";

/**
 * Creates the section.
 * @param {string} title
 * @param {() => Promise<import("../dom.js").Children>} build
 * @param {{ beside?: import("../dom.js").Children, below?: string }} [more] content beside the
 *   title, and a sentence below it
 */
export function section(title, build, more = {}) {
  const id = freshId("part");
  const body = h("div", { class: "stack" });
  const fill = async () => {
    replace(body, waiting());
    try {
      replace(body, await build());
    } catch (error) {
      if (isAborted(error)) return;
      replace(body, failed(error, () => void fill()));
      if (!(error instanceof ApiError)) throw error;
    }
  };
  void fill();
  return {
    element: h("section", { class: "stack", "aria-labelledby": id },
      h("div", { class: "heading" }, h("h2", { id }, title), h("div", { class: "row" }, more.beside)), more.below && h("p", { class: "quiet" }, more.below), body),
    fill,
  };
}
