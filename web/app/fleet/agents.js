// @ts-check
// The agents as they are now: what each lends and builds, and how its devices are.

import { h, replace } from "../dom.js";
import * as format from "../format.js";
import * as marks from "../parts/marks.js";
import { table } from "../parts/table.js";

/** An agent that says nothing for so long may be gone: it asks for work every few seconds. */
const LONG_S = 15;

/** What looking at it anew is worth: everything but what counts by itself. @param {any} agents */
export function lasting(agents) {
  return JSON.stringify(agents, (name, value) => (["silent_s", "left_s"].includes(name) ? undefined : value));
}

/**
 * The cards of agents. `count` has them tell anew how long they are silent, without drawing them again, so that what is focused stays so.
 * @param {any[]} agents
 */
export function cards(agents) {
  /** @type {((now: any) => void)[]} */
  const counting = [];
  const drawn = agents.map((agent) => card(agent, counting));
  return {
    element: h("div", { class: "columns" }, drawn),
    /** @param {any[]} now the same agents */
    count(now) {
      counting.forEach((tell, i) => tell(now[i]));
    },
  };
}

/** @param {any} agent @param {((now: any) => void)[]} counting */
function card(agent, counting) {
  const silent = h("span", {});
  const conditions = agent.devices.map(condition);
  const tell = (/** @type {any} */ now) => {
    const isLong = now.silent_s > LONG_S;
    replace(silent, isLong ? h("span", { class: "verdict tie" }, h("span", { "aria-hidden": "true" }, "◐ "), `silent for ${format.seconds(now.silent_s)}: it may be gone`) : `heard of ${format.seconds(Math.max(1, Math.round(now.silent_s)))} ago`);
    now.devices.forEach((/** @type {any} */ one, /** @type {number} */ i) => conditions[i]?.tell(one));
  };
  tell(agent);
  counting.push(tell);
  const isHeld = agent.devices.some((/** @type {any} */ one) => one.quarantine !== undefined);
  return h("article", { class: `panel stack${isHeld ? " bad" : ""}` },
    h("div", { class: "heading" }, h("h3", { class: "break" }, agent.name), h("span", { class: "quiet" }, silent)),
    agent.offers.map(offer),
    agent.devices.length > 0 && devices(agent, conditions),
    agent.builds.length > 0 && h("div", { class: "stack" }, h("h4", {}, "Builds kernels for others"), h("ul", {}, agent.builds.map((/** @type {any} */ one) =>
      h("li", {}, h("b", {}, one.generator), ` ${one.generator_version}, ${one.compiler}; ${format.seconds(one.compile_limit_s)} for one at most`)))));
}

/** @param {any} offer */
function offer({ device, target, generator, generator_version, compiler, driver, clock }) {
  return h("div", {}, h("p", { class: "row" }, h("b", { class: "break" }, device), h("span", {}, target), h("span", {}, `${generator} kernels`), marks.clock(clock)),
    h("p", { class: "quiet break" }, h("small", {}, `${generator} ${generator_version}; ${compiler}; ${driver}`)));
}

/** @param {any} agent @param {ReturnType<typeof condition>[]} conditions */
function devices(agent, conditions) {
  const columns = [
    { name: "Device", cell: (/** @type {any} */ one) => String(one.said.device) },
    { name: "State", wide: true, cell: (/** @type {any} */ one) => one.state },
    { name: "Noise", number: true, cell: (/** @type {any} */ one) => (one.said.control?.noise === undefined ? "–" : format.percent(one.said.control.noise)) },
    { name: "Slowdown", number: true, cell: (/** @type {any} */ one) => format.ratio(one.said.control?.slowdown) },
  ];
  return table(`Devices of ${agent.name}`, columns, conditions);
}

/** What came of the control kernel, in words. */
const STATES = /** @type {Record<string, [string, string, string]>} */ ({
  steady: ["right", "●", "steady"],
  unsteady: ["tie", "◐", "unsteady: its times are not what they were"],
  wrong: ["wrong", "✕", "the control kernel gave wrong results"],
});

/** @param {any} said */
function condition(said) {
  const left = h("span", { class: "nowrap" });
  const [status, mark, text] = said.control === undefined ? ["quiet", "○", "not looked at: its times repeat, or nothing was timed yet"] : STATES[said.control.state] ?? ["failed", "?", said.control.state];
  const seen = h("span", { class: status === "quiet" ? "quiet" : `verdict ${status} wraps` }, h("span", { "aria-hidden": "true" }, `${mark} `), text);
  const state = said.quarantine === undefined ? seen
    : h("div", {}, h("p", {}, h("b", { class: "verdict wrong" }, h("span", { "aria-hidden": "true" }, "✕ "), "in quarantine"), ", ", left), h("p", { class: "break" }, said.quarantine.reason), h("p", {}, seen));
  return {
    said,
    state,
    /** @param {any} now */
    tell(now) {
      if (now.quarantine !== undefined) replace(left, `${format.seconds(now.quarantine.left_s)} left`);
    },
  };
}
