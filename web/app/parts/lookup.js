// @ts-check
// What a lookup answers. Asked here it is no wish: who looks at a page may not want the problem tuned.

import { post } from "../api.js";

/**
 * @typedef {{ problem: string, target: string, device?: string | null, generator?: string | null, ties?: string | null }} Question
 */

/** @param {Question} question @param {AbortSignal} signal @returns {Promise<Api.BatchAnswer>} the answer, of some rung of the ladder, or what is wrong with the question */
export async function lookup(question, signal) {
  const { problem, target, device, generator, ties } = question;
  const { answers } = await post("/api/v1/configurations:batch", { questions: [{ problem, target, ...(device && { device }), ...(generator && { generator }), ...(ties && { ties }) }] }, signal);
  return answers[0];
}
