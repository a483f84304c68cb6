// @ts-check
// A tuning spec for iree-compile: its text, its entries, its use, and the problems that it leaves
// out.

import { ask, withQuery, get } from "../api.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { readAllPages } from "../parts/all_pages.js";
import { copyable, copyButton, save } from "../parts/copy.js";
import { groupBy } from "../parts/group.js";
import * as marks from "../parts/marks.js";
import { anyTable } from "../parts/table.js";
import { address } from "../router.js";
import { listing } from "./mlir.js";

/** The most tuned configurations of each clock in the search for omitted problems. */
const MOST = 2000;
/** The option of iree-compile that entries of f64 need. */
const F64 = "--iree-input-demote-f64-to-f32=false";
/**
 * The option of iree-compile that entries with split rows need. A spec with such entries mentions
 * it.
 */
const SPLITS = "--iree-preprocessing-transform-spec-filename";

/** @typedef {{ problem: string, what: string, line: number }} Entry */

/**
 * Returns the entries of a spec. A comment before its matcher names each entry.
 * @param {string} text
 * @returns {Entry[]}
 */
export function entries(text) {
  const lines = text.split("\n");
  return lines.flatMap((line, i) => {
    const [, problem, what] = /^ {2}\/\/ (\S+): (.*)$/.exec(line) ?? [];
    const isEntry = problem !== undefined && lines.slice(i + 1, i + 4).some((next) => next.includes("named_sequence @match_"));
    return isEntry ? [{ problem, what, line: i + 1 }] : [];
  });
}

/**
 * Creates the view of a spec.
 * @param {{ target: string, device: string, compiler_version: string, ties: string }} set
 * @param {AbortSignal} signal
 */
export async function spec(set, signal) {
  const file = async (/** @type {"/api/v1/exports/iree-spec" | "/api/v1/exports/iree-splits"} */ at) => (await ask(withQuery(at, set), { accept: "text/plain", signal })).text();
  const text = await file("/api/v1/exports/iree-spec");
  const splits = text.includes(SPLITS) && await file("/api/v1/exports/iree-splits");
  const found = entries(text);
  const name = `wavetune-${set.target}.mlir`;
  const shown = listing(text, "The tuning spec");
  /** @type {import("../parts/table.js").Column<Entry>[]} */
  const columns = [
    { name: "Problem", wide: true, class: "problem", cell: (one) => h("a", { href: address(["problem"], { problem: one.problem, target: set.target }) }, marks.problem(one.problem)) },
    { name: "Known result", wide: true, cell: (one) => one.what },
    { name: "Line", number: true, cell: (one) => h("button", { class: "small", "aria-label": `Line ${one.line}, ${one.problem}`, onclick: () => shown.reveal(one.line) }, format.count(one.line)) },
  ];
  const isDouble = text.includes(F64);
  const beside = `wavetune-${set.target}-splits.mlir`;
  const options = [`--iree-codegen-tuning-spec-path=${name}`, splits && `${SPLITS}=${beside}`, isDouble && F64].filter(Boolean);
  const command = `iree-compile --iree-hal-target-device=hip --iree-rocm-target=${set.target} \\\n    ${options.join(" \\\n    ")} model.mlir -o model.vmfb`;
  return [
    h("div", { class: "row" },
      h("b", {}, format.counted(found.length, "entry", "entries")), h("span", { class: "quiet" }, `${format.counted(text.split("\n").length - 1, "line")}, ${format.bytes(new Blob([text]).size)}`),
      copyButton(() => text, "Copy the spec"), h("button", { class: "small", onclick: () => download(name, text) }, `Download ${name}`)),
    shown.element,
    h("h3", {}, "Use"),
    copyable(command, "The command that uses it"),
    splits && h("p", { class: "quiet" }, "A second file splits the rows of entries with pieces: ", h("button", { class: "small", onclick: () => download(beside, splits) }, `Download ${beside}`), " Without it, the rows stay whole and the kernels are slower."),
    isDouble && h("p", { class: "quiet" }, `An entry of f64 matches only with ${F64}: without it, iree-compile converts f64 to f32.`),
    h("p", { class: "quiet" }, "iree-compile compiles an operation without an entry as it does without the file. An operation with an entry has the attribute ", h("code", {}, "__tuning_spec_applied__"), "; ", h("code", {}, "--compile-to=executable-configurations -o -"), " shows it."),
    h("h3", {}, "Entries"),
    anyTable("Entries of the spec", columns, found),
    await omittedProblems(set, new Set(found.map((one) => one.problem)), signal),
  ];
}

/** Saves a text file. @param {string} name @param {string} text */
function download(name, text) {
  save(name, new Blob([text], { type: "text/plain" }));
}

/**
 * Creates the table of tuned problems that the spec leaves out, with reasons.
 * @param {{ target: string, device: string, compiler_version: string }} set
 * @param {Set<string>} inside
 * @param {AbortSignal} signal
 */
async function omittedProblems(set, inside, signal) {
  const of = (/** @type {Api.Clock} */ clock) => readAllPages((page) => get(withQuery("/api/v1/tuned", { target: set.target, clock, ...page }), signal), (page) => page.rows, MOST);
  const [measured, modelled] = await Promise.all([of("measured"), of("modelled")]);
  const rows = [...measured.rows, ...modelled.rows];
  const problems = groupBy(rows.filter((row) => !inside.has(row.problem)), (row) => row.problem);
  const out = [...problems].map(([problem, known]) => ({ problem, why: why(known, set), known: known[0] }));
  const isWhole = measured.isWhole && modelled.isWhole;
  if (out.length === 0) return h("p", { class: "quiet" }, isWhole ? `The spec has all problems that were tuned for ${set.target}.` : "The spec has all problems that were searched.");
  /** @type {import("../parts/table.js").Column<typeof out[number]>[]} */
  const columns = [
    { name: "Problem", wide: true, class: "problem", cell: (one) => h("a", { href: address(["problem"], { problem: one.problem, target: set.target }) }, marks.problem(one.problem)) },
    { name: "Why", wide: true, cell: (one) => one.why },
    { name: "Best", number: true, cell: (one) => marks.time(one.known.time_us, one.known.clock) },
    { name: "Action", cell: (one) => h("a", { href: address(["new"], { problem: one.problem, target: set.target, generator: "iree" }) }, "Tune it with iree") },
  ];
  return h("details", {}, h("summary", {}, `Left out: ${format.counted(out.length, "problem")}`), h("div", { class: "stack" },
    !isWhole && h("p", { class: "quiet" }, `Among the first ${format.count(rows.length)} problems known for ${set.target}.`), anyTable("Left out of the spec", columns, out)));
}

/**
 * Returns the reason for an omitted problem.
 * @param {Api.TunedConfiguration[]} known
 * @param {{ device: string, compiler_version: string }} set
 */
function why(known, { device, compiler_version }) {
  const iree = known.filter((row) => row.generator === "iree");
  if (iree.length === 0) return `tuned with ${[...new Set(known.map((row) => row.generator))].join(", ")} alone; a spec has iree's kernels`;
  if (device !== "" && !iree.some((row) => row.device === device)) return `tuned on ${[...new Set(iree.map((row) => row.device))].join(", ")}`;
  const versions = [...new Set(iree.map((row) => row.provenance.compiler_version))];
  if (compiler_version !== "" && !versions.includes(compiler_version)) return `tuned with iree-compile ${versions.join(", ")}`;
  return "a spec cannot express its configuration";
}
