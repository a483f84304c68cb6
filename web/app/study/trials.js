// @ts-check
// The trials of a study as columns, which grow while it runs.

import { withQuery, get } from "../api.js";

/** Trials of the first answer, small for a fast first view, and of each later answer. */
const AT_FIRST = 1000;
const AT_ONCE = 20_000;

/**
 * @typedef {object} Attribute an attribute of the configurations
 * @property {string} name
 * @property {Api.Scalar[]} values values in rising order
 * @property {number[]} codes index of each trial's value; -1 for none
 */

export class Trials {
  /** Creates an empty list. @param {number} study */
  constructor(study) {
    this.study = study;
    /** Number of each trial in the study. @type {number[]} */
    this.ordinal = [];
    /** @type {Api.Role[]} */
    this.role = [];
    /** @type {Api.Status[]} */
    this.status = [];
    /** @type {(Api.FailureKind | null)[]} */
    this.failure = [];
    /** Time in microseconds; null without a time. @type {(number | null)[]} */
    this.time = [];
    /** Compilation time in milliseconds. @type {(number | null)[]} */
    this.compile = [];
    /** Duration of each trial in seconds. @type {number[]} */
    this.seconds = [];
    /** @type {Attribute[]} */
    this.attributes = [];
    /** @type {Set<number>} */
    this.known = new Set();
  }

  get length() {
    return this.ordinal.length;
  }

  /** Returns the first missing trial number. @private */
  missing() {
    const isWhole = this.length === 0 || this.ordinal[this.length - 1] + 1 === this.length;
    let place = isWhole ? this.length : 0;
    while (this.known.has(place)) place += 1;
    return place;
  }

  /**
   * Reads all missing trials. Calls `come` after the first answer and after the last.
   * @param {AbortSignal} signal
   * @param {(isAll: boolean) => void} come
   */
  async read(signal, come) {
    let from = /** @type {number | null} */ (this.missing());
    while (from !== null) {
      const isFirst = this.length === 0;
      const answer = await get(withQuery(`/api/v1/studies/${this.study}/columns`, { from, limit: isFirst ? AT_FIRST : AT_ONCE }), signal);
      this.take(answer);
      from = answer.next;
      if (isFirst || from === null) come(from === null);
    }
  }

  /** Adds an answer. @param {Api.Columns} answer */
  take(answer) {
    const isNew = answer.ordinal.map((/** @type {number} */ ordinal) => !this.known.has(ordinal));
    const before = this.length;
    for (let i = 0; i < isNew.length; i += 1) {
      if (!isNew[i]) continue;
      this.known.add(answer.ordinal[i]);
      this.ordinal.push(answer.ordinal[i]);
      this.role.push(answer.roles[answer.role[i]]);
      this.status.push(answer.statuses[answer.status[i]]);
      const failure = answer.failure[i];
      this.failure.push(failure === null ? null : answer.failures[failure]);
      this.time.push(answer.time_us[i]);
      this.compile.push(answer.compile_ms[i]);
      this.seconds.push(answer.seconds[i]);
    }
    // An attribute that is constant in one answer may vary in the next.
    const constants = answer.constants.map(({ name, value }) => ({ name, values: [value], codes: isNew.map(() => 0) }));
    for (const { name, values, codes } of [...answer.attributes, ...constants]) {
      let own = this.attributes.find((one) => one.name === name);
      if (own === undefined) {
        own = { name, values: [], codes: new Array(before).fill(-1) };
        this.attributes.push(own);
      }
      const places = merged(own, values);
      for (let i = 0; i < isNew.length; i += 1) {
        const code = codes[i];
        if (isNew[i]) own.codes.push(code === null ? -1 : places[code]);
      }
    }
    for (const { codes } of this.attributes) while (codes.length < this.length) codes.push(-1);
    if (before > 0 && this.ordinal[before] < this.ordinal[before - 1]) this.sort();
  }

  /** Returns the attributes that differ among the trials. */
  get varying() {
    return this.attributes.filter(({ values }) => values.length > 1);
  }

  /** Sorts the trials by number. Agents finish them in any order. @private */
  sort() {
    const order = this.ordinal.map((_, i) => i).sort((a, b) => this.ordinal[a] - this.ordinal[b]);
    /** @type {<Item>(column: Item[]) => Item[]} */
    const sorted = (column) => order.map((i) => column[i]);
    this.ordinal = sorted(this.ordinal);
    this.role = sorted(this.role);
    this.status = sorted(this.status);
    this.failure = sorted(this.failure);
    this.time = sorted(this.time);
    this.compile = sorted(this.compile);
    this.seconds = sorted(this.seconds);
    for (const attribute of this.attributes) attribute.codes = sorted(attribute.codes);
  }
}

/**
 * Adds values to an attribute. Returns the index of each.
 * @param {Attribute} own
 * @param {Api.Scalar[]} values
 */
function merged(own, values) {
  const fresh = values.filter((value) => !own.values.includes(value));
  if (fresh.length > 0) {
    const before = own.values;
    own.values = [...before, ...fresh].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const moved = before.map((value) => own.values.indexOf(value));
    own.codes = own.codes.map((code) => (code < 0 ? code : moved[code]));
  }
  return values.map((value) => own.values.indexOf(value));
}

/**
 * Returns the index of the fastest correct trial; null if there is none. Right results precede ties
 * unless `anyIndex` is set.
 * @param {Trials} trials
 * @param {boolean} anyIndex
 */
export function bestOf(trials, anyIndex) {
  let best = -1;
  for (let i = 0; i < trials.length; i += 1) {
    const time = trials.time[i];
    if (time === null || trials.status[i] === "wrong" || trials.status[i] === "timed") continue;
    if (best < 0 || isBefore(trials, i, best, anyIndex)) best = i;
  }
  return best < 0 ? null : best;
}

/**
 * Returns whether trial `a` is better than trial `b`.
 * @param {Trials} trials
 * @param {number} a
 * @param {number} b
 * @param {boolean} anyIndex
 */
function isBefore(trials, a, b, anyIndex) {
  const [first, second] = [trials.status[a], trials.status[b]];
  if (!anyIndex && first !== second) return first === "right";
  return /** @type {number} */ (trials.time[a]) < /** @type {number} */ (trials.time[b]);
}
