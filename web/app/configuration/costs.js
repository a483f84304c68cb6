// @ts-check
// The costs of a kernel: launch, occupancy limits, instruction mix and modelled time.

import { h } from "../dom.js";
import * as format from "../format.js";
import * as marks from "../parts/marks.js";
import { none } from "../parts/notice.js";
import { bars } from "./bars.js";

/** Resources that limit occupancy. @type {Record<string, string>} */
export const LIMITS = {
  wave_slots: "wave slots",
  vgprs: "VGPRs",
  sgprs: "SGPRs",
  lds: "LDS",
  workgroup_slots: "workgroup slots",
  workgroups: "workgroups",
};

/** Units of the GPU in the time model. @type {Record<string, string>} */
const PARTS = {
  launch: "launch",
  dram: "DRAM",
  llc: "last level cache",
  l2: "L2",
  l1: "L1",
  lds: "LDS",
  valu: "vector ALU",
  salu: "scalar ALU",
  latency: "latency",
  dispatch: "dispatch",
  atomic: "atomics",
};

/** Kinds of instructions. @type {Record<string, string>} */
const KINDS = {
  valu: "vector ALU",
  salu: "scalar ALU",
  vmem: "vector memory",
  smem: "scalar memory",
  lds: "LDS",
  cross_lane: "cross-lane",
  branch: "branch",
  wait: "wait",
  other: "other",
};

/** Creates the section of costs. @param {Api.ExplainedKernel} kernel @param {AbortSignal} signal */
export function costs(kernel, signal) {
  return h("div", { class: "stack" }, launch(kernel.launch), h("div", { class: "columns narrow" }, occupancy(kernel.occupancy, signal), mix([kernel.instructions], [], signal), model(kernel.model, signal)));
}

/** Labels of the launch parameters. @type {Record<string, string>} */
export const FACTS = {
  grid: "Workgroups",
  workgroup: "Threads of a workgroup",
  lds_bytes: "LDS, bytes",
  vgprs: "VGPRs",
  agprs: "AGPRs",
  sgprs: "SGPRs",
  scratch_bytes: "Scratch, bytes",
  code_bytes: "Code, bytes",
  waves_per_simd: "Waves of a SIMD",
  limit: "Limited by",
};

/** Creates the launch parameters. @param {Api.KernelResources} launch */
function launch({ grid, workgroup, lds_bytes, vgprs, agprs, sgprs, scratch_bytes, code_bytes }) {
  const size = (/** @type {number | number[]} */ of) => (Array.isArray(of) ? of : [of]).map(format.count).join(" × ").replace(/( × 1)+$/, "");
  const scratch = scratch_bytes > 0 ? h("span", { class: "verdict wrong" }, `${format.bytes(scratch_bytes)}, spilled`) : "none";
  return h(
    "div",
    { class: "panel" },
    marks.facts(
      marks.figure("Workgroups", size(grid)),
      marks.figure("Threads of a workgroup", size(workgroup)),
      marks.figure("VGPRs", format.count(vgprs), agprs ? h("small", {}, ` and ${format.count(agprs)} AGPRs`) : ""),
      marks.figure("SGPRs", format.count(sgprs)),
      marks.figure("LDS", lds_bytes > 0 ? format.bytes(lds_bytes) : "none"),
      marks.figure("Scratch", scratch),
      marks.figure("Code", format.bytes(code_bytes)),
    ),
  );
}

/**
 * Creates the chart of the occupancy limits.
 * @param {Api.ExplainedKernel["occupancy"]} occupancy
 * @param {AbortSignal} signal
 */
function occupancy(occupancy, signal) {
  if (!occupancy) return none("No occupancy", "The emulator knows the occupancy only of its own devices, and this is not one of them.");
  const { device, waves_per_simd, most_waves_per_simd, limit, each } = occupancy;
  const name = (/** @type {string} */ of) => LIMITS[of] ?? of;
  return bars({
    title: "Occupancy",
    unit: "waves of a SIMD",
    most: most_waves_per_simd,
    write: (value) => String(Number(value.toFixed(2))),
    bars: each.map((one) => ({ name: name(one.limit), values: [one.waves], marked: one.limit === limit, after: one.limit === limit ? "limits" : undefined })),
    say: `On ${device}, ${Number(waves_per_simd.toFixed(2))} of ${most_waves_per_simd} waves of a SIMD, limited by ${limit === "workgroups" ? "the number of workgroups" : name(limit)}. Each bar is the number that one limit alone allows.`,
  }, signal);
}

/**
 * Creates the chart of the instruction mix of one kernel or of several.
 * @param {Api.Instructions[]} counts
 * @param {string[]} series
 * @param {AbortSignal} signal
 */
export function mix(counts, series, signal) {
  const names = [...new Set(counts.flatMap((one) => /** @type {(keyof Api.Instructions)[]} */ (Object.keys(one))))].filter((name) => name !== "total");
  const totals = counts.map((one, i) => `${series[i] ? `${series[i]}: ` : ""}${format.counted(one.total, "instruction")}`).join("; ");
  return bars({
    title: series.length > 0 ? "Instructions, side by side" : "Instructions",
    unit: "instructions",
    write: format.count,
    series: series.length > 0 ? series : undefined,
    bars: names.map((name) => ({ name: KINDS[name] ?? name.replaceAll("_", " "), values: counts.map((one) => one[name] ?? 0) })),
    say: `${totals} in the kernel's code. Each counts once, even if a loop runs it many times.`,
  }, signal);
}

/**
 * Creates the chart of the modelled times.
 * @param {Api.Model | null} model
 * @param {AbortSignal} signal
 */
function model(model, signal) {
  if (!model) return none("The parts of the time are not known", "The model covers only the emulator's devices, correct kernels, and problems that are small enough to emulate for a page.");
  const { time_us, bound_us, bottleneck, parts, device, clock } = model;
  const name = (/** @type {string} */ of) => PARTS[of] ?? of;
  const element = bars({
    title: "Parts of the time",
    unit: `µs, ${clock}`,
    write: format.time,
    bars: parts.map((part) => ({ name: name(part.name), values: [part.us], marked: part.name === bottleneck, after: part.name === bottleneck ? "bottleneck" : undefined })),
    look: clock,
    say: `On ${device}, ${format.time(time_us)} in total; the bottleneck is ${name(bottleneck)}. Each part is the time that it alone would take.${bound_us ? ` No kernel takes less than ${format.time(bound_us)}.` : ""}`,
  }, signal);
  element.querySelector("figcaption h3")?.append(" ", marks.clock(clock));
  return element;
}
