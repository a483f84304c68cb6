// @ts-check
// The map of lanes agrees with the service: each element shows the lane, subgroup and step of its
// load. Tests of codegen check the service's data against the emulator.

import assert from "node:assert/strict";

import { random } from "../app/analysis.js";
import { test } from "./harness.js";

/** Elements checked in each map. */
const LOOKS = 20;

await test(async (bench) => {
  const draw = random(3);
  for (const [study, trial] of [[1, 0], [1, 2], [1, 11], [2, 3], [3, 5]]) {
    const [{ study: record }, { configuration }] = await Promise.all([bench.get(`/api/v1/records/${study}`), bench.get(`/api/v1/studies/${study}/trials/${trial}`)]);
    const { problem, target, generator } = record;
    const { layout } = await bench.post("/api/v1/explanations", { problem, target, generator, ...(configuration && { configuration }) });
    assert(layout);
    const { loads } = layout;
    /**
     * Returns lane, subgroup and step of each load of an element. Loads of these problems are
     * contiguous.
     * @param {number} row
     * @param {number} column
     */
    const owners = (row, column) => loads.values.flatMap((values) => {
      const load = Object.fromEntries(values.map((value, i) => [loads.columns[i], value]));
      const [within, off] = loads.along === "rows" ? [row - load.row, column - load.column] : [column - load.column, row - load.row];
      return off === 0 && within >= 0 && within < load.length ? [`${load.lane} of subgroup ${load.subgroup}, step ${load.step}`] : [];
    });

    const page = await bench.open(`/#/configuration?study=${study}&trial=${trial}`);
    const map = page.getByRole("group", { name: "Map of the elements" });
    await map.waitFor();
    await map.focus();
    const fact = async (/** @type {string} */ name) => (await page.locator(".fact").filter({ has: page.locator(`dt:text-is("${name}")`) }).locator("dd").first().innerText()).trim();
    for (let look = 0; look < LOOKS; look += 1) {
      const keys = ["ArrowRight", "ArrowDown", "ArrowRight", "PageDown", "End", "Home", "ArrowUp"];
      for (let presses = 0; presses < 1 + draw() * 6; presses += 1) await page.keyboard.press(keys[Math.floor(draw() * keys.length)]);
      const [, row, column] = (/row ([\d,]+), column ([\d,]+)/.exec(await fact("Element")) ?? []).map((text) => Number(text.replaceAll(",", "")));
      const shown = `${await fact("Lane")}, step ${(await fact("Step")).split(" ")[0]}`;
      assert(owners(row, column).includes(shown), `study ${study}, trial ${trial}, row ${row}, column ${column}: ${shown} is none of ${owners(row, column)}`);
    }
    await page.close();
  }
});
