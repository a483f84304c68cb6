// @ts-check
// The fields of the form, their values, and the assignment of errors to fields.

import { h, replace } from "../dom.js";
import { choice, field } from "../parts/field.js";
import { choices } from "../parts/devices.js";

const EXAMPLES = [
  ["argmax:4x[32000]xf32", "four rows of 32,000 f32"],
  ["argmax:1x[128256]xbf16", "one row of a large vocabulary"],
  ["argmin:1024x[512]xf16", "many short rows"],
];
const STRATEGIES = ["evolution", "random", "exhaustive"].map((name) => ({ value: name, text: name }));
const TIES = [
  { value: "fold", text: "reference" },
  { value: "any", text: "any" },
];
const FIRST = { budget: "128", seed: "0", strategy: "evolution", ties: "fold", generator: "native" };
/** Prefix of choices that accept any device of a target. */
const ANY = "any:";

/**
 * Creates the fields.
 * @param {URLSearchParams} query
 * @param {import("../parts/devices.js").KnownDevice[]} places
 * @param {string[]} names names of generators
 */
export function fields(query, places, names) {
  const said = (/** @type {keyof typeof FIRST} */ name) => query.get(name) ?? FIRST[name];
  const number = (/** @type {"budget" | "seed"} */ name, /** @type {number} */ min) =>
    h("input", { type: "number", name, min, step: 1, value: said(name), required: true, inputmode: "numeric" });
  const none = () => {};

  const text = h("textarea", { name: "problem", rows: 3, spellcheck: "false", autocapitalize: "off", autocomplete: "off", placeholder: EXAMPLES[0][0] });
  text.value = query.get("problem") ?? "";
  const problem = field("Problems, one a line", text, { help: help((example) => {
    text.value = [text.value.trim(), example].filter(Boolean).join("\n");
    text.dispatchEvent(new Event("input", { bubbles: true }));
    text.focus();
  }) });
  const block = h("textarea", { name: "comparator", rows: 5, spellcheck: "false", placeholder: "^bb0(%a: f32, %b: f32):\n  %0 = arith.cmpf ogt, %a, %b : f32\n  iree_linalg_ext.yield %0 : i1" });
  block.value = query.get("comparator") ?? "";
  const comparator = field("Comparator: the block of an iree_linalg_ext.arg_compare", block, { help: ["Write the problems above as ", h("code", {}, "arg_compare:4x[32000]xf32"), "."] });

  const assume = h("input", { type: "checkbox", name: "assume", id: "assume", checked: query.get("assume") === "yes" });
  const named = query.get("target");
  const chosen = query.get("device") ?? (named ? `${ANY}${named}` : (places[0]?.generators.length > 0 ? places[0].device : "emulated:mi300x"));
  const list = (/** @type {import("../parts/devices.js").KnownDevice[]} */ of) => ({
    ...choices(of),
    "Any lent device": [...new Set(of.map((one) => one.target))].map((target) => ({ value: `${ANY}${target}`, text: `any ${target}` })),
  });
  const device = field("Device", choice(list(places), chosen, none), { class: "whole" });
  const generator = field("Generator", choice(names.map((name) => ({ value: name, text: name })), said("generator"), none), { help: "The code generator of the kernels; native is wavetune's own." });
  const budget = field("Budget", number("budget", 1), { help: "The largest number of trials, with the default." });
  const strategy = field("Strategy", choice(STRATEGIES, said("strategy"), none), { help: "evolution tries neighbours of the best so far, and random ones." });
  const seed = field("Seed", number("seed", 0), { help: "Another seed searches elsewhere." });
  const ties = field("Tie-break", choice(TIES, said("ties"), none), { help: "The reference index of argmax is the lowest. Native kernels always return it." });
  const urgent = h("input", { type: "checkbox", name: "urgent", id: "urgent", checked: query.get("urgent") === "yes" });

  const all = { problem, comparator, device, generator, budget, strategy, seed, ties };
  const own = h("details", { class: "stack" }, h("summary", {}, "A comparator of your own"), comparator.element,
    h("p", {}, assume, " ", h("label", { for: "assume" }, "The comparator orders the elements"), h("span", { class: "quiet help" }, " Kernels then reduce rows in pieces even if wavetune cannot prove it. If it is not an order, results are wrong.")));
  own.open = block.value !== "";

  const value = () => device.control.value;
  const lines = () => text.value.split("\n").map((line) => line.split("\t")[0].replace(/#.*/, "").trim()).filter(Boolean);

  return {
    ...all,
    element: h("div", { class: "stack panel" }, problem.element, own,
      h("div", { class: "pair" }, device.element, generator.element, strategy.element, budget.element, seed.element, ties.element,
        h("p", { class: "row" }, urgent, h("label", { for: "urgent" }, "Urgent: goes before your other studies")))),

    /**
     * Returns the content of the form.
     * @param {import("../parts/devices.js").KnownDevice[]} places
     * @returns {import("./checks.js").FormContent}
     */
    wanted(places) {
      const place = places.find((one) => one.device === value());
      return {
        problems: [...new Set(lines())],
        comparator: block.value.trim() === "" ? "" : block.value,
        assumesOrder: assume.checked,
        device: value().startsWith(ANY) ? "" : value(),
        target: value().startsWith(ANY) ? value().slice(ANY.length) : place?.target ?? named ?? "gfx942",
        clock: place?.clock ?? "modelled",
        generator: generator.control.value,
        budget: Math.max(1, Number(budget.control.value) || 1),
        strategy: strategy.control.value,
      };
    },

    /**
     * Returns the body of the request.
     * @param {import("./checks.js").FormContent} wanted
     * @param {string[]} problems
     */
    body(wanted, problems) {
      return {
        problems, target: wanted.target, device: wanted.device || undefined, generator: wanted.generator, strategy: wanted.strategy, ties: ties.control.value,
        budget: whole(budget.control.value), seed: whole(seed.control.value), urgent: urgent.checked,
      };
    },

    /** Returns the settings for the address. Defaults are null. */
    set() {
      const rest = Object.fromEntries(/** @type {(keyof typeof FIRST)[]} */ (Object.keys(FIRST)).map((name) => [name, all[name].control.value === FIRST[name] ? null : all[name].control.value]));
      const place = value().startsWith(ANY) ? { target: value().slice(ANY.length), device: null } : { device: value(), target: null };
      return { problem: text.value.trim(), comparator: block.value.trim(), ...place, ...rest, urgent: urgent.checked ? "yes" : null, assume: assume.checked ? "yes" : null };
    },

    /** Updates the list of devices. @param {import("../parts/devices.js").KnownDevice[]} places */
    offer(places) {
      const now = value();
      const fresh = choice(list(places), now, none);
      replace(device.control, ...fresh.childNodes);
      device.control.value = now;
    },

    /**
     * Moves the cursor to an error.
     * @param {string} line
     * @param {number} position position in characters
     * @param {boolean} isComparator
     */
    reach(line, position, isComparator) {
      const control = isComparator ? block : text;
      const start = isComparator ? 0 : Math.max(0, text.value.indexOf(line));
      const at = start + [...control.value.slice(start)].slice(0, position).join("").length;
      control.focus();
      control.setSelectionRange(at, at + 1);
    },

    clear() {
      for (const one of Object.values(all)) one.fault();
    },

    /** Returns the field of an error, or null. @param {import("../api.js").ApiError} error */
    at(error) {
      if (error.status === 409 && error.parameter === null) return device;
      if (error.status === 422 && error.parameter === null) return problem;
      const name = error.parameter === "problems" ? "problem" : error.parameter === "target" ? "device" : error.parameter;
      return name !== null && Object.hasOwn(all, name) ? all[/** @type {keyof typeof all} */ (name)] : null;
    },
  };
}

/**
 * Returns a number; undefined for other text, which the service then rejects.
 * @param {string} text
 */
function whole(text) {
  return text.trim() === "" || !Number.isFinite(Number(text)) ? undefined : Number(text);
}

/** Creates the help with its examples. @param {(example: string) => void} add */
function help(add) {
  return [
    h("code", {}, "argmax"), ", ", h("code", {}, "argmin"), ", ", h("code", {}, "sum"), " and others, the sizes with the reduced dimension in brackets, the element type. Add: ",
    ...EXAMPLES.flatMap(([text, meaning], i) => [i > 0 ? " " : "", h("button", { type: "button", class: "small", title: meaning, onclick: () => add(text) }, text)]),
  ];
}
