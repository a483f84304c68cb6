// @ts-check
// The screenshots of the documentation; `cargo xtask screenshots` takes them all.

/**
 * @typedef {object} Screen
 * @property {string} name name of its file in docs/screenshots
 * @property {string} path address of the page
 * @property {number} width width in pixels: 1280 for a desk, 390 for a phone
 * @property {"light" | "dark"} scheme
 * @property {string} [ready] selector of the page's last content
 */

/** @type {Screen[]} */
export const SCREENS = [
  { name: "overview", path: "/", width: 1280, scheme: "light", ready: "h4" },
  { name: "overview-dark", path: "/", width: 1280, scheme: "dark", ready: "h4" },
  { name: "overview-phone", path: "/", width: 390, scheme: "light", ready: "h4" },
  { name: "study", path: "/#/study/1", width: 1280, scheme: "light", ready: ".parallel .value" },
  { name: "study-phone", path: "/#/study/1", width: 390, scheme: "dark", ready: ".parallel .value" },
  { name: "configuration", path: "/#/configuration?study=1&trial=1", width: 1280, scheme: "light", ready: "canvas" },
  { name: "configuration-dark", path: "/#/configuration?study=1&trial=1", width: 1280, scheme: "dark", ready: "canvas" },
  { name: "problem", path: "/#/problem?problem=argmax:4x%5B32000%5Dxf32:i32&target=gfx942", width: 1280, scheme: "light", ready: ".uplot" },
  { name: "model", path: "/#/model/a1", width: 1280, scheme: "light", ready: ".command" },
  { name: "roofline", path: "/#/roofline?device=emulated:mi300x", width: 1280, scheme: "light", ready: ".uplot" },
  { name: "fleet", path: "/#/fleet", width: 1280, scheme: "light", ready: "tbody a" },
  { name: "exports", path: "/#/exports?target=gfx942", width: 1280, scheme: "light", ready: "h3" },
  { name: "new", path: "/#/new?problem=argmax:4x%5B32000%5Dxf32", width: 1280, scheme: "light", ready: ".check .facts" },
];
