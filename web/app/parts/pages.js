// @ts-check
// A paginated list: a table with a button for the next page.

import { h, put, replace } from "../dom.js";
import { ApiError } from "../api.js";
import { table } from "./table.js";

/**
 * Creates the list.
 * @template Row
 * @template {{ next: string | null, unreadable?: Api.Unreadable }} Page
 * @param {string} caption
 * @param {import("./table.js").Column<Row>[]} columns
 * @param {Page} first first page, with `next` if there are more
 * @param {(page: Page) => Row[]} rowsOf
 * @param {(cursor: string) => Promise<Page>} read
 * @param {{ sorting?: import("./table.js").Sorting }} [how]
 */
export function pagedTable(caption, columns, first, rowsOf, read, how = {}) {
  const element = h("div", { class: "stack" });
  let rows = rowsOf(first);
  const draw = (/** @type {Page} */ page) => {
    const { next: cursor, unreadable } = page;
    const said = h("p", { class: "quiet", role: "status" });
    const button = h("button", { onclick: async () => {
      if (cursor === null) return;
      button.disabled = true;
      try {
        const next = await read(cursor);
        rows = [...rows, ...rowsOf(next)];
        draw(next);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        said.textContent = error.message;
        button.disabled = false;
      }
    } }, "Show more");
    replace(element, table(caption, columns, rows, how), cursor ? h("div", { class: "row" }, button, said) : null);
    if (unreadable) put(element, h("p", { class: "quiet" }, `Omitted, because this version cannot read them: ${JSON.stringify(unreadable)}`));
  };
  draw(first);
  return element;
}
