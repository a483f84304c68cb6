// @ts-check
// Elements with pointer listeners that are no controls, and their keyboard equivalents.
// `keys_do.js` tests each.

/** @type {import("./page.js").Twin[]} */
export const TWINS = [
  { pointer: ".u-over", keys: ".u-over" },
  { pointer: ".u-wrap", keys: ".u-over" },
  { pointer: ".parallel .reach", keys: ".parallel" },
  { pointer: ".pane", keys: ".pane" },
  { pointer: ".lane-map", keys: ".lane-map" },
  { pointer: ".exchange svg", keys: ".exchange" },
];
