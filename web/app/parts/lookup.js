// @ts-check
// What a lookup answers. Asked here it is no wish: who looks at a page may not want the problem tuned.

import { post } from "../api.js";

/**
 * @typedef {{ problem: string, target: string, device?: string | null, generator?: string | null, ties?: string | null }} Question
 */

/** @param {Question} question @param {AbortSignal} signal @returns {Promise<any>} the answer, of the rung `exact` or `none` */
export async function lookup(question, signal) {
  const set = Object.fromEntries(Object.entries(question).filter(([, value]) => value));
  const { answers } = await post("/api/v1/configurations:batch", { questions: [set] }, signal);
  return answers[0];
}
