// @ts-check
// The verdict on each kernel of a model.

import { h } from "../dom.js";
import * as marks from "../parts/marks.js";
import { none } from "../parts/notice.js";
import { anyTable } from "../parts/table.js";

/** Creates the section. @param {Api.ModelJudgement} judgement */
export function verdicts({ kernels, clock }) {
  // A tuning spec without effect is of no interest.
  const rows = kernels.filter((kernel) => kernel.problem !== null || kernel.kept || kernel.before_us > 0);
  /** @type {import("../parts/table.js").Column<Api.JudgedKernel>[]} */
  const columns = [
    { name: "Kernel", class: "problem", cell: ({ problem }) => (problem === null ? "the tuning spec" : marks.problem(problem)) },
    { name: "Verdict", class: "nowrap", cell: ({ kept }) => h("span", { class: `verdict ${kept ? "right" : "tie"}` }, h("span", { "aria-hidden": "true" }, kept ? "●" : "○"), kept ? " stays" : " left alone") },
    { name: "Without", number: true, cell: (kernel) => figure(kernel.before_us, clock, kernel.before_is_bound ? "more than" : "") },
    { name: "With", number: true, cell: (kernel) => figure(kernel.after_us, clock, kernel.after_is_bound ? "about" : "") },
    { name: "Launches", number: true, cell: ({ launches }) => launches },
    { name: "Reason", wide: true, class: "reason", cell: ({ reason }) => reason },
  ];
  const list = rows.length === 0
    ? none("No kernel to place", "The database has no kernel for an operation of this model. ", h("code", {}, "wavetune tune model.mlir"), " tunes them.")
    : anyTable("Kernels of the model", columns, rows);
  return h("section", { class: "stack", "aria-labelledby": "kernels" }, h("h2", { id: "kernels" }, "Kernels"), list);
}

/**
 * Creates a time, or a dash for a kernel that changes nothing.
 * @param {number} us
 * @param {Api.Clock} clock
 * @param {"" | "more than" | "about"} qualifier
 */
function figure(us, clock, qualifier) {
  return marks.time(us > 0 ? us : null, clock, qualifier);
}
