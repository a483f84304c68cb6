// @ts-check
// A list as a whole, of which the service gives a page at a time.

/** Rows of a page: the most that the service gives. */
const PAGE = 1000;

/**
 * The rows of all pages, or the first so many.
 * @template {{ next: string | null }} Page
 * @template Row
 * @param {(which: { limit: number, cursor?: string }) => Promise<Page>} read
 * @param {(page: Page) => Row[]} rowsOf
 * @param {number} most
 */
export async function all(read, rowsOf, most) {
  const limit = Math.min(PAGE, most);
  const first = await read({ limit });
  const rows = rowsOf(first);
  let { next } = first;
  while (next && rows.length < most) {
    const page = await read({ limit, cursor: next });
    rows.push(...rowsOf(page));
    next = page.next;
  }
  return { rows: rows.slice(0, most), isWhole: !next && rows.length <= most, first };
}
