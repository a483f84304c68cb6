// @ts-check
// A list that the service gives a page at a time: a table with a button for what follows.

import { h, put, replace } from "../dom.js";
import { Trouble } from "../api.js";
import { table } from "./table.js";

/**
 * @template Row
 * @param {string} caption
 * @param {import("./table.js").Column<Row>[]} columns
 * @param {any} first the first page, with `next` where there are more
 * @param {string} field of the rows in a page
 * @param {(cursor: string) => Promise<any>} read
 * @param {{ sorting?: import("./table.js").Sorting }} [how]
 */
export function more(caption, columns, first, field, read, how = {}) {
  const element = h("div", { class: "stack" });
  /** @type {Row[]} */
  let rows = first[field];
  const draw = (/** @type {any} */ page) => {
    const said = h("p", { class: "quiet", role: "status" });
    const button = h("button", { onclick: async () => {
      button.disabled = true;
      try {
        const next = await read(page.next);
        rows = [...rows, ...next[field]];
        draw(next);
      } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        said.textContent = error.message;
        button.disabled = false;
      }
    } }, "Show more");
    replace(element, table(caption, columns, rows, how), page.next ? h("div", { class: "row" }, button, said) : null);
    const { unreadable } = page;
    if (unreadable) put(element, h("p", { class: "quiet" }, `Left out, as this version cannot read them: ${JSON.stringify(unreadable)}`));
  };
  draw(first);
  return element;
}
