// @ts-check
// All actions work by keyboard. On each page, Tab must reach everything with a pointer listener, in
// order and with a visible focus. Each control must react to its key and keep the focus.
// `keys_do.js` tests other elements.

import assert from "node:assert/strict";

import { test } from "./harness.js";
import { noting, pressed, visit, walked } from "./keys/page.js";
import { TWINS } from "./keys/twins.js";

/** Pages, each with a selector of its last content. @type {[address: string, ready: string][]} */
const PAGES = [
  ["/#/", "h4"],
  ["/#/studies", "tbody a"],
  ["/#/study/1?mark=split~0.000-0.300", ".pick"],
  ["/#/study/4", "details summary b"],
  ["/#/configuration?study=1&trial=1", "canvas"],
  ["/#/configuration?study=1&trial=1&with=1:0", ".diff"],
  ["/#/configuration?study=4&trial=0", "pre.log"],
  ["/#/problem?problem=argmax:4x%5B32000%5Dxf32:i32&target=gfx942", ".uplot"],
  ["/#/problem?problem=argmax:7x%5B32000%5Dxf32:i32&target=gfx942", ".rungs"],
  ["/#/roofline?device=emulated:mi300x", ".uplot"],
  ["/#/fleet", "tbody a"],
  ["/#/wishes", "tbody"],
  ["/#/failures", "pre.log"],
  ["/#/failures?view=regressions", "h1"],
  ["/#/exports?target=gfx942", ".listing"],
  ["/#/new?problem=argmax:4x%5B32000%5Dxf32%0Aargmax:4x%5B3%5Dxf99", ".check"],
];

/** The download takes long, and other controls cover its behaviour. */
const NOT = ["button: Download the kernels"];
/** The most faults reported of a page. A focus trap makes all later elements fail. */
const MOST = 8;

await test(async (bench) => {
  // Some choices have no export or study, and the page says so.
  bench.expect(/404 .*exports\/iree-spec/);
  bench.expect(/400 .*api\/v1\/studies\)/);
  /** @type {Set<string>} */
  const seen = new Set();
  /** @type {string[]} */
  const faults = [];
  /**
   * Controls pressed so far, by kind of page. Two pages of a kind share their common controls.
   * @type {Map<string, string[]>}
   */
  const done = new Map();
  const page = await bench.open("/#/");
  await noting(page);
  for (const [address, ready] of PAGES) {
    await visit(page, bench.url, address, ready);
    const walk = await walked(page, TWINS);
    assert(walk.stops > 10, `${address}: Tab stops ${walk.stops} times`);
    walk.seen.forEach((one) => seen.add(one));
    const kind = address.split("?")[0].split("/")[2];
    if (!done.has(kind)) done.set(kind, [...NOT]);
    const press = await pressed(page, done.get(kind) ?? []);
    const found = [...new Set([...walk.faults, ...press.faults])];
    faults.push(...found.slice(0, MOST).map((fault) => `${address}: ${fault}`), ...(found.length > MOST ? [`and ${found.length - MOST} more`] : []));
  }
  assert(faults.length === 0, faults.join("\n"));
  assert.deepEqual(TWINS.map(({ pointer }) => pointer).filter((one) => !seen.has(one)), [], "these are on no page");
});
