// @ts-check
// Devices with a time model, and the model's errors against measurements.

import { h } from "../dom.js";
import * as format from "../format.js";
import * as marks from "../parts/marks.js";
import { table } from "../parts/table.js";
import { address } from "../router.js";

/** Creates the table of devices. @param {Api.DeviceInfo[]} devices */
export function deviceTable(devices) {
  /** @type {import("../parts/table.js").Column<Api.DeviceInfo>[]} */
  const columns = [
    { name: "Device", cell: (one) => [h("a", { href: address(["roofline"], { device: one.name }) }, one.name), h("small", { class: "below quiet" }, one.product)] },
    { name: "Target", cell: (one) => one.target },
    { name: "Clock", cell: (one) => marks.clock(one.clock) },
    { name: "Compute units", number: true, cell: (one) => format.count(one.compute_units) },
    { name: "Frequency", number: true, cell: (one) => `${one.clock_ghz.toFixed(2)} GHz` },
    { name: "DRAM peak", number: true, cell: (one) => format.bandwidth(one.dram_peak_gb_per_s) },
    { name: "Error, in sample", number: true, cell: (one) => error(one, true) },
    { name: "Out of sample", number: true, cell: (one) => error(one, false) },
    { name: "Figures", wide: true, cell: (one) => figures(one) },
  ];
  return h("div", { class: "stack" }, table("Devices that can be tuned for, as a table", columns, devices),
    h("p", { class: "quiet" }, "The error is the time model's mean error over published measurements, in sample if the model was fitted to them. A borrowed figure is from another device."));
}

/**
 * Creates the mean error of the data sets, weighted by their number of points.
 * @param {Api.DeviceInfo} device
 * @param {boolean} inSample
 */
function error({ errors, clock }, inSample) {
  const sets = errors.filter((one) => one.in_sample === inSample);
  if (clock === "measured") return "–";
  if (sets.length === 0) return h("span", { class: "quiet" }, "not known");
  const points = sets.reduce((sum, one) => sum + one.points, 0);
  const mean = sets.reduce((sum, one) => sum + one.points * one.mean_error_percent, 0) / points;
  return h("span", { title: sets.map((one) => `${one.set}: ${one.mean_error_percent} %`).join("\n") }, `${mean.toFixed(1)} %`, " ", h("small", { class: "quiet" }, `of ${points}`));
}

/** Creates the view of a device's calibration. @param {Api.DeviceInfo} device */
function figures({ calibrated, borrowed, errors, name }) {
  const state = h("span", { class: `verdict ${calibrated ? "right" : "tie"}` }, h("span", { "aria-hidden": "true" }, calibrated ? "● " : "◐ "), calibrated ? "calibrated" : "not calibrated");
  if (borrowed.length === 0 && errors.length === 0) return state;
  return [state, h("details", {}, h("summary", {}, h("span", { class: "heard" }, `${name}: `), [borrowed.length > 0 && format.counted(borrowed.length, "borrowed figure"), errors.length > 0 && format.counted(errors.length, "set")].filter(Boolean).join(", ")),
    errors.length > 0 && h("ul", { class: "plain" }, errors.map((one) => h("li", {}, `${one.set}: ${one.mean_error_percent} % off, ${format.counted(one.points, "point")}, ${one.in_sample ? "in sample" : "out of sample"}${one.rank_correlation === null ? "" : `, ranks agree by ${one.rank_correlation}`}`))),
    borrowed.length > 0 && h("ul", { class: "plain" }, borrowed.map((one) => h("li", {}, `${one.figure}: from ${one.from}`))))];
}
