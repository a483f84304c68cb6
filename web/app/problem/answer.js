// @ts-check
// The answer of a lookup, with all candidates in order of preference.

import { withQuery, get, isAborted } from "../api.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { copyable } from "../parts/copy.js";
import { lookup } from "../parts/lookup.js";
import * as marks from "../parts/marks.js";
import { failed } from "../parts/notice.js";
import { table } from "../parts/table.js";
import { address } from "../router.js";

/** Rungs of the ladder, best first. */
const RUNGS = /** @type {Record<string, string>} */ ({
  exact: "This very problem was tuned for this target.",
  sibling: "The problem was tuned on another device of the target than the requested one.",
  neighbour: "A neighbour was tuned, which differs only in its sizes, and not by much. Its configuration is adapted to this shape.",
  predicted: "No similar problem was tuned. The time model expects this configuration to be the fastest.",
  default: "No similar problem was tuned: this is the generator's untuned configuration.",
  none: "There is no configuration.",
});

/** @typedef {Extract<Api.LookupAnswer, { answer: "exact" }>} Exact */
/**
 * @typedef {Extract<Api.LookupAnswer, { answer: "sibling" | "neighbour" | "predicted" | "default" }>}
 *   FallbackAnswer
 */

/**
 * Requests and creates the answer with its reasons.
 * @param {import("../parts/lookup.js").Question} question
 * @param {AbortSignal} signal
 */
export async function answer(question, signal) {
  const [found, ranking] = await Promise.all([
    lookup(question, signal),
    get(withQuery("/api/v1/rankings", question), signal).catch((error) => {
      if (isAborted(error)) throw error;
      return /** @type {Error} */ (error);
    }),
  ]);
  return [
    ladder("answer" in found ? found : null),
    said(found, ranking instanceof Error ? undefined : ranking.candidates[0], question),
    ranking instanceof Error ? failed(ranking) : why(ranking.candidates),
  ];
}

/**
 * Creates the panel of the answer.
 * @param {Api.BatchAnswer} found
 * @param {Api.Candidate | undefined} first
 * @param {import("../parts/lookup.js").Question} question
 */
function said(found, first, question) {
  if (!("answer" in found)) return none(found.detail, question);
  switch (found.answer) {
    case "exact": return known(found, first, question);
    case "none": return none(found.reason, question);
    default: return instead(found, question);
  }
}

/**
 * Creates the list of rungs.
 * @param {Api.LookupAnswer | null} found null if the question is invalid
 */
function ladder(found) {
  const tried = new Map((found !== null && "tried" in found ? found.tried ?? [] : []).map(({ rung, reason }) => [/** @type {string} */ (rung), reason]));
  return h("ol", { class: "rungs", "aria-label": "Rungs of the ladder, best first" },
    Object.entries(RUNGS).map(([name, text]) => h("li", { "aria-current": name === found?.answer ? "step" : undefined },
      h("b", {}, name), " ", text, name === found?.answer ? h("span", {}, " ← the answer") : null,
      name !== "exact" && tried.has(name) && h("span", { class: "quiet break" }, ` Not here: ${tried.get(name)}.`))));
}

/**
 * Creates the panel of an exact answer.
 * @param {Exact} found
 * @param {Api.Candidate | undefined} first
 * @param {import("../parts/lookup.js").Question} question
 */
function known(found, first, question) {
  return h("div", { class: "panel stack" },
    timed(found),
    copyable(JSON.stringify(found.configuration), "The configuration as JSON"),
    h("p", { class: "row" },
      first && h("a", { class: "button", href: address(["configuration"], { study: first.study, trial: first.ordinal }) }, "See the configuration"),
      h("span", { class: "quiet" }, "The same on the command line: ", h("code", { class: "break" }, command(question)))));
}

/** Creates the figures of an exact answer. @param {Exact} found */
function timed(found) {
  const { provenance } = found;
  return h("div", { class: "stack" },
    marks.facts(
      marks.figure("Time", marks.time(found.time_us, found.clock)),
      marks.figure("Speed over the default", format.ratio(found.speedup)),
      marks.figure("The default", marks.time(found.default_time_us, found.clock)),
      marks.figure("Device", provenance.device),
      marks.figure("Generator", found.generator),
    ),
    h("p", { class: "row" }, marks.verdict(found.status), marks.clock(found.clock),
      h("span", { class: "quiet" }, `${provenance.compiler} ${provenance.compiler_version}; ${provenance.driver}; ${format.counted(provenance.samples, "sample")}; ${provenance.timing}; `, marks.ago(provenance.when))));
}

