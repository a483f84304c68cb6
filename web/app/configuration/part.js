// @ts-check
// A part of a page that has an answer of its own: it waits and fails by itself, while the rest stands.

import { isGone, Trouble } from "../api.js";
import { h, replace } from "../dom.js";
import { failed, waiting } from "../parts/notice.js";

/**
 * @template Answer
 * @param {string} title
 * @param {() => Promise<Answer>} read
 * @param {(answer: Answer) => import("../dom.js").Children} show
 * @param {{ signal: AbortSignal, advice?: (trouble: Trouble) => string | null }} how advice: what to do about a trouble that is known
 */
export function part(title, read, show, how) {
  const box = h("div", {});
  const section = h("section", { class: "stack", "aria-label": title }, h("h2", {}, title), box);
  const load = async () => {
    replace(box, waiting());
    try {
      const answer = await read();
      if (!how.signal.aborted) replace(box, show(answer));
    } catch (error) {
      if (how.signal.aborted || isGone(error)) return;
      replace(box, trouble(error, how.advice, load));
      if (!(error instanceof Trouble)) throw error;
    }
  };
  void load();
  return section;
}

/**
 * @param {unknown} error
 * @param {((trouble: Trouble) => string | null) | undefined} advice
 * @param {() => void} again
 */
function trouble(error, advice, again) {
  const known = error instanceof Trouble ? (advice?.(error) ?? null) : null;
  if (known === null) return lower(failed(error, again));
  const { title, message } = /** @type {Trouble} */ (error);
  return h("div", { class: "notice none panel" }, h("h3", {}, title), h("p", { class: "break" }, message), h("p", {}, known));
}

/** A notice below a heading of its own has one of the next level. @param {HTMLElement} notice */
function lower(notice) {
  const heading = notice.querySelector("h2");
  heading?.replaceWith(h("h3", {}, heading.textContent));
  return notice;
}
