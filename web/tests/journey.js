// @ts-check
// From a problem to a compiler: start a study in the form, follow it, open its winner, export its
// spec, and compile with iree-compile.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { test } from "./harness.js";

const MODULE = `func.func @main(%input: tensor<4x2048xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %values = tensor.empty() : tensor<4xf32>
  %indices = tensor.empty() : tensor<4xi32>
  %value = linalg.fill ins(%least : f32) outs(%values : tensor<4xf32>) -> tensor<4xf32>
  %index = linalg.fill ins(%zero : i32) outs(%indices : tensor<4xi32>) -> tensor<4xi32>
  %result:2 = iree_linalg_ext.arg_compare dimension(1)
      ins(%input : tensor<4x2048xf32>) outs(%value, %index : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%a: f32, %b: f32):
    %less = arith.cmpf ogt, %a, %b : f32
    iree_linalg_ext.yield %less : i1
  } -> tensor<4xf32>, tensor<4xi32>
  return %result#0, %result#1 : tensor<4xf32>, tensor<4xi32>
}
`;

await test(async (bench) => {
  const compiler = process.env.IREE_COMPILE;
  assert(compiler, "IREE_COMPILE is not set");
  await bench.agent("--generator", "iree");
  bench.allowMissingRecord();
  const page = await bench.open("/#/");
  await page.getByRole("link", { name: "New study" }).first().click();
  await page.getByLabel("Problems, one a line").fill("argmax:4x[2048]xf31");
  // The service reports errors while one types.
  await page.locator(".fault, [role=alert]").filter({ hasText: "f31" }).first().waitFor();
  await page.getByLabel("Problems, one a line").fill("argmax:4x[2048]xf32");
  await page.getByLabel("Generator").selectOption("iree");
  await page.getByLabel("Budget").fill("10");
  await page.getByText(/configurations/).first().waitFor();
  await page.getByRole("button", { name: /Start the study/ }).click();

  // The page follows the study to its end without a reload.
  await page.getByRole("heading", { level: 1, name: "argmax:4x[2048]xf32:i32" }).waitFor();
  assert.match(page.url(), /#\/study\/5$/);
  await page.evaluate(() => Object.assign(window, { isSame: true }));
  await page.locator(".state.done").waitFor({ timeout: 100_000 });
  await page.getByText(/^10 trials$/).waitFor();
  assert.equal(await page.evaluate(() => "isSame" in window), true);
  const shown = await page.locator(".fact").filter({ hasText: "Best" }).innerText();
  const said = await bench.get("/api/v1/records/5");
  assert(said.study.best && said.study.best.time_us > 0);
  const digits = said.study.best.time_us.toPrecision(3);
  assert(shown.includes(digits), `${shown} has not ${digits}`);

  await page.locator(".fact").filter({ hasText: "Best" }).getByRole("link").click();
  await page.getByRole("heading", { level: 1, name: `Trial ${said.study.best.ordinal} of study 5` }).waitFor();
  await page.getByText("lowering_config").first().waitFor();

  await page.getByRole("link", { name: "Exports" }).click();
  await page.getByLabel("Target").selectOption("gfx942");
  await page.getByText("__tuning_spec_applied__").first().waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: /^(Download|Save)/ }).first().click();
  const spec = join(bench.folder, "spec.mlir");
  await (await download).saveAs(spec);
  assert.match(await readFile(spec, "utf8"), /2048/);

  const module = join(bench.folder, "argmax.mlir");
  await writeFile(module, MODULE);
  const out = join(bench.folder, "argmax.vmfb");
  const words = ["--iree-hal-target-device=hip", "--iree-rocm-target=gfx942", `--iree-codegen-tuning-spec-path=${spec}`, module];
  await promisify(execFile)(compiler, [...words, "-o", out]);
  // The page says that operations with an applied entry have an attribute.
  const { stdout } = await promisify(execFile)(compiler, [...words, "--compile-to=executable-configurations", "-o", "-"]);
  assert.match(stdout, /__tuning_spec_applied__/, "the spec says nothing of this operation");

  // A spec with split rows has a second file, which splits them.
  const option = "--iree-preprocessing-transform-spec-filename";
  assert.equal(await page.getByText(option).count(), 0);
  await page.route("**/api/v1/exports/iree-spec?*", async (route) => {
    const text = await (await route.fetch()).text();
    await route.fulfill({ body: `// ${option}=FILE\n${text}` });
  });
  await page.route("**/api/v1/exports/iree-splits?target=gfx942*", (route) => route.fulfill({ body: "// splits\n" }));
  await page.reload();
  await page.getByText(`${option}=wavetune-gfx942-splits.mlir`).first().waitFor();
  const beside = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download wavetune-gfx942-splits.mlir" }).click();
  const splits = join(bench.folder, "splits.mlir");
  await (await beside).saveAs(splits);
  assert.equal(await readFile(splits, "utf8"), "// splits\n");

  // A service that is still reading its database is asked again.
  bench.expect(/503/);
  let questions = 0;
  await page.route("**/api/v1/tuned?*", async (route) => {
    questions += 1;
    if (questions > 2) return route.continue();
    await route.fulfill({ status: 503, headers: { "Retry-After": "1" }, json: { title: "Not yet", detail: "reading" } });
  });
  await page.goto(`${bench.url}/#/`);
  await page.locator("main h4").first().waitFor();
  assert.equal(questions, 3);

  // A submission is not sent again.
  let submissions = 0;
  await page.route("**/api/v1/studies", async (route) => {
    submissions += 1;
    await route.fulfill({ status: 503, headers: { "Retry-After": "1" }, json: { title: "Not now", detail: "later" } });
  });
  await page.goto(`${bench.url}/#/new?problem=argmax:4x%5B512%5Dxf32`);
  await page.getByRole("button", { name: /Start the study/ }).click();
  await page.getByText("No study was started").waitFor();
  assert.equal(submissions, 1);
});
