// @ts-check
// The list of all studies in the database, and of the service's waiting studies.

import { withQuery, get } from "../api.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import * as marks from "../parts/marks.js";
import { none } from "../parts/notice.js";
import { pagedTable } from "../parts/pages.js";
import { table } from "../parts/table.js";
import { address } from "../router.js";

/** @type {import("../main.js").Page} */
export async function show({ query, signal }) {
  const which = Object.fromEntries(["problem", "target", "device", "generator"].map((name) => [name, query.get(name)]));
  const [records, runs] = await Promise.all([
    get(withQuery("/api/v1/records", { ...which, limit: 100 }), signal),
    get(withQuery("/api/v1/studies", { limit: 1000 }), signal).catch(() => ({ studies: [] })),
  ]);
  const states = new Map(runs.studies.map((run) => [run.id, run]));
  /** @type {import("../parts/table.js").Column<Api.StudySummary>[]} */
  const columns = [
    { name: "Study", cell: (study) => h("a", { href: address(["study", study.id]) }, `${study.id}`) },
    { name: "Problem", wide: true, cell: (study) => h("a", { href: address(["study", study.id]) }, marks.problem(study.problem)) },
    { name: "Best", number: true, cell: (study) => marks.time(study.best?.time_us, study.clock) },
    { name: "Speedup", number: true, class: "speedup", cell: (study) => format.ratio(study.speedup) },
    { name: "State", class: "nowrap", cell: (study) => now(states.get(study.id), study) },
    { name: "Trials", number: true, cell: (study) => format.count(study.trials.total) },
    { name: "Device", cell: (study) => study.device },
    { name: "Generator", cell: (study) => study.generator },
    { name: "Opened", cell: (study) => marks.ago(study.last_opened) },
  ];
  const read = (/** @type {string} */ cursor) => get(withQuery("/api/v1/records", { ...which, limit: 100, cursor }), signal);
  const list = records.studies.length === 0
    ? none("No study yet", "Start one at ", h("a", { href: address(["new"]) }, "New study"), ", or by ", h("code", {}, "wavetune tune 'argmax:4x[32000]xf32'"), ".")
    : pagedTable("Studies", columns, records, (page) => page.studies, read);
  const waiting = runs.studies.filter((run) => run.state === "waiting");
  const element = h("div", { class: "page" }, h("header", {}, h("div", {}, h("h1", {}, "Studies"), h("p", {}, "A study tries configurations of one problem on one device. The newest come first.")),
    h("a", { class: "button main", href: address(["new"]) }, "New study")), waiting.length > 0 && waitingList(waiting), list);
  return { title: "Studies", element };
}

/** Creates the table of studies without an agent for their device. @param {Api.Run[]} runs */
function waitingList(runs) {
  return h("section", { class: "stack", "aria-labelledby": "waiting" }, h("h2", { id: "waiting" }, "Waiting for an agent"), table("Studies that wait for an agent", [
    { name: "Study", cell: (run) => h("a", { href: address(["study", run.id]) }, `${run.id}`) },
    { name: "Problem", wide: true, cell: (run) => h("a", { href: address(["study", run.id]) }, marks.problem(run.problem)) },
    { name: "Device", cell: (run) => run.device ?? `any ${run.target}` },
    { name: "Generator", cell: (run) => run.generator },
    { name: "Submitted", cell: (run) => marks.ago(run.asked) },
  ], runs));
}

/**
 * Creates the state of a study.
 * @param {Api.Run | undefined} run
 * @param {Api.StudySummary} study
 */
function now(run, study) {
  if (run === undefined) return study.workers.length > 0 ? marks.state("running") : h("span", { class: "quiet" }, "by command");
  return run.progress ? [marks.state(run.state), " ", marks.progress(run.progress.done, run.progress.total, `Trials of study ${study.id}`)] : marks.state(run.state);
}
