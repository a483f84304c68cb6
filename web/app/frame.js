// @ts-check
// The header and footer of each page.

import { h } from "./dom.js";
import { address } from "./router.js";

/** Pages in the header. The third column lists pages that highlight the link, too. */
const LINKS = [
  ["", "Overview", "problem"],
  ["studies", "Studies", "study configuration"],
  ["models", "Models", "model"],
  ["roofline", "Roofline", ""],
  ["fleet", "Fleet", ""],
  ["wishes", "Wishes", ""],
  ["failures", "Failures", ""],
  ["exports", "Exports", ""],
  ["new", "New study", ""],
];

/** Creates the header. A report is one page, so it has no links. @param {boolean} isReport */
export function bar(isReport) {
  const brand = h("span", { class: "brand" }, mark(), "wavetune");
  if (isReport) return h("header", { class: "bar" }, brand);
  const links = LINKS.map(([page, name, also]) =>
    h("li", {}, h("a", { href: address(page === "" ? [] : [page]), "data-page": page, "data-also": also }, name)),
  );
  return h(
    "header",
    { class: "bar" },
    h("a", { class: "brand", href: address([]), "aria-label": "wavetune, overview" }, mark(), "wavetune"),
    h("nav", { "aria-label": "Pages" }, h("ul", {}, links)),
  );
}

function mark() {
  return h("span", { class: "mark", "aria-hidden": "true" });
}

/** Creates the footer. @param {boolean} isReport */
export function foot(isReport) {
  const made = isReport
    ? h("span", {}, "A report of wavetune: a single file, which needs no service.")
    : h("span", {}, "For programs: ", h("a", { href: "/api/v1/docs" }, "the HTTP API"), ".");
  const clocks = h(
    "span",
    {},
    "Times of GPUs are ",
    h("b", { class: "clock measured" }, "measured"),
    ", those of the emulator ",
    h("b", { class: "clock modelled" }, "modelled"),
    ". They are never compared.",
  );
  return h("footer", { class: "foot" }, made, clocks);
}
