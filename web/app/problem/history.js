// @ts-check
// The history of a problem's best time over versions of compiler and driver. Each clock has its own
// chart.

import { chart } from "../chart/frame.js";
import { legend, plot } from "../chart/plot.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import * as marks from "../parts/marks.js";
import { address, go } from "../router.js";

const COLOURS = ["accent", "tie", "failed", "wrong", "text", "quiet"];

/**
 * @typedef {Api.StudySummary & { best: Api.BestTrial }} TunedStudy a study with a result
 *
 * @typedef {object} Step the best result of a device and generator with one set of versions
 * @property {string} line device and generator
 * @property {string} version
 * @property {TunedStudy} study study with the best result
 */

/**
 * Creates the charts of the clocks that have results.
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

/**
 * Returns all versions that make times incomparable, without the device.
 * @param {TunedStudy} study
 */
export function version(study) {
  return `${study.compiler} ${study.compiler_version}; ${study.driver}; ${study.generator} ${study.generator_version}`;
}

/**
 * Returns the name of a study's line. Emulator models give different times for one kernel, so each
 * model has its own line.
 * @param {TunedStudy} study
 */
function line({ device, generator, clock, driver }) {
  return clock === "measured" ? `${device}, ${generator}` : `${device}, ${generator}, ${/model \S+/.exec(driver)?.[0] ?? driver}`;
}

/**
 * Returns the steps, and the versions in the order of their first use.
 * @param {TunedStudy[]} studies
 * @returns {{ versions: string[], steps: Step[] }}
 */
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

/**
 * Creates the chart of a clock.
 * @param {Api.Clock} clock
 * @param {TunedStudy[]} studies
 * @param {AbortSignal} signal
 */
function clockHistory(clock, studies, signal) {
  const { versions, steps: found } = steps(studies);
  const lines = [...new Set(found.map((step) => step.line))].sort();
  const devices = [...new Set(studies.map((study) => study.device))].sort();
  const place = (/** @type {Step} */ step) => versions.indexOf(step.version);
  // The plot identifies a point by its index, so points of one version need different indices.
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

/**
 * Returns the chart's message.
 * @param {string} clock
 * @param {number} versions
 * @param {Step[]} rows
 */
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
