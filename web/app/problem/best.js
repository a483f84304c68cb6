// @ts-check
// The best of a problem on each device and with each generator, the clocks apart.

import { h } from "../dom.js";
import * as format from "../format.js";
import { all } from "../parts/all.js";
import * as marks from "../parts/marks.js";
import { table } from "../parts/table.js";
import { address } from "../router.js";

/** Rows of one problem at most: devices times generators are few. */
const MOST = 1000;

/**
 * @param {string} problem
 * @param {string | null} ties
 * @param {AbortSignal} signal
 * @returns {Promise<{ measured: any[], modelled: any[] }>}
 */
export async function bests(problem, ties, signal) {
  const of = (/** @type {string} */ clock) => all("/api/v1/tuned", { problem, clock, ties, sort: "time" }, "rows", MOST, signal).then(({ rows }) => rows);
  const [measured, modelled] = await Promise.all([of("measured"), of("modelled")]);
  return { measured, modelled };
}

/** @param {{ measured: any[], modelled: any[] }} known */
export function bestTables({ measured, modelled }) {
  return [part("measured", measured), part("modelled", modelled)];
}

/** @param {string} clock @param {any[]} rows */
function part(clock, rows) {
  const columns = [
    { name: "Device", cell: (/** @type {any} */ row) => row.device },
    { name: "Target", cell: (/** @type {any} */ row) => row.target },
    { name: "Generator", cell: (/** @type {any} */ row) => row.generator },
    { name: "Best", number: true, cell: (/** @type {any} */ row) => marks.time(row.time_us, clock) },
    { name: "Default", number: true, cell: (/** @type {any} */ row) => marks.time(row.default_time_us, clock) },
    { name: "Speedup", number: true, class: "speedup", cell: (/** @type {any} */ row) => format.ratio(row.speedup) },
    { name: "Over the bound", number: true, cell: (/** @type {any} */ row) => format.ratio(row.bound_us && row.time_us / row.bound_us) },
    { name: "Bandwidth", number: true, cell: (/** @type {any} */ row) => (row.bytes ? format.bandwidth(row.bytes / row.time_us / 1e3) : "–") },
    { name: "Verdict", cell: (/** @type {any} */ row) => marks.verdict(row.status) },
    { name: "Tuned", cell: (/** @type {any} */ row) => marks.ago(row.provenance.when) },
    { name: "Configuration", cell: (/** @type {any} */ row) => (row.study === undefined || row.study === null ? "–" : h("a", { href: address(["configuration"], { study: row.study, trial: row.ordinal }) }, `${row.study}/${row.ordinal}`)) },
  ];
  return h("div", { class: "stack" }, h("h3", { class: "row" }, marks.clock(clock), rows.length === 0 && h("span", { class: "quiet" }, `Nothing is ${clock}.`)),
    rows.length > 0 && table(`Best configurations, ${clock}`, columns, rows));
}
