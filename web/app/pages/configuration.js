// @ts-check
// A configuration and what explains it: which lane reads what, its attributes, its kernel, and how it compares with another.

import { get, isGone } from "../api.js";
import { attributes } from "../configuration/attributes.js";
import { stages } from "../configuration/code/stages.js";
import { comparison, kernels } from "../configuration/comparison.js";
import { costs } from "../configuration/costs.js";
import { beside, figures, head } from "../configuration/head.js";
import { lanes } from "../configuration/lanes/section.js";
import { part } from "../configuration/part.js";
import { samples } from "../configuration/samples.js";
import { defaultOf, explanation, kernel, ofTrial, subject } from "../configuration/subject.js";
import { h } from "../dom.js";
import { none } from "../parts/notice.js";

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
    element.append(none("No configuration", "This trial was noted without one, so there is nothing to explain."));
    return { title: of.name, element };
  }
  const said = explanation(of, signal);
  const built = withDevice(of, signal).then((named) => kernel(named, signal));
  // Whoever shows them says what went wrong.
  for (const promise of [said, built]) promise.catch(() => {});
  const how = { signal };
  const ofKernel = { signal, advice: withoutKernel };

  if (other !== null) element.append(...compared(of, other, said, built, query, signal));
  element.append(part("Which lane reads what", again(said, () => explanation(of, signal)), (answer) => legal(answer) ?? lanes(answer, query, signal), how));
  element.append(part("Attributes", again(said, () => explanation(of, signal)), attributes, how));
  const trials = of.trial === null ? [] : [{ name: of.name, trial: of.trial }, ...(untuned !== null && untuned.ordinal !== of.trial.ordinal ? [{ name: `The default, trial ${untuned.ordinal}`, trial: untuned }] : [])];
  if (trials.length > 0) element.append(h("section", { class: "stack", "aria-label": "Times" }, h("h2", {}, "Times"), samples(trials, of.study.clock, signal)));
  const anew = again(built, () => kernel(of, signal));
  element.append(part("What it costs", anew, (answer) => costs(answer, signal), ofKernel));
  element.append(part("From the problem to the ISA", anew, (answer) => stages(answer.stages, query, signal), ofKernel));
  return { title: of.name, element };
}

/**
 * The answer that was asked for already; when it is asked for again, a new one.
 * @template Answer
 * @param {Promise<Answer>} first
 * @param {() => Promise<Answer>} next
 */
function again(first, next) {
  let isFirst = true;
  return () => {
    const now = isFirst ? first : next();
    isFirst = false;
    return now;
  };
}

/** What is known of a configuration that may not be built. @param {any} said */
function legal({ refusal, layout }) {
  if (!refusal || layout) return null;
  return none(`Not legal: rule ${refusal.rule}`, `${refusal.message}. No kernel is built of it, so no lane reads anything.`);
}

/** A device, as occupancy and the model are of one: the emulator's of the target where none is named. @param {import("../configuration/subject.js").Subject} of @param {AbortSignal} signal */
async function withDevice(of, signal) {
  if (of.device !== null) return of;
  const { devices } = /** @type {any} */ (await get("/api/v1/devices", signal));
  return { ...of, device: devices.find((/** @type {any} */ device) => device.target === of.target)?.name ?? null };
}

/** What to do where there is no kernel. @param {import("../api.js").Trouble} trouble */
function withoutKernel(trouble) {
  if (trouble.status === 501) return "Start the service where libLLVM is, or print the stages on a machine that has it: the line under Attributes does so.";
  if (trouble.status === 429) return "Kernels are built a few at a time. Load the page again in a moment.";
  if (trouble.status === 403) return "Who looks after the service can give you a token that may do this.";
  return null;
}

/**
 * @param {import("../configuration/subject.js").Subject} of
 * @param {string} other
 * @param {Promise<any>} said
 * @param {Promise<any>} built
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
function compared(of, other, said, built, query, signal) {
  const [study = "", trial = ""] = other.split(":");
  const name = `Compared with trial ${trial} of study ${study}`;
  const second = () => ofTrial(study, trial, signal);
  const beside = () => Promise.all([said.catch(() => null), second()]);
  const both = async () => {
    const theirs = await second();
    return { theirs, kernels: await Promise.all([built, kernel(theirs, signal)]) };
  };
  return [
    part(name, beside, ([answer, theirs]) => comparison(of, answer, theirs, signal), { signal }),
    part("Kernels compared", both, ({ theirs, kernels: [mine, others] }) => kernels(of, mine, theirs, others, query, signal), { signal, advice: withoutKernel }),
  ];
}
