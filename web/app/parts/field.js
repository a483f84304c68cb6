// @ts-check
// Fields of forms and filters: label, control, help and error.

import { freshId, h, replace } from "../dom.js";

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */

/**
 * Creates a control with its label.
 * @param {string} name
 * @param {Control} control
 * @param {{ help?: import("../dom.js").Children, class?: string }} [more]
 */
export function field(name, control, more = {}) {
  control.id ||= freshId("field");
  const help = h("p", { class: "quiet help", id: `${control.id}-help` }, more.help);
  const fault = h("p", { class: "fault", id: `${control.id}-fault`, role: "status" });
  control.setAttribute("aria-describedby", `${fault.id} ${help.id}`);
  return {
    element: h("div", { class: `field ${more.class ?? ""}` }, h("label", { for: control.id }, name), control, fault, more.help === undefined ? null : help),
    control,
    /** Shows an error; hides it without arguments. @param {...import("../dom.js").Children} said */
    fault(...said) {
      replace(fault, ...said);
      if (fault.hasChildNodes()) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    },
  };
}

/** @typedef {{ value: string, text: string }} Choice */

/**
 * Creates a list of choices, in groups if they have names. A selected value outside the list is
 * added to it.
 * @param {Record<string, Choice[]> | Choice[]} choices
 * @param {string} value
 * @param {(value: string) => void} choose
 */
export function choice(choices, value, choose) {
  const groups = Array.isArray(choices) ? { "": choices } : choices;
  const isKnown = Object.values(groups).some((group) => group.some((one) => one.value === value));
  const option = (/** @type {Choice} */ one) => h("option", { value: one.value, selected: one.value === value }, one.text);
  const select = h(
    "select",
    { onchange: () => choose(select.value) },
    isKnown || value === "" ? null : option({ value, text: value }),
    Object.entries(groups).flatMap(([name, group]) =>
      group.length === 0 ? [] : name === "" ? group.map(option) : [h("optgroup", { label: name }, group.map(option))],
    ),
  );
  return select;
}

/**
 * Returns names as choices, after one for all.
 * @param {string} all
 * @param {Iterable<string>} names
 */
export function nameChoices(all, names) {
  return [{ value: "", text: all }, ...[...new Set(names)].sort().map((name) => ({ value: name, text: name }))];
}
