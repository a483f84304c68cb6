// @ts-check
// The page of a study without trials: it waits for an agent, or never started.

import { get, post } from "../api.js";
import { h, replace } from "../dom.js";
import { lendCommand } from "../parts/devices.js";
import * as marks from "../parts/marks.js";
import { repeat } from "../parts/repeat.js";
import { reload } from "../router.js";

/** Pause between requests, in milliseconds. */
const PAUSE_MS = 500;

/**
 * Creates the page.
 * @param {number} id
 * @param {AbortSignal} signal
 */
export async function notStartedPage(id, signal) {
  const run = await get(`/api/v1/studies/${id}`, signal);
  const state = h("div", { class: "row", "aria-live": "polite" });
  const said = h("div", { class: "stack" });
  const device = run.device ?? `a device of ${run.target}`;
  const cancel = h("button", { class: "danger", onclick: () => void post(`/api/v1/studies/${id}/cancel`, {}, signal).then(draw) }, "Cancel");

  function draw(/** @type {Api.Run} */ now) {
    cancel.hidden = now.state === "cancelled" || now.state === "failed";
    replace(state, marks.state(now.state));
    if (now.state !== "waiting") {
      replace(said, h("p", {}, now.reason ?? (now.state === "running" ? "It starts in a moment." : "It was not started.")));
      return;
    }
    replace(said, h("p", {}, `No agent lends ${device} with ${now.generator} kernels. The study starts when one does. This command lends it:`),
      lendCommand(run.device ?? "hip:0", now.generator));
  }

  draw(run);
  repeat(PAUSE_MS, signal, async () => {
    const now = await get(`/api/v1/studies/${id}`, signal);
    if (now.id !== id || (await get(`/api/v1/records/${id}`, signal).then(() => true, () => false))) reload();
    else draw(now);
  });
  const element = h("div", { class: "page" },
    h("header", { class: "heading" }, h("div", {}, h("h1", {}, h("code", {}, run.problem)),
      h("p", { class: "row quiet" }, h("span", {}, `Study ${id}`), h("span", {}, `${device}, ${run.generator} kernels`), state)), cancel),
    h("div", { class: "panel stack" }, said));
  return { title: `Study ${id}, ${run.problem}`, element };
}
