// @ts-check
// Unit tests of modules without a browser: addresses, numbers, files, statistics, differences.

import assert from "node:assert/strict";

import { importance, quantile, random, share, timesByValue } from "../app/analysis.js";
import { linearTicks, logarithmicTicks } from "../app/chart/scale.js";
import { stepOf } from "../app/chart/heat.js";
import { diff } from "../app/configuration/diff.js";
import { interval, median } from "../app/configuration/interval.js";
import * as format from "../app/format.js";
import { counted } from "../app/models/commands.js";
import { speedup } from "../app/models/marks.js";
import { bars } from "../app/models/timeline.js";
import { csv, json } from "../app/parts/copy.js";
import { address, parse } from "../app/router.js";

// Addresses survive a round trip, for any content.
for (const [path, query] of /** @type {[string[], Record<string, string>][]} */ ([
  [[], {}],
  [["study", "7"], { sort: "-time" }],
  [["problem"], { problem: "argmax:4x[32000]xf32:i32", target: "gfx942" }],
  [["a/b", "ü?#"], { "x&y": "1=2%&#?" }],
])) {
  const said = parse(address(path, query));
  assert.deepEqual(said.path, path);
  assert.deepEqual(Object.fromEntries(said.query), query);
}
assert.equal(address(["a"], { b: "", c: null, d: undefined, e: 0 }), "#/a?e=0");
assert.deepEqual(parse("#/%E0%A4%A/x").path, ["%E0%A4%A", "x"]);

// Numbers have three significant digits and a unit.
for (const [value, text] of /** @type {[number | null, string][]} */ ([
  [null, "–"], [0, "0 µs"], [0.01234, "0.0123 µs"], [4.2549, "4.25 µs"], [62.96, "63.0 µs"], [999.4, "999 µs"], [1234.5, "1.23 ms"], [2.5e6, "2.50 s"],
])) assert.equal(format.time(value), text);
assert.equal(format.ratio(12.312), "12.31×");
assert.equal(format.ratio(null), "–");
for (const [share, text] of /** @type {[number, string][]} */ ([
  [0, "none"], [5e-324, "less than 0.01 % of the allowed error"], [0.0123456, "1.23 % of the allowed error"], [1, "100 % of the allowed error"],
])) assert.equal(format.error(share), text);
assert.equal(format.bytes(512000), "500 KiB");
assert.equal(format.bandwidth(5300), "5.30 TB/s");
assert.equal(format.counted(1, "trial"), "1 trial");
assert.equal(format.counted(100000, "trial"), "100,000 trials");

// A command beyond the instruction limit counts with the lower bound of its time.
const command = (/** @type {Partial<Api.CommandProfile>} */ facts) => /** @type {Api.CommandProfile} */ ({ time_us: null, ...facts });
const commands = [command({ time_us: 4 }), command({ least_us: 90, time_unknown: "too long" }), command({ time_unknown: "not emulated" }), command({ time_us: 5 })];
assert.deepEqual(commands.map(counted), [4, 90, null, 5]);
assert.deepEqual(bars(/** @type {Api.FunctionProfile} */ ({ commands })).map(({ start }) => start), [0, 4, 94, 94]);
for (const [gain, text] of /** @type {[Partial<Api.ModelGain>, string][]} */ ([
  [{ before_us: 9, after_us: 3 }, "3.00×"], [{ before_us: null, after_us: 3 }, "–"],
  [{ before_us: 9, before_bounded: 1, after_us: 3, after_bounded: 0 }, "> 3.00×"], [{ before_us: 9, before_bounded: 2, after_us: 3, after_bounded: 1 }, "–"],
])) assert.equal(speedup(/** @type {Api.ModelGain} */ (gain)), text);

// Files: fields that a spreadsheet would run become text, and quotes are doubled.
assert.equal(csv(["a", "b"], [[1, "x"], [-2.5, null], ['say "hi"', "1,2"], ["=1+1", "-x"], ["two\nlines", "+3"]]),
  'a,b\r\n1,x\r\n-2.5,\r\n"say ""hi""","1,2"\r\n\'=1+1,\'-x\r\n"two\nlines",+3\r\n');
assert.deepEqual(JSON.parse(json(["a", "b"], [[1, null]])), [{ a: 1, b: null }]);

