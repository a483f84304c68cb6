// @ts-check
// The page of models: submitted modules with their times before and after, and the form that
// submits one.

import { get, isReport, withQuery } from "../api.js";
import { h, replace } from "../dom.js";
import { isFinal, modelName, modelState, speedup } from "../models/marks.js";
import { submissionForm } from "../models/submission.js";
import { loadDevices } from "../parts/devices.js";
import * as marks from "../parts/marks.js";
import { none } from "../parts/notice.js";
import { pagedTable } from "../parts/pages.js";
import { repeat } from "../parts/repeat.js";
import { address } from "../router.js";

/** Models of a page. */
const LIMIT = 100;

/** Pause between requests for the states of models, in milliseconds. */
const PAUSE_MS = 2000;

/** @type {import("../main.js").Page} */
export async function show({ signal }) {
  const ask = (/** @type {string} */ cursor) => get(withQuery("/api/v1/models", { limit: LIMIT, cursor }), signal);
  let [first, devices] = await Promise.all([ask(""), loadDevices(signal)]);
  const body = h("div", { class: "stack" });
  const draw = () => replace(body, first.models.length === 0
    ? none("No model yet", "Submit a module in MLIR below, or profile one by ", h("code", {}, "wavetune profile model.mlir"), ".")
    : pagedTable("Models, the last submitted first", COLUMNS, first, (page) => page.models, ask));
  draw();
  repeat(PAUSE_MS, signal, async () => {
    if (first.models.every(({ state }) => isFinal(state))) return;
    const now = await ask("");
    if (JSON.stringify(now) === JSON.stringify(first)) return;
    first = now;
    draw();
  });
  const element = h("div", { class: "page" },
    h("header", {}, h("div", {}, h("h1", {}, "Models"), h("p", {}, "A model is compiled by plain iree-compile and with the tuned kernels of this service. Only the kernels that make it faster stay."))),
    body,
    isReport ? null : submissionForm(devices));
  return { title: "Models", element };
}

/** @type {import("../parts/table.js").Column<Api.SubmittedModel>[]} */
const COLUMNS = [
  { name: "Model", wide: true, cell: (model) => h("a", { href: address(["model", model.id]) }, modelName(model)) },
  { name: "Before", number: true, cell: ({ gain }) => marks.time(gain?.before_us, "modelled", (gain?.before_bounded ?? 0) > 0 ? "more than" : "") },
  { name: "After", number: true, cell: ({ gain }) => marks.time(gain?.after_us, "modelled", (gain?.after_bounded ?? 0) > 0 ? "more than" : "") },
  { name: "Speedup", number: true, cell: ({ gain }) => speedup(gain) },
  { name: "Kernels kept", class: "nowrap", cell: ({ gain }) => (gain === undefined ? "–" : `${gain.kept} of ${gain.kept + gain.left_alone}`) },
  { name: "State", class: "nowrap", cell: modelState },
  { name: "Device", cell: ({ device }) => device },
  { name: "Submitted", class: "nowrap", cell: ({ asked }) => marks.ago(asked) },
];
