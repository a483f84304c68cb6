// @ts-check
// Models: the form and its errors, the order of the commands, and the zoom of the timeline.

import assert from "node:assert/strict";

import { test } from "./harness.js";

await test(async (bench) => {
  const page = await bench.open("/#/models");
  await page.locator("tbody a").first().waitFor();
  const button = page.getByRole("button", { name: "Compare the model" });

  await button.click();
  await page.getByText("Choose a file.").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("type")), "file");
  const file = page.getByLabel("Module");
  await file.setInputFiles({ name: "tiny.mlir", mimeType: "text/plain", buffer: Buffer.from("module {}") });
  bench.expect(/status of 400/);
  const options = page.getByLabel("Options of iree-compile");
  await options.fill("--iree-opt-level=O3  --iree-hal-dump-executable-files-to=.");
  await button.click();
  await page.getByText(/does not accept the option "--iree-hal-dump-executable-files-to"/).waitFor();
  await options.fill("");
  await page.getByLabel("Dynamic sizes").fill("8..1");
  await button.click();
  await page.locator("#main .fault", { hasText: /\S/ }).first().waitFor();
  assert.equal(await options.getAttribute("aria-invalid"), null);
  await page.getByLabel("Dynamic sizes").fill("1..8");
  bench.expect(/status of 413/);
  await file.setInputFiles({ name: "large.mlir", mimeType: "text/plain", buffer: Buffer.alloc(1 << 20, " ") });
  await button.click();
  await page.getByText(/Leave out the weights/).waitFor();

  await page.getByRole("link", { name: "head.mlir" }).click();
  await page.getByRole("heading", { level: 1, name: "head.mlir" }).waitFor();
  const rows = page.getByRole("region", { name: "Commands of the call" }).locator("tbody tr");
  /** Returns the numbers in a column of the table. @param {number} column */
  const column = async (column) => (await rows.locator(`xpath=./*[${column}]`).allInnerTexts()).map((text) => Number.parseFloat(text));
  const excess = await column(5);
  assert(excess.length > 1, "one command shows no order");
  assert.deepEqual(excess, [...excess].sort((one, other) => other - one));
  await page.getByRole("button", { name: "#" }).click();
  const numbers = await column(1);
  assert.deepEqual(numbers, numbers.map((_, i) => i + 1));
  // The order is part of the address.
  assert.match(page.url(), /sort=number/);

  const drawing = page.locator(".drawing svg");
  const width = async () => Number(await drawing.getAttribute("width"));
  const before = await width();
  await page.getByRole("button", { name: "Zoom in" }).click();
  assert.equal(await width(), 2 * before);
  await page.getByRole("button", { name: "Show all" }).click();
  assert.equal(await width(), before);
  assert(await page.getByRole("button", { name: "Zoom out" }).isDisabled());

  const commands = page.getByRole("region", { name: "Commands of the call" });
  assert.equal(await commands.getByText("246 µs").count(), 0);
  await page.getByLabel("Commands", { exact: true }).selectOption("plain");
  await commands.getByText("246 µs").waitFor();

  const failed = await bench.open("/#/model/a2");
  await failed.getByText("use of undeclared SSA value name").waitFor();
  await failed.locator(".state.failed").waitFor();

  const other = await bench.open("/#/model/ff", { width: 390 });
  bench.expect(/status of 404/);
  await other.getByText("There is no such model").waitFor();
});
