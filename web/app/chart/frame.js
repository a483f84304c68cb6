// @ts-check
// The frame of a chart: its title, its sentence, its table twin and its files.

import { h, replace } from "../dom.js";
import { csv, json, save } from "../parts/copy.js";
import { table } from "../parts/table.js";
import { picture } from "./picture.js";

/** The most rows of a table twin. The files contain all rows. */
const TWIN_ROWS = 500;

/**
 * @typedef {object} Data a chart's content as a table
 * @property {string[]} columns names with their units
 * @property {import("../parts/copy.js").Row[]} rows
 * @property {string[]} [hrefs] link of each row, for charts with links as points
 */

/**
 * Creates a chart with its table twin and its files. Call `say` after each change of the drawing.
 * @param {string} title
 * @param {() => Data} data
 * @param {...import("../dom.js").Children} content the drawing and its surroundings
 */
export function chart(title, data, ...content) {
  const name = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");
  const said = h("p", { class: "said quiet" });
  const drawing = h("div", { class: "drawing", role: "group", "aria-label": title }, ...content);
  const twin = h("details", { class: "twin" }, h("summary", {}, "Table"));
  const filled = h("div", {});
  twin.append(filled);
  const fill = () => {
    if (!twin.open) return;
    const { columns, rows, hrefs } = data();
    const heads = columns.map((column, i) => ({
      name: column,
      number: rows.length > 0 && typeof rows[0][i] === "number",
      cell: (/** @type {import("../parts/copy.js").Row} */ row) => (i === 0 && hrefs ? h("a", { href: hrefs[rows.indexOf(row)] }, short(row[i])) : short(row[i])),
    }));
    const rest = rows.length > TWIN_ROWS && h("p", { class: "quiet" }, `The first ${TWIN_ROWS} of ${rows.length} rows; the files have all rows.`);
    replace(filled, rest, table(`${title}, as a table`, heads, rows.slice(0, TWIN_ROWS)));
  };
  twin.addEventListener("toggle", fill);
  const button = (/** @type {string} */ text, /** @type {() => void} */ act) =>
    h("button", { class: "small", type: "button", "aria-label": `${title} as ${text}`, onclick: act }, text);
  const file = (/** @type {string} */ kind, /** @type {string} */ type, /** @type {(columns: string[], rows: import("../parts/copy.js").Row[]) => string} */ write) =>
    button(kind.toUpperCase(), () => {
      const { columns, rows } = data();
      save(`${name}.${kind}`, new Blob([write(columns, rows)], { type }));
    });
  const files = h(
    "span",
    { class: "files" },
    file("csv", "text/csv", csv),
    file("json", "application/json", json),
    button("PNG", async () => save(`${name}.png`, await picture(drawing))),
  );
  const element = h(
    "figure",
    { class: "chart panel" },
    h("figcaption", {}, h("h3", {}, title), files),
    said,
    drawing,
    twin,
  );
  // A drawing wider than its frame must scroll by keys, too.
  new ResizeObserver(() => {
    if (drawing.scrollWidth > drawing.clientWidth) drawing.tabIndex = 0;
    else drawing.removeAttribute("tabindex");
  }).observe(drawing);
  return {
    element,
    /**
     * Shows the chart's message in a sentence, and updates the table twin.
     * @param {string} sentence
     */
    say(sentence) {
      said.textContent = sentence;
      fill();
    },
  };
}

/** Returns a table cell's text. @param {string | number | null} value */
function short(value) {
  if (value === null) return "–";
  return typeof value === "number" && !Number.isInteger(value) ? String(Number(value.toPrecision(5))) : String(value);
}
