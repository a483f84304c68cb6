// @ts-check
// The page of a configuration: elements of each lane, attributes, kernel, and a comparison.

import { get, isAborted } from "../api.js";
import { withAdvice } from "../configuration/kernel_advice.js";
import { attributes } from "../configuration/attributes.js";
import { stages } from "../configuration/code/stages.js";
import { comparison, kernels } from "../configuration/comparison.js";
import { costs } from "../configuration/costs.js";
import { relatedTrials, figures, head } from "../configuration/head.js";
import { lanes } from "../configuration/lanes/section.js";
import { samples } from "../configuration/samples.js";
import { loadDefault, explanation, kernel, loadTrial, subject } from "../configuration/subject.js";
import { h, put } from "../dom.js";
import { none } from "../parts/notice.js";
import { section } from "../parts/section.js";

/** @typedef {import("../configuration/subject.js").Subject} Subject */

/** @type {import("../main.js").Page} */
export async function show({ query, signal }) {
  const of = await subject(query, signal);
  const untuned = of.study === null ? null : await loadDefault(of.study, signal).catch((error) => {
    if (isAborted(error)) throw error;
    return null;
  });
  const other = query.get("with");
  const element = h("div", { class: "page configuration" }, head(of), figures(of, untuned), relatedTrials(of, untuned, other));
  if (of.trial !== null && of.configuration === null) {
    put(element, none("No configuration", "The record of this trial has no configuration, so there is nothing to explain."));
    return { title: of.name, element };
  }
  const said = asking(() => explanation(of, signal));
  // The address may contain an invalid problem or configuration, which fails the whole page.
  if (of.trial === null) await said();
  const built = asking(async () => kernel(await emulated(of, signal), signal));
  put(
    element,
    other === null ? null : compared(of, other, said, built, query, signal),
    section("Elements of each lane", async () => legal(await said()) ?? lanes(await said(), query, signal)).element,
    section("Attributes of the configuration", async () => attributes(await said())).element,
    times(of, untuned, signal),
    section("Cost", withAdvice(built, (answer) => costs(answer, signal))).element,
    section("From the problem to the ISA", withAdvice(built, (answer) => stages(answer.stages, query, signal))).element,
  );
  return { title: of.name, element };
}

/**
 * Returns a function that sends a request once for several sections, and again after a failure.
 * @template Answer
 * @param {() => Promise<Answer>} ask
 */
function asking(ask) {
  /** @type {Promise<Answer> | null} */
  let answer = null;
  return () => {
    answer ??= ask();
    answer.catch(() => (answer = null));
    return answer;
  };
}

/**
 * Creates the notice of an illegal configuration; null for a legal one.
 * @param {Api.Explanation} said
 */
function legal({ refusal, layout }) {
  if (!refusal || layout) return null;
  return none(refusal.rule ? `Not legal: rule ${refusal.rule}` : "Not legal", `${refusal.message[0].toUpperCase()}${refusal.message.slice(1)}. The generator builds no kernel from it.`);
}

/**
 * Creates the section of times, beside those of the default.
 * @param {Subject} of
 * @param {Api.Trial | null} untuned
 * @param {AbortSignal} signal
 */
function times(of, untuned, signal) {
  if (of.trial === null) return null;
  const isOther = untuned !== null && untuned.ordinal !== of.trial.ordinal;
  const all = [{ name: of.name, trial: of.trial }, ...(isOther ? [{ name: `The default, trial ${untuned.ordinal}`, trial: untuned }] : [])];
  return section("Times", async () => samples(all, of.study.clock, signal)).element;
}

/**
 * Returns the subject with the emulator's device for a measured GPU, if there is one. Occupancy and
 * time parts are models of emulated devices.
 * @param {Subject} of
 * @param {AbortSignal} signal
 */
async function emulated(of, signal) {
  if (of.device === null || of.device.startsWith("emulated:")) return of;
  const { devices } = await get("/api/v1/devices", signal);
  const isThere = devices.some((device) => device.name === `emulated:${of.device}`);
  return { ...of, device: isThere ? `emulated:${of.device}` : null };
}

/**
 * Creates the sections of a comparison.
 * @param {Subject} of
 * @param {string} other
 * @param {() => Promise<Api.Explanation>} said
 * @param {() => Promise<Api.ExplainedKernel>} built
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
function compared(of, other, said, built, query, signal) {
  const [study = "", trial = ""] = other.split(":");
  const second = asking(() => loadTrial(study, trial, signal));
  const theirs = asking(async () => kernel(await emulated(await second(), signal), signal));
  const both = () => Promise.all([second(), built(), theirs()]);
  return [
    section(`Compared with trial ${trial} of study ${study}`, async () => comparison(of, await said().catch(() => null), await second(), signal)).element,
    section("Kernels compared", withAdvice(both, ([otherOne, mine, others]) => kernels(of, mine, otherOne, others, query, signal))).element,
  ];
}
