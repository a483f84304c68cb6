// @ts-check
// The page of the fleet: agents, the condition of their devices, running studies, and supported
// devices.

import { withQuery, get, ApiError } from "../api.js";
import { h, replace } from "../dom.js";
import * as format from "../format.js";
import { cards, stableKey } from "../fleet/agents.js";
import { deviceTable } from "../fleet/devices.js";
import { lendCommand } from "../parts/devices.js";
import * as marks from "../parts/marks.js";
import { failed, none } from "../parts/notice.js";
import { repeat } from "../parts/repeat.js";
import { section } from "../parts/section.js";
import { table } from "../parts/table.js";
import { address } from "../router.js";

const EACH_MS = 2000;

/** @type {import("../main.js").Page} */
export async function show({ signal }) {
  const figures = h("div", {});
  const fleet = h("div", { class: "stack" });
  const under = h("div", { class: "stack" });
  let before = "";
  let beforeRuns = "";
  /** @type {ReturnType<typeof cards> | null} */
  let drawn = null;

  const look = async () => {
    const [{ agents }, runs] = await Promise.all([get("/api/v1/agents", signal), get(withQuery("/api/v1/studies", { state: "running", limit: 1000 }), signal)]);
    const now = stableKey(agents);
    if (now === before) drawn?.count(agents);
    else {
      before = now;
      drawn = cards(agents);
      replace(fleet, agents.length === 0 ? nobody() : drawn.element);
      replace(figures, summary(agents));
    }
    const nowRuns = JSON.stringify(runs);
    if (nowRuns !== beforeRuns && !under.contains(document.activeElement)) {
      beforeRuns = nowRuns;
      replace(under, studies(runs.studies));
    }
  };
  const first = async () => {
    try {
      await look();
    } catch (error) {
      if (signal.aborted || !(error instanceof ApiError)) throw error;
      // A service that answers only lookups has no fleet. It still lists the supported devices.
      replace(fleet, failed(error, () => void first()));
    }
  };
  await first();
  repeat(EACH_MS, signal, look);

  const element = h("div", { class: "page" },
    h("header", {}, h("div", {}, h("h1", {}, "Fleet"), h("p", {}, "Agents lend devices and compilers to this service. This page shows them live."))),
    figures,
    h("section", { class: "stack", "aria-labelledby": "agents" }, h("h2", { id: "agents" }, "Agents"), fleet),
    h("section", { class: "stack", "aria-labelledby": "under" }, h("h2", { id: "under" }, "Studies under way"), under),
    section("Devices that can be tuned for", async () => deviceTable((await get("/api/v1/devices", signal)).devices)).element);
  return { title: "Fleet", element };
}

/** Creates the figures of the fleet. @param {Api.Agent[]} agents */
function summary(agents) {
  const devices = agents.flatMap((agent) => agent.devices);
  const held = devices.filter((one) => one.quarantine !== undefined).length;
  const builders = agents.filter((agent) => agent.builds.length > 0).length;
  return marks.facts(
    marks.figure("Agents", format.count(agents.length)),
    marks.figure("Devices lent", format.count(devices.length)),
    marks.figure("In quarantine", held === 0 ? "0" : h("span", { class: "verdict wrong" }, h("span", { "aria-hidden": "true" }, "✕ "), format.count(held))),
    marks.figure("Builders", format.count(builders)),
  );
}

function nobody() {
  return h("div", { class: "panel stack" }, h("h3", {}, "No agent lends a device"), h("p", {}, "Studies wait until an agent does. A service on loopback lends the devices of its own machine, unless it was started with --no-agent. This command lends an emulated MI300X:"), lendCommand("emulated:mi300x", "native"), h("p", { class: "quiet" }, "For a GPU, use ", h("code", {}, "--device hip:0"), "."));
}

/** Creates the table of running studies. @param {Api.Run[]} runs */
function studies(runs) {
  if (runs.length === 0) return none("No study is under way", "Start a study at ", h("a", { href: address(["new"]) }, "New study"), ", or choose from the ", h("a", { href: address(["wishes"]) }, "wishes"), ".");
  /** @type {import("../parts/table.js").Column<Api.Run>[]} */
  const columns = [
    { name: "Study", cell: (run) => h("a", { href: address(["study", run.id]) }, String(run.id)) },
    { name: "Problem", wide: true, class: "problem", cell: (run) => h("code", {}, run.problem) },
    { name: "Device", cell: (run) => run.device },
    { name: "Generator", cell: (run) => run.generator },
    { name: "Urgent", cell: (run) => (run.is_urgent ? "yes" : "no") },
    { name: "Trials", cell: (run) => (run.progress ? marks.progress(run.progress.done, run.progress.total, `Trials of study ${run.id}`) : h("span", { class: "quiet" }, "waits")) },
    { name: "Best so far", number: true, cell: (run) => marks.time(run.progress?.best_us, run.clock) },
    { name: "Submitted", cell: (run) => marks.ago(run.asked) },
  ];
  return table("Studies that are under way, as a table", columns, runs);
}
