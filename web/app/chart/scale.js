// @ts-check
// Scales from values to pixels, with their ticks.

/**
 * @typedef {object} Scale
 * @property {(value: number) => number} at
 * @property {(place: number) => number} value
 * @property {number[]} ticks
 */

/**
 * Returns a linear scale.
 * @param {[number, number]} domain
 * @param {[number, number]} range
 * @param {number} [about] approximate number of ticks
 * @returns {Scale}
 */
export function linear([low, high], [from, to], about = 5) {
  const span = high - low || 1;
  return {
    at: (value) => from + ((value - low) / span) * (to - from),
    value: (place) => low + ((place - from) / (to - from || 1)) * span,
    ticks: linearTicks(low, high, about),
  };
}

/**
 * Returns ticks at multiples of 1, 2 or 5 times a power of ten.
 * @param {number} low
 * @param {number} high
 * @param {number} about
 */
export function linearTicks(low, high, about) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (/** @type {number} */ ([1, 2, 5, 10].find((factor) => power * factor >= rough)));
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9) + 1e-12; i += 1) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

/**
 * Returns a logarithmic scale. Both ends of the domain must exceed 0.
 * @param {[number, number]} domain
 * @param {[number, number]} range
 * @returns {Scale}
 */
export function logarithmic([low, high], [from, to]) {
  const inner = linear([Math.log(low), Math.log(high)], [from, to]);
  return {
    at: (value) => inner.at(Math.log(value)),
    value: (place) => Math.exp(inner.value(place)),
    ticks: logarithmicTicks(low, high),
  };
}

/**
 * Returns ticks at powers of ten, and between them on ranges below three decades.
 * @param {number} low
 * @param {number} high
 */
export function logarithmicTicks(low, high) {
  const decades = Math.log10(high / low);
  const steps = decades > 3 ? [1] : decades > 1.5 ? [1, 3] : decades > 0.5 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    for (const step of steps) {
      const tick = Number((step * 10 ** power).toPrecision(3));
      if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push(tick);
    }
  }
  return ticks.length > 0 ? ticks : [low];
}

/**
 * Cached colours by scheme and name. A computed style makes the browser recalculate all changed
 * styles.
 * @type {Map<string, string>}
 */
const colours = new Map();

/** Returns a colour of the page by its name, for canvases. @param {string} name */
export function colour(name) {
  const key = `${matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"} ${name}`;
  const known = colours.get(key) ?? asked(name);
  colours.set(key, known);
  return known;
}

/** Reads a colour from the computed style of a temporary element. @param {string} name */
function asked(name) {
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  probe.hidden = true;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/**
 * Calls `draw` on each change of the colour scheme, until `signal` is aborted.
 * @param {() => void} draw
 * @param {AbortSignal} signal
 */
export function onScheme(draw, signal) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw, { signal });
}

/**
 * Calls `draw` with an element's width in pixels, now and on each change, until `signal` is
 * aborted.
 * @param {Element} element
 * @param {(width: number) => void} draw
 * @param {AbortSignal} signal
 */
export function onWidth(element, draw, signal) {
  let before = -1;
  const observer = new ResizeObserver(([entry]) => {
    const width = Math.floor(entry.contentRect.width);
    if (width === before || width === 0) return;
    before = width;
    draw(width);
  });
  observer.observe(element);
  signal.addEventListener("abort", () => observer.disconnect());
}
