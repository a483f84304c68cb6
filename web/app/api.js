// @ts-check
// What the service says. A report has the answers in it and asks nobody.

import { lose } from "./connection.js";

/** Present after the service has rejected the tab's token. */
const REJECTED = "wavetune-token-rejected";
const TOKEN = "wavetune-token";

/** Why there is no answer. */
export class Trouble extends Error {
  /**
   * @param {number} status the answer's, 0 where nobody answered
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

/** The answers that are in this file, by address; null where a service is asked. @type {Record<string, any> | null} */
const kept = (() => {
  const element = document.getElementById("answers");
  return element ? JSON.parse(element.textContent ?? "null") : null;
})();

/** Whether this is a file with its answers, behind which there is no service. */
export const isReport = kept !== null;

/** The token that this tab shows. */
export function token() {
  return isReport ? null : sessionStorage.getItem(TOKEN);
}

/** Keeps a token for as long as the tab is open. @param {string} text */
export function useToken(text) {
  sessionStorage.removeItem(REJECTED);
  sessionStorage.setItem(TOKEN, text);
}

/**
 * Forgets the token that the service has rejected.
 * @returns {boolean} whether this tab's last token was rejected, however many answers have said so
 */
export function rejectToken() {
  // Several requests may be rejected at once, and pages that are opened later have no token to show.
  if (token() !== null) sessionStorage.setItem(REJECTED, "yes");
  sessionStorage.removeItem(TOKEN);
  return sessionStorage.getItem(REJECTED) !== null;
}

/**
 * An address with what is asked of it; what is empty is left out.
 * @template {keyof Api.Query} Address
 * @param {Address} path
 * @param {{ [name in Api.Query[Address]]?: string | number | boolean | null }} [query]
 * @returns {Address} with the query, of which its type says nothing
 */
export function asked(path, query = {}) {
  const set = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return /** @type {Address} */ (text === "" ? path : `${path}?${text}`);
}

/**
 * What the service says at an address.
 * @param {string} address
 * @param {{ method?: string, body?: unknown, accept?: string, signal?: AbortSignal, headers?: Record<string, string> }} [how]
 * @returns {Promise<Response>}
 */
export async function ask(address, how = {}) {
  const headers = new Headers(how.headers);
  headers.set("Accept", how.accept ?? "application/json");
  const shown = token();
  if (shown !== null) headers.set("Authorization", `Bearer ${shown}`);
  const body = how.body === undefined ? undefined : JSON.stringify(how.body);
  if (body !== undefined) headers.set("Content-Type", "application/json");
  let answer;
  try {
    answer = await fetch(address, { method: how.method ?? "GET", headers, body, signal: how.signal });
  } catch (error) {
    if (how.signal?.aborted) throw error;
    lose();
    throw new Trouble(0, "The service does not answer", "The service or the connection is down. This page continues when it is back.");
  }
  if (answer.ok) return answer;
  throw await trouble(answer);
}

/** @param {Response} answer */
async function trouble(answer) {
  if (answer.status === 401) window.dispatchEvent(new Event("wavetune-unknown"));
  try {
    const said = await answer.json();
    return new Trouble(answer.status, said.title, said.detail, said);
  } catch {
    return new Trouble(answer.status, `The service answered ${answer.status}`, answer.statusText);
  }
}

/**
 * The JSON at an address.
 * @template {keyof Api.Get} Address
 * @param {Address} address
 * @param {AbortSignal} [signal]
 * @returns {Promise<Api.Get[Address]>}
 */
export async function get(address, signal) {
  if (kept !== null) return keptAt(address);
  return (await ask(address, { signal })).json();
}

/** A value whose keys are in the order of their text, as a report has them. @param {any} value @returns {any} */
function inOrder(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(inOrder);
  return Object.fromEntries(Object.keys(value).sort().map((name) => [name, inOrder(value[name])]));
}

/** What a report has of an address. It has lists that are as long as they may be. @param {string} address @returns {any} */
function keptAt(address) {
  const answers = /** @type {Record<string, any>} */ (kept);
  const found = [address, address.replace(/[?&]limit=\d+$/, "")].find((one) => Object.hasOwn(answers, one));
  if (found !== undefined) return answers[found];
  throw new Trouble(404, "Not in this report", "This file has the data of one study or problem. A service has the rest.");
}

/**
 * The JSON that comes of a body that is sent.
 * @template {keyof Api.Post} Address
 * @param {Address} address
 * @param {Api.Post[Address]["body"]} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<Api.Post[Address]["answer"]>}
 */
export async function post(address, body, signal) {
  if (kept !== null) return keptAt(`${address} ${JSON.stringify(inOrder(body))}`);
  return (await ask(address, { method: "POST", body, signal })).json();
}

/**
 * What the service says of a problem that somebody writes. A text that is none is no failure of the asking.
 * @param {Api.Draft} draft
 * @param {AbortSignal} [signal]
 * @returns {Promise<Api.CheckedProblem>}
 */
export async function checked(draft, signal) {
  const said = await post("/api/v1/problems:check", draft, signal);
  if ("status" in said) throw new Trouble(said.status, said.title, said.detail, said);
  return said;
}

/**
 * Whether an error is that the reader went elsewhere.
 * @param {unknown} error
 */
export function isGone(error) {
  return error instanceof DOMException && error.name === "AbortError";
}
