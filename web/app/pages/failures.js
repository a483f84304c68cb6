// @ts-check
// The page of failures: abandoned trials, all failed trials by reason, and regressions.

import { withQuery, get, post, ApiError } from "../api.js";
import { h, replace } from "../dom.js";
import { groupFailures, reasonCard, reasonOf, REASONS } from "../failures/groups.js";
import { regressions } from "../failures/regressions.js";
import * as format from "../format.js";
import { readAllPages } from "../parts/all_pages.js";
import { choice, field } from "../parts/field.js";
import { groupBy } from "../parts/group.js";
import { none } from "../parts/notice.js";
import { section } from "../parts/section.js";
import { address, remember } from "../router.js";

/** The most trials of each request. */
const MOST = 2000;
const VIEWS = [["", "Failures"], ["regressions", "Regressions"]];

/** @type {import("../main.js").Page} */
export async function show({ query, signal }) {
  const view = query.get("view") ?? "";
  const tabs = h("nav", { class: "row", "aria-label": "Failures and regressions" }, VIEWS.map(([name, text]) =>
    h("a", { class: "button", href: address(["failures"], { view: name }), "aria-current": name === view ? "page" : undefined }, text)));
  const title = view === "regressions" ? "Regressions" : "Failures";
  const said = view === "regressions" ? "Problems whose best kernel became slower with another version of a compiler, a driver or a generator. Only times of one device, clock and model are compared." : "Trials without a correct result. A search tries kernels that may fail, so some failures are usual. Abandoned trials are not.";
  const element = h("div", { class: "page" }, h("header", {}, h("div", {}, h("h1", {}, title), h("p", {}, said)), tabs),
    view === "regressions" ? section("Slower problems", () => regressions(signal)).element : failures(query.get("failure") ?? "", signal));
  return { title, element };
}

/**
 * Requests failed trials.
 * @param {{ failure: Api.FailureKind } | { status: Api.Status }} which
 * @param {AbortSignal} signal
 */
function trialsOf(which, signal) {
  return readAllPages((page) => get(withQuery("/api/v1/trials", { ...which, ...page }), signal), (page) => page.trials, MOST);
}

/** Creates the sections of failures. @param {string} chosen @param {AbortSignal} signal */
function failures(chosen, signal) {
  let reason = chosen;
  const dead = section("Abandoned", async () => {
    const { rows, isWhole } = await trialsOf({ failure: "abandoned" }, signal);
    if (rows.length === 0) return none("Nothing is abandoned", "Agents have finished all trials that they leased.");
    const studies = groupBy(rows, (trial) => trial.study);
    return [
      h("p", {}, `${format.counted(rows.length, "trial")}${isWhole ? "" : " and more"} of ${format.counted(studies.size, "study", "studies")}. Requeue them after you have removed the cause. A failing device is on the page `, h("a", { href: address(["fleet"]) }, "Fleet"), "."),
      h("ul", { class: "stack" }, [...studies].map(([id, trials]) => h("li", { class: "row panel" },
        h("a", { href: address(["study", id]) }, `Study ${id}`), h("span", {}, format.counted(trials.length, "trial")), h("span", { class: "quiet break" }, trials[0].message ?? ""), requeue(id, again)))),
    ];
  }, { below: "Agents leased these trials several times and did not finish them, so the service does not try them again." });

  const place = h("div", { class: "stack" });
  const others = section("All, by reason", async () => {
    const [failed, wrong] = await Promise.all([trialsOf({ status: "failed" }, signal), trialsOf({ status: "wrong" }, signal)]);
    const trials = [...failed.rows, ...wrong.rows];
    if (trials.length === 0) return none("Nothing failed", "Every trial in the database has a correct result.");
    const counts = groupBy(trials, reasonOf);
    const names = [...counts].sort(([, one], [, other]) => other.length - one.length);
    const draw = () => {
      const shown = names.filter(([name]) => reason === "" || name === reason);
      replace(place, shown.map(([name, of]) => reasonCard(name, groupFailures(of))), shown.length === 0 && none(`Nothing ended by ${reason}`, REASONS[reason] ?? "There is no such reason."));
    };
    const select = choice([{ value: "", text: `all (${format.count(trials.length)})` }, ...names.map(([name, of]) => ({ value: name, text: `${name} (${format.count(of.length)})` }))], reason, (value) => {
      reason = value;
      remember({ failure: value });
      draw();
    });
    draw();
    return [
      h("div", { class: "filters" }, field("Reason", select).element),
      !(failed.isWhole && wrong.isWhole) && h("p", { class: "quiet" }, `Only the first ${format.count(trials.length)} trials are listed. The page of a study lists all of its trials.`),
      place,
    ];
  });
  const again = () => {
    void dead.fill();
    void others.fill();
  };
  return h("div", { class: "stack" }, dead.element, others.element);
}

/**
 * Creates the button that requeues a study's abandoned trials.
 * @param {number} id number of the study
 * @param {() => void} done
 */
function requeue(id, done) {
  const said = h("span", { role: "status", class: "break" });
  const button = h("button", { class: "small", type: "button", "aria-label": `Requeue the abandoned trials of study ${id}`, onclick: async () => {
    button.disabled = true;
    try {
      const { trials } = await post(`/api/v1/studies/${id}/requeue`, {});
      replace(said, `${format.counted(trials, "trial")} will run again.`);
      setTimeout(done, 1500);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      replace(said, error.message);
      button.disabled = false;
    }
  } }, "Requeue");
  return h("span", { class: "row tight" }, button, said);
}
