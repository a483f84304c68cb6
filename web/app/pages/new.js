// @ts-check
// The form of a new study: problems, device and effort, with live checks.

import { ApiError } from "../api.js";
import { connection } from "../connection.js";
import { h, replace } from "../dom.js";
import * as format from "../format.js";
import { loadDevices as ask } from "../parts/devices.js";
import { repeat } from "../parts/repeat.js";
import { submit } from "../parts/submit.js";
import { address, go, remember } from "../router.js";
import { canonicalProblems, checks, generators } from "../new/checks.js";
import { fields } from "../new/fields.js";
import { missingDevice } from "../new/missing_device.js";

/** @type {import("../main.js").Page} */
export async function show({ query, signal }) {
  let places = await ask(signal);
  const names = await generators(places, signal);
  const form = fields(query, places, names);
  const missing = h("div", { class: "stack", role: "status" });
  const failure = h("div", { class: "stack", role: "alert" });
  const button = h("button", { type: "submit", class: "main" }, "Start the study");

  const looked = checks(signal, names, (now) => {
    const wrong = now.findIndex(({ trouble }) => trouble !== undefined && trouble.parameter !== "comparator");
    const comparator = now.find(({ trouble }) => trouble?.parameter === "comparator")?.trouble;
    form.problem.fault(wrong < 0 ? null : `${now.length > 1 ? `Problem ${wrong + 1}: ` : ""}${now[wrong].trouble?.message}`);
    form.comparator.fault(comparator?.message);
  }, form.reach);

  const changed = (/** @type {boolean} */ isNow) => {
    const wanted = form.wanted(places);
    remember(form.set());
    replace(button, wanted.problems.length > 1 ? `Begin ${format.count(wanted.problems.length)} studies` : "Start the study");
    replace(missing, missingDevice(places, wanted));
    replace(failure);
    looked.look(wanted, isNow);
  };

  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    form.clear();
    replace(failure);
    const wanted = form.wanted(places);
    if (wanted.problems.length === 0) {
      form.problem.fault("Write a problem, such as argmax:4x[32000]xf32.");
      form.problem.control.focus();
      return;
    }
    button.disabled = true;
    try {
      const studies = await submit(form.body(wanted, await canonicalProblems(wanted)));
      go(studies.length === 1 ? address(["study", studies[0].id]) : address(["studies"]));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const at = form.at(error);
      if (at === null) replace(failure, h("div", { class: "panel bad stack" }, h("h3", {}, error.title), h("p", { class: "break" }, error.message), help(error)));
      else {
        at.fault(error.message);
        at.control.focus();
      }
    } finally {
      button.disabled = false;
    }
  };

  const element = h("div", { class: "page" },
    h("header", {}, h("div", {}, h("h1", {}, "New study"), h("p", {}, "A study tries configurations of one problem on one device. The service checks each against a reference, and times it if it is correct."))),
    h("form", { class: "columns new", onsubmit: send, novalidate: true, oninput: () => changed(false), onchange: () => changed(true) },
      h("div", { class: "stack" }, form.element, missing, failure, h("div", { class: "row" }, button)),
      h("section", { class: "stack", "aria-labelledby": "checked" }, h("h2", { id: "checked" }, "Checks of the service"), looked.element)));
  changed(true);
  // Checks that failed without a connection run again.
  connection.addEventListener("back", () => changed(true), { signal });
  repeat(3000, signal, async () => {
    const now = await ask(signal);
    if (JSON.stringify(now) === JSON.stringify(places)) return;
    places = now;
    form.offer(places);
    replace(missing, missingDevice(places, form.wanted(places)));
  });
  return { title: "New study", element };
}

/** Creates advice for an error; null if there is none. @param {ApiError} error */
function help(error) {
  if (error.status === 403) return h("p", { class: "quiet" }, "The administrator of the service creates one: ", h("code", {}, "wavetune token create NAME --scope read,submit"), ".");
  if (error.status === 503) return h("p", { class: "quiet" }, "No study was started. Your input stays here; submit it again later.");
  return null;
}
