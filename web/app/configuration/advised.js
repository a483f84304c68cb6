// @ts-check
// Kernels are not to be had everywhere: what is said and advised where they are not.

import { Trouble } from "../api.js";
import { h } from "../dom.js";

/** What to do, by the status of the answer. @type {Record<number, string>} */
const ADVICE = {
  403: "Who looks after the service can give you a token that may do this.",
  422: "Without the stages of a kernel there is nothing to show here.",
  429: "Kernels are built a few at a time. Load the page again in a moment.",
  501: "Start the service where libLLVM is, or print the stages on a machine that has it: the line beside its attributes does so.",
};

/**
 * What is made of a kernel; where there is none for a reason that is known, the reason and what to do.
 * @template Answer
 * @param {() => Promise<Answer>} read
 * @param {(answer: Answer) => import("../dom.js").Children} show
 * @returns {() => Promise<import("../dom.js").Children>}
 */
export function advised(read, show) {
  return async () => {
    let answer;
    try {
      answer = await read();
    } catch (error) {
      const advice = error instanceof Trouble ? ADVICE[error.status] : undefined;
      if (advice === undefined) throw error;
      const { title, message } = /** @type {Trouble} */ (error);
      return h("div", { class: "notice none panel" }, h("h3", {}, title), h("p", { class: "break" }, message), h("p", {}, advice));
    }
    return show(answer);
  };
}
