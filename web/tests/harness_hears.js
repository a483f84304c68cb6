// @ts-check
// Tests of the harness: it must report each planted fault.

import assert from "node:assert/strict";

import { test } from "./harness.js";

await test(async (bench) => {
  /**
   * Checks that an action on a page of the dashboard gives a fault.
   * @param {(page: import("playwright-core").Page) => Promise<unknown>} plant
   * @param {RegExp} fault
   */
  const hears = async (plant, fault) => {
    const page = await bench.open("/");
    bench.takeFaults();
    await plant(page);
    /** @type {string[]} */ const heard = [];
    for (let tries = 0; tries < 100 && !heard.some((text) => fault.test(text)); tries += 1) {
      await page.waitForTimeout(20);
      heard.push(...bench.takeFaults());
    }
    assert(heard.some((text) => fault.test(text)), `${fault} is not among: ${heard.join("\n")}`);
    await page.close();
    bench.takeFaults();
  };

  await hears((page) => page.evaluate(() => console.error("planted")), /^the console says: planted/);
  await hears(
    (page) => page.evaluate(() => void setTimeout(() => { throw new Error("planted"); })),
    /^nobody caught: .*planted/,
  );
  await hears((page) => page.evaluate(() => void Promise.reject(new Error("planted"))), /^nobody caught: .*planted/);
  await hears((page) => page.evaluate(() => fetch("/none")), /^the console says: .*404/);
  const forbidden = /^the console says: (script-src|style-src|img-src|connect-src|form-action|object-src|frame-src)/;
  for (const html of [
    "<script>1</script>",
    "<style>p { color: red }</style>",
    "<p style='color: red'></p>",
    "<img src='http://192.0.2.1/a.png'>",
    "<iframe src='http://192.0.2.1/'></iframe>",
  ]) {
    await hears(
      (page) => page.evaluate((html) => {
        document.body.append(document.createRange().createContextualFragment(html));
      }, html),
      html.startsWith("<iframe") ? /frame-src forbids/ : forbidden,
    );
  }
  await hears((page) => page.evaluate(() => fetch("http://192.0.2.1/").catch(() => null)), /connect-src forbids http:\/\/192\.0\.2\.1/);
  await hears((page) => page.evaluate(() => void setTimeout(() => (0, eval)("1"))), /script-src forbids eval/);
  // No policy forbids navigation elsewhere; this name leads back to the service.
  const elsewhere = bench.url.replace("127.0.0.1", "localhost");
  await hears((page) => page.goto(elsewhere), /^a request for another host: http:\/\/localhost/);
  await hears((page) => page.goto("http://wavetune.invalid/").catch(() => null), /^a request for another host: .*invalid/);

  // An expected fault is none, and its absence is one.
  const page = await bench.open("/problems/not-found");
  assert.deepEqual(bench.takeFaults(), []);
  bench.expect(/planted to be heard/);
  assert.throws(() => bench.check(), /nobody complained of \/planted to be heard/);
  await page.evaluate(() => console.error("planted to be heard"));
  await page.waitForTimeout(50);
  bench.check();

  // A violation of accessibility in only one scheme is found.
  await bench.accessible(page);
  await page.evaluate(() => {
    const text = document.createElement("p");
    text.textContent = "hardly seen";
    document.querySelector("main")?.append(text);
    const isDark = matchMedia("(prefers-color-scheme: dark)");
    const colour = () => { text.style.color = isDark.matches ? "#222" : ""; };
    isDark.addEventListener("change", colour);
    colour();
  });
  await assert.rejects(bench.accessible(page), /dark: color-contrast \(serious\)/);
  await page.reload();
  await page.evaluate(() => document.querySelector("main")?.append(new Image()));
  await assert.rejects(bench.accessible(page), /light: image-alt \(critical\)/);

  // The comparison accepts an unchanged accessibility tree, and fails after a removal.
  await page.reload();
  await bench.aria(page.locator("body"), "problem");
  if (process.env.UPDATE_EXPECT !== "1") {
    await page.evaluate(() => document.querySelector("h2")?.remove());
    await assert.rejects(bench.aria(page.locator("body"), "problem"), /problem\.yml says otherwise/);
  }
  bench.takeFaults();
});
