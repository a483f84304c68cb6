// @ts-check
// The page of a problem: its figures, the lookup's answer with reasons, and its history.

import { ApiError, withQuery, checkProblem, get, isReport } from "../api.js";
import { h, replace } from "../dom.js";
import * as format from "../format.js";
import { readAllPages } from "../parts/all_pages.js";
import { choice, field, nameChoices } from "../parts/field.js";
import * as marks from "../parts/marks.js";
import { none } from "../parts/notice.js";
import { section } from "../parts/section.js";
import { table } from "../parts/table.js";
import { answer } from "../problem/answer.js";
import { loadBest, bestTables } from "../problem/best.js";
import { history } from "../problem/history.js";
import { address, remember } from "../router.js";

/** The most studies of one problem. */
const STUDIES = 2000;
const TIES = [{ value: "", text: "reference" }, { value: "any", text: "any" }];

/** @type {import("../main.js").Page} */
export async function show({ query, signal }) {
  const problem = query.get("problem");
  if (problem === null) throw new ApiError(400, "No problem is named", "The overview lists the known problems. `#/problem?problem=argmax:4x[32000]xf32` is the address of one.");
  const set = Object.fromEntries(["target", "device", "generator", "ties"].map((name) => [name, query.get(name) ?? ""]));
  const [studies, targets] = await Promise.all([
    readAllPages((page) => get(withQuery("/api/v1/records", { problem, ...page }), signal), (page) => page.studies, STUDIES),
    get("/api/v1/devices", signal).then((said) => said.devices.map((one) => one.target), () => []),
  ]);
  const tried = [...new Set(studies.rows.map((study) => study.target))];
  set.target ||= tried[0] ?? "gfx942";
  const text = studies.rows[0]?.problem ?? problem;
  const about = h("div", {});
  const tune = h("a", { class: "button main" }, "Tune it");
  const exported = h("a", { class: "button" }, "Export");
  const studied = (/** @type {"target" | "device" | "generator"} */ name) => studies.rows.filter((study) => name === "target" || study.target === set.target).map((study) => study[name]);

  const question = () => ({ problem: text, target: set.target, device: set.device, generator: set.generator, ties: set.ties });
  const answered = section("Answer of a lookup", () => answer(question(), signal));
  const best = section("Best of each device and generator", async () => bestTables(await loadBest(text, set.ties, signal)));

  const links = () => {
    tune.href = address(["new"], { problem: text, ...(set.device ? { device: set.device } : { target: set.target }), generator: set.generator });
    exported.href = address(["exports"], { target: set.target, device: set.device });
  };
  const choose = (/** @type {string} */ name) => (/** @type {string} */ value) => {
    set[name] = value;
    if (name === "target") {
      // A device of another target has no answers.
      if (!studied("device").includes(set.device)) set.device = "";
      offer();
    }
    remember({ [name]: value, device: set.device });
    links();
    void answered.fill();
    if (name === "ties") void best.fill();
    if (name === "target") void figures();
  };
  const figures = async () => {
    try {
      const said = await checkProblem({ problem: text, target: set.target }, signal);
      replace(about, marks.facts(
        marks.figure("Rows", format.count(said.rows)), marks.figure("Columns", format.count(said.columns)), marks.figure("Elements", said.element), said.index !== null && marks.figure("Index", said.index),
        marks.figure("Read and written", format.bytes(said.bytes)),
        said.configurations !== null && marks.figure(`Configurations on ${set.target}`, BigInt(said.configurations).toLocaleString("en"))));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The section of the lookup shows the error of an invalid problem.
      replace(about);
    }
  };
  const device = h("div", {});
  const offer = () => replace(device, field("Device", choice(nameChoices("any", studied("device")), set.device, choose("device"))).element);
  offer();
  links();
  void figures();

  const filters = h("div", { class: "filters" },
    field("Target", choice({ "Tuned for": tried.map(same), "Not tuned for": [...new Set(targets)].filter((one) => !tried.includes(one)).map(same) }, set.target, choose("target"))).element,
    device,
    field("Generator", choice(nameChoices("any", studied("generator")), set.generator, choose("generator"))).element,
    field("Tie-break", choice(TIES, set.ties, choose("ties"))).element);
  answered.element.querySelector(".heading")?.after(filters);

  const element = h("div", { class: "page" },
    h("header", {}, h("div", {}, h("h1", {}, h("code", {}, text))), !isReport && h("div", { class: "row" }, tune, exported)),
    about, answered.element, best.element,
    section("History over compilers and drivers", async () => history(studies.rows, signal)).element,
    section("Studies", async () => list(studies)).element);
  return { title: text, element };
}

/** Returns a choice with the same value and text. @param {string} text */
const same = (text) => ({ value: text, text });

/** Creates the table of studies. @param {{ rows: Api.StudySummary[], isWhole: boolean }} studies */
function list({ rows, isWhole }) {
  if (rows.length === 0) return none("No study of it", "A lookup finds nothing until the problem is tuned.");
  const link = (/** @type {Api.StudySummary} */ study) => h("a", { href: address(["study", study.id]) }, String(study.id));
  /** @type {import("../parts/table.js").Column<Api.StudySummary>[]} */
  const columns = [
    { name: "Study", cell: link },
    { name: "Device", cell: (study) => study.device },
    { name: "Best", number: true, cell: (study) => marks.time(study.best?.time_us, study.clock) },
    { name: "Speedup", number: true, class: "speedup", cell: (study) => format.ratio(study.speedup) },
    { name: "Generator", cell: (study) => study.generator },
    { name: "Trials", number: true, cell: (study) => format.count(study.trials.total) },
    { name: "Not correct", number: true, cell: (study) => format.count(study.trials.wrong + study.trials.failed) },
    { name: "Compiler", class: "phone-hidden", cell: (study) => `${study.compiler} ${study.compiler_version}` },
    { name: "Driver", class: "phone-hidden", cell: (study) => study.driver },
    { name: "Opened", cell: (study) => marks.ago(study.last_opened) },
  ];
  return [isWhole ? null : h("p", { class: "quiet" }, `The newest ${format.count(rows.length)}; older ones are not listed.`), table("Studies of this problem", columns, rows)];
}
