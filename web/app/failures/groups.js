// @ts-check
// Failed trials in groups of one reason and message.

import { h } from "../dom.js";
import * as format from "../format.js";
import { groupBy } from "../parts/group.js";
import * as marks from "../parts/marks.js";
import { table } from "../parts/table.js";
import { address } from "../router.js";

/** The meaning of each reason. */
export const REASONS = /** @type {Record<string, string>} */ ({
  abandoned: "agents leased it and did not finish it",
  compile: "the compiler reported an error",
  timeout: "a launch or a compilation took longer than its limit",
  crash: "the process died in the kernel",
  rejected: "the device's library refused the code object or the launch",
  fault: "it accessed memory that is not its own",
  memory: "it needs more memory than the device has",
  nondeterministic: "two launches on one input gave different results",
  wrong: "its results differ from the reference",
});

/** The most trials that a group lists. */
const LISTED = 50;

/**
 * @typedef {object} Group
 * @property {string} reason
 * @property {string} message message of the first trial
 * @property {Api.Trial[]} trials
 */

/** Returns the reason of a failed trial: its failure, or its status. @param {Api.Trial} trial */
export function reasonOf(trial) {
  return trial.failure ?? trial.status;
}

/**
 * Returns a message without addresses and numbers, which differ between messages of one cause.
 * @param {string} message
 */
export function generalise(message) {
  return message.replaceAll(/0x[0-9a-f]+/gi, "0x…").replaceAll(/\d+/g, "…");
}

/** Returns the groups, the largest first. @param {Api.Trial[]} trials @returns {Group[]} */
export function groupFailures(trials) {
  const groups = groupBy(trials, (trial) => JSON.stringify([reasonOf(trial), generalise(trial.message ?? "")]));
  const found = [...groups.values()].map((trials) => ({ reason: reasonOf(trials[0]), message: trials[0].message ?? "No message.", trials }));
  return found.sort((one, other) => other.trials.length - one.trials.length);
}

/** Creates the card of a reason with its groups. @param {string} reason @param {Group[]} groups */
export function reasonCard(reason, groups) {
  const trials = groups.reduce((sum, group) => sum + group.trials.length, 0);
  return h("article", { class: "panel stack" },
    h("div", { class: "heading" }, h("h3", {}, `${reason}: ${REASONS[reason] ?? "another reason"}`), h("b", {}, format.counted(trials, "trial"))),
    groups.map(said));
}

/** Creates the view of a group. @param {Group} group */
function said({ reason, message, trials }) {
  const studies = [...new Set(trials.map((trial) => trial.study))];
  /** @type {import("../parts/table.js").Column<Api.Trial>[]} */
  const columns = [
    { name: "Trial", cell: (trial) => h("a", { href: address(["configuration"], { study: trial.study, trial: trial.ordinal }) }, `${trial.study}/${trial.ordinal}`) },
    { name: "Role", cell: (trial) => trial.role },
    { name: "Ended", cell: (trial) => marks.ago(trial.ended) },
    { name: "Said", wide: true, class: "log", cell: (trial) => trial.message ?? "–" },
  ];
  return h("div", {},
    h("pre", { class: "log", tabindex: "0", role: "region", "aria-label": `${reason}: ${message.slice(0, 60)}` }, message),
    h("details", { class: "stack" }, h("summary", {}, `${format.counted(trials.length, "trial")} of ${format.counted(studies.length, "study", "studies")}`),
      trials.length > LISTED && h("p", { class: "quiet" }, `The first ${LISTED}.`), table(`Trials, ${reason}: ${message.slice(0, 60)}`, columns, trials.slice(0, LISTED))));
}
