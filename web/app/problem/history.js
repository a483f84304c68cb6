// @ts-check
// How the best time of a problem went over versions of compiler and driver. Each clock has a chart of its own.

import { chart } from "../chart/frame.js";
import { legend, plot } from "../chart/plot.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import * as marks from "../parts/marks.js";
import { address, go } from "../router.js";

const COLOURS = ["accent", "tie", "failed", "wrong", "text", "quiet"];

/**
 * @typedef {Api.StudySummary & { best: Api.BestTrial }} Found a study that has found something
 *
 * @typedef {object} Step the best of one device and generator with one version of everything
 * @property {string} line device and generator
 * @property {string} version
 * @property {Found} study the one that has the best
 */

/**
 * The charts of the clocks that there are studies of.
 * @param {Api.StudySummary[]} studies
 * @param {AbortSignal} signal
 */
export function history(studies, signal) {
  const drawn = /** @type {const} */ (["measured", "modelled"]).flatMap((clock) => {
    const found = studies.flatMap(({ best, ...study }) => (study.clock === clock && best !== null ? [{ ...study, best }] : []));
    return found.length === 0 ? [] : [clockHistory(clock, found, signal)];
  });
  return drawn.length === 0 ? h("p", { class: "quiet" }, "No study of this problem has a result yet.") : h("div", { class: "columns" }, drawn);
}

/** Everything that makes times incomparable, but the device. @param {Found} study */
export function version(study) {
  return `${study.compiler} ${study.compiler_version}; ${study.driver}; ${study.generator} ${study.generator_version}`;
}

/**
 * What is joined by a line. Another model of the emulator tells another time of the same kernel, so models are apart.
 * @param {Found} study
 */
function line({ device, generator, clock, driver }) {
  return clock === "measured" ? `${device}, ${generator}` : `${device}, ${generator}, ${/model \S+/.exec(driver)?.[0] ?? driver}`;
}

/** The steps in the order in which their versions were used first. @param {Found[]} studies @returns {{ versions: string[], steps: Step[] }} */
export function steps(studies) {
  const inOrder = [...studies].sort((one, other) => one.first_opened.localeCompare(other.first_opened) || one.id - other.id);
  const versions = [...new Set(inOrder.map(version))];
  /** @type {Map<string, Step>} */
  const best = new Map();
  for (const study of inOrder) {
    const step = { line: line(study), version: version(study), study };
    const key = JSON.stringify([step.line, step.version]);
    const known = best.get(key);
    if (known === undefined || study.best.time_us < known.study.best.time_us) best.set(key, step);
  }
  return { versions, steps: [...best.values()] };
}

/** @param {Api.Clock} clock @param {Found[]} studies @param {AbortSignal} signal */
function clockHistory(clock, studies, signal) {
  const { versions, steps: found } = steps(studies);
  const lines = [...new Set(found.map((step) => step.line))].sort();
  const devices = [...new Set(studies.map((study) => study.device))].sort();
  const place = (/** @type {Step} */ step) => versions.indexOf(step.version);
  // A point is told and opened by its place, so each has one of its own: several lines may have the same version.
  const rows = found.sort((one, other) => place(one) - place(other) || one.line.localeCompare(other.line));
  const xs = rows.map((step) => place(step) + 1);
  const drawn = plot(
    {
      name: `the history, ${clock}`,
      x: { name: "Version, by first use", whole: true, write: (value) => (Number.isInteger(value) && value >= 1 && value <= versions.length ? String(value) : "") },
      y: { name: `Best time, ${clock}`, write: format.time },
      height: 260,
      tell: (i) => `${rows[i].line}\n${format.time(rows[i].study.best.time_us)}, ${clock}\n${rows[i].version.replaceAll("; ", "\n")}`,
      open: (i) => go(address(["study", rows[i].study.id])),
    },
    signal,
  );
  /** @type {import("../chart/plot.js").Series[]} */
  const series = lines.flatMap((line) => {
    const values = rows.map((step) => (step.line === line ? step.study.best.time_us : null));
    const { device, generator } = /** @type {Step} */ (rows.find((step) => step.line === line)).study;
    const colour = COLOURS[devices.indexOf(device) % COLOURS.length];
    const dashed = generator !== "native";
    return [
      { name: line, colour, values, form: /** @type {const} */ ("line"), dashed },
      { name: line, colour, values, form: /** @type {const} */ ("points"), size: 8 },
    ];
  });
  drawn.show(xs, series);
  const frame = chart(
    `History, ${clock}`,
    () => ({
      columns: ["Version", "Device", "Generator", `Best, µs, ${clock}`, "Compiler", "Driver", "Generator's version", "First opened", "Study"],
      rows: rows.map((step) => [place(step) + 1, step.study.device, step.study.generator, step.study.best.time_us, `${step.study.compiler} ${step.study.compiler_version}`, step.study.driver, step.study.generator_version, step.study.first_opened, step.study.id]),
      hrefs: rows.map((step) => address(["study", step.study.id])),
    }),
    drawn.element,
    legend(series.filter((one) => one.form === "line")),
    h("ol", { class: "versions" }, versions.map((text) => h("li", {}, text))),
  );
  frame.say(sentence(clock, versions.length, rows));
  frame.element.querySelector("figcaption h3")?.replaceChildren("History ", marks.clock(clock));
  return frame.element;
}

/** @param {string} clock @param {number} versions @param {Step[]} rows */
function sentence(clock, versions, rows) {
  if (versions === 1) return "One version so far. Tune the problem again after an update of the compiler or the driver to see the change here.";
  const newest = rows.filter((step) => rows.filter((other) => other.line === step.line).at(-1) === step);
  const changes = newest.flatMap((step) => {
    const before = rows.filter((other) => other.line === step.line).at(-2);
    if (before === undefined) return [];
    const factor = before.study.best.time_us / step.study.best.time_us;
    return [`${step.line}: the newest version has ${format.ratio(factor)} the speed of the one before`];
  });
  const apart = clock === "measured" ? "" : " Lines join times of one model; times of two models are not comparable.";
  return `${changes.length === 0 ? "No two versions are comparable" : changes.join("; ")}.${apart}`;
}