/**
 * Creates the panel of an answer from a lower rung.
 * @param {FallbackAnswer} found
 * @param {import("../parts/lookup.js").Question} question
 */
function instead(found, question) {
  const tuned = /** @type {Exact | undefined} */ (found.tuned);
  const exact = found.tried.find(({ rung }) => rung === "exact");
  return h("div", { class: "panel stack" },
    exact && h("p", { class: "break" }, exact.reason),
    h("p", {}, `A legal configuration of ${found.generator} kernels, which was never timed on this problem:`),
    copyable(JSON.stringify(found.configuration), "The configuration as JSON"),
    found.expected && h("p", {}, `The time model expects ${format.time(found.expected.time_us)} on ${found.expected.device}, and nine of ten times from ${format.time(found.expected.low_us)} to ${format.time(found.expected.high_us)}.`),
    tuned && h("div", { class: "stack" },
      h("p", {}, "It is from ", h("a", { href: address(["problem"], { problem: tuned.problem, target: tuned.target }) }, h("code", {}, tuned.problem)), ". These figures are of that problem:"),
      timed(tuned)),
    tune(question));
}

/**
 * Returns the same question as a command.
 * @param {import("../parts/lookup.js").Question} question
 */
function command({ problem, target, device, generator, ties }) {
  const options = [["device", device], ["generator", generator], ["ties", ties]].filter(([, value]) => value).map(([name, value]) => ` --${name} ${/\s/.test(value ?? "") ? `'${value}'` : value}`);
  return `wavetune lookup '${problem}' --target ${target}${options.join("")}`;
}

/**
 * Creates the panel of a missing answer.
 * @param {string} reason
 * @param {import("../parts/lookup.js").Question} question
 */
function none(reason, question) {
  return h("div", { class: "panel stack" }, h("p", { class: "break" }, reason), tune(question));
}

/**
 * Creates the link that tunes the problem.
 * @param {import("../parts/lookup.js").Question} question
 */
function tune({ problem, target, device, generator }) {
  return h("p", {}, h("a", { class: "button main", href: address(["new"], { problem, ...(device ? { device } : { target }), generator }) }, "Tune it"));
}

/** Creates the table of candidates. @param {Api.Candidate[]} candidates */
function why(candidates) {
  if (candidates.length === 0) return null;
  let place = 0;
  /** @type {import("../parts/table.js").Column<Api.Candidate>[]} */
  const columns = [
    { name: "Rank", number: true, cell: () => String((place += 1)) },
    { name: "Device", cell: (one) => one.provenance.device },
    { name: "Generator", cell: (one) => one.generator },
    { name: "Time", number: true, cell: (one) => marks.time(one.time_us, one.provenance.clock) },
    { name: "Clock", cell: (one) => marks.clock(one.provenance.clock) },
    { name: "Verdict", cell: (one) => marks.verdict(one.status) },
    { name: "Reason of its rank", wide: true, cell: (one) => reason(one.behind) },
    { name: "Compiler", class: "phone-hidden", cell: (one) => `${one.provenance.compiler} ${one.provenance.compiler_version}` },
    { name: "Driver", class: "phone-hidden", cell: (one) => one.provenance.driver },
    { name: "Trial", cell: (one) => h("a", { href: address(["configuration"], { study: one.study, trial: one.ordinal }) }, `${one.study}/${one.ordinal}`) },
  ];
  return h("div", { class: "stack" }, h("h3", {}, "Why: all candidates, in the order of preference"), table("Candidates of the lookup", columns, candidates));
}

/** Returns the reason of a candidate's rank. @param {Api.CandidateHandicap | null} behind */
function reason(behind) {
  if (behind === null) return h("b", {}, "the answer");
  switch (behind.why) {
    case "another-index": return "another tie-break";
    case "modelled": return "modelled, and the one before is measured";
    case "slower": return `${format.ratio(behind.times)} as long`;
  }
}
