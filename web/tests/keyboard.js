// @ts-check
// The path from the overview to a configuration, by keyboard only.

import assert from "node:assert/strict";

import { test } from "./harness.js";

await test(async (bench) => {
  await bench.agent();
  bench.allowMissingRecord();
  const page = await bench.open("/#/");
  await page.locator("tbody a").first().waitFor();

  /** Returns the accessible name of the focused element. */
  const focused = () => page.evaluate(() => {
    const element = document.activeElement;
    const label = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement ? element.labels?.[0]?.textContent : "";
    return `${element?.tagName.toLowerCase()}: ${element?.getAttribute("aria-label") ?? (label || element?.textContent) ?? ""}`.trim();
  });
  /** Presses Tab until an element has the focus. @param {RegExp} pattern @param {number} [most] */
  const tabTo = async (pattern, most = 60) => {
    const passed = [];
    for (let steps = 0; steps < most; steps += 1) {
      await page.keyboard.press("Tab");
      const now = await focused();
      passed.push(now);
      if (pattern.test(now)) {
        const isSeen = await page.evaluate(() => document.activeElement?.matches(":focus-visible"));
        assert(isSeen, `${now}: nobody sees that it has the focus`);
        return;
      }
    }
    assert.fail(`no ${pattern} after ${most} steps: ${passed.join(" | ")}`);
  };

  // The first stop leads past the header.
  await page.keyboard.press("Tab");
  assert.match(await focused(), /To the content/);
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "main");
  await tabTo(/^a: New study/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "New study" }).waitFor();
  // Another page begins at its top.
  await page.waitForFunction(() => document.activeElement?.id === "main");
  await tabTo(/^textarea: Problems/);
  await page.keyboard.type("argmax:2x[1024]xf32");
  await tabTo(/^input: Budget/);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("12");
  await page.getByText("argmax:2x[1024]xf32:i32").first().waitFor();
  await tabTo(/^button: Start the study/);
  await page.keyboard.press("Enter");

  await page.getByRole("heading", { level: 1, name: "argmax:2x[1024]xf32:i32" }).waitFor();
  await page.locator(".state.done").waitFor({ timeout: 60_000 });
  await page.getByText(/^12 trials$/).waitFor();
  // The form marks trials by value, like a drag on an axis.
  await tabTo(/^select: Attribute$/, 80);
  await tabTo(/^select: Value$/);
  await tabTo(/^button: Mark$/);
  await page.keyboard.press("Enter");
  await page.getByText(/of 12 trials are marked/).waitFor();
  assert.match(page.url(), /mark=/);

  await page.evaluate(() => /** @type {HTMLElement} */ (document.querySelector("#main")).focus());
  await tabTo(/^a: \d/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: /^Trial \d+ of study 5/ }).waitFor();
  const map = page.locator("main canvas, main [tabindex='0'][aria-label*='lement']").first();
  await map.waitFor();
  await tabTo(/lement|lane|workgroup/i);
});
