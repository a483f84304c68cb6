// @ts-check
// A list as a whole, of which the service gives a page at a time.

import { asked, get } from "../api.js";

/** Rows of a page: the most that the service gives. */
const PAGE = 1000;

/**
 * The rows of all pages, or the first so many.
 * @param {string} path
 * @param {Record<string, string | null | undefined>} query
 * @param {string} field of the rows in a page
 * @param {number} most
 * @param {AbortSignal} signal
 * @returns {Promise<{ rows: any[], isWhole: boolean, first: any }>}
 */
export async function all(path, query, field, most, signal) {
  const limit = Math.min(PAGE, most);
  const first = /** @type {any} */ (await get(asked(path, { ...query, limit }), signal));
  const rows = first[field];
  let { next } = first;
  while (next && rows.length < most) {
    const page = /** @type {any} */ (await get(asked(path, { ...query, limit, cursor: next }), signal));
    rows.push(...page[field]);
    next = page.next;
  }
  return { rows: rows.slice(0, most), isWhole: !next && rows.length <= most, first };
}
