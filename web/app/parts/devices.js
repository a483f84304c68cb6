// @ts-check
// Devices: those of agents first, then other known devices.

import { get } from "../api.js";
import { h } from "../dom.js";
import { copyable } from "./copy.js";

/**
 * @typedef {object} KnownDevice
 * @property {string} device
 * @property {string} target
 * @property {Api.Clock} clock
 * @property {string[]} generators generators of the agents that lend it; empty if no agent does
 * @property {string} product product name; empty if the service does not know the device
 * @property {boolean} isHeld true if all agents that lend it have it in quarantine
 */

/**
 * Returns the devices, lent ones first. A failed request leaves out its part.
 * @param {AbortSignal} signal
 * @returns {Promise<KnownDevice[]>}
 */
export async function loadDevices(signal) {
  const [agents, devices] = await Promise.all([
    get("/api/v1/agents", signal).then((said) => said.agents, () => []),
    get("/api/v1/devices", signal).then((said) => said.devices, () => []),
  ]);
  return mergeDevices(agents, devices);
}

/**
 * Merges the agents' offers and the known devices.
 * @param {Api.Agent[]} agents
 * @param {Api.DeviceInfo[]} devices
 * @returns {KnownDevice[]}
 */
export function mergeDevices(agents, devices) {
  /** @type {Map<string, KnownDevice>} */
  const all = new Map();
  const place = (/** @type {{ target: string, clock: Api.Clock }} */ of, /** @type {string} */ device) => {
    /** @type {KnownDevice} */
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

/** Returns devices as choices in two groups. @param {KnownDevice[]} places */
export function choices(places) {
  const text = (/** @type {KnownDevice} */ { device, target, clock, product }) => `${device} (${[product === device ? "" : product, target, clock].filter(Boolean).join(", ")})`;
  const of = (/** @type {boolean} */ isLent) =>
    places.filter((one) => one.generators.length > 0 === isLent).map((one) => ({ value: one.device, text: text(one) }));
  return { "Lent by agents now": of(true), "Known, not lent now": of(false) };
}

/** Creates the command that lends a device. @param {string} device @param {string} generator */
export function lendCommand(device, generator) {
  // Other names are product names of GPUs. A machine addresses its own GPU by number.
  const shown = device.startsWith("emulated:") ? device : "hip:0";
  const command = `wavetune agent --server ${location.origin} --device ${shown}${generator === "native" ? "" : ` --generator ${generator}`}`;
  return h("div", { class: "stack" }, copyable(command, "Command that lends the device"));
}
