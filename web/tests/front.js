// @ts-check
// The headers of the dashboard's files, and the start of the dashboard.

import assert from "node:assert/strict";

import { test } from "./harness.js";

const POLICY =
  "default-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'";

await test(async (bench) => {
  const page = await bench.open("/problems/not-found");
  /** @type {Map<string, import("playwright-core").Response>} */
  const loaded = new Map();
  page.on("response", (response) => loaded.set(new URL(response.url()).pathname, response));
  await page.goto(`${bench.url}/#/studies`);
  await page.getByRole("heading", { level: 1, name: "Studies" }).waitFor();
  await page.getByRole("link", { name: "argmax:4x[32000]xf32:i32" }).waitFor();

  const files = [...loaded].filter(([path]) => path === "/" || path.startsWith("/web/"));
  assert(files.length > 10, files.join("\n"));
  for (const [path, response] of files) {
    const headers = await response.allHeaders();
    assert.equal(response.status(), 200, path);
    assert.equal(headers["content-security-policy"], POLICY, path);
    assert.equal(headers["cache-control"], "no-cache", path);
    assert.match(headers.etag ?? "", /^(W\/)?"[0-9a-f]{32}"$/, path);
    assert.equal(headers["x-content-type-options"], "nosniff", path);
  }
  assert.equal((await loaded.get("/web/main.js")?.allHeaders())?.["content-encoding"], "gzip");

  // The browser does not load cached files again.
  loaded.clear();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Studies" }).waitFor();
  const { transferred, all } = await page.evaluate(() => {
    const entries = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType("resource"));
    const own = entries.filter((entry) => new URL(entry.name).pathname.startsWith("/web/"));
    return { transferred: own.filter((entry) => entry.responseStatus === 200 && entry.transferSize > 400).map((entry) => entry.name), all: own.length };
  });
  assert(all > 10);
  assert.deepEqual(transferred, []);
});
