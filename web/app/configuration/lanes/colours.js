// @ts-check
// Colours of the map. Hue shows the subgroup and lightness the lane; batches and steps have one
// ramp.

/** Hues that colour-blind readers can distinguish. Neighbours differ in lightness, too. */
const HUES = [250, 65, 165, 320, 30, 205, 110, 285];
const CHROMA = [0.13, 0.07];

/** @typedef {"lane" | "batch" | "step"} ColourMode */

/** @type {[ColourMode, string][]} */
export const COLOUR_MODES = [
  ["lane", "subgroup and lane"],
  ["batch", "batch"],
  ["step", "loop step"],
];

/** Returns the lightness of the i-th of `count` colours. @param {number} i @param {number} count */
function lightness(i, count) {
  return 0.45 + 0.43 * (count > 1 ? i / (count - 1) : 0.5);
}

/**
 * Returns the colour of a lane.
 * @param {number} subgroup
 * @param {number} lane
 * @param {number} lanes
 */
export function laneColour(subgroup, lane, lanes) {
  return made(subgroup, lightness(lane, lanes));
}

/** Returns the colour of a batch. @param {number} batch @param {number} batches */
export function batchColour(batch, batches) {
  return made(batch % 2, lightness(batch, batches));
}

/**
 * Returns the colour of a step.
 * @param {number} i index among the displayed steps
 * @param {number} steps
 */
export function stepColour(i, steps) {
  return made(i, lightness(i, steps));
}

/**
 * Returns a fill colour and the colour of text on it.
 * @param {number} hue
 * @param {number} light
 * @returns {{ fill: string, text: string }}
 */
function made(hue, light) {
  const chroma = CHROMA[Math.floor(hue / HUES.length) % CHROMA.length];
  return { fill: `oklch(${light.toFixed(3)} ${chroma} ${HUES[hue % HUES.length]})`, text: light > 0.62 ? "#0b1118" : "#ffffff" };
}

/**
 * Returns the function from a load to its colour, with a cache.
 * @param {import("./map.js").Loads} loads
 * @param {ColourMode} by
 * @param {{ lanes: number, batches: number, steps: number[] }} counts
 * @returns {(load: number) => { fill: string, text: string }}
 */
export function colouring(loads, by, counts) {
  const kept = new Map();
  const keep = (/** @type {number} */ key, /** @type {() => { fill: string, text: string }} */ make) => {
    if (!kept.has(key)) kept.set(key, make());
    return kept.get(key);
  };
  switch (by) {
    case "lane":
      return (i) => keep(loads.subgroup[i] * counts.lanes + loads.lane[i], () => laneColour(loads.subgroup[i], loads.lane[i], counts.lanes));
    case "batch":
      return (i) => keep(loads.batch[i], () => batchColour(loads.batch[i], counts.batches));
    case "step":
      return (i) => keep(loads.step[i], () => stepColour(counts.steps.indexOf(loads.step[i]), counts.steps.length));
  }
}
