// @ts-check
// The overview: tuned problems with their speedups, and current activity.

import { withQuery, get, isAborted } from "../api.js";
import { h, inFrame, replace } from "../dom.js";
import * as format from "../format.js";
import { activity } from "../overview/activity.js";
import { tunedMap } from "../overview/map.js";
import * as marks from "../parts/marks.js";
import { failed, none, waiting } from "../parts/notice.js";
import { pagedTable } from "../parts/pages.js";
import { address, remember } from "../router.js";

/** Rows of a page. */
const ROWS = 50;
/** Pause after the last key before the search, in milliseconds. */
const TYPED_MS = 200;

/** All settings; each is a query parameter of the address. */
const SETTINGS = ["search", "target", "device", "generator", "operation", "element", "clock", "rows", "columns", "sort"];

const FILTERS = /** @type {const} */ (["operation", "target", "device", "generator", "element"]);

/** @type {import("../main.js").Page} */
export async function show({ query, signal }) {
  /** @type {Record<string, string>} */
  const set = Object.fromEntries(SETTINGS.map((name) => [name, query.get(name) ?? ""]));
  const map = tunedMap(set, query, (changed) => change(changed));
  const filters = h("div", { class: "filters", role: "search" });
  const total = h("p", { class: "quiet", role: "status" });
  const holder = h("div", {}, waiting());
  let asking = new AbortController();

  /** Changes settings, and draws the page again. @param {Record<string, string>} changed */
  function change(changed) {
    Object.assign(set, changed);
    remember(changed);
    void draw().catch(fail);
  }

  async function draw() {
    asking.abort();
    asking = new AbortController();
    const { signal: newest } = asking;
    const { sort, ...which } = set;
    // The service sorts problems only in ascending order.
    const sorting = { by: sort || "problem", choose: (/** @type {string} */ by) => change({ sort: by.endsWith("problem") ? "" : by }) };
    const rows = get(withQuery("/api/v1/tuned", { ...which, sort, limit: ROWS }), newest);
    const cells = get(withQuery("/api/v1/tuned:map", which), newest);
    // The request for the rows reports the same failure.
    cells.catch(() => null);
    const first = await rows;
    if (first.total === 0) {
      const isFiltered = Object.values(which).some((value) => value !== "");
      replace(holder, isFiltered ? none("Nothing matches", "Use fewer words, or show ", h("a", { href: "#/" }, "all problems"), ".") : nothing());
    } else {
      const read = (/** @type {string} */ cursor) => get(withQuery("/api/v1/tuned", { ...which, sort, limit: ROWS, cursor }), newest);
      replace(holder, pagedTable("Tuned problems", columns(first.clock), first, (page) => page.rows, read, { sorting }));
    }
    const { clock, both } = first;
    const other = clock === "measured" ? "modelled" : "measured";
    replace(total, `${format.counted(first.total, "best configuration")}, `, marks.clock(clock), both[other] > 0 && [" ", h("button", { class: "small", onclick: () => change({ clock: other }) }, `show the ${format.count(both[other])} ${other}`)]);
    const answer = await cells;
    map.draw(answer);
    drawFilters(answer);
  }

  /** Draws the filters with their counts. @param {Api.TunedMap} answer */
  function drawFilters(answer) {
    if (filters.childElementCount === 0) {
      const field = h("input", { id: "search", type: "search", value: set.search, placeholder: "argmax 32000 gfx942", oninput: () => typed(field.value) });
      filters.append(h("div", { class: "field search" }, h("label", { for: "search" }, "Search"), field));
      for (const name of FILTERS) filters.append(h("div", { class: "field" }, h("label", { for: name }, title(name)), h("select", { id: name, onchange: (/** @type {Event} */ event) => change({ [name]: /** @type {HTMLSelectElement} */ (event.target).value }) })));
      filters.append(h("button", { id: "reset", onclick: () => {
        field.value = "";
        change(Object.fromEntries(SETTINGS.map((name) => [name, ""])));
      } }, "Reset"));
    }
    for (const name of FILTERS) {
      const select = /** @type {HTMLSelectElement} */ (filters.querySelector(`#${name}`));
      const found = answer[/** @type {const} */ (`${name}s`)];
      const names = found.some((one) => one.name === set[name]) || set[name] === "" ? found : [{ name: set[name], count: 0 }, ...found];
      replace(select, h("option", { value: "" }, "all"), names.map((one) => h("option", { value: one.name }, `${one.name} (${format.count(one.count)})`)));
      select.value = set[name];
    }
    /** @type {HTMLElement} */ (filters.querySelector("#reset")).hidden = Object.values(set).every((value) => value === "");
  }

  let timer = 0;
  const typed = (/** @type {string} */ text) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => change({ search: text }), TYPED_MS);
  };
  /** Shows an error in place of the rows. @param {unknown} error */
  const fail = (error) => {
    if (!isAborted(error)) replace(holder, failed(error, () => void draw().catch(fail)));
  };
  signal.addEventListener("abort", () => asking.abort());

  const present = activity(signal);
  void inFrame(() => void draw().catch(fail))();
  const element = h("div", { class: "page" },
    h("header", {}, h("div", {}, h("h1", {}, "Overview"), h("p", {}, "The tuned problems and their speedups.")), h("a", { class: "button main", href: address(["new"]) }, "New study")),
    present,
    map.element,
    h("section", { class: "stack", "aria-labelledby": "problems" }, h("div", { class: "heading" }, h("h2", { id: "problems" }, "Problems"), total), filters, holder));
  return { title: "Overview", element };
}

