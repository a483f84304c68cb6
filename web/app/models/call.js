// @ts-check
// The calls of a model: the timeline of one, and its commands, those with the most to gain first.

import { h, replace } from "../dom.js";
import * as format from "../format.js";
import { choice, field } from "../parts/field.js";
import { remember } from "../router.js";
import { commandList } from "./commands.js";
import { timeline } from "./timeline.js";

/** @typedef {Api.FunctionProfile} Call */

/**
 * Creates the section.
 * @param {Call[] | null} before calls of the plain module; null if it does not compile
 * @param {Call[]} after calls with the kernels that stay, in the same order
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
export function callView(before, after, query, signal) {
  const chart = h("div", {});
  const list = h("div", { class: "stack" });
  const longest = after.reduce((most, call, i) => (call.time_us > after[most].time_us ? i : most), 0);
  const given = Number(query.get("call") ?? longest);
  let number = Number.isInteger(given) && given in after ? given : longest;
  let isPlain = query.get("commands") === "plain" && before !== null;
  const drawList = () => replace(list, ...commandList((isPlain && before?.[number]) || after[number], query));
  const draw = () => {
    replace(chart, timeline(before?.[number] ?? null, after[number], signal));
    drawList();
  };
  const calls = choice(after.map((call, i) => ({ value: String(i), text: `${title(call)}: ${call.bounded > 0 ? "more than " : ""}${format.time(call.time_us)}` })), String(number), (value) => {
    number = Number(value);
    remember({ call: value });
    draw();
  });
  const versions = choice([{ value: "", text: "with the kernels that stay" }, { value: "plain", text: "of plain iree-compile" }], isPlain ? "plain" : "", (value) => {
    isPlain = value === "plain";
    remember({ commands: value });
    drawList();
  });
  draw();
  return h("section", { class: "stack", "aria-labelledby": "calls" },
    h("h2", { id: "calls" }, after.length === 1 ? title(after[0]) : "Calls"),
    after.length > 1 && h("div", { class: "filters" }, field("Call", calls).element),
    chart,
    h("h3", {}, "What to tune next"),
    h("p", { class: "quiet" }, "The bound is the least modelled time of any kernel with these bytes. The time above it is the most that a better kernel can gain."),
    before !== null && h("div", { class: "filters" }, field("Commands", versions).element),
    list);
}

/** The inputs of a title; a decoder step has dozens. */
const INPUTS = 3;

/** Returns the function with its first inputs. @param {Call} call */
function title({ function: name, inputs }) {
  const more = inputs.length > INPUTS ? ", …" : "";
  return `${name}(${inputs.slice(0, INPUTS).join(", ")}${more})`;
}
