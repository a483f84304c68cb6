// @ts-check
// Foreign text stays text: an agent's name, and parts of the address.

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
  // The service rejects such a question, which is no fault of the page.
  const faults = bench.takeFaults().filter((fault) => !/status of 4\d\d/.test(fault));
  assert.deepEqual(faults, []);
});
