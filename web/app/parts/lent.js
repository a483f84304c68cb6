// @ts-check
// Devices: those that agents lend now, and those that are known.

import { get } from "../api.js";
import { h } from "../dom.js";
import { copyable } from "./copy.js";

/**
 * @typedef {object} Place
 * @property {string} device
 * @property {string} target
 * @property {Api.Clock} clock
 * @property {string[]} generators that agents lend it with; none where nobody lends it
 * @property {string} product empty where the service does not know it
 * @property {boolean} isHeld whether it is lent, and left alone for now
 */

/**
 * The devices, those that are lent first. A part that is not answered is left out.
 * @param {AbortSignal} signal
 * @returns {Promise<Place[]>}
 */
export async function places(signal) {
  const [agents, devices] = await Promise.all([
    get("/api/v1/agents", signal).then((said) => said.agents, () => []),
    get("/api/v1/devices", signal).then((said) => said.devices, () => []),
  ]);
  return merged(agents, devices);
}

/** @param {Api.Agent[]} agents @param {Api.DeviceInfo[]} devices @returns {Place[]} */
export function merged(agents, devices) {
  /** @type {Map<string, Place>} */
  const all = new Map();
  const place = (/** @type {{ target: string, clock: Api.Clock }} */ of, /** @type {string} */ device) => {
    /** @type {Place} */
    const known = all.get(device) ?? { device, target: of.target, clock: of.clock, generators: [], product: "", isHeld: true };
    all.set(device, known);
    return known;
  };
  for (const agent of agents) {
    const isHeld = agent.devices.length > 0 && agent.devices.every((one) => one.quarantine !== undefined);
    for (const offer of agent.offers) {
      const known = place(offer, offer.device);
      if (!known.generators.includes(offer.generator)) known.generators.push(offer.generator);
      known.isHeld &&= isHeld;
    }
  }
  for (const device of devices) place(device, device.name).product = device.product;
  const found = [...all.values()];
  for (const one of found) one.isHeld &&= one.generators.length > 0;
  return found.sort((one, other) => Number(other.generators.length > 0) - Number(one.generators.length > 0));
}

/** Places as choices, in two groups. @param {Place[]} places */
export function choices(places) {
  const text = (/** @type {Place} */ { device, target, clock, product }) => `${device} (${[product === device ? "" : product, target, clock].filter(Boolean).join(", ")})`;
  const of = (/** @type {boolean} */ isLent) =>
    places.filter((one) => one.generators.length > 0 === isLent).map((one) => ({ value: one.device, text: text(one) }));
  return { "Lent by agents now": of(true), "Known, not lent now": of(false) };
}

/** The command that lends a device. @param {string} device @param {string} generator */
export function lending(device, generator) {
  // What begins otherwise is the name of a GPU, which its machine calls by its number.
  const shown = device.startsWith("emulated:") ? device : "hip:0";
  const command = `wavetune agent --server ${location.origin} --device ${shown}${generator === "native" ? "" : ` --generator ${generator}`}`;
  return h("div", { class: "stack" }, copyable(command, "Command that lends the device"));
}
