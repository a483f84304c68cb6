// @ts-check
// The basis of other tests: the studies in the database, a study that an agent completes, and a
// service that restarts at the same address.

import assert from "node:assert/strict";

import { test } from "./harness.js";

await test(async (bench) => {
  const best = await bench.get("/api/v1/best");
  assert.deepEqual(best.measured, []);
  const rows = best.modelled.map((row) => `${row.problem} ${row.device} ${row.generator}`).sort();
  assert.deepEqual(rows, [
    "argmax:1x[131072]xf16:i32 emulated:mi300x native",
    "argmax:4x[32000]xf32:i32 emulated:mi300x native",
    "argmax:4x[4096]xf32:i32 emulated:mi300x iree",
    "argmin:16x[512]xbf16:i32 emulated:rx7900xtx native",
  ]);
  const wishes = await bench.get("/api/v1/wishes");
  assert.equal(wishes.wishes.length, 1, JSON.stringify(wishes));

  await bench.agent();
  const { studies } = await bench.post("/api/v1/studies", { problems: ["argmax:2x[256]xf32"], target: "gfx942", device: "emulated:mi300x", budget: 4 });
  const id = studies[0].id;
  let study = await bench.get(`/api/v1/studies/${id}`);
  for (let tries = 0; tries < 600 && study.state !== "done"; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    study = await bench.get(`/api/v1/studies/${id}`);
  }
  assert.equal(study.state, "done", JSON.stringify(study));

  const url = bench.url;
  await bench.service?.end();
  await assert.rejects(fetch(`${url}/healthz`));
  await bench.serve();
  assert.equal(bench.url, url);
  assert.deepEqual((await bench.get(`/api/v1/studies/${id}`)).state, "done");
});
