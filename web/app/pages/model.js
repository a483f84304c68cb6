// @ts-check
// The page of a model: its times before and after, the verdict on each kernel, and the commands of
// each call. It is live until the comparison ends.

import { get, isAborted, isReport } from "../api.js";
import { h, replace } from "../dom.js";
import { followEvents } from "../events.js";
import * as format from "../format.js";
import { callView } from "../models/call.js";
import { isFinal, modelName, modelState, speedup } from "../models/marks.js";
import { verdicts } from "../models/verdicts.js";
import * as marks from "../parts/marks.js";
import { failed as trouble, none } from "../parts/notice.js";

/** @type {import("../main.js").Page} */
export async function show({ rest, query, signal }) {
  const path = /** @type {"/api/v1/models/{id}"} */ (`/api/v1/models/${encodeURIComponent(rest[0] ?? "")}`);
  const read = () => get(path, signal);
  let judged = await read();
  const head = h("div", { class: "stack" });
  const body = h("div", { class: "stack" });
  const drawHead = (/** @type {Api.SubmittedModel} */ model) => replace(head, headOf(model));
  const draw = () => {
    drawHead(judged.model);
    replace(body, judged.comparison === null ? pending(judged.model) : comparisonView(judged.comparison, query, signal));
  };
  draw();
  const live = async () => {
    await followEvents(`${path}/events`, drawHead, ({ state }) => isFinal(state), signal);
    if (signal.aborted) return;
    judged = await read();
    draw();
  };
  if (!isFinal(judged.model.state) && !isReport) {
    void live().catch((error) => {
      if (!isAborted(error) && !signal.aborted) replace(body, trouble(error));
    });
  }
  const name = modelName(judged.model);
  return { title: name, element: h("div", { class: "page" }, head, body) };
}

/** Creates the title, the state and the figures of a model. @param {Api.SubmittedModel} model */
function headOf(model) {
  const { gain, target, device, counts, options, compiler, reason } = model;
  const facts = gain && marks.facts(
    marks.figure("Plain iree-compile", marks.time(gain.before_us, "modelled", (gain.before_bounded ?? 0) > 0 ? "more than" : "")),
    marks.figure("With tuned kernels", marks.time(gain.after_us, "modelled", (gain.after_bounded ?? 0) > 0 ? "more than" : "")),
    marks.figure("Speedup", speedup(gain)),
    marks.figure("Kernels that stay", `${gain.kept} of ${gain.kept + gain.left_alone}`),
    marks.figure("Calls", format.count(gain.calls)),
    gain.untimed > 0 && marks.figure("Commands without a time", format.count(gain.untimed)),
  );
  const built = [`iree-compile ${compiler}`, ...options].join(" ");
  return [
    h("header", {}, h("div", {}, h("h1", { class: "break" }, modelName(model)),
      h("p", {}, `${device} (${target}), dynamic sizes ${counts}. `, h("span", { class: "break" }, built), ".")), h("div", { role: "status" }, modelState(model))),
    reason === undefined ? null : h("section", { class: "panel bad stack" }, h("h2", {}, "The comparison failed"), h("pre", { class: "log", tabindex: "0", role: "region", "aria-label": "Reason" }, reason)),
    facts ?? null,
  ];
}

/** Creates the notice of a model without a comparison. @param {Api.SubmittedModel} model */
function pending({ state }) {
  if (state === "failed") return null;
  const text = state === "queued" ? "The service compares one model at a time." : "A comparison takes seconds to minutes. This page shows it when it is complete.";
  return none(state === "queued" ? "The model waits" : "The model is compared", text);
}

/**
 * Creates the view of a comparison.
 * @param {Api.ModelComparison} comparison
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
function comparisonView({ before, after, judgement }, query, signal) {
  return [verdicts(judgement), callView(before?.functions ?? null, after.functions, query, signal)];
}
