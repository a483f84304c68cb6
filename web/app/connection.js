// @ts-check
// The state of the connection. After `markLost`, this module polls the service until it answers.

const FIRST_MS = 500;
const LAST_MS = 5000;

let isAway = false;

/** Source of the events `lost` and `back`. */
export const connection = new EventTarget();

/** Returns whether the last request had no answer. */
export function isLost() {
  return isAway;
}

/** Marks the connection as lost, and begins to poll the service. */
export function markLost() {
  if (isAway) return;
  isAway = true;
  connection.dispatchEvent(new Event("lost"));
  void poll(FIRST_MS);
}

/** Polls the service after a pause. The pause doubles up to `LAST_MS`. @param {number} pause */
async function poll(pause) {
  await new Promise((resolve) => setTimeout(resolve, pause));
  try {
    const answer = await fetch("/healthz", { cache: "no-store" });
    if (answer.ok) {
      isAway = false;
      connection.dispatchEvent(new Event("back"));
      return;
    }
  } catch {
    // The service is still away.
  }
  void poll(Math.min(pause * 2, LAST_MS));
}
