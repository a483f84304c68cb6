// @ts-check
// Actions on pages: pause, resume and cancel a study; tune and dismiss a wish; search and sort
// lists; settings in the address; charts as files.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { test } from "./harness.js";

await test(async (bench) => {
  // An agent takes a processor from the browser, so it works only for what needs it.
  const first_agent = await bench.agent();
  bench.allowMissingRecord();

  // A study pauses, resumes, and is cancelled.
  const { studies: [{ id }] } = await bench.post("/api/v1/studies", { problems: ["argmax:16x[16384]xf32"], target: "gfx942", device: "emulated:mi300x", budget: 5000 });
  const page = await bench.open(`/#/study/${id}`);
  await page.locator("table.long tbody a").first().waitFor({ timeout: 60_000 });
  await first_agent.end();
  const state = async () => (await bench.get(`/api/v1/studies/${id}`)).state;
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator(".state.paused").waitFor();
  assert.equal(await state(), "paused");
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator(".state.running").waitFor();
  const agent = await bench.agent();
  const before = Number((await page.locator(".progress .number").innerText()).split(" ")[0].replaceAll(",", ""));
  await page.waitForFunction((before) => Number(document.querySelector(".progress .number")?.textContent?.split(" ")[0].replaceAll(",", "")) > before, before, { timeout: 60_000 });
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.locator(".state.cancelled").waitFor();
  assert.equal(await state(), "cancelled");
  await page.close();
  await agent.end();

  // The address contains marks, order and axes, so that another reader sees the same.
  const study = await bench.open("/#/study/1?sort=time&over=seconds&attribute=split&mark=split~0.000-0.300");
  await study.getByText(/of 96 trials are marked/).waitFor();
  const first = await study.locator("table.long tbody tr:not(.space)").first().innerText();
  const { study: record } = await bench.get("/api/v1/records/1");
  const times = await study.locator("table.long tbody .time").allInnerTexts();
  assert.deepEqual(times, times.toSorted((a, b) => Number.parseFloat(a) - Number.parseFloat(b)));
  assert.equal(await study.getByRole("button", { name: "over seconds" }).getAttribute("aria-pressed"), "true");
  assert.equal(await study.locator("#attribute").inputValue(), "split");
  await study.getByRole("button", { name: "Mark all" }).click();
  await study.getByText(/^96 trials$/).waitFor();
  assert.doesNotMatch(study.url(), /mark=/);
  const best = await study.locator("table.long tbody tr:not(.space)").first().innerText();
  assert(record.best);
  assert(best.includes(record.best.time_us.toPrecision(3)), `${best} is not the best; of those that were marked it is ${first}`);
  // A drag marks a range.
  const reach = study.locator(".parallel .reach").first();
  await reach.scrollIntoViewIfNeeded();
  const box = await reach.boundingBox();
  assert(box);
  await study.mouse.move(box.x + 20, box.y + 2);
  await study.mouse.down();
  await study.mouse.move(box.x + 20, box.y + 60, { steps: 4 });
  await study.mouse.up();
  await study.getByText(/of 96 trials are marked/).waitFor();
  assert.match(study.url(), /mark=/);

  // Files of charts contain all data.
  for (const [kind, begin] of [["csv", "trial"], ["json", "["], ["png", "\u0089PNG"]]) {
    const coming = study.waitForEvent("download");
    await study.getByRole("button", { name: `Convergence as ${kind.toUpperCase()}` }).click();
    const file = join(bench.folder, `chart.${kind}`);
    await (await coming).saveAs(file);
    const content = await readFile(file, "latin1");
    assert(content.startsWith(begin) && content.length > 60, `${kind}: ${content.slice(0, 40)}`);
  }
  await study.close();

  // A search and an order cover all tuned problems.
  const all = await bench.open("/#/");
  await all.getByLabel("Search").fill("f16 gfx942");
  await all.getByText(/^1 best configuration/).waitFor();
  assert.match(all.url(), /search=f16/);
  await all.reload();
  await all.getByText(/^1 best configuration/).waitFor();
  await all.getByRole("button", { name: "Reset" }).click();
  await all.getByText(/^5 best configurations/).waitFor();
  await all.getByRole("button", { name: /^Speedup/ }).last().click();
  await all.locator("th[aria-sort=ascending]").filter({ hasText: "Speedup" }).waitFor();
  await all.locator("svg a").first().click();
  await all.getByText(/Only .* rows of/).waitFor();
  await all.close();

  // A click tunes a wish if an agent lends a fitting device.
  await bench.agent("--device", "emulated:mi355x");
  const wishes = await bench.open("/#/wishes");
  await wishes.getByRole("checkbox").last().check();
  await wishes.getByRole("button", { name: "Tune 1 wish" }).click();
  await wishes.locator("main a[href*='#/study/']").first().waitFor();
  const { studies } = await bench.get("/api/v1/studies");
  assert(studies.some((one) => one.problem === "argmax:64x[1024]xf32:i32" && one.target === "gfx950"));
});
