// @ts-check
// The flow of a lane's value through the exchange steps.

/**
 * @typedef {object} Flow the flow of one step
 * @property {Set<number>} before lanes that hold a part of the value
 * @property {Set<number>} after
 * @property {Set<number>} way lanes before and after the step on the path to the result lane
 * @property {[number, number] | null} link edge of the path: from a lane to a lane
 */

/**
 * Returns whether a step is between lanes of a subgroup, so that lanes are its columns.
 * @param {Api.Exchange} step
 * @param {number} lanes
 */
export function isBetweenLanes(step, lanes) {
  return step.from.length === lanes && step.kind !== "lds" && step.kind !== "memory";
}

/**
 * Groups the steps into rounds. A round reduces one value among the same lanes.
 * @param {Api.Exchange[]} steps
 * @param {number} lanes
 * @returns {Api.Exchange[][]}
 */
export function rounds(steps, lanes) {
  /** @type {Api.Exchange[][]} */
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
 * Returns for each lane the lane that holds its result after the round. It is the lane that all
 * others read at the end, or the first lane with contributions of the most lanes.
 * @param {Api.Exchange[]} round
 * @param {number} lanes
 * @returns {number[]}
 */
export function resultLanes(round, lanes) {
  const last = round[round.length - 1];
  const read = last.kind === "readlane" ? last.from.find((lane) => lane !== null) : undefined;
  if (read !== undefined && read !== null) return new Array(lanes).fill(read);
  let heard = Array.from({ length: lanes }, (_, lane) => new Set([lane]));
  for (const step of round) heard = heard.map((set, lane) => heardOf(heard, set, step.from[lane]));
  return Array.from({ length: lanes }, (_, lane) => {
    const most = heard.reduce((size, set) => (set.has(lane) ? Math.max(size, set.size) : size), 0);
    return heard.findIndex((set) => set.has(lane) && set.size === most);
  });
}

/**
 * Adds a sender's contributions to a receiver's.
 * @param {Set<number>[]} heard
 * @param {Set<number>} own
 * @param {number | null} from
 */
function heardOf(heard, own, from) {
  return from === null ? own : new Set([...own, ...heard[from]]);
}

/**
 * Returns the spread of some lanes' values in a round, and the path to a target lane.
 * @param {Api.Exchange[]} round
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
