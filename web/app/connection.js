// @ts-check
// Whether the service answers. Who finds that it does not says `lose`; it is looked after until it is back.

const FIRST_MS = 500;
const LAST_MS = 5000;

let isAway = false;

/** Events of the kinds `lost` and `back`. */
export const connection = new EventTarget();

/** Whether the service did not answer the last time. */
export function isLost() {
  return isAway;
}

/** The service did not answer. */
export function lose() {
  if (isAway) return;
  isAway = true;
  connection.dispatchEvent(new Event("lost"));
  void look(FIRST_MS);
}

/** @param {number} pause */
async function look(pause) {
  await new Promise((resolve) => setTimeout(resolve, pause));
  try {
    const answer = await fetch("/healthz", { cache: "no-store" });
    if (answer.ok) {
      isAway = false;
      connection.dispatchEvent(new Event("back"));
      return;
    }
  } catch {
    // It is still away.
  }
  void look(Math.min(pause * 2, LAST_MS));
}
