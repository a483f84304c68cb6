// @ts-check
// Elements that are no controls: their keys must do the same as a pointer. Also actions on studies,
// comparisons and files by keyboard only.

import assert from "node:assert/strict";

import { test } from "./harness.js";
import { noting, quiet, visit } from "./keys/page.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {(bench: import("./harness.js").Bench, page: Page) => Promise<void>} Act */

/**
 * Presses Tab until an element that matches the selector has the focus.
 * @param {Page} page
 * @param {string} selector
 */
async function tabTo(page, selector) {
  for (let steps = 0; steps < 200; steps += 1) {
    if (await page.evaluate((selector) => document.activeElement?.matches(selector) === true, selector)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not come to ${selector}`);
}

/** Presses keys. @param {Page} page @param {...string} keys */
async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
  await quiet(page);
}

/** Returns a setting in the address. @param {Page} page @param {string} name */
const said = (page, name) => new URLSearchParams(new URL(page.url()).hash.split("?")[1] ?? "").get(name);

/** Returns the tooltip of the keyboard's point. @param {Page} page */
const tip = (page) => page.locator(".tip").first();

/** Checks a plot: tooltips, opening of points, and zoom. @type {Act} */
async function plots(bench, page) {
  await visit(page, bench.url, "/#/study/1", ".pick");
  await page.evaluate(() => document.querySelector("main")?.focus());
  await tabTo(page, ".u-over");
  assert(await page.locator(".hint").first().isVisible(), "the keys are not said");
  await press(page, "ArrowRight");
  assert.match(await tip(page).innerText(), /^trial 0: /);
  await press(page, "End");
  assert.match(await tip(page).innerText(), /^trial 95: /);
  await press(page, "ArrowLeft", "PageUp");
  assert.match(await tip(page).innerText(), /^trial 74: /);
  // Zoom about the point on both axes moves trial 0 out of the plot.
  const at = async () => (await page.locator(".ring").first().boundingBox())?.x ?? 0;
  const away = async () => {
    const from = await at();
    await press(page, "ArrowRight");
    return (await at()) - from;
  };
  const before = await away();
  await press(page, "+", "+");
  const large = await away();
  assert(large > before * 3.5, `${before} and ${large}`);
  await press(page, "-");
  const less = await away();
  assert(less < large * 0.6 && less > before * 1.5, `${large} and ${less}`);
  // A point outside the view scrolls into it.
  await press(page, "Home");
  assert.match(await tip(page).innerText(), /^trial 0: /);
  await press(page, "0");
  assert(await tip(page).isHidden());
  await press(page, "Home");
  assert(Math.abs(await away() - before) < 0.5);
  await press(page, "Enter");
  await page.getByRole("heading", { level: 1, name: "Trial 1 of study 1" }).waitFor();

  for (const [address, leads] of [["/#/problem?problem=argmax:4x%5B32000%5Dxf32:i32&target=gfx942", "#/study/1"], ["/#/roofline?device=emulated:mi300x", "#/problem"]]) {
    await visit(page, bench.url, address, ".uplot");
    await tabTo(page, ".u-over");
    await press(page, "ArrowRight");
    assert(await tip(page).isVisible());
    await press(page, "Enter");
    await page.waitForFunction((leads) => location.hash.split("?")[0] === leads, leads);
  }
}

/**
 * Returns the text after it is stable. The table follows the marks after a pause.
 * @param {import("playwright-core").Locator} where
 */
async function settled(where) {
  let before = "";
  for (;;) {
    const now = await where.innerText();
    if (now === before) return now;
    before = now;
    await where.page().waitForTimeout(400);
  }
}

/** Checks the axes: arrows mark like a drag, and the table follows. @type {Act} */
async function axes(bench, page) {
  await visit(page, bench.url, "/#/study/1", ".pick");
  const marked = page.getByText(/of 96 trials are marked$/).first();
  await tabTo(page, ".parallel");
  // The axis of times: its fastest 5 %, then as far as a drag.
  await press(page, "ArrowDown");
  await marked.waitFor();
  assert.equal(said(page, "mark"), "time~0.000-0.050");
  await press(page, "Shift+ArrowDown", "Shift+ArrowDown");
  const byKeys = said(page, "mark");
  assert.equal(byKeys, "time~0.000-0.150");
  const rows = await settled(marked);
  await press(page, "Delete");
  await page.getByText(/^96 trials$/).waitFor();
  assert.equal(said(page, "mark"), null);
  const reach = page.locator(".parallel .reach").first();
  await reach.scrollIntoViewIfNeeded();
  const box = await reach.boundingBox();
  assert(box);
  // The sensitive area begins six pixels above the axis, which is 240 pixels long.
  await page.mouse.move(box.x + 20, box.y + 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 20, box.y + 6 + 36, { steps: 3 });
  await page.mouse.up();
  await marked.waitFor();
  assert.match(said(page, "mark") ?? "", /^time~0\.000-0\.1[45]\d$/);
  assert.equal(await settled(marked), rows, "a drag marks what the keys mark");
  // A second axis adds its mark: its last value, and the one before.
  await tabTo(page, ".parallel");
  await press(page, "Escape", "ArrowRight", "ArrowUp", "Shift+ArrowUp");
  assert.equal(said(page, "mark"), "workgroup[0]~0.500-1.000");
  assert.match(await page.locator(".parallel ~ [role=status]").innerText(), /^workgroup\[0\]: 2, 1; \d+ trials are marked$/);
  // The chip removes its mark, too, and the focus stays near.
  await page.getByRole("button", { name: /^workgroup\[0\]: .*✕$/ }).focus();
  await press(page, "Enter");
  assert.equal(said(page, "mark"), null);
  await page.waitForFunction(() => document.activeElement?.id === "verdict");
}

/** Checks that Enter and Space select a bar like a click. @type {Act} */
async function bars(bench, page) {
  await visit(page, bench.url, "/#/study/1?attribute=lazy_index", ".pick");
  await tabTo(page, ".pick");
  const name = async () => (await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "")).split(" ")[0];
  const first = await name();
  await press(page, "Enter");
  assert.equal(await page.locator("#attribute").inputValue(), first);
  await press(page, "Tab");
  const second = await name();
  await press(page, "Space");
  assert.equal(await page.locator("#attribute").inputValue(), second);
  assert.notEqual(first, second);
}

/**
 * Checks lanes and code: arrows select elements and lines like a click, and Escape releases them.
 * @type {Act}
 */
async function lanes(bench, page) {
  await visit(page, bench.url, "/#/configuration?study=1&trial=1", "canvas");
  await tabTo(page, ".lane-map");
  const map = page.locator(".lane-map");
  await press(page, "ArrowRight");
  assert.deepEqual([said(page, "lane"), said(page, "element")], ["0.0", "0.0"]);
  await press(page, "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight");
  const told = [said(page, "lane"), said(page, "element"), await page.locator(".told").innerText()];
  assert.deepEqual(told.slice(0, 2), ["0.1", "0.4"]);
  await press(page, "Escape");
  assert.equal(said(page, "lane"), null);
  // The element is at its position in the picture: the second box of four.
  const frame = await map.boundingBox();
  assert(frame);
  const wide = await page.evaluate(() => (document.querySelector(".lane-map canvas")?.clientWidth ?? 0));
  for (let x = 80; x < wide && said(page, "element") !== "0.4"; x += 3) await map.click({ position: { x, y: 26 } });
  assert.deepEqual([said(page, "lane"), said(page, "element"), await page.locator(".told").innerText()], told);
  await tabTo(page, ".lane-map");
  await press(page, "Escape");

  await tabTo(page, ".exchange");
  await press(page, "ArrowRight", "ArrowRight");
  assert.equal(said(page, "lane"), "0.1");
  assert.equal(await page.locator(".exchange .marked path").count() > 0, true);
  await press(page, "Escape");
  assert.equal(said(page, "lane"), null);

  await page.mouse.move(2, 2);
  await tabTo(page, ".pane");
  const linked = () => page.evaluate(() => [...document.querySelectorAll(".pane")].map((pane) => [...pane.querySelectorAll(".line.linked, .line.here")].map((line) => line.getAttribute("data-number")).join(" ")));
  await press(page, "ArrowDown", "ArrowDown", "ArrowDown");
  const byKeys = await linked();
  assert(byKeys.every((lines) => lines !== ""), byKeys.join(" | "));
  await press(page, "Escape");
  assert.deepEqual(await linked(), ["", ""]);
  await page.locator(".pane").first().locator("[data-number='3']").click();
  await page.mouse.move(2, 2);
  await quiet(page);
  assert.deepEqual(await linked(), byKeys);
}

/** Checks that a study pauses, resumes and ends, and that the focus stays. @type {Act} */
async function acts(bench, page) {
  await bench.agent();
  bench.allowMissingRecord();
  const body = JSON.stringify({ problems: ["argmax:16x[16384]xf32"], target: "gfx942", device: "emulated:mi300x", budget: 5000 });
  const answer = await fetch(`${bench.url}/api/v1/studies`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  const { studies: [{ id }] } = await answer.json();
  await page.goto(`${bench.url}/#/study/${id}`);
  for (const [name, state] of [["Pause", "paused"], ["Resume", "running"], ["Cancel", "cancelled"]]) {
    const button = page.getByRole("button", { name });
    await button.waitFor();
    await button.focus();
    await page.keyboard.press("Enter");
    await page.locator(`.state.${state}`).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.localName), "button", `${name}: the focus is on the next button`);
  }
}

