// @ts-check
// Complete lists from an API that returns pages.

/** The most rows of a page that the service returns. */
const PAGE = 1000;

/**
 * Returns the rows of all pages, at most `most`.
 * @template {{ next: string | null }} Page
 * @template Row
 * @param {(which: { limit: number, cursor?: string }) => Promise<Page>} read
 * @param {(page: Page) => Row[]} rowsOf
 * @param {number} most
 */
export async function readAllPages(read, rowsOf, most) {
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
