// @ts-check
// The colours of the map: a hue for each subgroup and a lightness for each lane, or one of both for batches and steps.

/** Hues that stay apart for those who see few colours, as their lightness differs too where they meet. */
const HUES = [250, 65, 165, 320, 30, 205, 110, 285];
const CHROMA = [0.13, 0.07];

/** @typedef {"lane" | "batch" | "step"} By */

/** @type {[By, string][]} */
export const BY = [
  ["lane", "subgroup and lane"],
  ["batch", "batch"],
  ["step", "loop step"],
];

/** Lightness, from the first of `count` to the last. @param {number} i @param {number} count */
function lightness(i, count) {
  return 0.45 + 0.43 * (count > 1 ? i / (count - 1) : 0.5);
}

/** @param {number} subgroup @param {number} lane @param {number} lanes */
export function ofLane(subgroup, lane, lanes) {
  return made(subgroup, lightness(lane, lanes));
}

/** @param {number} batch @param {number} batches */
export function ofBatch(batch, batches) {
  return made(batch % 2, lightness(batch, batches));
}

/** @param {number} i the place of a step among those that are shown @param {number} steps */
export function ofStep(i, steps) {
  return made(i, lightness(i, steps));
}

/** @param {number} hue @param {number} light @returns {{ fill: string, text: string }} */
function made(hue, light) {
  const chroma = CHROMA[Math.floor(hue / HUES.length) % CHROMA.length];
  return { fill: `oklch(${light.toFixed(3)} ${chroma} ${HUES[hue % HUES.length]})`, text: light > 0.62 ? "#0b1118" : "#ffffff" };
}

/**
 * The colour of each load, by what is to be told apart.
 * @param {import("./map.js").Loads} loads
 * @param {By} by
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
      return (i) => keep(loads.subgroup[i] * counts.lanes + loads.lane[i], () => ofLane(loads.subgroup[i], loads.lane[i], counts.lanes));
    case "batch":
      return (i) => keep(loads.batch[i], () => ofBatch(loads.batch[i], counts.batches));
    case "step":
      return (i) => keep(loads.step[i], () => ofStep(counts.steps.indexOf(loads.step[i]), counts.steps.length));
  }
}
