// @ts-check
// What a lookup answers, and why: the candidates in the order in which they are taken.

import { asked, get, isGone } from "../api.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { copyable } from "../parts/copy.js";
import { lookup } from "../parts/lookup.js";
import * as marks from "../parts/marks.js";
import { failed } from "../parts/notice.js";
import { table } from "../parts/table.js";
import { address } from "../router.js";

/** The rungs of the ladder, best first. */
const RUNGS = /** @type {Record<string, string>} */ ({
  exact: "This very problem was tuned for this target.",
  none: "Nothing that may be served is known.",
});

/**
 * @param {import("../parts/lookup.js").Question} question
 * @param {AbortSignal} signal
 */
export async function answer(question, signal) {
  const [found, ranking] = await Promise.all([
    lookup(question, signal),
    get(asked("/api/v1/rankings", question), signal).catch((error) => {
      if (isGone(error)) throw error;
      return /** @type {Error} */ (error);
    }),
  ]);
  return [
    ladder("answer" in found ? found.answer : null),
    "answer" in found && found.answer === "exact" ? known(found, ranking instanceof Error ? undefined : ranking.candidates[0], question) : none("detail" in found ? found.detail : found.reason, question),
    ranking instanceof Error ? failed(ranking) : why(ranking.candidates),
  ];
}

/** @param {string | null} rung none where the question is at fault */
function ladder(rung) {
  return h("ol", { class: "rungs", "aria-label": "Rungs of the ladder, best first" },
    Object.entries(RUNGS).map(([name, text]) => h("li", { "aria-current": name === rung ? "step" : undefined }, h("b", {}, name), " ", text, name === rung ? h("span", {}, " ← the answer") : null)));
}

/** @param {Extract<Api.Answer, { answer: "exact" }>} found @param {Api.Candidate | undefined} first @param {import("../parts/lookup.js").Question} question */
function known(found, first, question) {
  const { provenance } = found;
  const text = JSON.stringify(found.configuration);
  return h("div", { class: "panel stack" },
    marks.facts(
      marks.figure("Time", marks.time(found.time_us, found.clock)),
      marks.figure("Speed over the default", format.ratio(found.speedup)),
      marks.figure("The default", marks.time(found.default_time_us, found.clock)),
      marks.figure("Device", provenance.device),
      marks.figure("Generator", found.generator),
    ),
    h("p", { class: "row" }, marks.verdict(found.status), marks.clock(found.clock),
      h("span", { class: "quiet" }, `${provenance.compiler} ${provenance.compiler_version}; ${provenance.driver}; ${format.counted(provenance.samples, "sample")}; ${provenance.timing}; `, marks.ago(provenance.when))),
    copyable(text, "The configuration as JSON"),
    h("p", { class: "row" },
      first && h("a", { class: "button", href: address(["configuration"], { study: first.study, trial: first.ordinal }) }, "See the configuration"),
      h("span", { class: "quiet" }, "The same on the command line: ", h("code", { class: "break" }, command(question)))));
}

/** @param {import("../parts/lookup.js").Question} question */
function command({ problem, target, device, generator, ties }) {
  const options = [["device", device], ["generator", generator], ["ties", ties]].filter(([, value]) => value).map(([name, value]) => ` --${name} ${/\s/.test(value ?? "") ? `'${value}'` : value}`);
  return `wavetune lookup '${problem}' --target ${target}${options.join("")}`;
}

/** @param {string} reason @param {import("../parts/lookup.js").Question} question */
function none(reason, { problem, target, device, generator }) {
  return h("div", { class: "panel stack" }, h("p", { class: "break" }, reason),
    h("p", {}, h("a", { class: "button main", href: address(["new"], { problem, ...(device ? { device } : { target }), generator }) }, "Tune it")));
}

/** @param {Api.Candidate[]} candidates */
function why(candidates) {
  if (candidates.length === 0) return null;
  let place = 0;
  /** @type {import("../parts/table.js").Column<Api.Candidate>[]} */
  const columns = [
    { name: "Place", number: true, cell: () => String((place += 1)) },
    { name: "Device", cell: (one) => one.provenance.device },
    { name: "Generator", cell: (one) => one.generator },
    { name: "Time", number: true, cell: (one) => marks.time(one.time_us, one.provenance.clock) },
    { name: "Clock", cell: (one) => marks.clock(one.provenance.clock) },
    { name: "Verdict", cell: (one) => marks.verdict(one.status) },
    { name: "What puts it behind the one before", wide: true, cell: (one) => reason(one.behind) },
    { name: "Compiler", class: "phone-hidden", cell: (one) => `${one.provenance.compiler} ${one.provenance.compiler_version}` },
    { name: "Driver", class: "phone-hidden", cell: (one) => one.provenance.driver },
    { name: "Trial", cell: (one) => h("a", { href: address(["configuration"], { study: one.study, trial: one.ordinal }) }, `${one.study}/${one.ordinal}`) },
  ];
  return h("div", { class: "stack" }, h("h3", {}, "Why: all candidates, in the order in which they are taken"), table("Candidates of the lookup", columns, candidates));
}

/** @param {Api.Behind | null} behind */
function reason(behind) {
  if (behind === null) return h("b", {}, "the answer");
  switch (behind.why) {
    case "another-index": return "gives another index on ties";
    case "modelled": return "modelled, where the one before is measured";
    case "slower": return `${format.ratio(behind.times)} as long`;
  }
}
