// @ts-check
// Periodic requests of a visible page.

import { isAborted, ApiError } from "../api.js";

/**
 * Calls `call` every `ms` milliseconds while the page is visible, until `signal` is aborted. Calls
 * never overlap.
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
      // The next call retries after an error, and the banner shows a lost connection.
      if (!isAborted(error) && !(error instanceof ApiError)) throw error;
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void once(), ms);
  document.addEventListener("visibilitychange", () => void once(), { signal });
  signal.addEventListener("abort", () => clearInterval(timer));
}
