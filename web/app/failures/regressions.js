// @ts-check
// Regressions: problems with a slower best kernel under another compiler, driver or generator.

import { get } from "../api.js";
import { h } from "../dom.js";
import * as format from "../format.js";
import * as marks from "../parts/marks.js";
import { none } from "../parts/notice.js";
import { address } from "../router.js";

/** Creates the list of regressions, by clock. @param {AbortSignal} signal */
export async function regressions(signal) {
  const { regressions: found, unreadable } = await get("/api/v1/regressions", signal);
  if (found.length === 0) return none("No regression", "No best kernel became slower with another version of a compiler, a driver or a generator. A comparison needs a problem that was tuned with two versions.");
  const part = (/** @type {Api.Clock} */ clock) => {
    const rows = found.filter((one) => one.clock === clock);
    return rows.length === 0 ? null : h("div", { class: "stack" }, h("h3", { class: "row" }, marks.clock(clock), format.counted(rows.length, "regression")), rows.map(card));
  };
  return [part("measured"), part("modelled"), unreadable && h("p", { class: "quiet" }, `Omitted, because this version cannot read them: ${format.counted(unreadable.rows, "row")}.`)];
}

/** Creates the card of a regression. @param {Api.Regression} one */
function card(one) {
  const { problem, target, device, generator, clock, factor, low, high, before, after } = one;
  const interval = low === high ? "" : `, between ${format.ratio(low)} and ${format.ratio(high)}`;
  return h("article", { class: "panel stack" },
    h("div", { class: "heading" },
      h("h4", { class: "large" }, h("a", { href: address(["problem"], { problem, target, device, generator }) }, h("code", {}, problem))),
      h("span", {}, h("b", { class: "verdict wrong" }, h("span", { "aria-hidden": "true" }, "▼ "), `takes ${format.ratio(factor)} as long`), h("span", { class: "quiet" }, interval))),
    h("p", { class: "quiet" }, `${device}, ${target}, ${generator} kernels. `, one.same_configuration ? "Both have the same configuration." : "They have different configurations: the newer study may have tried too few."),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Before and after, ${problem}` }, h("table", {},
      h("thead", {}, h("tr", {}, ["", "Time", "Compiler", "Driver", "Generator", "Tuned"].map((name) => (name === "" ? h("td", {}) : h("th", { scope: "col", class: name === "Time" ? "number" : undefined }, name))))),
      h("tbody", {}, version("before", before, after, clock), version("after", after, before, clock)))),
    h("p", { class: "row" }, h("a", { class: "button", href: address(["new"], { problem, device, generator }) }, "Tune it again")));
}

/**
 * Creates the row of a version. Differences to the other version are bold.
 * @param {string} name
 * @param {Api.Version} of
 * @param {Api.Version} other
 * @param {Api.Clock} clock
 */
function version(name, of, other, clock) {
  const cell = (/** @type {(one: Api.Version) => string} */ text) => h("td", {}, text(of) === text(other) ? text(of) : h("b", {}, text(of)));
  return h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, marks.time(of.time_us, clock)),
    cell((one) => `${one.compiler} ${one.compiler_version}`), cell((one) => one.driver), cell((one) => one.generator_version), h("td", {}, marks.ago(of.when)));
}
