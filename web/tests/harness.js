// @ts-check
// The harness of the dashboard's tests: a service with its own database, a browser, and listeners
// for faults. A test fails by its assertions, and by errors of the browser or the service.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile, mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

const HERE = dirname(fileURLToPath(import.meta.url));

/** Time limit of a test in milliseconds. The runner of all tests ends one after three minutes. */
const LIMIT_MS = 150_000;

/** No process of the browser uses the network, even if a page asks for it. */
export const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
];

/** Returns an environment variable that the runner sets. @param {string} name */
function given(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run this by cargo nextest run -p wavetune -E 'binary(dashboard)'`);
  return value;
}

/** A wavetune process that reports on standard error that it is ready. */
class Process {
  /**
   * Starts a process, and waits until it is ready.
   * @param {string[]} words
   * @param {string} until text of the line that reports readiness
   */
  static async start(words, until) {
    const child = spawn(given("WAVETUNE"), words, { stdio: ["ignore", "inherit", "pipe"] });
    const process = new Process(child);
    await new Promise((resolve, reject) => {
      child.stderr.setEncoding("utf8");
      child.stderr.on("data", (text) => {
        process.said += text;
        // A line may arrive in pieces.
        if (process.said.split("\n").slice(0, -1).some((line) => line.includes(until))) resolve(null);
      });
      child.on("exit", (code) => reject(new Error(`wavetune ${words.join(" ")} ended with ${code}: ${process.said}`)));
    });
    return process;
  }

  /** Wraps a child process. @param {import("node:child_process").ChildProcess} child */
  constructor(child) {
    this.child = child;
    /** Standard error so far. */
    this.said = "";
    this.ended = new Promise((resolve) => child.on("exit", resolve));
  }

  /**
   * Ends the process: SIGTERM like systemd, SIGKILL like the kernel.
   * @param {"SIGTERM" | "SIGKILL"} signal
   */
  async end(signal = "SIGTERM") {
    this.child.kill(signal);
    await this.ended;
  }
}

/**
 * The browser of this process. Each test has a context of its own in it.
 * @type {import("playwright-core").Browser | null}
 */
let browser = null;
/** True if further tests of this process need the browser. */
let isShared = false;

/** The service and the browser of a test. */
export class Bench {
  /** @type {Process[]} */ #processes = [];
  /** @type {string[]} */ #faults = [];
  /** @type {{ pattern: RegExp, seen: boolean }[]} */ #expected = [];
  /** @type {import("playwright-core").BrowserContext | null} */ #context = null;
  /** Folder of this test's files. */
  folder = "";
  /** @type {Process | null} */ service = null;
  /** Address of the service, without a slash at the end. */
  url = "";

  async begin() {
    this.folder = await mkdtemp(join(tmpdir(), "dashboard-"));
    await this.serve();
    browser ??= await chromium.launch({ executablePath: given("CHROMIUM"), headless: true, args: FLAGS });
    this.#context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: "reduce",
      locale: "en-GB",
      timezoneId: "UTC",
    });
    await this.#context.addInitScript(() => {
      addEventListener("securitypolicyviolation", (event) => {
        console.error(`${event.violatedDirective} forbids ${event.blockedURI || "inline"}`);
      });
    });
    this.#context.on("page", (page) => this.#listen(page));
  }

  /**
   * Starts the service, on its former port if it ran before.
   * @param {string[]} more further options
   */
  async serve(more = []) {
    const listen = this.url ? new URL(this.url).host : "127.0.0.1:0";
    this.service = await this.start(["serve", "--no-agent", "--listen", listen, ...more], "listening on ");
    const said = /listening on (http:\/\/[0-9.:]+)/.exec(this.service.said);
    assert(said, this.service.said);
    this.url = said[1];
    // It reads its database after it has begun to listen.
    while ((await fetch(`${this.url}/api/v1/tuned?limit=1`)).status === 503) await pause(20);
  }

  /**
   * Returns the JSON at an address.
   * @template {keyof Api.Get} Address
   * @param {Address} address
   * @returns {Promise<Api.Get[Address]>}
   */
  async get(address) {
    const answer = await fetch(this.url + address);
    assert(answer.ok, `${address}: ${answer.status} ${await answer.clone().text()}`);
    return answer.json();
  }

  /**
   * Returns the JSON answer to a request body.
   * @template {keyof Api.Post} Address
   * @param {Address} address
   * @param {Api.Post[Address]["body"]} body
   * @returns {Promise<Api.Post[Address]["answer"]>}
   */
  async post(address, body) {
    const answer = await fetch(this.url + address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    assert(answer.ok, `${address}: ${answer.status} ${await answer.clone().text()}`);
    return answer.json();
  }

  /**
   * Starts an agent of the service with a device and a generator.
   * @param {string[]} more further options
   */
  agent(...more) {
    return this.start(["agent", "--server", this.url, "--jobs", "1", ...more], "connected");
  }

  /**
   * Starts a wavetune process, which ends with the test.
   * @param {string[]} words
   * @param {string} until
   */
  async start(words, until) {
    const process = await Process.start(words, until);
    this.#processes.push(process);
    return process;
  }

  /**
   * Expects a complaint of the browser. It is then no fault, and its absence is one.
   * @param {RegExp} pattern
   */
  expect(pattern) {
    this.#expected.push({ pattern, seen: false });
  }

  /**
   * Allows the complaint that a study has no record yet: its page asks for one before the study
   * starts, which takes a moment.
   */
  allowMissingRecord() {
    this.#expected.push({ pattern: /404 .*api\/v1\/records\/\d+/, seen: true });
  }

  /**
   * Opens a page at an address of the service, such as `/` or `/#/studies`, and waits until it is
   * loaded.
   * @param {string} [address]
   * @param {{ width?: number, height?: number, scheme?: "light" | "dark" }} [view]
   * @param {string} [file] address of a file to open in place of the service
   */
  async open(address = "/", view = {}, file) {
    assert(this.#context);
    const page = await this.#context.newPage();
    const { width = 1280, height = 800, scheme = "light" } = view;
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(file ?? this.url + address, { waitUntil: "load" });
    return page;
  }

  /** Records all faults of a page. @param {import("playwright-core").Page} page */
  #listen(page) {
    page.on("console", (message) => {
      if (message.type() === "error") this.#fault(`the console says: ${message.text()} (${message.location().url})`);
    });
    page.on("pageerror", (error) => this.#fault(`nobody caught: ${error.stack ?? error}`));
    page.on("crash", () => this.#fault("the page crashed"));
    page.on("request", (request) => {
      const url = new URL(request.url());
      const isLocal = ["data:", "blob:", "about:", "file:"].includes(url.protocol);
      if (!isLocal && url.origin !== this.url) this.#fault(`a request for another host: ${url.href}`);
    });
  }

  /** Records a fault unless it is expected. @param {string} text */
  #fault(text) {
    const expected = this.#expected.find(({ pattern }) => pattern.test(text));
    if (expected) expected.seen = true;
    else this.#faults.push(text);
  }

  /**
   * Runs axe in both colour schemes. Fails on serious and critical violations.
   * @param {import("playwright-core").Page} page
   */
  async accessible(page) {
    const source = createRequire(import.meta.url)("axe-core").source;
    const found = [];
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      await page.emulateMedia({ colorScheme });
      // The page's policy forbids other scripts, but not those of the debugger.
      await page.evaluate(source);
      const results = await page.evaluate(() => /** @type {any} */ (globalThis).axe.run(document, { resultTypes: ["violations"] }));
      for (const { id, impact, help, nodes } of results.violations) {
        if (!["serious", "critical"].includes(impact)) continue;
        const places = nodes.map((/** @type {any} */ node) => `  ${node.html}\n    ${node.failureSummary}`);
        found.push(`${colorScheme}: ${id} (${impact}): ${help}\n${places.join("\n")}`);
      }
    }
    if (found.length) throw new Error(found.join("\n"));
  }

  /**
   * Compares the accessibility tree of a part with `web/tests/aria/NAME.yml`; UPDATE_EXPECT=1
   * writes it. Times are left out. `without` replaces other text that varies between runs.
   * @param {import("playwright-core").Locator} part
   * @param {string} name
   * @param {[RegExp, string][]} [without]
   */
  async aria(part, name, without = []) {
    const times = /** @type {[RegExp, string]} */ ([/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?( UTC|Z)?/g, "TIME"]);
    let told = `${await part.ariaSnapshot()}\n`;
    for (const [pattern, text] of [times, ...without]) told = told.replace(pattern, text);
    const file = join(HERE, "aria", `${name}.yml`);
    if (process.env.UPDATE_EXPECT === "1") {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, told);
    }
    const golden = await readFile(file, "utf8").catch(() => "");
    assert.equal(told, golden, `${file} says otherwise; UPDATE_EXPECT=1 writes it`);
  }

  /** Throws all recorded faults as one error. */
  check() {
    for (const { said } of this.#processes) {
      const errors = said.split("\n").filter((line) => /\bERROR\b/.test(line));
      errors.forEach((line) => this.#fault(`wavetune says: ${line}`));
    }
    const missed = this.#expected.filter(({ seen }) => !seen);
    const faults = [...this.#faults, ...missed.map(({ pattern }) => `nobody complained of ${pattern}`)];
    if (faults.length) throw new Error(faults.join("\n"));
  }

  /** Returns the faults and forgets them, for the harness's own tests. */
  takeFaults() {
    return this.#faults.splice(0);
  }

  async end() {
    await this.#context?.close();
    await Promise.all(this.#processes.map((process) => process.end("SIGKILL")));
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Kills all processes without waiting, for exit handlers. */
  abandon() {
    this.#processes.forEach((process) => process.child.kill("SIGKILL"));
  }
}

/**
 * Runs the test of a file. The process ends with it.
 * @param {(bench: Bench) => Promise<void>} body
 */
export async function test(body) {
  const bench = new Bench();
  process.on("exit", () => bench.abandon());
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.exit(1));
  const late = setTimeout(() => {
    console.error(`not done after ${LIMIT_MS / 1000} s`);
    process.exit(1);
  }, LIMIT_MS);
  try {
    await bench.begin();
    await body(bench);
    bench.check();
  } catch (error) {
    console.error(error);
    const faults = bench.takeFaults();
    if (faults.length) console.error(`All that was heard:\n${faults.join("\n")}`);
    process.exitCode = 1;
  } finally {
    await bench.end();
    if (!isShared) await browser?.close();
    clearTimeout(late);
  }
}

/**
 * Runs scripts one after another in this process, because Node and the browser take longer to
 * start than most scripts run. Each has a database of its own.
 * @param {string[]} names
 * @param {string[]} databases
 */
export async function several(names, databases) {
  isShared = true;
  for (const [number, name] of names.entries()) {
    console.log(`== ${name}`);
    process.env.WAVETUNE_DB = databases[number];
    await import(`./${name}.js`);
  }
  await browser?.close();
}
