// @ts-check
// Text of others stays text: the name of an agent, and what stands in an address.

import assert from "node:assert/strict";

import { test } from "./harness.js";

const HOSTILE = "<img src=/healthz onerror=alert(1)><script>alert(2)</script>\"'&amp;";

await test(async (bench) => {
  await bench.agent("--name", HOSTILE);
  const page = await bench.open("/#/fleet");
  page.on("dialog", (dialog) => {
    console.error(`a dialog: ${dialog.message()}`);
    process.exit(1);
  });
  await page.getByText(HOSTILE).first().waitFor();
  assert.equal(await page.locator("main img, main script").count(), 0);
  for (const address of ["/#/studies?problem=", "/#/study/", "/#/exports?target=", "/#/roofline?device="]) {
    await page.goto(bench.url + address + encodeURIComponent(HOSTILE));
    await page.getByRole("main").getByText(/\S/).first().waitFor();
    await page.waitForTimeout(300);
    assert.equal(await page.locator("main img, main script").count(), 0, address);
  }
  // That the service refuses such a question is no fault of the page's.
  const faults = bench.takeFaults().filter((fault) => !/status of 4\d\d/.test(fault));
  assert.deepEqual(faults, []);
});
