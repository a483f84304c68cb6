// @ts-check
// The accessibility tree of each page, and axe in both colour schemes.

import { test } from "./harness.js";

/**
 * Pages, each with a selector of its last content.
 * @type {[name: string, address: string, ready: string][]}
 */
const PAGES = [
  ["overview", "/#/", "h4"],
  ["studies", "/#/studies", "tbody a"],
  ["study", "/#/study/1", ".pick"],
  ["study-iree", "/#/study/4", "details summary b"],
  ["configuration", "/#/configuration?study=1&trial=0", "canvas"],
  ["comparison", "/#/configuration?study=1&trial=0&with=1:1", "canvas"],
  ["problem-page", "/#/problem?problem=argmax:4x%5B32000%5Dxf32:i32&target=gfx942", ".uplot"],
  ["models", "/#/models", "tbody a"],
  ["model", "/#/model/a1", ".command"],
  ["roofline", "/#/roofline?device=emulated:mi300x", ".uplot"],
  ["fleet", "/#/fleet", "tbody a"],
  ["wishes", "/#/wishes", "tbody"],
  ["failures", "/#/failures", "h2"],
  ["exports", "/#/exports?target=gfx942", "pre"],
  ["new", "/#/new?problem=argmax:4x%5B32000%5Dxf32", "textarea"],
];

/**
 * Text that varies between runs: build times, versions, hashes, ages.
 * @type {[RegExp, string][]}
 */
const WITHOUT = [
  [/\b\d+(\.\d+)? (ns|µs|ms|s|min|h) ago|\bnow\b/g, "AGO"],
  [/\b\d+(\.\d+)? (ms|s)\b/g, "DURATION"],
  // A build time below a millisecond, after a trial's speedup or after the dash for none.
  [/([×–] |[×–]"\s+- cell ")\d{3} µs/g, "$1DURATION"],
  [/\b[0-9a-f]{8,64}\b/g, "HASH"],
  [/0\.1\.0[-+][0-9a-f]+/g, "VERSION"],
  [/LLVM [\d.]+, LLD [\d.]+/g, "COMPILER"],
  [/127\.0\.0\.1:\d+/g, "HOST"],
  [/\b\d+(\.\d+)?(e-?\d+)? (KiB|MiB)\b/g, "SIZE"],
];

await test(async (bench) => {
  const left = [...PAGES];
  const checkOneByOne = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await check(bench, ...next);
  };
  // axe keeps a core busy for most of the time.
  await Promise.all([checkOneByOne(), checkOneByOne()]);
});

/**
 * Opens a page, and compares its accessibility tree with the golden file.
 * @param {import("./harness.js").Bench} bench
 * @param {string} name
 * @param {string} address
 * @param {string} ready selector of an element that the loaded page has
 */
async function check(bench, name, address, ready) {
  const page = await bench.open(address);
  try {
    await page.locator("main h1").waitFor();
    await page.locator(`main ${ready}`).first().waitFor();
    await page.waitForFunction(() => document.querySelector("main .waits") === null);
    await bench.aria(page.locator("main"), name, WITHOUT);
    await bench.accessible(page);
  } catch (error) {
    throw new Error(`${address}: ${error instanceof Error ? error.message : error}\n${await page.locator("main").innerText()}`);
  }
  await page.close();
}
