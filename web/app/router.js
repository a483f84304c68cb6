// @ts-check
// Addresses such as `#/studies/7?sort=time`. An address determines all content of a page.

/**
 * @typedef {object} Address
 * @property {string[]} path decoded parts
 * @property {URLSearchParams} query settings
 */

/** Parses an address. @param {string} hash @returns {Address} */
export function parse(hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split(/\?(.*)/s, 2);
  const parts = path.split("/").filter((part) => part !== "");
  return { path: parts.map(decoded), query: new URLSearchParams(query ?? "") };
}

/** Decodes a part; returns invalid escapes unchanged. @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * Returns the address of a page. Empty settings are left out.
 * @param {(string | number)[]} path
 * @param {Record<string, string | number | null | undefined>} [query]
 */
export function address(path, query = {}) {
  const set = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return `#/${path.map((part) => encodeURIComponent(part)).join("/")}${text === "" ? "" : `?${text}`}`;
}

/** Navigates to an address. @param {string} to */
export function go(to) {
  location.hash = to;
}

/** Shows the current page again. */
export function reload() {
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

/**
 * Writes settings into the address without navigation, for reloads, bookmarks and shared links.
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
