// @ts-check
// The attributes of a configuration, also in IREE's syntax.

import { h } from "../dom.js";
import { none } from "../parts/notice.js";
import { copyable, copyButton } from "../parts/copy.js";
import { table } from "../parts/table.js";

/** The meaning of each attribute. @type {Record<string, string>} */
const MEANING = {
  workgroup: "tile of a workgroup along parallel dimensions",
  partial_reduction: "tile of a step along reduced dimensions",
  thread: "elements that a lane loads at once",
  lane_basis: "lanes along each dimension, and their order",
  subgroup_basis: "subgroups along each dimension, and their order",
  subgroup_size: "lanes of a subgroup",
  workgroup_size: "threads of a workgroup",
  split: "workgroups that share a row",
  lazy_index: "the kernel finds the index after the loop",
  accumulators: "running pairs of a lane for each row",
};

/** Defaults of the options of native kernels. @type {Record<string, unknown>} */
export const DEFAULTS = { split: 1, lazy_index: false, accumulators: "vector" };

/** Returns an attribute's value in IREE's notation. @param {unknown} value @returns {string} */
export function formatValue(value) {
  return Array.isArray(value) ? `[${value.map(formatValue).join(", ")}]` : String(value);
}

/**
 * Returns all attributes with their values, defaults included.
 * @param {Partial<Api.Configuration>} configuration
 * @returns {[string, unknown][]}
 */
export function attributesOf(configuration) {
  return Object.entries({ ...configuration, ...DEFAULTS, ...knobsOf(configuration) });
}

/**
 * Returns the attributes that only native kernels have.
 * @param {Partial<Api.Configuration>} configuration
 */
function knobsOf(configuration) {
  return Object.fromEntries(Object.entries(configuration).filter(([name]) => name in DEFAULTS));
}

/**
 * Creates the section of attributes.
 * @param {Api.Explanation} said explanation of the configuration
 */
export function attributes(said) {
  const { configuration } = said;
  if (configuration === null) return none("No configuration", `The default of ${said.generator} is not expressible as a configuration: ${said.refusal?.message ?? "it gives no reason"}.`);
  const columns = [
    { name: "Attribute", cell: (/** @type {[string, unknown]} */ [name]) => h("code", {}, name) },
    { name: "Value", cell: (/** @type {[string, unknown]} */ [name, value]) => [h("code", { class: "nowrap" }, formatValue(value)), value === DEFAULTS[name] && h("small", { class: "quiet" }, " (default)")] },
    { name: "Meaning", wide: true, cell: (/** @type {[string, unknown]} */ [name]) => h("span", { class: "quiet" }, MEANING[name] ?? "") },
  ];
  const rows = attributesOf(configuration).filter(([name]) => said.generator === "native" || !(name in DEFAULTS) || name in configuration);
  const json = () => JSON.stringify(configuration);
  const text = (/** @type {string} */ name, /** @type {string | null | undefined} */ value, /** @type {string} */ after) =>
    value ? h("div", { class: "stack tight" }, h("h3", {}, name, " ", h("small", { class: "quiet" }, after)), copyable(value, name)) : null;
  return h(
    "div",
    { class: "columns" },
    h("div", { class: "panel stack" }, h("div", { class: "heading" }, h("h3", {}, "Configuration"), copyButton(json, "Copy JSON")), table("Attributes", columns, rows), hash(said)),
    h(
      "div",
      { class: "panel stack syntax" },
      text("lowering_config", splitLines(said.attributes), "as in the tuning spec"),
      text("translation_info", said.translation_info, ""),
      text("nested_layout", splitLines(said.nested_layout), "of the tile of one step"),
      text("Reproduce it", said.command, "prints the kernel's ISA"),
    ),
  );
}

/** Creates the line with the configuration's hash. @param {Api.Explanation} said */
function hash({ configuration_hash: hash }) {
  if (hash === null) return null;
  return h("p", { class: "quiet" }, "Hash ", h("code", { title: hash }, hash.slice(0, 12)), " ", copyButton(() => hash));
}

/**
 * Returns an attribute with one line for each key, which is valid MLIR.
 * @param {string | null | undefined} text
 */
function splitLines(text) {
  return text?.replaceAll(/, (?=[a-z_]+ = )/g, ",\n    ");
}
