// @ts-check
// MLIR text with syntax colours and line numbers.

import { h, put, replace } from "../dom.js";

/** Comments, strings, symbols, values, types and attributes. */
const PIECES = /(?<comment>\/\/.*)|(?<text>"(?:[^"\\]|\\.)*")|(?<symbol>@[\w$.-]+)|(?<value>%[\w$.-]+(?::\d+)?)|(?<type>[!#][A-Za-z_][\w.]*)/g;

/**
 * Splits a line into coloured pieces.
 * @param {string} line
 * @returns {[string, string][]} kind and text of each piece; the kind of plain text is empty
 */
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

/** Lines that are drawn at first. More lines would block the page noticeably. */
const DRAWN = 400;
/** Lines above a line that `reveal` shows. */
const BEFORE = 50;

/**
 * Creates a scrolling box with the text. Long texts are drawn in parts, with buttons for more
 * lines.
 * @param {string} text
 * @param {string} name
 */
export function listing(text, name) {
  const lines = text.replace(/\n$/, "").split("\n");
  const list = h("ol", { class: "mlir" });
  const box = h("div", { class: "listing", tabindex: "0", role: "region", "aria-label": name }, list);
  const above = h("button", { class: "small", onclick: () => draw(Math.max(0, from - DRAWN), to) });
  const below = h("button", { class: "small", onclick: () => draw(from, Math.min(lines.length, to + DRAWN)) });
  let from = 0;
  let to = 0;
  const draw = (/** @type {number} */ first, /** @type {number} */ last) => {
    const drawn = lines.slice(first, last).map(line);
    const isLonger = first === from && last > to && to > 0;
    if (isLonger) put(list, drawn.slice(to - from));
    else replace(list, drawn);
    [from, to] = [first, last];
    list.style.counterReset = `line ${first}`;
    above.hidden = from === 0;
    above.textContent = `Show lines before ${(from + 1).toLocaleString("en")}`;
    below.hidden = to === lines.length;
    below.textContent = `Show lines after ${to.toLocaleString("en")}, of ${lines.length.toLocaleString("en")}`;
  };
  draw(0, Math.min(lines.length, DRAWN));
  return {
    element: h("div", { class: "stack" }, box, lines.length > DRAWN && h("p", { class: "row" }, above, below)),
    /** Scrolls a line into view. @param {number} wanted line number from 1 */
    reveal(wanted) {
      if (wanted <= from || wanted > to) {
        const first = Math.max(0, wanted - 1 - BEFORE);
        draw(first, Math.min(lines.length, first + DRAWN));
      }
      const item = /** @type {HTMLElement} */ (list.children[wanted - 1 - from]);
      for (const other of list.querySelectorAll(".seen")) other.classList.remove("seen");
      item.classList.add("seen");
      box.scrollTop = item.offsetTop - box.clientHeight / 4;
      box.scrollIntoView({ block: "nearest" });
      box.focus({ preventScroll: true });
    },
  };
}

/** Creates a line. @param {string} text */
function line(text) {
  return h("li", {}, h("code", {}, pieces(text).map(([kind, piece]) => (kind === "" ? piece : h("span", { class: `mlir-${kind}` }, piece)))));
}
