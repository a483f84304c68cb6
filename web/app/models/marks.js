// @ts-check
// The name and the state of a model.

import { h } from "../dom.js";
import * as format from "../format.js";

/** Returns the name of a model: the client's, or the beginning of its ID. @param {Api.SubmittedModel} model */
export function modelName({ name, id }) {
  return name ?? id.slice(0, 12);
}

/** Returns the speedup of a model; a dash unless the time after is known. @param {Api.ModelGain | undefined} gain */
export function speedup(gain) {
  if (!gain?.before_us || (gain.after_bounded ?? 0) > 0) return format.ratio(null);
  const ratio = format.ratio(gain.before_us / gain.after_us);
  return (gain.before_bounded ?? 0) > 0 ? `> ${ratio}` : ratio;
}

/** Returns whether a model stays in this state. @param {Api.ModelState} state */
export function isFinal(state) {
  return state === "done" || state === "failed";
}

/** Creates the state of a model, with its progress. @param {Api.SubmittedModel} model */
export function modelState({ state, profiles }) {
  // Studies use the same colours for these states.
  const look = { queued: "waiting", compiling: "running", judging: "running", done: "done", failed: "failed" }[state];
  const progress = state === "judging" ? `, ${format.counted(profiles, "profile")}` : "";
  return h("span", { class: `state ${look}` }, state, progress);
}
