// @ts-check
// What is asked again and again, as long as somebody looks.

import { isGone, Trouble } from "../api.js";

/**
 * Calls `call` every so many milliseconds while the page is in view, never twice at once, until `signal` is aborted.
 * @param {number} ms
 * @param {AbortSignal} signal
 * @param {() => Promise<void>} call
 */
export function repeat(ms, signal, call) {
  let isAsking = false;
  const once = async () => {
    if (isAsking || document.visibilityState !== "visible") return;
    isAsking = true;
    try {
      await call();
    } catch (error) {
      // Who is gone or does not answer is asked again; the banner says that nobody answers.
      if (!isGone(error) && !(error instanceof Trouble)) throw error;
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void once(), ms);
  document.addEventListener("visibilitychange", () => void once(), { signal });
  signal.addEventListener("abort", () => clearInterval(timer));
}
