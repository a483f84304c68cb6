// @ts-check
// The difference between the texts of two kernels. Long unchanged parts are left out.

import { freshId, h, replace } from "../dom.js";
import * as format from "../format.js";
import { remember } from "../router.js";
import { table } from "../parts/table.js";
import { diff } from "./diff.js";

/** Unchanged lines around a change. */
const AROUND = 3;
/** Lines that are drawn at first; a button draws the rest. */
const DRAWN = 600;

/** @typedef {"mnemonics" | "lines"} DiffMode */

/**
 * Creates the difference of two texts.
 * @param {{ name: string, text: string }} before
 * @param {{ name: string, text: string }} after
 * @param {URLSearchParams} query
 */
export function textDiff(before, after, query) {
  const [a, b] = [before, after].map(({ text }) => instructions(text));
  /** @type {DiffMode} */
  let by = query.get("diff") === "lines" ? "lines" : "mnemonics";
  const box = h("div", { class: "stack" });
  const id = freshId("diff");
  const select = h("select", { id, onchange: () => {
    by = select.value === "lines" ? "lines" : "mnemonics";
    remember({ diff: by === "lines" ? "lines" : null });
    draw();
  } }, h("option", { value: "mnemonics", selected: by === "mnemonics" }, "instructions without registers"), h("option", { value: "lines", selected: by === "lines" }, "whole lines"));
  const draw = () => {
    const key = by === "lines" ? (/** @type {string} */ line) => line.trim() : mnemonic;
    const edits = diff(a.map(key), b.map(key));
    if (edits === null) {
      replace(box, h("p", {}, "They have few lines in common, so the table counts instructions."), histogram(a, b, before.name, after.name));
      return;
    }
    const out = edits.filter(({ kind }) => kind === "out").length;
    const added = edits.filter(({ kind }) => kind === "in").length;
    const said = out + added === 0 ? "No line differs." : `${format.counted(out, "line")} in ${before.name} alone (−), ${format.count(added)} in ${after.name} alone (+), ${format.count(edits.length - out - added)} in both.`;
    replace(box, h("p", { class: "quiet" }, said), out + added === 0 ? null : lines(edits, a, b));
  };
  draw();
  return h("div", { class: "panel stack" }, h("div", { class: "heading" }, h("h3", {}, "ISA, line by line"), h("div", { class: "row" }, h("label", { for: id }, "Compare"), select)), box);
}

/** Returns a kernel's instructions and labels, without directives. @param {string} text */
function instructions(text) {
  const all = text.split("\n");
  const from = all.findIndex((line) => /^[A-Za-z_][\w.$]*:/.test(line));
  const end = all.findIndex((line, i) => i > from && /^\s*\.(section|end_amdhsa_kernel)/.test(line));
  return all.slice(from + 1, end < 0 ? undefined : end).filter((line) => /^\s+[a-z_]\w*/.test(line) || /^\.L\w+:/.test(line));
}

/** Returns the mnemonic of a line. @param {string} line */
function mnemonic(line) {
  const word = /^\s*(\.?[\w.]+)/.exec(line)?.[1] ?? "";
  return word.startsWith(".L") ? "label" : word;
}

/**
 * Creates the lines of the difference.
 * @param {import("./diff.js").Edit[]} edits
 * @param {string[]} a
 * @param {string[]} b
 */
function lines(edits, a, b) {
  const near = new Uint8Array(edits.length);
  edits.forEach(({ kind }, i) => kind !== "same" && near.fill(1, Math.max(0, i - AROUND), i + AROUND + 1));
  /** @type {HTMLElement[]} */
  const rows = [];
  for (let i = 0; i < edits.length; ) {
    if (near[i]) {
      rows.push(line(edits[i], a, b));
      i += 1;
      continue;
    }
    let end = i;
    while (end < edits.length && !near[end]) end += 1;
    rows.push(skipped(edits.slice(i, end), a, b));
    i = end;
  }
  const box = h("div", { class: "diff", tabindex: "0", role: "region", "aria-label": "Lines that differ" }, rows.slice(0, DRAWN));
  if (rows.length > DRAWN) {
    const button = h("button", { type: "button", class: "small", onclick: () => button.replaceWith(...rows.slice(DRAWN)) }, `${format.count(rows.length - DRAWN)} more`);
    box.append(button);
  }
  return box;
}

/**
 * Creates a line of the difference.
 * @param {import("./diff.js").Edit} edit
 * @param {string[]} a
 * @param {string[]} b
 */
function line({ kind, before, after }, a, b) {
  const [mark, name] = { same: [" ", ""], out: ["−", "only in the first: "], in: ["+", "only in the second: "] }[kind];
  const text = (kind === "out" ? a[before] : b[after]).replace(/^\t/, "").replaceAll("\t", " ");
  return h("div", { class: `edit ${kind}` }, h("span", { class: "sign", "aria-hidden": "true" }, mark), name && h("span", { class: "heard" }, name), text);
}

/**
 * Creates the mark of omitted lines.
 * @param {import("./diff.js").Edit[]} edits
 * @param {string[]} a
 * @param {string[]} b
 */
function skipped(edits, a, b) {
  const button = h("button", { type: "button", class: "skipped", onclick: () => button.replaceWith(...edits.map((edit) => line(edit, a, b))) }, `${format.counted(edits.length, "line")} the same`);
  return button;
}

/**
 * Creates the table of instruction counts of both kernels.
 * @param {string[]} a
 * @param {string[]} b
 * @param {string} before
 * @param {string} after
 */
function histogram(a, b, before, after) {
  const counted = (/** @type {string[]} */ lines) => {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const line of lines) counts.set(mnemonic(line), (counts.get(mnemonic(line)) ?? 0) + 1);
    return counts;
  };
  const [left, right] = [counted(a), counted(b)];
  const rows = [...new Set([...left.keys(), ...right.keys()])]
    .map((name) => ({ name, before: left.get(name) ?? 0, after: right.get(name) ?? 0 }))
    .sort((x, y) => Math.abs(y.after - y.before) - Math.abs(x.after - x.before));
  /** @type {import("../parts/table.js").Column<typeof rows[number]>[]} */
  const columns = [
    { name: "Instruction", cell: (row) => h("code", {}, row.name) },
    { name: before, number: true, cell: (row) => format.count(row.before) },
    { name: after, number: true, cell: (row) => format.count(row.after) },
    { name: "Difference", number: true, cell: (row) => signed(row.after - row.before) },
  ];
  return table("Instructions of both", columns, rows);
}

/** Returns a number with its sign. @param {number} value */
function signed(value) {
  return value > 0 ? `+${format.count(value)}` : value < 0 ? `−${format.count(-value)}` : "0";
}
