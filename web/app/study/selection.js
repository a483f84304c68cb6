// @ts-check
// The selection of trials by ranges on the axes and by verdict.

import { inFrame } from "../dom.js";
import { remember } from "../router.js";
import { TIME, heightOf, timeScale } from "./parallel.js";

export class TrialSelection {
  /**
   * Reads the selection from the address.
   * @param {import("./trials.js").Trials} trials
   * @param {URLSearchParams} query
   */
  constructor(trials, query) {
    this.trials = trials;
    /**
     * Marked range of each axis by name, from 0 (top) to 1 (bottom).
     * @type {Map<string, [number, number]>}
     */
    this.ranges = new Map();
    for (const [name, text] of (query.get("mark") ?? "").split(";").flatMap((part) => (part.includes("~") ? [part.split("~")] : []))) {
      const [from, to] = text.split("-").map(Number);
      if (from >= 0 && to <= 1) this.ranges.set(name, [from, to]);
    }
    /** Selected verdict; empty for all. */
    this.status = query.get("status") ?? "";
    /** 1 for each marked trial. @type {Uint8Array} */
    this.isMarked = new Uint8Array();
    this.count = 0;
    /** @private */
    this.heights = new Float64Array();
    /** Listeners that are called after each change. @type {(() => void)[]} */
    this.hearers = [];
    /** @private */
    this.tell = inFrame(() => {
      this.work();
      for (const hear of this.hearers) hear();
    });
  }

  /**
   * Returns the marked range of an axis; null for all.
   * @param {string} name
   * @returns {[number, number] | null}
   */
  range(name) {
    return this.ranges.get(name) ?? null;
  }

  /**
   * Marks a range of an axis; null marks all of it.
   * @param {string} name
   * @param {[number, number] | null} range
   */
  mark(name, range) {
    if (range === null) this.ranges.delete(name);
    else this.ranges.set(name, range);
    this.tell();
  }

  /** Selects a verdict. @param {string} status empty for all */
  choose(status) {
    this.status = status;
    remember({ status });
    this.tell();
  }

  /** Marks all trials. */
  clear() {
    this.ranges.clear();
    this.status = "";
    remember({ status: null });
    this.settle();
    this.tell();
  }

  /** Writes the ranges into the address. */
  settle() {
    remember({ mark: [...this.ranges].map(([name, [from, to]]) => `${name}~${from.toFixed(3)}-${to.toFixed(3)}`).join(";") });
  }

  /** Computes the marked trials. */
  work() {
    const { trials, ranges, status } = this;
    const is = new Uint8Array(trials.length).fill(1);
    if (status !== "") trials.status.forEach((one, i) => (is[i] = one === status ? 1 : 0));
    for (const { name, values, codes } of trials.attributes) {
      const range = ranges.get(name);
      if (range === undefined) continue;
      const fits = values.map((_, code) => within(heightOf(code, values.length), range));
      for (let i = 0; i < is.length; i += 1) if (codes[i] < 0 || !fits[codes[i]]) is[i] = 0;
    }
    const times = ranges.get(TIME);
    if (times !== undefined) {
      const heights = this.timeHeights();
      for (let i = 0; i < is.length; i += 1) if (!within(heights[i], times)) is[i] = 0;
    }
    this.isMarked = is;
    this.count = is.reduce((sum, one) => sum + one, 0);
  }

  /**
   * Returns the height of each trial on the axis of times; NaN without a time. The heights are
   * cached, because a drag needs them in each frame.
   * @private
   */
  timeHeights() {
    const { trials } = this;
    if (this.heights.length !== trials.length) {
      const scale = timeScale(trials);
      this.heights = Float64Array.from(trials.time, (time) => (time === null ? NaN : scale.at(time)));
    }
    return this.heights;
  }

  /** Returns the indices of the marked trials. */
  places() {
    const places = [];
    for (let i = 0; i < this.isMarked.length; i += 1) if (this.isMarked[i] === 1) places.push(i);
    return places;
  }
}

/**
 * Returns whether a height is in a range, with a tolerance for rounding in the address.
 * @param {number} height
 * @param {[number, number]} range
 */
function within(height, [from, to]) {
  return height >= from - 0.004 && height <= to + 0.004;
}
