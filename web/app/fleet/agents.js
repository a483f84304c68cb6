// @ts-check
// Live cards of the agents: offers, builds, leases and the condition of devices.

import { h, replace } from "../dom.js";
import * as format from "../format.js";
import * as marks from "../parts/marks.js";
import { address } from "../router.js";

/** Seconds of silence after which an agent may be gone. Agents ask for work every few seconds. */
const LONG_S = 15;

/**
 * Returns a key of the agents' data, without the fields that `count` updates.
 * @param {Api.Agent[]} agents
 */
export function stableKey(agents) {
  return JSON.stringify(agents, (name, value) => (["silent_s", "left_s", "leases"].includes(name) ? undefined : value));
}

/**
 * Creates the cards of agents. `count` updates times and leases without a redraw, so that the focus
 * stays.
 * @param {Api.Agent[]} agents
 */
export function cards(agents) {
  /** @type {((now: Api.Agent) => void)[]} */
  const counting = [];
  const drawn = agents.map((agent) => card(agent, counting));
  return {
    element: h("div", { class: "columns" }, drawn),
    /** Updates times and leases. @param {Api.Agent[]} now the same agents, in the same order */
    count(now) {
      counting.forEach((tell, i) => tell(now[i]));
    },
  };
}

/**
 * Creates the card of an agent.
 * @param {Api.Agent} agent
 * @param {((now: Api.Agent) => void)[]} counting
 */
function card(agent, counting) {
  const silent = h("span", {});
  const conditions = agent.devices.map(condition);
  const work = h("ul", { class: "plain", "aria-label": `Leases of ${agent.name}` });
  const tell = (/** @type {Api.Agent} */ now) => {
    const isLong = now.silent_s > LONG_S;
    replace(silent, isLong ? h("span", { class: "verdict tie" }, h("span", { "aria-hidden": "true" }, "◐ "), `silent for ${Math.round(now.silent_s)} s: it may be gone`) : `last message ${Math.max(1, Math.round(now.silent_s))} s ago`);
    if (!work.contains(document.activeElement)) replace(work, now.leases.map(leased));
    work.hidden = now.leases.length === 0;
    now.devices.forEach((one, i) => conditions[i]?.tell(one));
  };
  tell(agent);
  counting.push(tell);
  const isHeld = agent.devices.some((one) => one.quarantine !== undefined);
  return h("article", { class: `panel stack${isHeld ? " bad" : ""}` },
    h("div", { class: "heading" }, h("h3", { class: "break" }, agent.name), h("span", { class: "quiet" }, silent)),
    agent.offers.map(offer),
    agent.devices.length > 0 && h("ul", { class: "stack", "aria-label": `Devices of ${agent.name}` }, conditions.map((one) => h("li", {}, one.element))),
    work,
    agent.builds.length > 0 && h("div", { class: "stack" }, h("h4", {}, "Builds kernels for others"), h("ul", {}, agent.builds.map((one) =>
      h("li", {}, h("b", {}, one.generator), ` ${one.generator_version}, ${one.compiler}; limit ${one.compile_limit_s} s`)))));
}

/** Verbs for the work on a lease. @type {Record<Api.AgentActivity, string>} */
const DOING = { build: "builds", try: "tries", finals: "holds finals of" };

/** Creates the line of a lease. @param {Api.HeldLease} lease */
function leased({ study, doing, configurations, held_s }) {
  return h("li", {}, h("a", { href: address(["study", study]) }, `Study ${study}`), `: ${DOING[doing]} ${format.counted(configurations, "configuration")}, for ${format.seconds(held_s)}`);
}

/** Creates the view of an offer. @param {Api.Offer} offer */
function offer({ device, target, generator, generator_version, compiler, driver, clock }) {
  return h("div", {}, h("p", { class: "row" }, h("b", { class: "break" }, device), h("span", {}, target), h("span", {}, `${generator} kernels`), marks.clock(clock)),
    h("p", { class: "quiet break" }, h("small", {}, `${generator} ${generator_version}; ${compiler}; ${driver}`)));
}

/** Class, mark and text of each result of the control kernel. */
const STATES = /** @type {Record<Api.ControlState, [string, string, string]>} */ ({
  steady: ["right", "●", "steady"],
  unsteady: ["tie", "◐", "unsteady: its times have changed"],
  wrong: ["wrong", "✕", "the control kernel gave wrong results"],
});

/** Creates the view of a device's condition. @param {Api.Condition} said */
function condition(said) {
  const left = h("span", { class: "nowrap" });
  const { control, quarantine } = said;
  const [status, mark, text] = control === undefined ? ["quiet", "○", "not watched"] : STATES[control.state];
  const figures = control?.noise === undefined ? null : `noise ${format.percent(control.noise)}, slowdown ${format.ratio(control.slowdown)}`;
  const seen = [h("span", { class: status === "quiet" ? "quiet" : `verdict ${status} wraps` }, h("span", { "aria-hidden": "true" }, `${mark} `), text), figures && h("span", { class: "quiet" }, figures)];
  const held = quarantine === undefined ? null : [h("span", { class: "verdict wrong" }, h("span", { "aria-hidden": "true" }, "✕ "), h("b", {}, "in quarantine")), left];
  return {
    element: h("div", {}, h("p", { class: "row" }, h("span", {}, `Device ${said.device}`), held ?? seen),
      quarantine && h("p", { class: "break" }, quarantine.reason), held && h("p", { class: "row" }, seen)),
    /** Updates the rest of a quarantine. @param {Api.Condition} now */
    tell(now) {
      if (now.quarantine !== undefined) replace(left, `${format.left(now.quarantine.left_s)} left`);
    },
  };
}