/** Checks comparisons, sorting and saving by keys. @type {Act} */
async function controls(bench, page) {
  await visit(page, bench.url, "/#/configuration?study=1&trial=1", "canvas");
  await tabTo(page, "#with");
  await page.keyboard.type("1:2");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Compared with trial 2 of study 1" }).waitFor();
  await quiet(page);
  assert.equal(await page.evaluate(() => document.activeElement?.id), "with");
  await tabTo(page, "nav form button:last-child");
  await press(page, "Enter");
  assert.equal(said(page, "with"), null);
  assert.equal(await page.evaluate(() => document.activeElement?.closest("nav")?.getAttribute("aria-label")), "Other trials");

  await visit(page, bench.url, "/#/study/1", ".pick");
  await tabTo(page, "th:nth-child(3) .sort");
  await press(page, "Enter", "Enter");
  assert.equal(said(page, "sort"), "-time");
  assert.equal(await page.evaluate(() => document.activeElement?.closest("th")?.getAttribute("aria-sort")), "descending");
  for (const kind of ["CSV", "JSON", "PNG"]) {
    await page.getByRole("button", { name: `Convergence as ${kind}` }).focus();
    const coming = page.waitForEvent("download");
    await page.keyboard.press("Enter");
    assert.equal((await coming).suggestedFilename(), `convergence.${kind.toLowerCase()}`);
  }
}

await test(async (bench) => {
  const page = await bench.open("/#/");
  await noting(page);
  for (const act of [plots, axes, bars, lanes, acts, controls]) await act(bench, page);
});
