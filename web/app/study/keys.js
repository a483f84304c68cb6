// @ts-check
// Keyboard control of the axes. The arrows mark the ranges that a pointer marks by dragging.

/**
 * Adds keyboard control to the axes.
 * @param {HTMLElement} box focusable element around all axes
 * @param {{ marked: import("./selection.js").TrialSelection, axes: () =>
 *   import("./parallel.js").Axis[], show: (axis: number) => void }} on `show` highlights the axis
 *   of the keyboard; -1 for none
 */
export function axisKeys(box, { marked, axes, show }) {
  let k = 0;
  /**
   * The marked range, from its fixed end to its moving end.
   * @type {{ from: number, to: number } | null}
   */
  let part = null;

  /** Returns the marked parts of an axis. @param {import("./parallel.js").Axis} axis */
  const known = (axis) => {
    const range = marked.range(axis.name);
    if (range === null) return null;
    const within = axis.parts.flatMap(([high, low], i) => (high >= range[0] - 0.004 && low <= range[1] + 0.004 ? [i] : []));
    return within.length === 0 ? null : { from: within[0], to: within[within.length - 1] };
  };
  const isHere = () => document.activeElement === box;

  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || axes().length === 0) return;
    const across = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const down = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const axis = axes()[k];
    if (across !== undefined) {
      k = Math.min(Math.max(k + across, 0), axes().length - 1);
      part = null;
      show(k);
    } else if (down !== undefined) {
      const last = axis.parts.length - 1;
      const now = part ?? known(axis);
      const to = now === null ? (down > 0 ? 0 : last) : Math.min(Math.max(now.to + down, 0), last);
      part = { from: event.shiftKey && now !== null ? now.from : to, to };
      const [one, other] = [axis.parts[part.from], axis.parts[part.to]];
      marked.mark(axis.name, [Math.min(one[0], other[0]), Math.max(one[1], other[1])]);
      marked.settle();
    } else if (["Delete", "Backspace", "Escape"].includes(event.key)) {
      part = null;
      marked.mark(axis.name, null);
      marked.settle();
    } else return;
    event.preventDefault();
  });
  box.addEventListener("focus", () => show(k));
  box.addEventListener("blur", () => show(-1));
  return {
    /** Highlights the axis of the keyboard if it has the focus. */
    show: () => {
      k = Math.min(k, Math.max(0, axes().length - 1));
      show(isHere() ? k : -1);
    },
    /** Returns the current mark for screen readers. */
    said() {
      const axis = axes()[k];
      if (!isHere() || axis === undefined) return "";
      const range = marked.range(axis.name);
      const marks = axis.parts.length === axis.marks.length ? axis.marks.toReversed() : null;
      const now = known(axis);
      const what = range === null || now === null ? "all marked" : marks === null ? `from ${Math.round(range[0] * 100)} to ${Math.round(range[1] * 100)} % of the way from the fastest to the slowest` : marks.slice(now.from, now.to + 1).join(", ");
      return `${axis.name}: ${what}; ${marked.count} trials are marked`;
    },
  };
}
