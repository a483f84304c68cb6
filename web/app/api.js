// @ts-check
// Requests to the HTTP API. A report answers from its embedded answers and sends no request.

import { markLost } from "./connection.js";

/** The storage key that is set after the service has rejected the tab's token. */
const REJECTED = "wavetune-token-rejected";
const TOKEN = "wavetune-token";
/** Retries of a request that the service cannot answer yet, such as while it reads its database. */
const MAX_RETRIES = 5;

/** The reason of a missing answer. */
export class ApiError extends Error {
  /**
   * @param {number} status HTTP status of the answer; 0 if there was no answer
   * @param {string} title
   * @param {string} detail
   * @param {{ parameter?: string, position?: number }} [at]
   */
  constructor(status, title, detail, at = {}) {
    super(detail === "" ? title : detail);
    this.status = status;
    this.title = title;
    this.parameter = at.parameter ?? null;
    this.position = at.position ?? null;
  }
}

/**
 * The answers in this file, by address; null if the page has a service.
 * @type {Record<string, any> | null}
 */
const embeddedAnswers = (() => {
  const element = document.getElementById("answers");
  return element ? JSON.parse(element.textContent ?? "null") : null;
})();

/** True if this page is a report: a file with its answers and without a service. */
export const isReport = embeddedAnswers !== null;

/** Returns the token of this tab. */
export function token() {
  return isReport ? null : sessionStorage.getItem(TOKEN);
}

/** Stores a token until the tab is closed. @param {string} text */
export function useToken(text) {
  sessionStorage.removeItem(REJECTED);
  sessionStorage.setItem(TOKEN, text);
}

/**
 * Discards the token that the service has rejected.
 * @returns {boolean} true if this tab's last token was rejected, also on repeated calls
 */
export function rejectToken() {
  // Several requests may fail at once, and pages that open later have no token to send.
  if (token() !== null) sessionStorage.setItem(REJECTED, "yes");
  sessionStorage.removeItem(TOKEN);
  return sessionStorage.getItem(REJECTED) !== null;
}

/**
 * Returns an address with its query. Empty parameters are left out.
 * @template {keyof Api.Query} Address
 * @param {Address} path
 * @param {{ [name in Api.Query[Address]]?: string | number | boolean | null }} [query]
 * @returns {Address} the address with the query, which its type does not contain
 */
export function withQuery(path, query = {}) {
  const set = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return /** @type {Address} */ (text === "" ? path : `${path}?${text}`);
}

/**
 * Sends a request and returns the answer. Throws `ApiError` for an error status or without an
 * answer. A `GET` that the service cannot answer yet is sent again after its Retry-After.
 * @param {string} address
 * @param {{ method?: string, body?: unknown, accept?: string, signal?: AbortSignal, headers?:
 *   Record<string, string> }} [how]
 * @returns {Promise<Response>}
 */
export async function ask(address, how = {}) {
  const headers = new Headers(how.headers);
  headers.set("Accept", how.accept ?? "application/json");
  const shown = token();
  if (shown !== null) headers.set("Authorization", `Bearer ${shown}`);
  const body = how.body === undefined ? undefined : JSON.stringify(how.body);
  if (body !== undefined) headers.set("Content-Type", "application/json");
  const method = how.method ?? "GET";
  for (let retries = 0; ; retries += 1) {
    let answer;
    try {
      answer = await fetch(address, { method, headers, body, signal: how.signal });
    } catch (error) {
      if (how.signal?.aborted) throw error;
      markLost();
      throw new ApiError(0, "The service does not answer", "The service or the connection is down. This page continues when it is back.");
    }
    if (answer.ok) return answer;
    const seconds = Number(answer.headers.get("Retry-After") ?? 0);
    // Only reads: a submission that is sent twice may start two studies.
    const isRetried = method === "GET" && answer.status === 503 && seconds > 0 && retries < MAX_RETRIES;
    if (!isRetried) throw await readError(answer);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

/**
 * Returns the error of an answer: its problem details, or its status text.
 * @param {Response} answer
 */
async function readError(answer) {
  if (answer.status === 401) window.dispatchEvent(new Event("wavetune-unknown"));
  try {
    const said = await answer.json();
    return new ApiError(answer.status, said.title, said.detail, said);
  } catch {
    return new ApiError(answer.status, `The service answered ${answer.status}`, answer.statusText);
  }
}

/**
 * Returns the JSON at an address.
 * @template {keyof Api.Get} Address
 * @param {Address} address
 * @param {AbortSignal} [signal]
 * @returns {Promise<Api.Get[Address]>}
 */
export async function get(address, signal) {
  if (embeddedAnswers !== null) return embeddedAnswer(address);
  return (await ask(address, { signal })).json();
}

/**
 * Returns a copy of a value with sorted keys, as reports store request bodies.
 * @param {any} value
 * @returns {any}
 */
function sortKeys(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  return Object.fromEntries(Object.keys(value).sort().map((name) => [name, sortKeys(value[name])]));
}

/**
 * Returns a report's answer for an address. Reports contain lists in full, so a missing `limit`
 * matches.
 * @param {string} address
 * @returns {any}
 */
function embeddedAnswer(address) {
  const answers = /** @type {Record<string, any>} */ (embeddedAnswers);
  const found = [address, address.replace(/[?&]limit=\d+$/, "")].find((one) => Object.hasOwn(answers, one));
  if (found !== undefined) return answers[found];
  throw new ApiError(404, "Not in this report", "This file has the data of one study or problem. A service has the rest.");
}

/**
 * Returns the JSON answer to a request body.
 * @template {keyof Api.Post} Address
 * @param {Address} address
 * @param {Api.Post[Address]["body"]} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<Api.Post[Address]["answer"]>}
 */
export async function post(address, body, signal) {
  if (embeddedAnswers !== null) return embeddedAnswer(`${address} ${JSON.stringify(sortKeys(body))}`);
  return (await ask(address, { method: "POST", body, signal })).json();
}

/**
 * Returns the service's check of a problem draft. Throws `ApiError` for an invalid draft, which the
 * service reports with status 200.
 * @param {Api.Draft} draft
 * @param {AbortSignal} [signal]
 * @returns {Promise<Api.CheckedProblem>}
 */
export async function checkProblem(draft, signal) {
  const said = await post("/api/v1/problems:check", draft, signal);
  if ("status" in said) throw new ApiError(said.status, said.title, said.detail, said);
  return said;
}

/**
 * Returns whether an error is the abort of a request by navigation.
 * @param {unknown} error
 */
export function isAborted(error) {
  return error instanceof DOMException && error.name === "AbortError";
}
