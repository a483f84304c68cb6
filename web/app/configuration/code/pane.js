// @ts-check
// A stage's text in a box of its own. All of it is there, so that the browser finds words in it; lines get their colours and can
// be pointed at once they come near the view.

import { h, inFrame } from "../../dom.js";
import { pieces } from "./syntax.js";

/** Pixels of a line. code.css has the same. */
const LINE = 18;
/** Lines that are coloured together. */
const BLOCK = 60;

/**
 * @param {Api.StageText} stage
 * @param {string} name what the pane is called
 * @param {string} help the id of what says how it is used
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
  /** Where the keys go on from: the pointer may rest elsewhere. */
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
  // Not when lines come under a pointer that rests, as they do when keys scroll.
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

  /** Brings lines into view, where they are not. @param {number} first @param {number} last */
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
    /** Shows which lines belong to what is pointed at, and which line the cursor is on. @param {Set<number>} now @param {number} cursor -1 for none @param {boolean} show whether to bring them into view */
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

/** @param {string} stage @param {string} text */
function coloured(stage, text) {
  return pieces(stage, text).map(({ kind, text }) => (kind === "plain" ? text : h("span", { class: `is-${kind}` }, text)));
}
