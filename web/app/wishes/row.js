// @ts-check
// The row of a wish: its problem, its possible devices, and its progress.

import { ApiError } from "../api.js";
import { h, replace } from "../dom.js";
import { choice } from "../parts/field.js";
import { submit } from "../parts/submit.js";
import { address } from "../router.js";

/** Returns a wish's target, device and generator as text. @param {Api.Wish} wish */
export function wishTarget(wish) {
  return [wish.target, wish.device, wish.generator && `${wish.generator} kernels`].filter(Boolean).join(", ");
}

/**
 * @typedef {object} WishRow row of a wish
 * @property {Api.Wish} wish
 * @property {HTMLInputElement} box
 * @property {HTMLElement} places
 * @property {HTMLElement} acts
 * @property {() => { device: string, generator: string } | null} place returns the selected device;
 *   null if no agent lends one
 * @property {(study: Api.Run) => void} begun
 * @property {(said: import("../dom.js").Children) => void} say
 */

/**
 * Creates the row of a wish.
 * @param {Api.Wish} wish
 * @param {import("../parts/devices.js").KnownDevice[]} lent
 * @param {{ selected: () => void, dismiss: (kept: WishRow) => void }} on
 * @returns {WishRow}
 */
export function wishRow(wish, lent, on) {
  const fit = lent.filter((one) => one.target === wish.target && (wish.device === null || one.device === wish.device))
    .flatMap(({ device, generators }) => generators.filter((name) => wish.generator === null || name === wish.generator).map((generator) => ({ device, generator })));
  // Every answer prefers measured to modelled times, so GPUs come first.
  fit.sort((one, other) => Number(one.device.startsWith("emulated:")) - Number(other.device.startsWith("emulated:")));
  const named = ({ device = "", generator = "" } = {}) => `${device}, ${generator}`;
  /** @type {{ device: string, generator: string } | null} */
  let chosen = fit[0] ?? null;
  const name = `${wish.problem} for ${wishTarget(wish)}`;
  const box = h("input", { type: "checkbox", "aria-label": `Select ${name}`, disabled: chosen === null, onchange: on.selected });
  const said = h("span", { class: "break", role: "status" });
  const tune = h("button", { class: "small", "aria-label": `Tune ${name}`, onclick: async () => {
    tune.disabled = true;
    try {
      const [study] = await submit(tuneRequest([kept]));
      kept.begun(study);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      tune.disabled = false;
      kept.say(error.message);
    }
  } }, "Tune");
  const dismiss = h("button", { class: "small danger", "aria-label": `Dismiss ${name}`, onclick: () => on.dismiss(kept) }, "Dismiss");
  const select = fit.length > 1 ? choice(fit.map((one) => ({ value: named(one), text: named(one) })), named(fit[0]), (value) => (chosen = fit.find((one) => named(one) === value) ?? null)) : null;
  select?.setAttribute("aria-label", `Device and generator to tune ${wish.problem} with`);
  const lack = h("span", { class: "quiet" }, "no agent lends one; ", h("a", { href: address(["new"], { problem: wish.problem, device: wish.device, target: wish.device ? null : wish.target, generator: wish.generator }) }, "show the command"));
  /** @type {WishRow} */
  const kept = {
    wish,
    box,
    places: h("span", {}, select ?? (chosen === null ? lack : named(chosen))),
    acts: h("span", { class: "row tight" }, chosen !== null && tune, dismiss, said),
    place: () => chosen,
    begun(study) {
      box.checked = false;
      box.disabled = true;
      tune.remove();
      replace(kept.places, named(chosen ?? undefined));
      replace(said, "tuned as ", h("a", { href: address(["study", study.id]) }, `study ${study.id}`));
      on.selected();
    },
    say: (text) => replace(said, text),
  };
  return kept;
}

/** Returns the request body that tunes wishes of one device. @param {WishRow[]} wishes */
export function tuneRequest(wishes) {
  const [{ wish, place }] = wishes;
  return { problems: wishes.map((one) => one.wish.problem), target: wish.target, ...place() };
}
