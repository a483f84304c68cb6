// @ts-check
// Where what a lane has goes in the steps in which lanes meet.

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} kind
 * @property {string} scope "subgroup", "workgroup" or "grid"
 * @property {(number | null)[]} from of each lane the lane that it receives from
 * @property {string} [what] what is handed on
 * @property {boolean} [only_on_ties]
 *
 * @typedef {object} Flow of one step
 * @property {Set<number>} before lanes that have something of the lane
 * @property {Set<number>} after
 * @property {Set<number>} way lanes before and after on the way to the lane that hands the result on
 * @property {[number, number] | null} link of the way: from a lane to a lane
 */

/** Whether a step is between lanes of a subgroup, so that lanes are its columns. @param {Step} step @param {number} lanes */
export function isBetweenLanes(step, lanes) {
  return step.from.length === lanes && step.kind !== "lds" && step.kind !== "memory";
}

/**
 * The steps in rounds: one hands on one thing among the same lanes.
 * @param {Step[]} steps
 * @param {number} lanes
 * @returns {Step[][]}
 */
export function rounds(steps, lanes) {
  /** @type {Step[][]} */
  const rounds = [];
  for (const step of steps) {
    const last = rounds.at(-1)?.at(-1);
    const goesOn = last !== undefined && isBetweenLanes(step, lanes) && isBetweenLanes(last, lanes) && last.scope === step.scope && last.what === step.what && last.only_on_ties === step.only_on_ties;
    if (goesOn) rounds.at(-1)?.push(step);
    else rounds.push([step]);
  }
  return rounds;
}

/**
 * The lane in which a round's result is handed on: the one that all read at its end, or the first that has heard of all.
 * @param {Step[]} round
 * @param {number} lanes
 */
export function resultLane(round, lanes) {
  const last = round[round.length - 1];
  if (last.kind === "readlane") return last.from.find((lane) => lane !== null) ?? 0;
  const heard = Array.from({ length: lanes }, (_, lane) => new Set([lane]));
  for (const step of round) {
    const before = heard.map((set) => new Set(set));
    step.from.forEach((from, lane) => from !== null && before[from].forEach((other) => heard[lane].add(other)));
  }
  const most = Math.max(...heard.map((set) => set.size));
  return heard.findIndex((set) => set.size === most);
}

/**
 * How what some lanes have spreads in a round, and the way to a lane.
 * @param {Step[]} round
 * @param {Set<number>} begin
 * @param {number} target
 * @returns {Flow[]}
 */
export function flow(round, begin, target) {
  const sets = [begin];
  for (const step of round) {
    const before = sets[sets.length - 1];
    const after = new Set(before);
    step.from.forEach((from, lane) => {
      if (from !== null && before.has(from)) after.add(lane);
    });
    sets.push(after);
  }
  /** @type {Flow[]} */
  const flows = [];
  let lane = sets[sets.length - 1].has(target) ? target : null;
  for (let k = round.length - 1; k >= 0; k -= 1) {
    const before = lane;
    if (lane !== null && !sets[k].has(lane)) lane = round[k].from[lane];
    const link = /** @type {[number, number] | null} */ (lane === null || before === null ? null : [lane, before]);
    flows.unshift({ before: sets[k], after: sets[k + 1], way: new Set(link ?? []), link });
  }
  return flows;
}
