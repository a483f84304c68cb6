// @ts-check
// The page of exports: a preview of the tuning spec for a target, and kernels as files.

import { ask, withQuery, get, isAborted, ApiError } from "../api.js";
import { h, replace } from "../dom.js";
import { spec } from "../exports/spec.js";
import * as format from "../format.js";
import { readAllPages } from "../parts/all_pages.js";
import { copyable, save } from "../parts/copy.js";
import { choice, field, nameChoices } from "../parts/field.js";
import { failed, none } from "../parts/notice.js";
import { section } from "../parts/section.js";
import { address, remember } from "../router.js";

const CLOCKS = ["measured", "modelled"];

/** @type {import("../main.js").Page} */
export async function show({ query, signal }) {
  const [maps, devices] = await Promise.all([
    Promise.all(CLOCKS.map((clock) => get(withQuery("/api/v1/tuned:map", { clock }), signal))),
    get("/api/v1/devices", signal).catch(() => ({ devices: [] })),
  ]);
  const tuned = [...new Set(maps.flatMap((map) => map.targets.map((one) => one.name)))].sort();
  const rest = [...new Set(devices.devices.map((one) => one.target))].filter((one) => !tuned.includes(one));
  const set = { target: query.get("target") ?? (tuned.length === 0 || tuned.includes("gfx942") ? "gfx942" : tuned[0]), device: query.get("device") ?? "", compiler_version: query.get("compiler_version") ?? "", ties: query.get("ties") ?? "" };
  const same = (/** @type {string} */ name) => ({ value: name, text: name });
  const filters = h("div", { class: "filters" });

  const built = section("The tuning spec for iree-compile", async () => {
    try {
      return await spec(set, signal);
    } catch (error) {
      if (isAborted(error) || !(error instanceof ApiError)) throw error;
      return trouble(error, set);
    }
  });

  const draw = async () => {
    const known = await Promise.all(CLOCKS.map((clock) => readAllPages((page) => get(withQuery("/api/v1/tuned", { target: set.target, generator: "iree", clock, ...page }), signal), (page) => page.rows, 1000).then((said) => said.rows, () => [])));
    const rows = known.flat();
    const choose = (/** @type {keyof typeof set} */ name) => (/** @type {string} */ value) => {
      set[name] = value;
      if (name === "target") Object.assign(set, { device: "", compiler_version: "" });
      remember(set);
      files.show();
      if (name === "target") void draw();
      void built.fill();
    };
    replace(filters,
      field("Target", choice({ "Tuned for": tuned.map(same), "Nothing tuned for": rest.map(same) }, set.target, choose("target"))).element,
      field("Device", choice(nameChoices("any", rows.map((row) => row.device)), set.device, choose("device"))).element,
      field("Version of iree-compile", choice(nameChoices("the only one", rows.map((row) => row.provenance.compiler_version)), set.compiler_version, choose("compiler_version"))).element,
      field("Tie-break", choice([{ value: "", text: "reference" }, { value: "any", text: "any" }], set.ties, choose("ties"))).element);
  };
  const files = kernels(set, signal);
  await draw();

  const element = h("div", { class: "page" },
    h("header", {}, h("div", {}, h("h1", {}, "Exports"), h("p", {}, "The tuned kernels in the formats of other programs."))),
    filters, built.element, files.element);
  return { title: "Exports", element };
}

/**
 * Creates the notice of a failed export.
 * @param {ApiError} error
 * @param {{ target: string }} set
 */
function trouble(error, { target }) {
  if (error.status === 404) return none(`Nothing can be exported for ${target}`, `${error.message[0].toUpperCase()}${error.message.slice(1)}. A spec contains only kernels of the generator iree. `,
    // The service names a command only if it would help. It names none if the generator does not
    // support the target.
    error.message.includes("wavetune tune") && h("a", { href: address(["new"], { target, generator: "iree" }) }, "Tune with it"));
  if (error.status === 409) return none("There are several versions", error.message, " Choose one above.");
  return failed(error);
}

/**
 * Creates the section of kernels.
 * @param {{ target: string, device: string }} set
 * @param {AbortSignal} signal
 */
function kernels(set, signal) {
  const said = h("div", { class: "stack", role: "status" });
  const path = () => withQuery("/api/v1/exports/kernels", { target: set.target, device: set.device });
  const button = h("button", { onclick: async () => {
    button.disabled = true;
    replace(said, h("p", { class: "quiet waits" }, "The service builds the kernels, about one per second."));
    try {
      const blob = await (await ask(path(), { accept: "application/x-tar", signal })).blob();
      save(`kernels-${set.target}.tar`, blob);
      replace(said, h("p", {}, `kernels-${set.target}.tar, ${format.bytes(blob.size)}, is in your downloads. Its manifest.json has the launch parameters of each kernel.`));
    } catch (error) {
      if (isAborted(error)) return;
      if (!(error instanceof ApiError)) throw error;
      replace(said, error.status === 501
        ? none("This service builds no kernels", `${error.message}. `, "All other exports work; ", h("code", {}, `wavetune export kernels --target ${set.target} --out kernels`), " exports the kernels on a machine with LLVM.")
        : failed(error));
    } finally {
      button.disabled = false;
    }
  } }, "Download the kernels");
  const command = h("div", {});
  const show = () => replace(command, copyable(`curl "${location.origin}${path()}" | tar --extract --directory kernels`, "The same on the command line"));
  show();
  const element = h("section", { class: "stack", "aria-labelledby": "kernels" }, h("h2", { id: "kernels" }, "Kernels, for a program that launches them itself"),
    h("p", { class: "quiet" }, "A tar file with a code object and HIP C++ for each problem that was tuned for the chosen target and device. Its manifest has symbol, grid, block, LDS and arguments."),
    h("div", { class: "row" }, button), said, command);
  return { element, show };
}
