// @ts-check
// A scrolling pane with the text of one stage. It contains all lines, so that the browser's search
// finds them. Only lines near the view have colours and marks.

import { h, inFrame } from "../../dom.js";
import { pieces } from "./syntax.js";

/** Height of a line in pixels, as in code.css. */
const LINE = 18;
/** Lines that get their colours together. */
const BLOCK = 60;

/**
 * Creates a pane.
 * @param {Api.StageText} stage
 * @param {string} name name of the pane
 * @param {string} help id of the element with the help text
 * @param {{ point: (line: number | null) => void, choose: (line: number | null) => void }} on
 * @param {AbortSignal} signal
 */
export function pane(stage, name, help, on, signal) {
  const lines = stage.text.replace(/\n$/, "").split("\n");
  const code = h("div", { class: "code" });
  const element = h("div", { class: "pane", tabindex: "0", role: "group", "aria-label": `${name}, ${lines.length} lines`, "aria-describedby": help }, code);
  /** @type {(HTMLElement[] | null)[]} */
  const dressed = [];
  /** @type {Set<number>} */
  let linked = new Set();
  let at = -1;
  /** The line of the keyboard, independent of the pointer. */
  let chosen = -1;
  code.style.setProperty("--digits", String(String(lines.length).length));

  const classes = (/** @type {HTMLElement} */ line, /** @type {number} */ i) => {
    line.classList.toggle("linked", linked.has(i));
    line.classList.toggle("here", i === at);
  };
  const dress = (/** @type {number} */ block) => {
    if (dressed[block]) return;
    const first = block * BLOCK;
    const made = lines.slice(first, first + BLOCK).map((text, k) => {
      const i = first + k;
      const line = h("div", { class: (stage.marks[i]?.length ?? 0) > 0 ? "line known" : "line", "data-line": i, "data-number": i + 1 }, coloured(stage.name, text), "\n");
      classes(line, i);
      return line;
    });
    dressed[block] = made;
    code.children[block].replaceChildren(...made);
  };
  const observer = new IntersectionObserver(
    (entries) => entries.forEach((entry) => entry.isIntersecting && dress(Number(entry.target.getAttribute("data-block")))),
    { root: element, rootMargin: "400px" },
  );
  for (let first = 0; first < lines.length; first += BLOCK) {
    const some = lines.slice(first, first + BLOCK);
    const block = h("div", { class: "block", "data-block": first / BLOCK }, some.join("\n"));
    block.style.height = `${some.length * LINE}px`;
    dressed.push(null);
    code.append(block);
    observer.observe(block);
  }
  signal.addEventListener("abort", () => observer.disconnect());

  const lineOf = (/** @type {Event} */ event) => {
    const line = event.target instanceof Element ? event.target.closest(".line") : null;
    return line === null ? null : Number(line.getAttribute("data-line"));
  };
  const point = inFrame(on.point);
  // Keys may scroll a line under a resting pointer. `pointermove` does not fire then, so the line
  // is not marked.
  element.addEventListener("pointermove", (event) => event.pointerType === "mouse" && point(lineOf(event)));
  element.addEventListener("pointerleave", () => point(null));
  element.addEventListener("click", (event) => {
    const line = lineOf(event);
    if (line === null || getSelection()?.isCollapsed === false) return;
    chosen = line;
    on.choose(line);
  });
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      chosen = -1;
      on.choose(null);
    }
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity }[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const from = chosen < 0 ? Math.floor(element.scrollTop / LINE) - Math.sign(by) : chosen;
    const to = Math.min(Math.max(from + by, 0), lines.length - 1);
    if (to === chosen) return;
    chosen = to;
    on.choose(to);
    reveal(to, to);
  });

  /** Scrolls lines into view if they are outside it. @param {number} first @param {number} last */
  const reveal = (first, last) => {
    const [top, low] = [first * LINE, (last + 1) * LINE];
    const view = element.clientHeight;
    if (top >= element.scrollTop && low <= element.scrollTop + view) return;
    const to = low - top > view * 0.8 ? top - LINE * 2 : (top + low - view) / 2;
    element.scrollTop = Math.max(0, to);
  };
  return {
    element,
    lines,
    stage,
    /**
     * Marks the linked lines and the line of the cursor.
     * @param {Set<number>} now
     * @param {number} cursor line of the cursor; -1 for none
     * @param {boolean} show true to scroll the lines into view
     */
    mark(now, cursor, show) {
      const before = new Set([...linked, at]);
      linked = now;
      at = cursor;
      for (const i of new Set([...before, ...now, at])) {
        const line = dressed[Math.floor(i / BLOCK)]?.[i % BLOCK];
        if (line) classes(line, i);
      }
      if (show && now.size > 0) reveal(Math.min(...now), Math.max(...now));
    },
  };
}

/** @typedef {ReturnType<typeof pane>} Pane */

/** Returns a line's text with its colours. @param {string} stage @param {string} text */
function coloured(stage, text) {
  return pieces(stage, text).map(({ kind, text }) => (kind === "plain" ? text : h("span", { class: `is-${kind}` }, text)));
}
