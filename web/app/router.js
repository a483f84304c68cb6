// @ts-check
// Addresses: `#/studies/7?sort=time`. All that a page shows follows from its address.

/**
 * @typedef {object} Address
 * @property {string[]} path its parts, decoded
 * @property {URLSearchParams} query what is set
 */

/** What an address of the page says. @param {string} hash @returns {Address} */
export function parse(hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split(/\?(.*)/s, 2);
  const parts = path.split("/").filter((part) => part !== "");
  return { path: parts.map(decoded), query: new URLSearchParams(query ?? "") };
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * The address of a place: what is empty is left out.
 * @param {(string | number)[]} path
 * @param {Record<string, string | number | null | undefined>} [query]
 */
export function address(path, query = {}) {
  const set = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return `#/${path.map((part) => encodeURIComponent(part)).join("/")}${text === "" ? "" : `?${text}`}`;
}

/** Goes to a place. @param {string} to */
export function go(to) {
  location.hash = to;
}

/** Shows the page of this address anew. */
export function again() {
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

/**
 * Notes in the address what is set now, so that a reload, a bookmark or a colleague has it; the page stays as it is.
 * @param {Record<string, string | number | null | undefined>} changed
 */
export function remember(changed) {
  const { path, query } = parse(location.hash);
  for (const [name, value] of Object.entries(changed)) {
    if (value === null || value === undefined || value === "") query.delete(name);
    else query.set(name, String(value));
  }
  const to = address(path, Object.fromEntries(query));
  if (to !== location.hash) history.replaceState(null, "", to);
}
