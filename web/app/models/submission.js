// @ts-check
// The form that submits a module.

import { ApiError, ask } from "../api.js";
import { h, replace } from "../dom.js";
import { choice, field } from "../parts/field.js";
import { address, go } from "../router.js";

/** The default device, as on the command line. */
const DEVICE = "emulated:mi300x";

/** Creates the form. @param {import("../parts/devices.js").KnownDevice[]} known */
export function submissionForm(known) {
  const devices = known.filter(({ device }) => device.startsWith("emulated:"));
  const device = choice(devices.map((one) => ({ value: one.device, text: `${one.device} (${one.target})` })), (devices.find((one) => one.device === DEVICE) ?? devices[0])?.device ?? "", () => {});
  const fields = {
    module: field("Module", h("input", { type: "file", accept: ".mlir,text/plain" }), { help: ["MLIR as text, of at most 1 MiB with escapes, without weights. Convert ONNX with ", h("code", {}, "iree-import-onnx"), "."] }),
    device: field("Device", device, { help: "The emulated device of all times." }),
    counts: field("Dynamic sizes", h("input", { type: "text", value: "1..512", spellcheck: "false" }), { help: "The range of a size that only a call knows, such as a batch." }),
    options: field("Options of iree-compile", h("input", { type: "text", spellcheck: "false", placeholder: "--iree-opt-level=O3" }), { help: "Separated by spaces. Options that name files are refused." }),
  };
  const failure = h("div", { class: "stack", role: "alert" });
  const button = h("button", { type: "submit", class: "main" }, "Compare the model");

  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    for (const one of Object.values(fields)) one.fault();
    replace(failure);
    const file = /** @type {HTMLInputElement} */ (fields.module.control).files?.[0];
    if (file === undefined) {
      fields.module.fault("Choose a file.");
      fields.module.control.focus();
      return;
    }
    button.disabled = true;
    try {
      const target = devices.find((one) => one.device === device.value)?.target ?? "";
      const options = fields.options.control.value.split(/\s+/).filter((option) => option !== "");
      /** @type {Api.ModelRequest} */
      const body = { module: await file.text(), name: file.name.slice(0, 100), target, device: device.value, counts: fields.counts.control.value.trim(), options };
      const answer = await ask("/api/v1/models", { method: "POST", body });
      const { id } = /** @type {Api.SubmittedModel} */ (await answer.json());
      go(address(["model", id]));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const at = Object.entries(fields).find(([name]) => name === error.parameter)?.[1];
      if (at === undefined) replace(failure, h("div", { class: "panel bad stack" }, h("h3", {}, error.title), h("p", { class: "break" }, error.message), advice(error)));
      else {
        at.fault(error.message);
        at.control.focus();
      }
    } finally {
      button.disabled = false;
    }
  };

  return h("section", { class: "stack", "aria-labelledby": "submit" }, h("h2", { id: "submit" }, "Submit a model"),
    h("form", { class: "stack", onsubmit: send, novalidate: true },
      h("div", { class: "pair" }, Object.values(fields).map(({ element }) => element)), failure, h("div", { class: "row" }, button)));
}

/** Creates advice for an error; null if there is none. @param {ApiError} error */
function advice(error) {
  if (error.status === 403) return h("p", { class: "quiet" }, "The administrator of the service creates a token: ", h("code", {}, "wavetune token create NAME --scope read,submit"), ".");
  if (error.status === 413) return h("p", { class: "quiet" }, "Leave out the weights, for example by ", h("code", {}, "--mlir-elide-elementsattrs-if-larger=16"), ", or compare the model by ", h("code", {}, "wavetune tune model.mlir"), ".");
  return null;
}
