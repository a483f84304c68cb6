// @ts-check
// Live checks of the problems in the form: sizes, bounds and syntax errors.

import { ApiError, withQuery, checkProblem, get, isAborted } from "../api.js";
import { h, replace } from "../dom.js";
import * as format from "../format.js";
import { lookup } from "../parts/lookup.js";
import * as marks from "../parts/marks.js";
import { address } from "../router.js";

/** Pause after the last key before the check, in milliseconds. */
const QUIET_MS = 250;
/** The most problems in a live check. The service checks all problems on submission. */
const SHOWN = 12;

/**
 * @typedef {object} FormContent content of the form
 * @property {string[]} problems
 * @property {string} comparator
 * @property {boolean} assumesOrder true if the user declares the comparator an order
 * @property {string} target
 * @property {string} device empty for any device of the target
 * @property {Api.Clock} clock clock of the device
 * @property {string} generator
 * @property {number} budget
 * @property {string} strategy
 *
 * @typedef {object} CheckSuccess the service's answer for a problem
 * @property {Api.CheckedProblem} answer
 * @property {undefined} [trouble]
 * @property {Api.BatchAnswer | null} [known] answer of a lookup
 * @property {string[]} [takers] generators that support the problem, if the selected one does not
 *
 * @typedef {CheckSuccess | { trouble: ApiError, answer?: undefined, known?: undefined, takers?:
 *   undefined }} CheckResult
 */

/**
 * Creates the list of checks. `look` starts a check after a pause, and `heard` receives its
 * results.
 * @param {AbortSignal} signal
 * @param {string[]} generators names of all generators
 * @param {(said: CheckResult[]) => void} heard
 * @param {(text: string, position: number, isComparator: boolean) => void} reach moves the cursor
 *   to an error
 */
export function checks(signal, generators, heard, reach) {
  const element = h("div", { class: "stack", role: "status" });
  /**
   * Earlier checks by request, so that an unchanged line needs no request.
   * @type {Map<string, Promise<CheckResult>>}
   */
  const before = new Map();
  let round = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  const run = async (/** @type {FormContent} */ wanted) => {
    round += 1;
    const mine = round;
    const shown = wanted.problems.slice(0, SHOWN);
    const said = await Promise.all(shown.map((problem) => {
      const body = { problem, target: wanted.target, device: wanted.device || undefined, generator: wanted.generator, ...own(wanted) };
      const key = JSON.stringify(body);
      const known = before.get(key) ?? one(body, generators, signal);
      before.set(key, known);
      known.catch(() => before.delete(key));
      return known;
    })).catch((error) => {
      if (isAborted(error) || signal.aborted) return null;
      throw error;
    });
    if (said === null || mine !== round) return;
    for (const [key, promise] of before) void promise.then(({ trouble }) => trouble?.status === 0 && before.delete(key));
    const more = wanted.problems.length - shown.length;
    // An error in the comparator affects all problems, so it is shown once.
    const comparator = said.find(({ trouble }) => trouble?.parameter === "comparator");
    const drawn = comparator === undefined ? said.map((one, i) => card(shown[i], one, wanted, reach)) : card("", comparator, wanted, reach);
    replace(element, drawn,
      more > 0 && h("p", { class: "quiet" }, `The service checks ${format.counted(more, "more problem")} when you submit them.`),
      shown.length === 0 && h("p", { class: "quiet" }, "The service checks the problem here while you type."));
    heard(said);
  };

  return {
    element,
    /** Starts a check. @param {FormContent} wanted @param {boolean} [isNow] true for no pause */
    look(wanted, isNow = false) {
      clearTimeout(timer);
      timer = setTimeout(() => void run(wanted), isNow ? 0 : QUIET_MS);
    },
  };
}

/**
 * Checks a problem with one generator, and with the others if the first does not support it.
 * @param {{ problem: string, target: string, device?: string, generator: string, comparator?:
 *   string, assume_order?: boolean }} body
 * @param {string[]} generators
 * @param {AbortSignal} signal
 * @returns {Promise<CheckResult>}
 */
async function one(body, generators, signal) {
  const check = (/** @type {string} */ generator) => checkProblem({ ...body, generator }, signal);
  try {
    const answer = await check(body.generator);
    if (answer.is_legal) {
      const { target, device, generator } = body;
      const known = await lookup({ problem: answer.problem, target, device, generator }, signal).catch(() => null);
      return { answer, known };
    }
    const others = generators.filter((name) => name !== body.generator);
    const takers = await Promise.all(others.map((name) => check(name).then((said) => (said.is_legal ? [name] : []), () => [])));
    return { answer, takers: takers.flat() };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The service may not know a GPU by the name that its driver gives. The check without a device
    // lacks only the bound.
    if (error.parameter === "device" && body.device !== undefined) return one({ ...body, device: undefined }, generators, signal);
    return { trouble: error };
  }
}

/**
 * Returns the problems as a study needs them. The service writes a separate comparator into the
 * problem's text.
 * @param {FormContent} wanted
 * @returns {Promise<string[]>}
 */
export async function canonicalProblems(wanted) {
  const { problems, comparator, target, generator } = wanted;
  if (comparator === "") return problems;
  const texts = [];
  for (const problem of problems) texts.push((await checkProblem({ problem, target, generator, ...own(wanted) })).problem);
  return texts;
}

