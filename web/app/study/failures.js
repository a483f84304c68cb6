// @ts-check
// Failures of a study by reason, with the messages of the first trials.

import { withQuery, get } from "../api.js";
import { h, replace } from "../dom.js";
import * as format from "../format.js";
import { failed } from "../parts/notice.js";
import { address } from "../router.js";

/**
 * Creates the panel of failures.
 * @param {import("./trials.js").Trials} trials
 * @param {AbortSignal} signal
 */
export function failures(trials, signal) {
  const holder = h("div", { class: "stack" });
  const element = h("section", { class: "panel stack" }, h("h2", {}, "Failures"), holder);
  let before = "";
  return {
    element,
    draw() {
      /** @type {Map<string, number>} */
      const reasons = new Map();
      trials.status.forEach((status, i) => {
        if (status === "wrong") reasons.set("wrong", (reasons.get("wrong") ?? 0) + 1);
        const failure = trials.failure[i];
        if (failure !== null) reasons.set(failure, (reasons.get(failure) ?? 0) + 1);
      });
      const now = JSON.stringify([...reasons]);
      if (now === before) return;
      before = now;
      element.hidden = reasons.size === 0;
      replace(holder, [...reasons].sort((a, b) => b[1] - a[1]).map(([reason, count]) => one(trials.study, reason, count, trials.length, signal)));
    },
  };
}

/**
 * Creates a reason, which loads its first messages when it is opened.
 * @param {number} study
 * @param {string} reason
 * @param {number} count
 * @param {number} all
 * @param {AbortSignal} signal
 */
function one(study, reason, count, all, signal) {
  const words = h("div", { class: "stack" });
  const details = h("details", { ontoggle: async () => {
    if (!details.open || words.childElementCount > 0) return;
    const which = reason === "wrong" ? { status: "wrong" } : { failure: reason };
    try {
      const { trials } = await get(withQuery(`/api/v1/studies/${study}/trials`, { ...which, limit: 5 }), signal);
      replace(words, trials.map((trial) => h("div", {},
        h("a", { href: address(["configuration"], { study, trial: trial.ordinal }) }, `Trial ${trial.ordinal}`),
        h("pre", { class: "log", tabindex: "0", role: "region", "aria-label": `Message of trial ${trial.ordinal}` }, trial.message ?? "No message."))));
    } catch (error) {
      replace(words, failed(error));
    }
  } }, h("summary", {}, h("b", {}, reason), ` ${format.counted(count, "trial")}, ${format.percent(count / all)}`), words);
  return details;
}
