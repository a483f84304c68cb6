// @ts-check
// The page of a study: convergence, importance of attributes, and all trials. It is live while the
// study runs.

import { ApiError, withQuery, get, isAborted, isReport } from "../api.js";
import { h, inFrame, replace, throttle } from "../dom.js";
import { follow } from "../events.js";
import { none, failed as trouble } from "../parts/notice.js";
import { importances, marginals, pairs } from "../study/attributes.js";
import { convergence } from "../study/convergence.js";
import { failures } from "../study/failures.js";
import { head } from "../study/head.js";
import { list } from "../study/list.js";
import { TrialSelection } from "../study/selection.js";
import { parallel } from "../study/parallel.js";
import { Trials } from "../study/trials.js";
import { notStartedPage } from "../study/not_started.js";

/** Pause between requests for the trials of a running study, in milliseconds. */
const PAUSE_MS = 1000;

/** Pause between redraws of the table during a drag on an axis, in milliseconds. */
const TABLE_MS = 100;

/** @type {import("../main.js").Page} */
export async function show({ rest, query, signal }) {
  const id = Number(rest[0]);
  if (!Number.isInteger(id)) throw new ApiError(404, "There is no such study", "The list of studies has the number of each.");
  const found = await get(`/api/v1/records/${id}`, signal).catch((error) => {
    if (error instanceof ApiError && error.status === 404 && !isReport) return null;
    throw error;
  });
  if (found === null) return notStartedPage(id, signal);
  const { study: record, run } = found;
  const others = await get(withQuery("/api/v1/records", { problem: record.problem, device: record.device, limit: 100 }), signal).catch(() => ({ studies: [] }));
  const neighbours = others.studies
    .filter((other) => other.id !== record.id && other.clock === record.clock && other.generator !== record.generator)
    .flatMap(({ id, generator, best }) => (best === null ? [] : [{ name: `study ${id}, ${generator}`, time: best.time_us }]))
    .slice(0, 3);

  const trials = new Trials(id);
  const marked = new TrialSelection(trials, query);
  const top = head(record, run, signal, () => void live());
  const curve = convergence(trials, { clock: record.clock, bound: record.bound_us, neighbours }, query, signal);
  const single = marginals(trials, query, signal);
  const weights = importances(trials, single.choose, signal);
  const double = pairs(trials, query);
  const broken = failures(trials, signal);
  const axes = parallel(trials, marked, signal);
  const rows = list(trials, marked, record.clock, query);
  const body = h("div", { class: "page" }, h("p", { class: "quiet waits", role: "status" }, "Loading the trials …"));
  marked.hearers.push(axes.draw, throttle(TABLE_MS, rows.draw));

  const draw = inFrame((/** @type {boolean} */ isAll) => {
    marked.work();
    top.draw(trials);
    if (trials.length === 0) {
      replace(body, none("No trial yet", top.isRunning() ? "The first trials arrive after an agent has leased a batch." : "The study was not started."));
      return;
    }
    if (!body.contains(curve.element)) {
      replace(body, curve.element, broken.element, h("div", { class: "columns" }, h("div", { class: "stack" }, weights.element, single.element), double.element), axes.element, rows.element);
    }
    curve.draw();
    rows.draw();
    if (!isAll) return;
    // Slow charts are drawn one frame later, so that the page reacts at once.
    requestAnimationFrame(() => setTimeout(() => {
      if (signal.aborted) return;
      weights.draw();
      single.draw();
      double.draw();
      broken.draw();
      axes.begin();
    }));
  });

  const read = () => trials.read(signal, draw);
  /** Receives events, and reads new trials after them. */
  async function live() {
    let isWaiting = false;
    const look = async () => {
      if (isWaiting) return;
      isWaiting = true;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      isWaiting = false;
      if (!signal.aborted) await read();
    };
    try {
      await follow(`/api/v1/studies/${id}/events`, (event) => {
        top.hear(event);
        void look().catch(fail);
      }, signal);
      if (!signal.aborted) await read();
    } catch (error) {
      fail(error);
    }
  }
  /** Shows an error in place of the page, except a lost connection. @param {unknown} error */
  function fail(error) {
    if (isAborted(error) || signal.aborted) return;
    if (error instanceof ApiError && error.status === 0) return;
    replace(body, trouble(error));
  }

  void read().catch(fail);
  if ((run?.state === "running" || run?.state === "waiting") && !isReport) void live();
  const element = h("div", { class: "page" }, top.element, body);
  return { title: `Study ${id}, ${record.problem}`, element };
}
