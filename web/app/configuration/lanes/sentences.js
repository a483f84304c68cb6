// @ts-check
// A description of the layout in sentences.

import * as format from "../../format.js";

/**
 * Returns the sentences of a layout.
 * @param {Api.Layout} layout
 * @param {number | null} bytes bytes of an element; null if unknown
 * @returns {string[]}
 */
export function sentences(layout, bytes) {
  return [workgroup(layout), subgroups(layout), lanes(layout, bytes), clamped(layout), again(layout)].filter((sentence) => sentence !== "");
}

/** Describes the workgroups. @param {Api.Layout} layout */
function workgroup(layout) {
  const { dimensions, workgroups, split, steps } = layout;
  const share = split > 1 ? `${format.count(split)} of them share each row, and the last one to finish combines their results. ` : "";
  const all = whole(dimensions, true);
  const columns = layout.columns === all ? `all ${format.counted(all, "column")}` : `${format.count(layout.columns)} of ${format.counted(all, "column")}`;
  const each = `${workgroups === 1 ? "It" : "Each"} takes ${tile(dimensions, false, "row")} and ${columns}`;
  const how = steps > 1 ? `, in ${format.count(steps)} steps of ${tile(dimensions, true, "column")}` : "";
  const shifted = dimensions.some((d) => d.reduced && d.cover === "shifted") ? "; the last step starts earlier and repeats some of them" : "";
  return `${format.counted(workgroups, "workgroup")} of ${format.counted(layout.subgroups, "subgroup")} of ${layout.subgroup_size} lanes. ${share}${each}${how}${shifted}.`;
}

/**
 * Returns the number of all rows or columns.
 * @param {Api.Dimension[]} dimensions
 * @param {boolean} reduced
 */
function whole(dimensions, reduced) {
  return dimensions.filter((d) => d.reduced === reduced).reduce((product, d) => product * d.size, 1);
}

/**
 * Describes a tile.
 * @param {Api.Dimension[]} dimensions
 * @param {boolean} reduced
 * @param {string} noun
 */
function tile(dimensions, reduced, noun) {
  const tiles = dimensions.filter((d) => d.reduced === reduced).map((d) => Math.min(d.tile, d.size));
  const count = tiles.reduce((product, size) => product * size, 1);
  return tiles.length > 1 ? `${tiles.map(format.count).join(" × ")} ${noun}s` : format.counted(count, noun);
}

/** Describes dimensions with a tile larger than the problem. @param {Api.Layout} layout */
function clamped({ dimensions }) {
  const names = dimensions.flatMap((d, i) => (d.cover === "clamped" ? [`dimension ${i} has ${format.count(d.size)} elements and its tile ${format.count(d.tile)}`] : []));
  return names.length === 0 ? "" : `The tile is larger than the problem: ${names.join(", ")}. Lanes beyond the end load the last elements again.`;
}

/** Describes the second load of the best step. @param {Api.Layout} layout */
function again({ best_step_again }) {
  return best_step_again ? "After the last step, each lane loads the step with its row's best element again to find the index." : "";
}

/** Describes the subgroups. @param {Api.Layout} layout */
function subgroups(layout) {
  if (layout.subgroups === 1) return "";
  const spread = layout.dimensions.filter((d) => d.subgroup.count > 1);
  if (spread.length === 0) return `All ${layout.subgroups} subgroups take the same elements.`;
  const share = spread.map((d) => format.counted(d.subgroup.stride, `consecutive ${d.reduced ? "column" : "row"}`)).join(" of ");
  const isAll = spread.length === 1 && spread[0].subgroup.count === layout.subgroups;
  const which = spread.map((d) => `${digit("s", d.subgroup)} ${along(d, layout.dimensions)}`).join(" and ");
  return `Each of the ${layout.subgroups} subgroups takes ${share}${isAll ? ", in the order of their numbers" : `; subgroup s is number ${which}`}.`;
}

/**
 * Returns "columns" for a reduced dimension, "rows" for a parallel one.
 * @param {Api.Dimension} d
 */
function noun(d) {
  return d.reduced ? "columns" : "rows";
}

/**
 * Returns the direction of a dimension; its number if there are several of its kind.
 * @param {Api.Dimension} d
 * @param {Api.Dimension[]} dimensions
 */
function along(d, dimensions) {
  const isAlone = dimensions.filter((other) => other.reduced === d.reduced).length === 1;
  return isAlone ? `along the ${noun(d)}` : `along dimension ${dimensions.indexOf(d)}`;
}

/**
 * Returns a digit of an id as an expression.
 * @param {string} id
 * @param {{ count: number, id_stride: number }} of
 */
function digit(id, { count, id_stride }) {
  return id_stride > 1 ? `⌊${id} / ${id_stride}⌋ mod ${count}` : `${id} mod ${count}`;
}

/** Describes the lanes. @param {Api.Layout} layout @param {number | null} bytes */
function lanes({ dimensions, subgroup_size }, bytes) {
  const taking = dimensions.filter((d) => d.element.count > 1);
  const elements = taking.reduce((product, d) => product * d.element.count, 1);
  const shape = taking.length > 1 ? `${taking.map((d) => `${d.element.count} ${noun(d)}`).join(" × ")}` : elements === 1 ? "1 element" : `${elements} consecutive ${noun(taking[0])}`;
  const weight = bytes === null ? "" : ` (${format.bytes(elements * bytes)})`;
  const times = dimensions.filter((d) => d.batch.count > 1).map((d) => `${format.counted(d.batch.count, "time")} ${along(d, dimensions)}, ${format.count(d.batch.stride)} apart`);
  const spread = dimensions.filter((d) => d.lane.count > 1);
  const where = spread.map((d) => (spread.length === 1 && d.lane.count === subgroup_size ? "" : `${digit("l", d.lane)} ${along(d, dimensions)}`)).filter((/** @type {string} */ text) => text !== "");
  const place = where.length === 0 ? "neighbouring lanes side by side" : `lane l is number ${where.join(" and ")}`;
  return `A lane takes ${shape}${weight} at once, ${place}${times.length === 0 ? ", once in a step" : `; in a step ${times.join(", and ")}`}.`;
}

/** Bytes of a cache line. */
const LINE = 128;

/**
 * Describes the share of touched cache lines that the first load instruction of a subgroup uses.
 * @param {import("./map.js").Loads} loads
 * @param {number} bytes bytes of an element
 */
export function lines(loads, bytes) {
  const touched = new Set();
  let asked = 0;
  /** @type {Map<number, number>} */
  const seen = new Map();
  for (let i = 0; i < loads.count; i += 1) {
    const [step, subgroup, batch] = [loads.step[i], loads.subgroup[i], loads.batch[i]];
    if (step !== loads.step[0] || subgroup !== loads.subgroup[0] || batch !== loads.batch[0]) break;
    const times = seen.get(loads.lane[i]) ?? 0;
    seen.set(loads.lane[i], times + 1);
    if (times > 0) continue;
    const stretch = loads.along.isRow ? 1 : loads.length[i];
    const first = loads.offset[i] * bytes;
    for (let line = Math.floor(first / LINE); line <= Math.floor((first + stretch * bytes - 1) / LINE); line += 1) touched.add(line);
    asked += stretch * bytes;
  }
  const share = asked / (touched.size * LINE);
  const use = share > 1.001 ? "some bytes serve several lanes" : share > 0.999 ? "all bytes are used" : `${format.percent(share)} of the bytes are used`;
  return `The first load of a subgroup reads ${format.bytes(asked)} from ${format.counted(touched.size, "line")} of ${LINE} bytes: ${use}.`;
}
