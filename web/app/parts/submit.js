// @ts-check
// Submission of studies.

import { ask } from "../api.js";

/**
 * Idempotency keys of unanswered requests, so that a retry starts no second study.
 * @type {Map<string, string>}
 */
const keys = new Map();

/**
 * Submits problems for tuning.
 * @param {Api.SubmissionRequest} wanted
 * @returns {Promise<Api.Run[]>} the studies, in the order of the problems
 */
export async function submit(wanted) {
  const text = JSON.stringify(wanted);
  const key = keys.get(text) ?? freshKey();
  keys.set(text, key);
  const answer = await ask("/api/v1/studies", { method: "POST", body: wanted, headers: { "Idempotency-Key": key } });
  keys.delete(text);
  const { studies } = /** @type {Api.Runs} */ (await answer.json());
  return studies;
}

/** Returns a random key. `crypto.randomUUID` exists only for HTTPS and localhost. */
function freshKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
