// @ts-check
// Takes the screenshots of the documentation. It writes them to the folder in WAVETUNE_SCREENSHOTS,
// or to a temporary one.

import assert from "node:assert/strict";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { test } from "./harness.js";
import { SCREENS } from "./screens.js";

/** Everybody clones the repository, so pictures stay small. */
const MOST_BYTES = 100_000;

/** The longest wait for an idle page in milliseconds. A page with live events is never idle. */
const SETTLED_MS = 3_000;

await test(async (bench) => {
  const folder = process.env.WAVETUNE_SCREENSHOTS || join(bench.folder, "screenshots");
  /** @type {Map<string, Buffer>} */
  const pictures = new Map();
  for (const { name, path, width, scheme, ready } of SCREENS) {
    const page = await bench.open(path, { width, height: width < 600 ? 844 : 800, scheme });
    if (ready) await page.locator(ready).first().waitFor();
    await page.waitForLoadState("networkidle", { timeout: SETTLED_MS }).catch(() => null);
    // Half as large as a PNG of the same picture.
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 70 });
    const picture = Buffer.from(data, "base64");
    console.log(`${name}: ${picture.length} bytes`);
    assert(picture.length <= MOST_BYTES, `${name} has ${picture.length} bytes`);
    pictures.set(`${name}.webp`, picture);
    await page.close();
  }
  // A picture of a fault replaces none.
  bench.check();
  await mkdir(folder, { recursive: true });
  const others = (await readdir(folder)).filter((file) => !pictures.has(file));
  await Promise.all(others.map((file) => rm(join(folder, file))));
  await Promise.all([...pictures].map(([file, picture]) => writeFile(join(folder, file), picture)));
});
