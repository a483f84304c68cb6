// @ts-check
// Studies that are asked for.

import { ask } from "../api.js";

/** The keys of what was sent and not answered, so that what is sent again begins nothing twice. @type {Map<string, string>} */
const keys = new Map();

/**
 * Has problems tuned.
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

/** `crypto.randomUUID` is there for HTTPS and localhost alone. */
function freshKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