/** Returns the fields of a separate comparator. @param {FormContent} wanted */
function own({ comparator, assumesOrder }) {
  return comparator === "" ? {} : { comparator, assume_order: assumesOrder || undefined };
}

/**
 * Creates the card of a check.
 * @param {string} text
 * @param {CheckResult} said
 * @param {FormContent} wanted
 * @param {(text: string, position: number, isComparator: boolean) => void} reach
 */
function card(text, { answer, trouble, known, takers }, wanted, reach) {
  if (trouble !== undefined) return fault(text, trouble, wanted, reach);
  const about = [
    marks.figure("Rows", format.count(answer.rows)),
    marks.figure("Columns", format.count(answer.columns)),
    marks.figure("Read and written", format.bytes(answer.bytes)),
    answer.bound_us !== null && marks.figure("At least", marks.time(answer.bound_us, wanted.clock)),
  ];
  if (!answer.is_legal) {
    return h("article", { class: "panel stack check bad" }, h("h3", {}, h("code", {}, answer.problem)), marks.facts(...about),
      h("p", { class: "verdict wrong" }, h("span", { "aria-hidden": "true" }, "✕ "), `Cannot be tuned: ${answer.generator} does not support it.`),
      h("p", { class: "break" }, answer.rule === null ? "" : `Rule ${answer.rule}: `, answer.message),
      h("p", { class: "quiet" }, advice(takers ?? [], wanted)));
  }
  return h("article", { class: "panel stack check" }, h("h3", {}, h("code", {}, answer.problem)), marks.facts(...about, space(answer.configurations, wanted)),
    answer.why_serial && h("p", { class: "break" }, h("span", { class: "verdict tie" }, h("span", { "aria-hidden": "true" }, "◐ "), "Slow: "), `one lane reads each row element by element, because ${answer.why_serial}.`,
      wanted.comparator !== "" && !wanted.assumesOrder ? " If it is an order, declare that beside the comparator." : ""),
    answer.default === null && h("p", { class: "quiet" }, `${answer.generator} has no default for it, so there will be no speedup.`),
    known && "answer" in known && known.answer === "exact" && h("p", { class: "quiet" }, "Tuned before: ", marks.time(known.time_us, known.clock), ` on ${known.provenance.device}, `,
      known.speedup === null ? "" : `${format.ratio(known.speedup)} the default's speed, `, h("a", { href: address(["problem"], { problem: answer.problem, target: wanted.target }) }, "see it"), "."));
}

/**
 * Creates the figure of the configuration space.
 * @param {string | null} text
 * @param {FormContent} wanted
 */
function space(text, { budget, strategy }) {
  if (text === null) return marks.figure("Configurations", "not counted: too many");
  const all = Number(text);
  const tried = Math.min(all, budget);
  const share = tried === all ? "all are tried" : `${format.count(tried)} are tried, ${format.percent(tried / all)}${strategy === "exhaustive" ? ", the first ones" : ""}`;
  return marks.figure("Configurations", BigInt(text).toLocaleString("en"), " ", h("small", {}, share));
}

/**
 * Returns advice for a problem that the generator does not support.
 * @param {string[]} takers
 * @param {FormContent} wanted
 */
function advice(takers, wanted) {
  if (takers.length > 0) return `Generators that support it on ${wanted.target}: ${takers.join(", ")}. Choose one of them.`;
  return `No generator supports it on ${wanted.target}. Choose a device of another target, or another shape or element type.`;
}

/**
 * Creates the card of an error, with a caret below its position.
 * @param {string} text
 * @param {ApiError} trouble
 * @param {FormContent} wanted
 * @param {(text: string, position: number, isComparator: boolean) => void} reach
 */
function fault(text, trouble, { comparator }, reach) {
  const isComparator = trouble.parameter === "comparator";
  const { position } = trouble;
  const source = isComparator ? comparator : text;
  return h("article", { class: "panel stack check bad" }, h("h3", {}, isComparator ? "The comparator" : h("code", {}, text)),
    position === null ? null : h("pre", { class: "caret", "aria-hidden": "true" }, ...markPosition(source, position)),
    h("p", { class: "verdict wrong" }, h("span", { "aria-hidden": "true" }, "✕ "), isComparator ? "It does not parse" : trouble.title),
    h("p", { class: "break" }, trouble.message),
    position === null ? null : h("p", {}, h("button", { type: "button", class: "small", onclick: () => reach(text, position, isComparator) }, "Go there")));
}

/**
 * Returns the line of a position, with a caret below it.
 * @param {string} text
 * @param {number} position
 */
export function markPosition(text, position) {
  const points = [...text];
  const before = points.slice(0, position).join("");
  const start = before.lastIndexOf("\n") + 1;
  const rest = points.slice(position).join("").split("\n", 1)[0];
  const line = before.slice(start);
  return [line + rest, "\n", " ".repeat([...line].length), h("b", {}, "^")];
}

/**
 * Returns the names of all known generators, native first.
 * @param {import("../parts/devices.js").KnownDevice[]} places
 * @param {AbortSignal} signal
 */
export async function generators(places, signal) {
  const tried = await get(withQuery("/api/v1/tuned:map"), signal).then((said) => said.generators.map((one) => one.name), () => []);
  return [...new Set(["native", "iree", ...places.flatMap((one) => one.generators), ...tried])];
}
