// @ts-check
// The roofline of a device: the bandwidth of its best kernels against the peak of its memory.

import { withQuery, get, isAborted, ApiError } from "../api.js";
import { h, replace } from "../dom.js";
import * as format from "../format.js";
import { readAllPages } from "../parts/all_pages.js";
import { choice, field, nameChoices } from "../parts/field.js";
import { failed, none, waiting } from "../parts/notice.js";
import { bandwidth, roofline } from "../roofline/chart.js";
import { address, remember } from "../router.js";

/** The most points in the chart. */
const MOST = 2000;
const CLOCKS = ["measured", "modelled"];

/** @type {import("../main.js").Page} */
export async function show({ query, signal }) {
  const [maps, known] = await Promise.all([
    Promise.all(CLOCKS.map((clock) => get(withQuery("/api/v1/tuned:map", { clock }), signal))),
    get("/api/v1/devices", signal).then((said) => said.devices, () => []),
  ]);
  /** @type {{ device: string, clock: string, count: number }[]} */
  const devices = maps.flatMap((map, i) => map.devices.map((one) => ({ device: one.name, clock: CLOCKS[i], count: one.count })));
  const most = [...devices].sort((one, other) => CLOCKS.indexOf(one.clock) - CLOCKS.indexOf(other.clock) || other.count - one.count)[0];
  if (most === undefined) {
    return { title: "Roofline", element: h("div", { class: "page" }, head(), none("No problem is tuned yet", "The roofline shows the best kernels of a device. ", h("a", { href: address(["new"]) }, "Tune one"), ".")) };
  }
  const device = query.get("device") ?? most.device;
  const set = { device, clock: query.get("clock") ?? devices.find((one) => one.device === device)?.clock ?? most.clock, generator: query.get("generator") ?? "", element: query.get("element") ?? "", search: query.get("search") ?? "" };
  const place = h("div", { class: "stack" });
  const filters = h("div", { class: "filters" });
  let drawing = new AbortController();

  const draw = async () => {
    drawing.abort();
    drawing = new AbortController();
    const mine = AbortSignal.any([signal, drawing.signal]);
    replace(place, waiting());
    try {
      const { rows, isWhole, first } = await readAllPages((page) => get(withQuery("/api/v1/tuned", { ...set, ...page }), mine), (page) => page.rows, MOST);
      const limit = isWhole ? null : h("p", { class: "quiet" }, `${format.count(rows.length)} of ${format.count(first.total)} problems, by name. Use the filters to see the others.`);
      const peak = peakOf(known, rows, set.device);
      replace(place, limit, rows.length === 0 ? nothing() : roofline(rows, { device: set.device, clock: first.clock, peak }, mine),
        peak === null && h("p", { class: "quiet" }, `The service does not know the memory bandwidth of ${set.device}, so the chart has no roof.`));
    } catch (error) {
      if (isAborted(error)) return;
      replace(place, failed(error, () => void draw()));
      if (!(error instanceof ApiError)) throw error;
    }
  };
  const nothing = () => none(`No best of ${set.device} is ${set.clock} with these filters`, "Choose others, or ", h("a", { href: address(["new"], { device: set.device }) }, "tune something on it"), ".");
  const choose = (/** @type {keyof typeof set} */ name) => (/** @type {string} */ value) => {
    set[name] = value;
    if (name === "device") {
      set.clock = devices.find((one) => one.device === value)?.clock ?? set.clock;
      fields();
    }
    remember(set);
    void draw();
  };
  const fields = () => {
    const text = (/** @type {{ device: string, count: number }} */ one) => ({ value: one.device, text: `${one.device} (${format.counted(one.count, "problem")})` });
    const clocks = [...new Set([...devices.filter((one) => one.device === set.device).map((one) => one.clock), set.clock])];
    const search = h("input", { type: "search", value: set.search, placeholder: "argmax f32", onchange: () => choose("search")(search.value) });
    replace(filters,
      field("Device", choice({ "Measured": devices.filter((one) => one.clock === "measured").map(text), "Modelled": devices.filter((one) => one.clock === "modelled").map(text), "Nothing tuned on": known.map((one) => one.name).filter((/** @type {string} */ name) => !devices.some((one) => one.device === name)).map((/** @type {string} */ name) => ({ value: name, text: name })) }, set.device, choose("device"))).element,
      field("Clock", choice(clocks.map((name) => ({ value: name, text: name })), set.clock, choose("clock"))).element,
      field("Generator", choice(nameChoices("any", maps.flatMap((map) => map.generators.map((one) => one.name))), set.generator, choose("generator"))).element,
      field("Elements", choice(nameChoices("any", maps.flatMap((map) => map.elements.map((one) => one.name))), set.element, choose("element"))).element,
      field("Search", search, { class: "search" }).element);
  };
  fields();
  void draw();
  return { title: `Roofline of ${set.device}`, element: h("div", { class: "page" }, head(), filters, h("h2", { class: "heard" }, "The chart"), place) };
}

function head() {
  return h("header", {}, h("div", {}, h("h1", {}, "Roofline"), h("p", {}, "The bandwidth of the best kernels of a device, against the peak of its memory. It counts each input and each result once. The launch limits small problems.")));
}

/**
 * Returns the DRAM peak of a device in GB/s, from its description or from a tuned configuration.
 * @param {Api.DeviceInfo[]} known
 * @param {Api.TunedConfiguration[]} rows
 * @param {string} device
 * @returns {number | null}
 */
function peakOf(known, rows, device) {
  const peak = known.find((one) => one.name === device)?.dram_peak_gb_per_s;
  const row = rows.find((one) => one.dram_peak_us);
  return peak ?? (row?.dram_peak_us ? bandwidth(row.bytes, row.dram_peak_us) : null);
}
