// @ts-check
// The name and the state of a model.

import { h } from "../dom.js";
import * as format from "../format.js";

/** Returns the name of a model: the client's, or the beginning of its ID. @param {Api.SubmittedModel} model */
export function modelName({ name, id }) {
  return name ?? id.slice(0, 12);
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
