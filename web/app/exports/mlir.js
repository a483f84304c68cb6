// @ts-check
// Lightly coloured MLIR, with the numbers of its lines.

import { h, put } from "../dom.js";

/** What is told apart: comments, texts, symbols, values, types and attributes. */
const PIECES = /(?<comment>\/\/.*)|(?<text>"(?:[^"\\]|\\.)*")|(?<symbol>@[\w$.-]+)|(?<value>%[\w$.-]+(?::\d+)?)|(?<type>[!#][A-Za-z_][\w.]*)/g;

/** A line's pieces. @param {string} line @returns {[string, string][]} each with its kind, which is empty for the rest */
export function pieces(line) {
  /** @type {[string, string][]} */
  const found = [];
  let end = 0;
  for (const match of line.matchAll(PIECES)) {
    if (match.index > end) found.push(["", line.slice(end, match.index)]);
    const [kind] = /** @type {[string, string]} */ (Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined));
    found.push([kind, match[0]]);
    end = match.index + match[0].length;
  }
  if (end < line.length) found.push(["", line.slice(end)]);
  return found;
}

/** Lines that are drawn at once: more would hold up the page. */
const DRAWN = 1000;

/**
 * The text in a box; a long one is drawn as far as somebody wants it.
 * @param {string} text
 * @param {string} name
 */
export function listing(text, name) {
  const lines = text.replace(/\n$/, "").split("\n");
  const list = h("ol", { class: "mlir" });
  const box = h("div", { class: "listing", tabindex: "0", role: "region", "aria-label": name }, list);
  const more = h("button", { onclick: () => draw(DRAWN) });
  const rest = h("p", {}, more);
  let drawn = 0;
  const draw = (/** @type {number} */ count) => {
    const next = lines.slice(drawn, drawn + count);
    put(list, next.map((line, i) => h("li", { id: `line-${drawn + i + 1}` }, h("code", {}, pieces(line).map(([kind, piece]) => (kind === "" ? piece : h("span", { class: `mlir-${kind}` }, piece)))))));
    drawn += next.length;
    more.textContent = `Show more of ${lines.length.toLocaleString("en")} lines`;
    rest.hidden = drawn >= lines.length;
  };
  draw(DRAWN);
  return {
    element: h("div", { class: "stack" }, box, rest),
    /** Brings a line into view. @param {number} line counted from 1 */
    reveal(line) {
      if (line > drawn) draw(line + 50 - drawn);
      const item = list.children[line - 1];
      for (const other of list.querySelectorAll(".seen")) other.classList.remove("seen");
      item.classList.add("seen");
      box.scrollTop = /** @type {HTMLElement} */ (item).offsetTop - box.clientHeight / 4;
      box.scrollIntoView({ block: "nearest" });
      box.focus({ preventScroll: true });
    },
  };
}
