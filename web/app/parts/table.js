// @ts-check
// Tables. Short tables contain all rows, long tables only the visible ones.

import { h, inFrame, replace } from "../dom.js";

/**
 * @template Row
 *
 * @typedef {object} Column
 * @property {string} name text of the head
 * @property {string} [sort] order that a click on the head selects; none for unsortable columns
 * @property {boolean} [number] true for a column of numbers
 * @property {boolean} [wide] true for the column that takes the remaining width and breaks its text
 * @property {string} [class]
 * @property {(row: Row) => import("../dom.js").Children} cell
 */

/**
 * @typedef {object} Sorting
 * @property {string} by order, with a leading `-` for descending
 * @property {(by: string) => void} choose
 */

/**
 * Creates a table with all rows.
 * @template Row
 * @param {string} caption name for screen readers
 * @param {Column<Row>[]} columns columns; the first holds the heads of the rows
 * @param {Row[]} rows
 * @param {{ sorting?: Sorting }} [more]
 */
export function table(caption, columns, rows, more = {}) {
  const body = h("tbody", {}, rows.map((row) => line(columns, row)));
  const whole = h("table", {}, h("caption", { class: "heard" }, caption), h("thead", {}, head(columns, more.sorting)), body);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, whole);
}

/**
 * Creates the row of heads.
 * @template Row
 * @param {Column<Row>[]} columns
 * @param {Sorting} [sorting]
 */
function head(columns, sorting) {
  return h("tr", {}, columns.map((column) => headCell(column, sorting)));
}

/**
 * Creates a head, with a button if the column is sortable.
 * @template Row
 * @param {Column<Row>} column
 * @param {Sorting} [sorting]
 */
function headCell(column, sorting) {
  const attributes = { scope: "col", class: classOf(column) };
  if (sorting === undefined || column.sort === undefined) return h("th", attributes, column.name);
  const { sort } = column;
  const direction = sorting.by === sort ? "ascending" : sorting.by === `-${sort}` ? "descending" : "none";
  const next = direction === "ascending" ? `-${sort}` : sort;
  const arrow = { ascending: "▲", descending: "▼", none: "" }[direction];
  const button = h("button", { class: "sort", onclick: () => sorting.choose(next) }, column.name, h("span", { "aria-hidden": "true" }, ` ${arrow}`));
  return h("th", { ...attributes, "aria-sort": direction }, button);
}

/** Returns the classes of a column's cells. @template Row @param {Column<Row>} column */
function classOf(column) {
  return [column.number && "number", column.wide && "wide", column.class].filter(Boolean).join(" ") || undefined;
}

/**
 * Creates a row.
 * @template Row
 * @param {Column<Row>[]} columns
 * @param {Row} row
 * @param {Record<string, unknown>} [attributes]
 */
function line(columns, row, attributes = {}) {
  const cells = columns.map((column, i) =>
    i === 0 ? h("th", { scope: "row", class: classOf(column) }, column.cell(row)) : h("td", { class: classOf(column) }, column.cell(row)),
  );
  return h("tr", attributes, cells);
}

/** Rows that are present above and below the view. */
const AROUND = 12;

/**
 * Creates a table of any length that contains only the rows near the view. All rows have one
 * height.
 * @template Row
 * @param {string} caption
 * @param {Column<Row>[]} columns
 * @param {{ height: number, view: number, sorting?: Sorting }} how height of a row and of the view,
 *   in pixels
 */
export function longTable(caption, columns, how) {
  /** @type {{ count: number, at: (i: number) => Row }} */
  let rows = { count: 0, at: () => { throw new Error("no rows"); } };
  const body = h("tbody", {});
  const heads = h("thead", {}, head(columns, how.sorting));
  const whole = h("table", { class: "long" }, h("caption", { class: "heard" }, caption), heads, body);
  const element = h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": caption }, whole);
  element.style.maxHeight = `${how.view}px`;
  const nothing = [0, -1];
  let drawn = nothing;

  const draw = () => {
    const above = Math.floor(element.scrollTop / how.height);
    const below = Math.min(rows.count, Math.ceil((element.scrollTop + how.view) / how.height));
    if (drawn[0] <= above && below <= drawn[1]) return;
    const [first, last] = [Math.max(0, above - AROUND), Math.min(rows.count, below + AROUND)];
    drawn = [first, last];
    const lines = [];
    for (let i = first; i < last; i += 1) lines.push(line(columns, rows.at(i), { "aria-rowindex": i + 2 }));
    replace(body, space(first), lines, space(rows.count - last));
  };

  /** Creates the space of absent rows. @param {number} count */
  const space = (count) => {
    if (count <= 0) return null;
    const cell = h("td", { colspan: columns.length });
    cell.style.height = `${count * how.height}px`;
    return h("tr", { class: "space", "aria-hidden": "true" }, cell);
  };

  element.addEventListener("scroll", inFrame(draw), { passive: true });
  return {
    element,
    /**
     * Shows rows.
     * @param {{ count: number, at: (i: number) => Row }} now
     * @param {Sorting} [sorting]
     */
    show(now, sorting = how.sorting) {
      rows = now;
      drawn = nothing;
      whole.setAttribute("aria-rowcount", String(now.count + 1));
      replace(heads, head(columns, sorting));
      draw();
    },
  };
}

/** The most rows of a table that contains all of them. */
const SHORT = 100;

/**
 * Creates a short or a long table by the number of rows. All rows have one height.
 * @template Row
 * @param {string} caption
 * @param {Column<Row>[]} columns
 * @param {Row[]} rows
 */
export function anyTable(caption, columns, rows) {
  if (rows.length <= SHORT) return table(caption, columns, rows);
  const long = longTable(caption, columns, { height: 32, view: 480 });
  long.show({ count: rows.length, at: (i) => rows[i] });
  return long.element;
}