// Axes.
assert.deepEqual(linearTicks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
assert.deepEqual(linearTicks(0.13, 0.37, 4), [0.2, 0.3]);
assert.deepEqual(linearTicks(3, 3, 5), [3]);
assert.deepEqual(logarithmicTicks(1, 1000), [1, 3, 10, 30, 100, 300, 1000]);
assert(logarithmicTicks(4.27, 4.31).length > 0);
assert.deepEqual([0.5, 1, 1.5, 9].map((value) => stepOf(value, [1, 2, 3])), [0, 1, 1, 3]);

// Statistics with known results.
assert.equal(quantile([1, 2, 3, 4], 0.5), 2.5);
assert.equal(quantile([7], 0.25), 7);
const draw = random(7);
const many = Array.from({ length: 2000 }, (_, i) => i);
const codes = many.map((i) => i % 2);
// All of the variance, none of it, and half of it.
assert(share(codes, 2, codes.map((code) => code + 1e-9), many) > 0.999);
assert(share(codes, 2, many.map(() => draw()), many) < 0.01);
const noise = many.map(() => Math.sqrt(3) * (draw() - 0.5) );
const half = share(codes, 2, codes.map((code, i) => code + noise[i]), many);
assert(Math.abs(half - 0.5) < 0.05, `${half}`);
assert.equal(share(codes, 2, many.map(() => 1), many), 0);

const time = codes.map((code, i) => (i === 3 ? null : code === 0 ? 4 + 0.01 * draw() : 8 + 0.01 * draw()));
const trials = {
  time,
  status: many.map((i) => (i === 4 ? "wrong" : "right")),
  varying: [
    { name: "nothing", values: [1, 2, 3], codes: many.map(() => Math.floor(draw() * 3)) },
    { name: "all", values: ["a", "b"], codes },
  ],
};
const found = importance(trials);
assert.equal(found.attributes[0].name, "all");
assert(found.attributes[0].low > 0.99 && found.attributes[0].high <= 1);
assert(found.attributes[1].share < 0.02 && found.attributes[1].low <= found.attributes[1].high);
assert.equal(found.trials, 1998);
assert.deepEqual(importance(trials), found, "it says the same each time");
const [fast, slow] = timesByValue(trials, trials.varying[1]);
assert.deepEqual([fast.length, slow.length], [999, 999]);
assert(fast[0] >= 4 && fast[998] < 4.02 && slow[0] >= 8);

// The interval of a median: none for few samples, the ends of eight (2/256 are outside), the second
// and the eighth of nine.
assert.equal(median([1, 2, 4]), 2);
assert.equal(median([1, 2, 4, 9]), 3);
assert.equal(interval([1, 2, 3, 4, 5]), null);
assert.deepEqual(interval([1, 2, 3, 4, 5, 6, 7, 8]), [1, 8]);
assert.deepEqual(interval([1, 2, 3, 4, 5, 6, 7, 8, 9]), [2, 8]);

// An edit script transforms one list into the other, and is the shortest.
for (let round = 0; round < 300; round += 1) {
  const lines = () => Array.from({ length: Math.floor(draw() * 14) }, () => "abc"[Math.floor(draw() * 3)]);
  const [before, after] = [lines(), lines()];
  const edits = diff(before, after);
  assert(edits);
  assert.deepEqual(edits.filter(({ kind }) => kind !== "in").map((edit) => before[edit.before]), before);
  assert.deepEqual(edits.filter(({ kind }) => kind !== "out").map((edit) => after[edit.after]), after);
  assert(edits.every((edit) => edit.kind !== "same" || before[edit.before] === after[edit.after]));
  assert.equal(edits.filter(({ kind }) => kind === "same").length, common(before, after));
}
assert.equal(diff(["a", "b", "c"], ["d", "e", "f"], 5), null);

/**
 * Returns the length of the longest common subsequence.
 * @param {string[]} before
 * @param {string[]} after
 */
function common(before, after) {
  /** @type {number[][]} */
  const most = [Array(after.length + 1).fill(0)];
  before.forEach((line, i) => {
    most.push([0]);
    after.forEach((other, k) => most[i + 1].push(line === other ? most[i][k] + 1 : Math.max(most[i][k + 1], most[i + 1][k])));
  });
  return most[before.length][after.length];
}
