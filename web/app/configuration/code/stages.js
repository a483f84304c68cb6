// @ts-check
// The stages of a kernel side by side. A line is highlighted together with the lines that it came
// from or became.

import { freshId, h, put, replace } from "../../dom.js";
import * as format from "../../format.js";
import { copyButton, save } from "../../parts/copy.js";
import { remember } from "../../router.js";
import { pane } from "./pane.js";

/** Titles of the stages. @type {Record<string, string>} */
const NAMES = {
  gridwise: "Gridwise",
  blockwise: "Blockwise",
  lanewise: "Lanewise",
  final: "Final",
  layout: "Layout",
  ops: "Operations",
  hip: "HIP C++",
  llvm: "LLVM IR",
  isa: "ISA",
};
const FILES = /** @type {Record<string, string>} */ ({ hip: "hip", llvm: "ll", isa: "s" });
const MOST = 3;

/**
 * Creates the panel of stages.
 * @param {Api.StageText[]} all
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
export function stages(all, query, signal) {
  const box = h("div", { class: "panes" });
  const status = h("p", { class: "quiet small status", role: "status" });
  const help = freshId("stages-help");
  let chosen = wanted(all, query.get("stages"));
  let leaving = new AbortController();
  signal.addEventListener("abort", () => leaving.abort());

  const counts = h("span", { class: "joined" });
  const whole = h("div", { class: "panel stack" });
  const draw = () => {
    leaving.abort();
    leaving = new AbortController();
    remember({ stages: chosen.join(",") === wanted(all, null).join(",") ? null : chosen.join(",") });
    const shown = chosen.map((name) => /** @type {Api.StageText} */ (all.find((stage) => stage.name === name)));
    replace(box, side(shown, status, help, leaving.signal, all, (k, name) => {
      chosen = chosen.with(k, name);
      draw();
    }));
    box.style.setProperty("--panes", String(chosen.length));
    replace(counts, ...[2, MOST].filter((count) => count <= all.length).map((count) =>
      h("button", { type: "button", class: "small", "aria-pressed": String(chosen.length === count), onclick: () => {
        chosen = count < chosen.length ? chosen.toSpliced(1, 1) : fill(all, chosen, count);
        draw();
      } }, `${count} panes`)));
  };
  draw();
  const text = h("p", { id: help, class: "quiet small" }, "Point at a line, or move to it with the arrow keys: the other panes mark the lines that belong to it. A click holds the marks, Escape releases them.");
  put(whole, h("div", { class: "heading" }, text, counts), box, status);
  return whole;
}

/**
 * Returns the stages that the address names; otherwise the final stage and the ISA, or the last
 * two.
 * @param {Api.StageText[]} all
 * @param {string | null} asked
 */
function wanted(all, asked) {
  const there = (asked ?? "").split(",").filter((name) => all.some((stage) => stage.name === name));
  if (there.length >= 2) return there.slice(0, MOST);
  const usual = ["final", "isa"].filter((name) => all.some((stage) => stage.name === name));
  return usual.length === 2 ? usual : all.slice(-2).map((stage) => stage.name);
}

/**
 * Returns the choice with further stages, up to `count`.
 * @param {Api.StageText[]} all
 * @param {string[]} chosen
 * @param {number} count
 */
function fill(all, chosen, count) {
  const others = ["ops", "llvm", ...all.map((stage) => stage.name)].filter((name) => !chosen.includes(name) && all.some((stage) => stage.name === name));
  return [chosen[0], ...others.slice(0, count - chosen.length), ...chosen.slice(1)];
}

/**
 * Creates the panes, and links their lines.
 * @param {Api.StageText[]} shown
 * @param {HTMLElement} status
 * @param {string} help
 * @param {AbortSignal} signal
 * @param {Api.StageText[]} all
 * @param {(pane: number, stage: string) => void} choose
 */
function side(shown, status, help, signal, all, choose) {
  /** @type {{ pane: number, line: number } | null} */
  let kept = null;
  const where = shown.map(linesById);
  const panes = shown.map((stage, k) => pane(stage, nameOf(stage), help, {
    point: (line) => mark(line === null ? kept : { pane: k, line }, false),
    choose: (line) => {
      kept = line === null || (kept?.pane === k && kept.line === line) ? null : { pane: k, line };
      mark(kept, true);
    },
  }, signal));

  /**
   * Marks the lines that belong to a line.
   * @param {{ pane: number, line: number } | null} at
   * @param {boolean} says
   */
  const mark = (at, says) => {
    const ids = at === null ? [] : (shown[at.pane].marks[at.line] ?? []);
    const sets = where.map((byId) => new Set(ids.flatMap((id) => byId.get(id) ?? [])));
    panes.forEach((one, k) => one.mark(sets[k], at?.pane === k ? at.line : -1, at !== null && k !== at.pane));
    if (says || at === null) status.textContent = at === null ? "" : words(at, sets);
  };
  /**
   * Returns the marked lines in words.
   * @param {{ pane: number, line: number }} at
   * @param {Set<number>[]} sets
   */
  const words = (at, sets) => {
    const others = sets.map((set, k) => (k === at.pane || set.size === 0 ? null : `${nameOf(shown[k])} ${ranges(set)}`)).filter((text) => text !== null);
    return `${nameOf(shown[at.pane])} line ${at.line + 1}${others.length > 0 ? ` belongs to ${others.join("; ")}.` : " belongs to no line of the other panes."}`;
  };
  return panes.map((one, k) => {
    const id = freshId("stage");
    const select = h("select", { id, "aria-label": `Stage of pane ${k + 1}`, onchange: () => choose(k, select.value) }, all.map((stage) => h("option", { value: stage.name, selected: stage.name === shown[k].name }, nameOf(stage))));
    const { name, text } = shown[k];
    const download = h("button", { type: "button", class: "small", "aria-label": `Save ${nameOf(shown[k])} as a file`, onclick: () => save(`kernel.${FILES[name] ?? `${name}.txt`}`, new Blob([text], { type: "text/plain" })) }, "Save");
    return h("div", { class: "stage" }, h("div", { class: "row" }, select, h("span", { class: "quiet small" }, format.counted(one.lines.length, "line")), h("span", { class: "push" }), copyButton(() => text), download), one.element);
  });
}

/** Returns the title of a stage. @param {Api.StageText} stage */
function nameOf({ name }) {
  return NAMES[name] ?? name;
}

/** Returns the lines of each id. @param {Api.StageText} stage */
function linesById({ marks }) {
  /** @type {Map<number, number[]>} */
  const byId = new Map();
  marks.forEach((ids, line) => {
    for (const id of ids) {
      const lines = byId.get(id);
      if (lines) lines.push(line);
      else byId.set(id, [line]);
    }
  });
  return byId;
}

/** Returns line numbers from 1 as ranges. @param {Set<number>} set */
function ranges(set) {
  /** @type {[number, number][]} */
  const found = [];
  for (const line of [...set].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last && last[1] === line - 1) last[1] = line;
    else found.push([line, line]);
  }
  const some = found.slice(0, 6).map(([first, last]) => (first === last ? `${first + 1}` : `${first + 1}–${last + 1}`));
  return `${set.size === 1 ? "line" : "lines"} ${some.join(", ")}${found.length > 6 ? " and others" : ""}`;
}