/** Returns a name with a capital first letter. @param {string} name */
function title(name) {
  return name[0].toUpperCase() + name.slice(1);
}

/**
 * Returns the columns of the table.
 * @param {Api.Clock} clock
 * @returns {import("../parts/table.js").Column<Api.TunedConfiguration>[]}
 */
function columns(clock) {
  return [
    { name: "Problem", sort: "problem", wide: true, cell: (row) => h("a", { href: address(["problem"], { problem: row.problem, target: row.target }) }, marks.problem(row.problem)) },
    { name: "Best", sort: "time", number: true, cell: (row) => h("a", { href: address(["configuration"], { study: row.study, trial: row.ordinal }) }, marks.time(row.time_us, clock)) },
    { name: "Speedup", sort: "speedup", number: true, class: "speedup", cell: (row) => format.ratio(row.speedup) },
    { name: "Over bound", sort: "distance", number: true, cell: (row) => (row.bound_us ? format.ratio(row.time_us / row.bound_us) : "–") },
    { name: "Default", number: true, class: "phone-hidden", cell: (row) => untuned(row, clock) },
    { name: "Device", class: "phone-hidden", cell: (row) => row.device },
    { name: "Target", class: "phone-hidden", cell: (row) => row.target },
    { name: "Generator", class: "phone-hidden", cell: (row) => row.generator },
    { name: "Tie-break", class: "phone-hidden", cell: (row) => marks.verdict(row.status) },
  ];
}

/**
 * Creates the time of the untuned configuration, or the reason for a missing time.
 * @param {Api.TunedConfiguration} row
 * @param {Api.Clock} clock
 */
function untuned(row, clock) {
  if (row.default_time_us !== null) return marks.time(row.default_time_us, clock);
  const says = { failed: "does not compile or run" }[/** @type {string} */ (row.default_status)] ?? row.default_status ?? "not tried";
  return h("span", { class: "quiet" }, says);
}

function nothing() {
  return none("No problem is tuned yet", "Start at ", h("a", { href: address(["new"]) }, "New study"), ", or run ", h("code", {}, "wavetune tune 'argmax:4x[32000]xf32'"), " with this service's database.");
}
