// @ts-check
// The pictures of the documents: `cargo xtask screenshots` takes them all.

/**
 * @typedef {object} Screen
 * @property {string} name of its file in docs/screenshots
 * @property {string} path what is opened
 * @property {number} width 1280 for a desk, 390 for a phone
 * @property {"light" | "dark"} scheme
 * @property {string} [ready] what is there when the page has all that it shows, as a selector
 */

/** @type {Screen[]} */
export const SCREENS = [
  { name: "overview", path: "/", width: 1280, scheme: "light" },
  { name: "overview-dark", path: "/", width: 1280, scheme: "dark" },
  { name: "overview-phone", path: "/", width: 390, scheme: "light" },
];
