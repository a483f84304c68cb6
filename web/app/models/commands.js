// @ts-check
// The commands of a call as a sortable table: the list of what to tune next.

import { h, replace } from "../dom.js";
import * as format from "../format.js";
import * as marks from "../parts/marks.js";
import { anyTable, table } from "../parts/table.js";
import { remember } from "../router.js";

/**
 * @typedef {object} NumberedCommand
 * @property {number} number place in the order of launch, from 1
 * @property {Api.CommandProfile} command
 * @property {number | null} excess time above the bound, in microseconds; a lower bound of it if the time is one
 * @property {number | null} ratio time in multiples of the bound, likewise
 */

/** Rows that a table shows at once. */
const SHORT = 100;

/** Returns the commands with their numbers. @param {Api.CommandProfile[]} commands @returns {NumberedCommand[]} */
function numbered(commands) {
  return commands.map((command, i) => {
    const { bound_us: bound } = command;
    const time = counted(command);
    const isKnown = time !== null && bound !== null;
    return { number: i + 1, command, excess: isKnown ? Math.max(0, time - bound) : null, ratio: isKnown && bound > 0 ? time / bound : null };
  });
}

/** Returns the time of a command, or the lower bound of an unknown one. @param {Api.CommandProfile} command */
export function counted({ time_us: time, least_us: least }) {
  return time ?? least ?? null;
}

/** Returns the sum of these commands as text. @param {Api.CommandProfile[]} commands */
function sum(commands) {
  const text = format.time(commands.reduce((all, command) => all + (counted(command) ?? 0), 0));
  return commands.some(({ least_us: least }) => least !== undefined) ? `more than ${text}` : text;
}

/** @type {Record<string, (row: NumberedCommand) => number | null>} */
const ORDERS = {
  number: ({ number }) => number,
  time: ({ command }) => counted(command),
  bound: ({ command }) => command.bound_us,
  excess: ({ excess }) => excess,
  ratio: ({ ratio }) => ratio,
  bytes: ({ command }) => bytes(command),
};

/** The default order: the most to gain first. */
const FIRST = "-excess";

/**
 * Sorts rows. Rows without a figure come last in both directions.
 * @param {NumberedCommand[]} rows
 * @param {string} by
 */
export function sorted(rows, by) {
  const key = ORDERS[by.replace(/^-/, "")] ?? ORDERS.excess;
  const sign = by.startsWith("-") ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [a, b] = [key(one), key(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null) || one.number - other.number;
    return sign * (a - b) || one.number - other.number;
  });
}

/**
 * Creates the table.
 * @param {Api.FunctionProfile} call
 * @param {URLSearchParams} query
 */
export function commandList(call, query) {
  const rows = numbered(call.commands);
  const list = h("div", {});
  let by = query.get("sort") ?? FIRST;
  const draw = () => replace(list, rows.length <= SHORT
    ? table("Commands of the call", COLUMNS, sorted(rows, by), { sorting: { by, choose } })
    : anyTable("Commands of the call", COLUMNS, sorted(rows, by)));
  const choose = (/** @type {string} */ next) => {
    by = next;
    remember({ sort: next === FIRST ? null : next });
    draw();
  };
  draw();
  const load = call.at_load.length > 0 && h("p", { class: "quiet" }, `Once at load: ${format.counted(call.at_load.length, "kernel")} of ${sum(call.at_load)}, which no call repeats.`);
  const moves = call.commands.filter(({ kind }) => kind !== "kernel");
  const moved = moves.length > 0 && h("p", { class: "quiet" }, `Copies and fills are ${format.counted(moves.length, "command")} and ${sum(moves)} of the call. Each is at its bound, so only a call without it is faster.`);
  return [rows.length === 0 ? h("p", {}, "The device has nothing to do in this call.") : list, moved, load];
}

/** Returns the bytes that a command moves; null if they are unknown. @param {Api.CommandProfile} command */
function bytes({ bytes_read: read, bytes_written: written }) {
  return read === null || written === null ? null : read + written;
}

/** @type {import("../parts/table.js").Column<NumberedCommand>[]} */
const COLUMNS = [
  { name: "#", number: true, sort: "number", cell: ({ number }) => number },
  { name: "Operations", wide: true, class: "operations", cell: ({ command }) => operations(command) },
  { name: "Time", number: true, sort: "time", cell: ({ command }) => (counted(command) === null ? h("span", { class: "quiet", title: command.time_unknown }, "not timed") : marks.time(counted(command), "modelled", command.time_us === null ? "more than" : "")) },
  { name: "Bound", number: true, sort: "bound", cell: ({ command }) => marks.time(command.bound_us, "modelled") },
  { name: "Above bound", number: true, sort: "excess", cell: ({ command, excess }) => marks.time(excess, "modelled", command.time_us === null ? "more than" : "") },
  { name: "Time / bound", number: true, sort: "ratio", cell: ({ command, ratio }) => `${ratio !== null && command.time_us === null ? "> " : ""}${format.ratio(ratio)}` },
  { name: "Bytes", number: true, sort: "bytes", cell: ({ command }) => { const moved = bytes(command); return moved === null ? "–" : format.bytes(moved); } },
  { name: "Limited by", cell: ({ command }) => command.bottleneck ?? "–" },
  { name: "Waves per SIMD", number: true, cell: ({ command }) => command.waves_per_simd ?? "–" },
  { name: "Grid", number: true, cell: ({ command }) => grid(command) },
];

/** Creates the operations of a command, and the kernel's name. @param {Api.CommandProfile} command */
function operations(command) {
  const reason = command.time_unknown === undefined ? null : h("small", { class: "quiet below" }, `${command.least_us === undefined ? "not timed" : "takes longer"}: ${command.time_unknown.split(": ").at(-1)}`);
  if (command.kind !== "kernel") return [command.kind, reason];
  if (command.operations.length === 0) return [h("code", {}, command.name), reason];
  return [command.operations.join(", "), h("small", { class: "quiet below break" }, command.name), reason];
}

/** Returns workgroups × threads of a kernel. @param {Api.CommandProfile} command */
function grid({ workgroups, workgroup_size: size }) {
  const product = (/** @type {number[]} */ sizes) => sizes.reduce((all, one) => all * one, 1);
  return workgroups === null || size === null ? "–" : `${format.count(product(workgroups))} × ${format.count(product(size))}`;
}
