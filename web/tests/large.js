// @ts-check
// A large database in a browser: 100,000 problems, and a study of 100,000 trials. `cargo test
// --release -p wavetune --test load -- --ignored --nocapture charts` runs it against the service
// that it has filled.

import assert from "node:assert/strict";

import { chromium } from "playwright-core";

import { FLAGS } from "./harness.js";

const url = process.env.WAVETUNE_URL;
assert(url, "WAVETUNE_URL is not set");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS });
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);

  /**
   * Returns the milliseconds from navigation until an element is present.
   * @param {string} address
   * @param {string} ready
   */
  const opened = async (address, ready) => {
    await page.goto("about:blank");
    const begun = performance.now();
    await page.goto(`${url}${address}`, { waitUntil: "commit" });
    await page.locator(ready).first().waitFor();
    return performance.now() - begun;
  };

  /**
   * Returns the frames per second of the browser's own trace during an action. Each step waits only
   * for the previous one.
   * @param {() => Promise<void>} act
   */
  const drawn = async (act) => {
    /** @type {any[]} */
    const events = [];
    session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
    await session.send("Tracing.start", { categories: "-*,disabled-by-default-devtools.timeline.frame,devtools.timeline.frame", transferMode: "ReportEvents" });
    const begun = performance.now();
    await act();
    const seconds = (performance.now() - begun) / 1000;
    const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
    await session.send("Tracing.end");
    await complete;
    const frames = events.filter(({ name }) => name === "DrawFrame").length;
    return frames / seconds;
  };

  const overview = await opened("/#/", "tbody th a");
  console.log(`overview, first rows of 100,000 problems: ${overview.toFixed(0)} ms`);
  const study = await opened("/#/study/1", "table.long tbody th a");
  // The table reacts: a click on its head changes its order.
  await page.getByRole("button", { name: /^Time/ }).click();
  await page.locator("th[aria-sort=ascending]").filter({ hasText: "Time" }).waitFor();
  console.log(`study of 100,000 trials, first rows: ${study.toFixed(0)} ms`);
  const weight = await page.evaluate(() => {
    const files = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType("resource"));
    return files.filter((file) => new URL(file.name).pathname.startsWith("/web/")).reduce((sum, file) => sum + file.encodedBodySize, 0);
  });
  console.log(`files of the page: ${(weight / 1000).toFixed(0)} kB compressed`);
  await page.getByText(/^100,000 trials$/).waitFor({ timeout: 30_000 });
  await page.locator(".parallel .value").first().waitFor({ timeout: 30_000 });
  await page.waitForTimeout(1000);

  const table = page.locator(".scroll.tall");
  await table.scrollIntoViewIfNeeded();
  const box = await table.boundingBox();
  assert(box);
  await page.mouse.move(box.x + 200, box.y + 200);
  const scrolling = await drawn(async () => {
    for (let step = 0; step < 120; step += 1) {
      await page.mouse.wheel(0, 1500);
    }
  });
  const axis = page.locator(".parallel .reach").first();
  await axis.scrollIntoViewIfNeeded();
  const line = await axis.boundingBox();
  assert(line);
  const [x, y] = [line.x + line.width / 2, line.y + 12];
  await page.mouse.move(x, y);
  await page.mouse.down();
  const brushing = await drawn(async () => {
    for (let step = 0; step < 120; step += 1) {
      await page.mouse.move(x, y + 110 + 100 * Math.sin(step / 8));
    }
  });
  await page.mouse.up();
  console.log(`frames per second: scrolling ${scrolling.toFixed(0)}, brushing ${brushing.toFixed(0)}`);

  assert(weight <= 300_000, `${weight} bytes`);
  assert(overview <= 1000, `the overview took ${overview} ms`);
  assert(study <= 1500, `the study took ${study} ms`);
  assert(scrolling >= 30 && brushing >= 30);
} finally {
  await browser.close();
}
