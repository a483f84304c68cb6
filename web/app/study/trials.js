// @ts-check
// The trials of a study as columns, which grow while it runs.

import { asked, get } from "../api.js";

/** Trials of the first answer, so that something is there soon, and of each that follows. */
const AT_FIRST = 1000;
const AT_ONCE = 20_000;

/**
 * @typedef {object} Attribute a part of the configurations
 * @property {string} name
 * @property {Api.Scalar[]} values in rising order
 * @property {number[]} codes of each trial: the place of its value, -1 where there is none
 */

export class Trials {
  /** @param {number} study */
  constructor(study) {
    this.study = study;
    /** Their places in the study's sequence. @type {number[]} */
    this.ordinal = [];
    /** @type {Api.Role[]} */
    this.role = [];
    /** @type {Api.Status[]} */
    this.status = [];
    /** @type {(Api.FailureKind | null)[]} */
    this.failure = [];
    /** In microseconds; none of what was not timed. @type {(number | null)[]} */
    this.time = [];
    /** Of the compilation in milliseconds. @type {(number | null)[]} */
    this.compile = [];
    /** Seconds that each took. @type {number[]} */
    this.seconds = [];
    /** @type {Attribute[]} */
    this.attributes = [];
    /** @type {Set<number>} */
    this.known = new Set();
  }

  get length() {
    return this.ordinal.length;
  }

  /** The first place of the sequence that is not known. @private */
  missing() {
    const isWhole = this.length === 0 || this.ordinal[this.length - 1] + 1 === this.length;
    let place = isWhole ? this.length : 0;
    while (this.known.has(place)) place += 1;
    return place;
  }

  /**
   * Reads what the service has and is not known here; calls `come` after the first answer and after the last.
   * @param {AbortSignal} signal
   * @param {(isAll: boolean) => void} come
   */
  async read(signal, come) {
    let from = /** @type {number | null} */ (this.missing());
    while (from !== null) {
      const isFirst = this.length === 0;
      const answer = await get(asked(`/api/v1/studies/${this.study}/columns`, { from, limit: isFirst ? AT_FIRST : AT_ONCE }), signal);
      this.take(answer);
      from = answer.next;
      if (isFirst || from === null) come(from === null);
    }
  }

  /** Takes an answer in. @param {Api.Columns} answer */
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
    // What all trials of one answer have in common may differ in the next.
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

  /** The attributes that differ among the trials. */
  get varying() {
    return this.attributes.filter(({ values }) => values.length > 1);
  }

  /** Brings the trials in their order: agents end theirs in any. @private */
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
 * Takes values into an attribute, and gives the place of each.
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

/** The place of the fastest that is right, or else has another index on ties; none where there is none. @param {Trials} trials @param {boolean} anyIndex */
export function bestOf(trials, anyIndex) {
  let best = -1;
  for (let i = 0; i < trials.length; i += 1) {
    const time = trials.time[i];
    if (time === null || trials.status[i] === "wrong") continue;
    if (best < 0 || isBefore(trials, i, best, anyIndex)) best = i;
  }
  return best < 0 ? null : best;
}

/** @param {Trials} trials @param {number} a @param {number} b @param {boolean} anyIndex */
function isBefore(trials, a, b, anyIndex) {
  const [first, second] = [trials.status[a], trials.status[b]];
  if (!anyIndex && first !== second) return first === "right";
  return /** @type {number} */ (trials.time[a]) < /** @type {number} */ (trials.time[b]);
}
