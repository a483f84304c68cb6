// @ts-check
// A report: one file with page and answers, which shows the same without a service.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { test } from "./harness.js";

await test(async (bench) => {
  const live = await bench.open("/#/study/1");
  await live.locator(".pick").first().waitFor();
  const facts = await live.locator(".facts").innerText();

  /** Writes a report. @param {string} what @param {string} name */
  const written = async (what, name) => {
    const file = join(bench.folder, name);
    await promisify(execFile)(process.env.WAVETUNE ?? "", ["report", what, "--output", file]);
    return file;
  };
  const study = await written("1", "study.html");
  const problem = await written("argmax:4x[32000]xf32", "problem.html");
  // From here on, the service is down.
  await live.close();
  await bench.service?.end();

  const page = await bench.open("", {}, `file://${study}`);
  await page.locator(".pick").first().waitFor();
  assert.equal(await page.locator(".facts").innerText(), facts);
  assert.equal(await page.locator(".bar nav, header.heading button").count(), 0, "a report can do nothing");
  await page.locator(".fact").filter({ hasText: "Best" }).getByRole("link").click();
  await page.getByText("lowering_config").first().waitFor();
  await page.locator("canvas").first().waitFor();
  await page.goBack();
  await page.locator(".pick").first().waitFor();
  await bench.accessible(page);

  const other = await bench.open("", {}, `file://${problem}`);
  await other.getByRole("heading", { level: 1, name: "argmax:4x[32000]xf32:i32" }).waitFor();
  await other.locator(".uplot").first().waitFor();
  assert.equal(await other.locator(".failed").count(), 0, await other.locator("main").innerText());
  await other.getByRole("link", { name: "1", exact: true }).first().click();
  await other.locator(".pick").first().waitFor();
  assert((await readFile(study, "utf8")).length < 2_000_000);
});
