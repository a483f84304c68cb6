// @ts-check
// Achieved bandwidth over bytes, below the peak of the device's memory.

import { chart } from "../chart/frame.js";
import { legend, plot } from "../chart/plot.js";
import * as format from "../format.js";
import * as marks from "../parts/marks.js";
import { address, go } from "../router.js";

const COLOURS = ["accent", "tie", "failed", "wrong"];

/** @type {[string, number][]} */
const UNITS = [["TB", 12], ["GB", 9], ["MB", 6], ["kB", 3]];

/**
 * Returns the bandwidth in GB/s. Bytes per microsecond are MB/s.
 * @param {number} bytes
 * @param {number} us
 */
export function bandwidth(bytes, us) {
  return bytes / us / 1000;
}

/**
 * Creates the roofline chart.
 * @param {Api.TunedConfiguration[]} rows configurations of one device and clock
 * @param {{ device: string, clock: Api.Clock, peak: number | null }} of device, clock and DRAM peak
 *   in GB/s; the peak is null for an unknown device
 * @param {AbortSignal} signal
 */
export function roofline(rows, { device, clock, peak }, signal) {
  const points = rows.filter((row) => row.bytes > 0 && row.time_us > 0).sort((one, other) => one.bytes - other.bytes);
  const names = [...new Set(points.map((row) => row.generator))].sort();
  const speed = (/** @type {Api.TunedConfiguration} */ row) => bandwidth(row.bytes, row.time_us);
  const share = (/** @type {Api.TunedConfiguration} */ row) => (peak === null ? "" : `, ${format.percent(speed(row) / peak)} of the DRAM peak`);
  const drawn = plot(
    {
      name: "the roofline",
      x: { name: "Bytes read and written", logarithmic: true, write: (value) => size(value, 0) },
      y: { name: `Achieved bandwidth, ${clock}`, logarithmic: true, write: (value) => size(value, 9).replace("B", "B/s") },
      height: 460,
      tell: (i) => {
        const row = points[i];
        return `${row.problem}\n${row.generator}\n${format.bytes(row.bytes)} in ${format.time(row.time_us)}, ${clock}\n${format.bandwidth(speed(row))}${share(row)}${row.speedup === null ? "" : `\n${format.ratio(row.speedup)} the default's speed`}`;
      },
      open: (i) => go(address(["problem"], { problem: points[i].problem, target: points[i].target })),
    },
    signal,
  );
  /** @type {import("../chart/plot.js").Series[]} */
  const series = [
    ...(peak === null ? [] : [{ name: `DRAM peak, ${format.bandwidth(peak)}`, colour: "text", form: /** @type {const} */ ("line"), values: points.map(() => peak) }]),
    { name: "least time of any kernel: the bound", colour: "quiet", form: /** @type {const} */ ("line"), dashed: true, values: points.map((row) => (row.bound_us ? bandwidth(row.bytes, row.bound_us) : null)) },
    ...names.map((name, i) => ({ name: `${name} kernels`, colour: COLOURS[i % COLOURS.length], form: /** @type {const} */ ("points"), size: 7, values: points.map((row) => (row.generator === name ? speed(row) : null)) })),
  ];
  drawn.show(points.map((row) => row.bytes), series);
  const frame = chart(
    `Roofline of ${device}, ${clock}`,
    () => ({
      columns: ["Problem", "Generator", "Bytes", `Time, µs, ${clock}`, "Bandwidth, GB/s", "Part of the DRAM peak", "Bound, µs", "Speed over the default"],
      rows: points.map((row) => [row.problem, row.generator, row.bytes, row.time_us, speed(row), peak === null ? null : speed(row) / peak, row.bound_us, row.speedup]),
      hrefs: points.map((row) => address(["problem"], { problem: row.problem, target: row.target })),
    }),
    drawn.element,
    legend(series),
  );
  frame.element.querySelector("figcaption h3")?.replaceChildren(`Roofline of ${device} `, marks.clock(clock));
  frame.say(sentence(points, speed, peak));
  return frame.element;
}

/**
 * Returns the chart's message.
 * @param {Api.TunedConfiguration[]} points
 * @param {(row: Api.TunedConfiguration) => number} speed
 * @param {number | null} peak
 */
function sentence(points, speed, peak) {
  const best = points.reduce((most, row) => (speed(row) > speed(most) ? row : most));
  const near = peak === null ? [] : points.filter((row) => speed(row) >= peak / 2);
  return `${format.counted(points.length, "best kernel")}. The fastest, ${best.problem}, has ${format.bandwidth(speed(best))}${peak === null ? "" : `, ${format.percent(speed(best) / peak)} of the DRAM peak; ${format.count(near.length)} have half of it or more`}. A point leads to its problem.`;
}

/**
 * Returns a size in a fitting unit, in powers of 1,000 like the axis.
 * @param {number} value
 * @param {number} exponent power of ten of the value's unit
 */
function size(value, exponent) {
  const least = Math.log10(value) + exponent + 1e-9;
  const [unit, of] = UNITS.find(([, from]) => least >= from) ?? ["B", 0];
  return `${Number((value * 10 ** (exponent - of)).toPrecision(3))} ${unit}`;
}
