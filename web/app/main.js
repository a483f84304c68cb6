// @ts-check
// The frame around all pages, and the choice of the page by its address.

import { ApiError, isAborted, isReport, rejectToken } from "./api.js";
import { connection } from "./connection.js";
import { h, put, replace } from "./dom.js";
import { forgetFocus, keepFocus } from "./focus.js";
import { bar, foot } from "./frame.js";
import { failed, waiting } from "./parts/notice.js";
import { parse } from "./router.js";
import { tokenForm } from "./token_form.js";

/**
 * @typedef {object} Context input of a page
 * @property {string[]} rest parts of the address after the page's name
 * @property {URLSearchParams} query settings in the address
 * @property {AbortSignal} signal aborted on navigation to another page
 *
 * @typedef {object} PageContent result of a page
 * @property {string} title title of the tab
 * @property {HTMLElement} element
 *
 * @typedef {(context: Context) => Promise<PageContent>} Page
 */

/**
 * Pages by the first part of their address.
 * @type {Record<string, () => Promise<{ show: Page }>>}
 */
const PAGES = {
  "": () => import("./pages/overview.js"),
  studies: () => import("./pages/studies.js"),
  study: () => import("./pages/study.js"),
  configuration: () => import("./pages/configuration.js"),
  problem: () => import("./pages/problem.js"),
  models: () => import("./pages/models.js"),
  model: () => import("./pages/model.js"),
  roofline: () => import("./pages/roofline.js"),
  fleet: () => import("./pages/fleet.js"),
  exports: () => import("./pages/exports.js"),
  wishes: () => import("./pages/wishes.js"),
  failures: () => import("./pages/failures.js"),
  new: () => import("./pages/new.js"),
};

const main = h("main", { id: "main", tabindex: "-1" });
const banner = h("div", { class: "banner", role: "status", "aria-live": "polite" });
let leaving = new AbortController();
/**
 * Address of the current page; null before the first, because the first page leaves the focus above
 * the header.
 * @type {string | null}
 */
let shownPath = null;

async function show() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  // A report opens at its own place.
  const address = parse(location.hash === "" ? (document.documentElement.dataset.place ?? "") : location.hash);
  const [first = "", ...rest] = address.path;
  const isFirst = shownPath === null;
  const isAnother = location.hash.split("?")[0] !== shownPath;
  shownPath = location.hash.split("?")[0];
  if (isAnother) {
    forgetFocus();
    replace(main, waiting());
  }
  for (const link of document.querySelectorAll(".bar nav a")) {
    const pages = [link.getAttribute("data-page"), ...(link.getAttribute("data-also") ?? "").split(" ").filter((page) => page !== "")];
    if (pages.includes(first)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    const page = PAGES[first];
    if (!Object.hasOwn(PAGES, first)) throw new ApiError(404, "There is no such page", "The bar above lists the pages.");
    const { show } = await page();
    const shown = await show({ rest, query: address.query, signal });
    if (signal.aborted) return;
    replace(main, shown.element);
    document.title = `${shown.title} · wavetune`;
  } catch (error) {
    if (signal.aborted || isAborted(error)) return;
    document.title = "wavetune";
    replace(main, failed(error, () => void show(), "h1"));
    if (!(error instanceof ApiError)) throw error;
  }
  if (isAnother && !isFirst) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
}

connection.addEventListener("lost", () => {
  replace(banner, h("p", {}, "The service does not answer. This page shows its last answers and continues when it is back."));
});
connection.addEventListener("back", () => {
  replace(banner);
  if (main.querySelector(".failed") !== null) void show();
});
window.addEventListener("wavetune-unknown", () => {
  leaving.abort();
  replace(main, tokenForm(rejectToken(), () => void show()));
});
window.addEventListener("hashchange", () => void show());

keepFocus(main);
put(
  document.body,
  h("a", { class: "skip", href: "#main", onclick: (/** @type {Event} */ event) => {
    event.preventDefault();
    main.focus();
  } }, "To the content"),
  bar(isReport),
  banner,
  main,
  foot(isReport),
);
void show();
