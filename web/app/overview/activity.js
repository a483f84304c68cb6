// @ts-check
// Current activity: running studies and agents.

import { withQuery, get, isAborted } from "../api.js";
import { h, put, replace } from "../dom.js";
import * as format from "../format.js";
import * as marks from "../parts/marks.js";
import { failed } from "../parts/notice.js";
import { table } from "../parts/table.js";
import { address } from "../router.js";

/** Pause between requests, in milliseconds. */
const PAUSE_MS = 3000;
/** The most studies in the list. */
const SHOWN = 6;

/** Creates the panel and updates it until `signal` is aborted. @param {AbortSignal} signal */
export function activity(signal) {
  const figures = h("div", {});
  const running = h("div", {});
  const element = h("section", { class: "panel stack", "aria-label": "Current activity" }, figures, running);
  const look = async () => {
    const [status, runs] = await Promise.all([get("/api/v1/status", signal), get(withQuery("/api/v1/studies", { state: "running", limit: SHOWN }), signal).catch(() => ({ studies: [] }))]);
    drawFigures(figures, status);
    drawRunning(running, runs.studies, status.running);
  };
  void (async () => {
    while (!signal.aborted) {
      try {
        if (!document.hidden) await look();
      } catch (error) {
        if (isAborted(error)) return;
        if (figures.childElementCount === 0) replace(figures, failed(error));
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  })();
  return element;
}

/** Draws the figures. @param {HTMLElement} figures @param {Api.ServiceStatus} status */
function drawFigures(figures, status) {
  const link = (/** @type {string} */ page, /** @type {number} */ value) => h("a", { href: address([page]) }, format.count(value));
  replace(figures, marks.facts(
    marks.figure("Problems", format.count(status.problems)),
    marks.figure("Studies under way", link("studies", status.running)),
    marks.figure("Agents", link("fleet", status.agents), status.quarantined > 0 && h("small", { class: "fault" }, ` ${format.counted(status.quarantined, "device")} in quarantine`)),
  ));
}

/**
 * Draws the running studies.
 * @param {HTMLElement} holder
 * @param {Api.Run[]} runs
 * @param {number} all
 */
function drawRunning(holder, runs, all) {
  if (runs.length === 0) {
    replace(holder);
    return;
  }
  const list = table("Studies under way", [
    { name: "Under way", wide: true, cell: (run) => h("a", { href: address(["study", run.id]) }, marks.problem(run.problem)) },
    { name: "Device", class: "phone-hidden", cell: (run) => run.device },
    { name: "Trials", cell: (run) => run.progress ? marks.progress(run.progress.done, run.progress.total, `Trials of study ${run.id}`) : "waits for an agent" },
    { name: "Best so far", number: true, cell: (run) => marks.time(run.progress?.best_us, run.clock) },
    { name: "Default", number: true, class: "phone-hidden", cell: (run) => marks.time(run.progress?.default_us, run.clock) },
  ], runs);
  replace(holder, list);
  if (all > runs.length) put(holder, h("p", {}, h("a", { href: address(["studies"]) }, `All ${format.count(all)}`)));
}
