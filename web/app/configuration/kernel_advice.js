// @ts-check
// Errors of kernel requests, with advice. A service without a compiler has no kernels.

import { ApiError } from "../api.js";
import { h } from "../dom.js";

/** Advice by HTTP status. @type {Record<number, string>} */
const ADVICE = {
  403: "Ask the administrator of the service for a token with the scope.",
  422: "This section shows the stages of a kernel, and this kernel has none.",
  429: "The service builds only a few kernels at once. Reload the page in a moment.",
  501: "Start the service on a machine with libLLVM, or print the stages on such a machine with the command beside the attributes.",
};

/**
 * Returns a builder of a section. It shows a kernel answer, or an expected error with its advice.
 * @template Answer
 * @param {() => Promise<Answer>} read
 * @param {(answer: Answer) => import("../dom.js").Children} show
 * @returns {() => Promise<import("../dom.js").Children>}
 */
export function withAdvice(read, show) {
  return async () => {
    let answer;
    try {
      answer = await read();
    } catch (error) {
      const advice = error instanceof ApiError ? ADVICE[error.status] : undefined;
      if (advice === undefined) throw error;
      const { title, message } = /** @type {ApiError} */ (error);
      return h("div", { class: "notice none panel" }, h("h3", {}, title), h("p", { class: "break" }, message), h("p", {}, advice));
    }
    return show(answer);
  };
}
