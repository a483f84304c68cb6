// @ts-check
// The head of a study: identity, progress, figures and actions.

import { ApiError, post } from "../api.js";
import { h, replace } from "../dom.js";
import * as format from "../format.js";
import * as marks from "../parts/marks.js";
import { address } from "../router.js";
import { bestOf } from "./trials.js";

/** @typedef {"pause" | "resume" | "cancel"} Act */

/** Actions in each state. @type {Record<Api.RunState, [Act, string, string][]>} */
const ACTS = {
  waiting: [["pause", "Pause", ""], ["cancel", "Cancel", "danger"]],
  running: [["pause", "Pause", ""], ["cancel", "Cancel", "danger"]],
  paused: [["resume", "Resume", "main"], ["cancel", "Cancel", "danger"]],
  cancelled: [["resume", "Resume", ""]],
  failed: [["resume", "Try again", "main"]],
  done: [],
};

/**
 * Creates the head.
 * @param {Api.StudySummary} record
 * @param {Api.Run | null} run the service's run; null for a study by command
 * @param {AbortSignal} signal
 * @param {() => void} resumed called after a resume
 */
export function head(record, run, signal, resumed) {
  /**
   * @type {{ run: Api.Run | null, trials: Api.VerdictCounts, default: number | null, best:
   *   Pick<Api.BestTrial, "ordinal" | "time_us"> | null }}
   */
  const now = { run, trials: record.trials, default: record.default_time_us, best: record.best };
  const state = h("div", { class: "row", "aria-live": "polite" });
  const acts = h("div", { class: "row" });
  const figures = h("div", {});
  const said = h("p", { class: "fault", role: "alert" });
  /** @type {Api.RunState | null} */
  let drawn = null;

  function drawState() {
    if (now.run === null) {
      replace(state, h("span", { class: "quiet" }, record.workers.length > 0 ? `${record.workers.join(", ")} works on it` : "made by a command"));
      return;
    }
    const { state: name, progress, reason } = now.run;
    replace(state, marks.state(name), progress && marks.progress(progress.done, progress.total, "Trials"), progress?.is_in_finals && h("span", { class: "quiet" }, "in finals"), reason && h("span", { class: "break" }, reason));
    // Events arrive faster than a click takes. A button that is redrawn during a click would not
    // receive it.
    if (drawn !== name) replace(acts, ACTS[name].map(([act, text, looks]) => h("button", { class: looks, onclick: () => void ask(act) }, text)));
    drawn = name;
  }

  /** Requests an action. @param {Act} act */
  async function ask(act) {
    said.textContent = "";
    try {
      now.run = await post(`/api/v1/studies/${record.id}/${act}`, {}, signal);
      drawState();
      if (act === "resume") resumed();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      said.textContent = error.status === 403 ? `The token lacks a scope: ${error.message}` : error.message;
    }
  }

  function drawFigures() {
    const { best, trials } = now;
    const speedup = best && now.default !== null ? now.default / best.time_us : null;
    const finals = record.finals;
    const interval = finals ? h("small", {}, ` ${format.ratio(finals.low)} to ${format.ratio(finals.high)} in finals`) : null;
    const link = best === null ? "–" : h("a", { href: address(["configuration"], { study: record.id, trial: best.ordinal }) }, marks.time(best.time_us, record.clock));
    const distance = best && record.bound_us ? [marks.time(record.bound_us, record.clock), h("small", {}, ` ${format.ratio(best.time_us / record.bound_us)} of it`)] : "–";
    const untuned = now.default === null ? h("span", { class: "quiet" }, "not served") : marks.time(now.default, record.clock);
    replace(figures, marks.facts(
      marks.figure("Best", link),
      marks.figure("Default", untuned),
      marks.figure("Speedup", format.ratio(speedup), interval),
      marks.figure("Bound", distance),
      marks.figure("Trials", format.count(trials.total)),
      marks.figure("Right, tie, wrong, failed, timed", [trials.right, trials.tie, trials.wrong, trials.failed, trials.timed].map(format.count).join(", ")),
    ));
  }

  drawState();
  drawFigures();
  const element = h("div", { class: "stack" },
    h("header", { class: "heading" },
      h("div", {}, h("h1", {}, h("a", { href: address(["problem"], { problem: record.problem, target: record.target }) }, h("code", {}, record.problem))),
        h("p", { class: "row quiet" }, h("span", {}, `Study ${record.id}`), h("span", {}, `${record.device}, ${record.target}`), h("span", {}, `${record.generator} kernels`), marks.clock(record.clock), state)),
      acts),
    said,
    h("div", { class: "panel stack" }, figures, origin(record)));
  return {
    element,
    isRunning: () => now.run?.state === "running" || now.run?.state === "waiting",
    /** Shows an event. @param {Api.RunEvent} event */
    hear(event) {
      if (now.run === null) return;
      now.run = { ...now.run, state: event.state, reason: event.reason, progress: event.progress ?? now.run.progress };
      drawState();
    },
    /** Shows the figures of the trials. @param {import("./trials.js").Trials} trials */
    draw(trials) {
      const of = (/** @type {string} */ status) => trials.status.reduce((sum, one) => sum + Number(one === status), 0);
      now.trials = { total: trials.length, right: of("right"), tie: of("tie"), wrong: of("wrong"), failed: of("failed"), timed: of("timed") };
      const place = bestOf(trials, record.ties === "any");
      const first = trials.role.indexOf("default");
      if (first >= 0 && trials.status[first] !== "wrong") now.default = trials.time[first];
      const time = place === null ? null : trials.time[place];
      if (place !== null && time !== null) now.best = { ordinal: trials.ordinal[place], time_us: time };
      drawFigures();
    },
  };
}

/** Creates the provenance of the study's numbers. @param {Api.StudySummary} record */
function origin(record) {
  const facts = [
    ["compiler", `${record.compiler} ${record.compiler_version}`],
    ["driver", record.driver],
    ["generator", `${record.generator} ${record.generator_version}`],
    ["timing", record.timing],
    ["strategy", `${record.strategy}, seed ${record.seed}`],
    ["space", record.space],
    ["first opened", record.first_opened],
    ["last opened", record.last_opened],
  ];
  return h("details", {}, h("summary", {}, "Provenance of the numbers"),
    h("dl", { class: "list" }, facts.filter(([, value]) => value !== "").flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
}
