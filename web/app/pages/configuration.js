// @ts-check
// A configuration and what explains it: which lane reads what, its attributes, its kernel, and how it compares with another.

import { get, isGone } from "../api.js";
import { advised } from "../configuration/advised.js";
import { attributes } from "../configuration/attributes.js";
import { stages } from "../configuration/code/stages.js";
import { comparison, kernels } from "../configuration/comparison.js";
import { costs } from "../configuration/costs.js";
import { beside, figures, head } from "../configuration/head.js";
import { lanes } from "../configuration/lanes/section.js";
import { samples } from "../configuration/samples.js";
import { defaultOf, explanation, kernel, ofTrial, subject } from "../configuration/subject.js";
import { h, put } from "../dom.js";
import { none } from "../parts/notice.js";
import { section } from "../parts/section.js";

/** @typedef {import("../configuration/subject.js").Subject} Subject */

/** @type {import("../main.js").Page} */
export async function show({ query, signal }) {
  const of = await subject(query, signal);
  const untuned = of.study === null ? null : await defaultOf(of.study, signal).catch((error) => {
    if (isGone(error)) throw error;
    return null;
  });
  const other = query.get("with");
  const element = h("div", { class: "page configuration" }, head(of), figures(of, untuned), beside(of, untuned, other));
  if (of.trial !== null && of.configuration === null) {
    put(element, none("No configuration", "The record of this trial has no configuration, so there is nothing to explain."));
    return { title: of.name, element };
  }
  const said = asking(() => explanation(of, signal));
  // What an address spells out may be no problem or configuration at all, which is the whole page's trouble.
  if (of.trial === null) await said();
  const built = asking(async () => kernel(await emulated(of, signal), signal));
  put(
    element,
    other === null ? null : compared(of, other, said, built, query, signal),
    section("Elements of each lane", async () => legal(await said()) ?? lanes(await said(), query, signal)).element,
    section("Attributes of the configuration", async () => attributes(await said())).element,
    times(of, untuned, signal),
    section("Cost", advised(built, (answer) => costs(answer, signal))).element,
    section("From the problem to the ISA", advised(built, (answer) => stages(answer.stages, query, signal))).element,
  );
  return { title: of.name, element };
}

/**
 * What is asked once for several parts; after a failure it is asked anew.
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

/** What is known of a configuration that may not be built. @param {Api.Explanation} said */
function legal({ refusal, layout }) {
  if (!refusal || layout) return null;
  return none(refusal.rule ? `Not legal: rule ${refusal.rule}` : "Not legal", `${refusal.message[0].toUpperCase()}${refusal.message.slice(1)}. The generator builds no kernel from it.`);
}

/** Its times beside the default's. @param {Subject} of @param {Api.Trial | null} untuned @param {AbortSignal} signal */
function times(of, untuned, signal) {
  if (of.trial === null) return null;
  const isOther = untuned !== null && untuned.ordinal !== of.trial.ordinal;
  const all = [{ name: of.name, trial: of.trial }, ...(isOther ? [{ name: `The default, trial ${untuned.ordinal}`, trial: untuned }] : [])];
  return section("Times", async () => samples(all, of.study.clock, signal)).element;
}

/** As on the emulator's device of the same name, where it is a GPU that was measured: room and time are modelled of those. @param {Subject} of @param {AbortSignal} signal */
async function emulated(of, signal) {
  if (of.device === null || of.device.startsWith("emulated:")) return of;
  const { devices } = await get("/api/v1/devices", signal);
  const isThere = devices.some((device) => device.name === `emulated:${of.device}`);
  return { ...of, device: isThere ? `emulated:${of.device}` : null };
}

/**
 * @param {Subject} of
 * @param {string} other
 * @param {() => Promise<Api.Explanation>} said
 * @param {() => Promise<Api.ExplainedKernel>} built
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
function compared(of, other, said, built, query, signal) {
  const [study = "", trial = ""] = other.split(":");
  const second = asking(() => ofTrial(study, trial, signal));
  const theirs = asking(async () => kernel(await emulated(await second(), signal), signal));
  const both = () => Promise.all([second(), built(), theirs()]);
  return [
    section(`Compared with trial ${trial} of study ${study}`, async () => comparison(of, await said().catch(() => null), await second(), signal)).element,
    section("Kernels compared", advised(both, ([otherOne, mine, others]) => kernels(of, mine, otherOne, others, query, signal))).element,
  ];
}
