// @ts-check
// What reacts to a pointer and is no control by itself, and what does the same by keys. `keys_do.js` tries each.

/** @type {import("./page.js").Twin[]} */
export const TWINS = [
  { pointer: ".u-over", keys: ".u-over" },
  { pointer: ".u-wrap", keys: ".u-over" },
  { pointer: ".parallel .reach", keys: ".parallel" },
  { pointer: ".pane", keys: ".pane" },
  { pointer: ".lane-map", keys: ".lane-map" },
  { pointer: ".exchange svg", keys: ".exchange" },
];
