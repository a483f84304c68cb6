// @ts-check
// Bad days: an empty database, a service that stops and restarts, a missing or revoked token, a
// failed study, and a device in quarantine.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

import { test } from "./harness.js";

await test(async (bench) => {
  const wavetune = async (/** @type {string[]} */ ...words) => (await promisify(execFile)(process.env.WAVETUNE ?? "", words)).stdout.trim();

  // The service stops while a page shows a running study, and restarts. No trial is missing or
  // duplicated.
  const agent = await bench.agent();
  bench.allowMissingRecord();
  const wanted = { problems: ["argmax:8x[8192]xf32"], target: "gfx942", device: "emulated:mi300x", budget: 160 };
  const { studies: [{ id }] } = await bench.post("/api/v1/studies", wanted);
  bench.expect(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/);
  const page = await bench.open(`/#/study/${id}`);
  await page.locator("table.long tbody a").first().waitFor({ timeout: 60_000 });
  await bench.service?.end("SIGKILL");
  await page.getByText("The service does not answer").first().waitFor();
  assert(await page.locator("table.long tbody a").count() > 0, "what was there stays");
  await bench.serve();
  await page.getByText("The service does not answer").first().waitFor({ state: "detached", timeout: 20_000 });
  await page.locator(".state.done").waitFor({ timeout: 100_000 });
  await page.getByText(/^160 trials$/).waitFor();
  await page.getByRole("button", { name: "Convergence as CSV" }).waitFor();
  await page.close();
  await agent.end();

  // The database is empty.
  await bench.service?.end();
  const empty = join(bench.folder, "empty.db");
  await bench.serve(["--db", empty]);
  for (const [address, said] of [["/#/", "No problem is tuned yet"], ["/#/studies", "No study yet"], ["/#/wishes", "wish"], ["/#/fleet", "No agent lends"], ["/#/roofline", "No problem"]]) {
    const bare = await bench.open(address);
    await bare.locator("main").getByText(new RegExp(said)).first().waitFor();
    await bench.accessible(bare);
    await bare.close();
  }
  const none = await bench.open("/#/study/77");
  bench.expect(/404/);
  await none.getByRole("alert").getByText(/77/).waitFor();
  await none.goto(`${bench.url}/#/nowhere`);
  await none.getByText("There is no such page").waitFor();
  await none.close();

  // The service requires a token, accepts it, and rejects it after its revocation.
  await bench.service?.end();
  const token = await wavetune("token", "create", "ann", "--scope", "read");
  await bench.serve(["--require-token"]);
  bench.expect(/401/);
  const guarded = await bench.open("/#/studies");
  await guarded.getByRole("heading", { name: "This service requires a token" }).waitFor();
  await bench.accessible(guarded);
  await guarded.getByLabel("Token").fill("wt_nonsense");
  await guarded.keyboard.press("Enter");
  await guarded.getByRole("heading", { name: "This token is not valid" }).waitFor();
  await guarded.getByLabel("Token").fill(token);
  await guarded.keyboard.press("Enter");
  await guarded.getByRole("link", { name: "argmax:4x[32000]xf32:i32" }).waitFor();
  assert.equal((await guarded.context().cookies()).length, 0);
  // The token has only the scope read.
  bench.expect(/403/);
  await guarded.goto(`${bench.url}/#/new?problem=argmax:4x%5B512%5Dxf32`);
  const refused = guarded.waitForResponse((answer) => answer.status() === 403);
  await guarded.getByRole("button", { name: /Start the study/ }).click();
  await refused;
  await guarded.getByText(/submit/).first().waitFor();
  await wavetune("token", "revoke", "1");
  // The service notices the revocation within a second.
  const headers = { Authorization: `Bearer ${token}` };
  while ((await fetch(`${bench.url}/api/v1/status`, { headers })).status !== 401) await setTimeout(50);
  await guarded.goto(`${bench.url}/#/`);
  const rejected = guarded.getByRole("heading", { name: "This token is not valid" });
  await rejected.waitFor({ timeout: 20_000 });
  // Another page has no token to send, and gives the same reason.
  const answered = guarded.waitForResponse((answer) => answer.status() === 401);
  await guarded.goto(`${bench.url}/#/wishes`);
  await answered;
  await rejected.waitFor();
  await guarded.getByLabel("Token").fill("wt_nonsense");
  await guarded.keyboard.press("Enter");
  await rejected.waitFor();
  await guarded.close();

  // The answers of a quarantine and of a failed study are simulated, because both take too long
  // here.
  await bench.service?.end();
  await bench.serve();
  await bench.agent();
  const ill = await bench.open("/#/");
  const control = { state: "wrong" };
  const quarantine = { reason: "the linker is not there", left_s: 40 };
  await ill.route("**/api/v1/agents", async (route) => {
    const said = await (await route.fetch()).json();
    said.agents[0].devices[0] = { device: 0, control, quarantine };
    said.agents[0].leases = [{ study: 1, doing: "try", configurations: 24, held_s: 75.4 }];
    await route.fulfill({ json: said });
  });
  await ill.route("**/api/v1/records/1", async (route) => {
    const said = await (await route.fetch()).json();
    const { study } = said;
    const moment = study.last_opened;
    said.run = { ...study, state: "failed", reason: "no agent has a compiler", budget: 96, is_urgent: false, asked: moment, changed: moment };
    await route.fulfill({ json: said });
  });
  await ill.goto(`${bench.url}/#/fleet`);
  await ill.getByText("the linker is not there").first().waitFor();
  await ill.getByRole("listitem").filter({ hasText: "Study 1: tries 24 configurations, for 75.4 s" }).waitFor();
  await bench.accessible(ill);
  await ill.goto(`${bench.url}/#/study/1`);
  await ill.getByText("no agent has a compiler").waitFor();
  await ill.getByRole("button", { name: "Try again" }).waitFor();
  await bench.accessible(ill);
});
