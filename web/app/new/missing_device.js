// @ts-check
// A warning if no agent lends a fitting device with the generator.

import { h } from "../dom.js";
import { lendCommand } from "../parts/devices.js";

/**
 * Creates the warning; null if a device is available.
 * @param {import("../parts/devices.js").KnownDevice[]} places
 * @param {import("./checks.js").FormContent} wanted
 */
export function missingDevice(places, { device, target, generator }) {
  const fit = places.filter((one) => (device === "" ? one.target === target : one.device === device));
  const lent = fit.filter((one) => one.generators.includes(generator));
  const what = device === "" ? `a device of ${target}` : device;
  if (lent.some((one) => !one.isHeld)) return null;
  if (lent.length > 0) return h("p", { class: "panel" }, `${what} is lent but in quarantine, because it failed or its times are unsteady. The study waits for it. The page `, h("a", { href: "#/fleet" }, "Fleet"), " has the reason.");
  const shown = device || fit[0]?.device || "hip:0";
  const others = [...new Set(fit.flatMap((one) => one.generators))];
  return h("div", { class: "panel stack bad" },
    h("p", {}, others.length > 0 ? `No agent lends ${what} with ${generator} kernels, only with ${others.join(" and ")}. Choose that, or run this command on a machine that can. The study waits for it:` : `No agent lends ${what} now. The study waits until one does. Run this command on a machine that has it:`),
    lendCommand(shown, generator),
    h("p", { class: "quiet" }, "This page notices when the agent is there."));
}
