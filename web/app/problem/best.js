// @ts-check
// The best configurations of a problem by device and generator, separate for each clock.

import { withQuery, get } from "../api.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import { readAllPages } from "../parts/all_pages.js";
import * as marks from "../parts/marks.js";
import { table } from "../parts/table.js";
import { address } from "../router.js";

/** The most rows of one problem. Devices and generators are few. */
const MOST = 1000;

/**
 * Requests the best configurations of each clock.
 * @param {string} problem
 * @param {string | null} ties
 * @param {AbortSignal} signal
 * @returns {Promise<Record<Api.Clock, Api.TunedConfiguration[]>>}
 */
export async function loadBest(problem, ties, signal) {
  const of = (/** @type {Api.Clock} */ clock) => readAllPages((page) => get(withQuery("/api/v1/tuned", { problem, clock, ties, sort: "time", ...page }), signal), (page) => page.rows, MOST).then(({ rows }) => rows);
  const [measured, modelled] = await Promise.all([of("measured"), of("modelled")]);
  return { measured, modelled };
}

/** Creates the tables of both clocks. @param {Record<Api.Clock, Api.TunedConfiguration[]>} known */
export function bestTables({ measured, modelled }) {
  return [part("measured", measured), part("modelled", modelled)];
}

/** Creates the table of a clock. @param {Api.Clock} clock @param {Api.TunedConfiguration[]} rows */
function part(clock, rows) {
  /** @type {import("../parts/table.js").Column<Api.TunedConfiguration>[]} */
  const columns = [
    { name: "Device", cell: (row) => row.device },
    { name: "Generator", cell: (row) => row.generator },
    { name: "Best", number: true, cell: (row) => marks.time(row.time_us, clock) },
    { name: "Speedup", number: true, class: "speedup", cell: (row) => format.ratio(row.speedup) },
    { name: "Default", number: true, cell: (row) => marks.time(row.default_time_us, clock) },
    { name: "Over the bound", number: true, cell: (row) => format.ratio(row.bound_us && row.time_us / row.bound_us) },
    { name: "Bandwidth", number: true, cell: (row) => (row.bytes ? format.bandwidth(row.bytes / row.time_us / 1e3) : "–") },
    { name: "Target", cell: (row) => row.target },
    { name: "Verdict", cell: (row) => marks.verdict(row.status) },
    { name: "Tuned", cell: (row) => marks.ago(row.provenance.when) },
    { name: "Configuration", cell: (row) => (row.study === undefined || row.study === null ? "–" : h("a", { href: address(["configuration"], { study: row.study, trial: row.ordinal }) }, `${row.study}/${row.ordinal}`)) },
  ];
  return h("div", { class: "stack" }, h("h3", { class: "row" }, marks.clock(clock), rows.length === 0 && h("span", { class: "quiet" }, `Nothing is ${clock}.`)),
    rows.length > 0 && table(`Best configurations, ${clock}`, columns, rows));
}
