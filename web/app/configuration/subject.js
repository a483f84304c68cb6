// @ts-check
// The configuration of a page: a trial of a study, or a configuration in the address.

import { withQuery, get, post, ApiError } from "../api.js";
import { address } from "../router.js";

/**
 * @typedef {object} SubjectBase
 * @property {string} name name in a sentence
 * @property {string} problem
 * @property {string} target
 * @property {string} generator
 * @property {string | null} device
 * @property {Api.Configuration | null} configuration null if the trial has none, or for the untuned
 *   configuration
 *
 * @typedef {SubjectBase & { trial: Api.Trial, study: Api.StudySummary }} TrialSubject
 *
 * @typedef {TrialSubject | SubjectBase & { trial: null, study: null }} Subject a trial, or a
 *   configuration without one
 */

/**
 * Returns the configuration that the address names. Throws `ApiError` if it names none.
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 * @returns {Promise<Subject>}
 */
export async function subject(query, signal) {
  const [study, trial] = [query.get("study"), query.get("trial")];
  if (study !== null && trial !== null) return loadTrial(study, trial, signal);
  const [problem, target] = [query.get("problem"), query.get("target")];
  if (problem === null || target === null) {
    throw new ApiError(400, "Which configuration?", "The address names a study and a trial, or a problem, a target and a configuration. Choose a trial on the page of its study.");
  }
  const generator = query.get("generator") ?? "native";
  const text = query.get("configuration");
  const configuration = text === null ? null : parseConfiguration(text);
  const name = configuration === null ? "The untuned configuration" : "A configuration without a trial";
  return { name, problem, target, generator, device: query.get("device"), configuration, trial: null, study: null };
}

/** Parses a configuration. Throws `ApiError` if it is not JSON. @param {string} text */
function parseConfiguration(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ApiError(400, "The configuration is not JSON", error instanceof Error ? error.message : String(error));
  }
}

/**
 * Returns a trial with its study.
 * @param {string | number} id
 * @param {string | number} ordinal
 * @param {AbortSignal} signal
 * @returns {Promise<TrialSubject>}
 */
export async function loadTrial(id, ordinal, signal) {
  for (const number of [id, ordinal]) {
    if (!/^\d+$/.test(String(number))) throw new ApiError(400, "No such trial", `"${number}" is not a trial. Write the number of the study and of the trial, such as 7:12.`);
  }
  const [{ study }, trial] = await Promise.all([
    get(`/api/v1/records/${Number(id)}`, signal),
    get(`/api/v1/studies/${Number(id)}/trials/${Number(ordinal)}`, signal),
  ]);
  const { problem, target, generator, device } = study;
  return { name: `Trial ${ordinal} of study ${id}`, problem, target, generator, device, configuration: trial.configuration, trial, study };
}

/**
 * Returns the trial of the untuned configuration in a study; null if there is none yet.
 * @param {Api.StudySummary} study
 * @param {AbortSignal} signal
 * @returns {Promise<Api.Trial | null>}
 */
export async function loadDefault(study, signal) {
  const { trials } = await get(withQuery(`/api/v1/studies/${study.id}/trials`, { role: "default", limit: 1 }), signal);
  return trials.length === 0 ? null : get(`/api/v1/studies/${study.id}/trials/${trials[0].ordinal}`, signal);
}

/**
 * Returns the address of a trial's page.
 * @param {string | number} study
 * @param {string | number} trial
 * @param {Record<string, string | null>} [more]
 */
export function trialAddress(study, trial, more = {}) {
  return address(["configuration"], { study, trial, ...more });
}

/** Returns the request body of a configuration. @param {Subject} subject */
function asBody({ problem, target, generator, configuration }) {
  return configuration === null ? { problem, target, generator } : { problem, target, generator, configuration };
}

/**
 * Requests the explanation: attributes, layout and a command to reproduce it.
 * @param {Subject} subject
 * @param {AbortSignal} signal
 */
export function explanation(subject, signal) {
  return post("/api/v1/explanations", asBody(subject), signal);
}

/**
 * Requests the kernel: its stages and its figures.
 * @param {Subject} subject
 * @param {AbortSignal} signal
 */
export async function kernel(subject, signal) {
  const { device, generator } = subject;
  if (generator !== "native") throw new ApiError(422, `A kernel of ${generator} has no stages here`, "Stages come from wavetune's own code generator. For this kernel, see the output of its compiler.");
  return post("/api/v1/explanations:kernel", device === null ? asBody(subject) : { ...asBody(subject), device }, signal);
}

/**
 * Returns the elements between the starts of adjacent rows of the last dimension; null if rows are
 * contiguous.
 * @param {string} problem
 */
export function pitch(problem) {
  const said = /\bpitch=(\d+)/.exec(problem)?.[1];
  return said === undefined ? null : Number(said);
}

/**
 * Returns the bytes of an element; null if the problem's text lacks them.
 * @param {string} problem
 */
export function elementBytes(problem) {
  const bits = /x(?:f|bf|tf|i|si|ui|u)(\d+)/.exec(problem)?.[1];
  return bits === undefined ? null : Number(bits) / 8;
}
