// @ts-check
// The configuration that a page is about: a trial of a study, or one that an address spells out.

import { asked, get, post, Trouble } from "../api.js";
import { address } from "../router.js";

/**
 * @typedef {object} Named
 * @property {string} name what it is called in a sentence
 * @property {string} problem
 * @property {string} target
 * @property {string} generator
 * @property {string | null} device
 * @property {Api.Configuration | null} configuration null where the trial has none, or where the untuned one is meant
 *
 * @typedef {Named & { trial: Api.Trial, study: Api.StudySummary }} TrialSubject
 * @typedef {TrialSubject | Named & { trial: null, study: null }} Subject the latter is no trial
 */

/**
 * What an address asks for.
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 * @returns {Promise<Subject>}
 */
export async function subject(query, signal) {
  const [study, trial] = [query.get("study"), query.get("trial")];
  if (study !== null && trial !== null) return ofTrial(study, trial, signal);
  const [problem, target] = [query.get("problem"), query.get("target")];
  if (problem === null || target === null) {
    throw new Trouble(400, "Which configuration?", "The address names a study and a trial, or a problem, a target and a configuration. Choose a trial on the page of its study.");
  }
  const generator = query.get("generator") ?? "native";
  const text = query.get("configuration");
  const configuration = text === null ? null : parsed(text);
  const name = configuration === null ? "The untuned configuration" : "A configuration without a trial";
  return { name, problem, target, generator, device: query.get("device"), configuration, trial: null, study: null };
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Trouble(400, "The configuration is not JSON", error instanceof Error ? error.message : String(error));
  }
}

/**
 * A trial, with the study that it is of.
 * @param {string | number} id
 * @param {string | number} ordinal
 * @param {AbortSignal} signal
 * @returns {Promise<TrialSubject>}
 */
export async function ofTrial(id, ordinal, signal) {
  for (const number of [id, ordinal]) {
    if (!/^\d+$/.test(String(number))) throw new Trouble(400, "No such trial", `"${number}" is not a trial. Write the number of the study and of the trial, such as 7:12.`);
  }
  const [{ study }, trial] = await Promise.all([
    get(`/api/v1/records/${Number(id)}`, signal),
    get(`/api/v1/studies/${Number(id)}/trials/${Number(ordinal)}`, signal),
  ]);
  const { problem, target, generator, device } = study;
  return { name: `Trial ${ordinal} of study ${id}`, problem, target, generator, device, configuration: trial.configuration, trial, study };
}

/**
 * The untuned configuration's trial in a study; null where it has none yet.
 * @param {Api.StudySummary} study
 * @param {AbortSignal} signal
 * @returns {Promise<Api.Trial | null>}
 */
export async function defaultOf(study, signal) {
  const { trials } = await get(asked(`/api/v1/studies/${study.id}/trials`, { role: "default", limit: 1 }), signal);
  return trials.length === 0 ? null : get(`/api/v1/studies/${study.id}/trials/${trials[0].ordinal}`, signal);
}

/**
 * The address of a trial's page.
 * @param {string | number} study
 * @param {string | number} trial
 * @param {Record<string, string | null>} [more]
 */
export function trialAddress(study, trial, more = {}) {
  return address(["configuration"], { study, trial, ...more });
}

/** What a subject is, as a question. @param {Subject} subject */
function asBody({ problem, target, generator, configuration }) {
  return configuration === null ? { problem, target, generator } : { problem, target, generator, configuration };
}

/** Attributes, layout and a line to reproduce it. @param {Subject} subject @param {AbortSignal} signal */
export function explanation(subject, signal) {
  return post("/api/v1/explanations", asBody(subject), signal);
}

/** The kernel: its stages and its figures. @param {Subject} subject @param {AbortSignal} signal */
export async function kernel(subject, signal) {
  const { device, generator } = subject;
  if (generator !== "native") throw new Trouble(422, `A kernel of ${generator} has no stages here`, "Stages come from wavetune's own code generator. For this kernel, see the output of its compiler.");
  return post("/api/v1/explanations:kernel", device === null ? asBody(subject) : { ...asBody(subject), device }, signal);
}

/** Elements from one row of the last dimension to the next; null where they lie side by side. @param {string} problem */
export function pitch(problem) {
  const said = /\bpitch=(\d+)/.exec(problem)?.[1];
  return said === undefined ? null : Number(said);
}

/** Bytes of an element; null where the problem's text does not say. @param {string} problem */
export function elementBytes(problem) {
  const bits = /x(?:f|bf|tf|i|si|ui|u)(\d+)/.exec(problem)?.[1];
  return bits === undefined ? null : Number(bits) / 8;
}
