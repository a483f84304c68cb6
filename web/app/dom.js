// @ts-check
// Construction of elements. All content is inserted as text and never as markup.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Child | Child[]} Children */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Creates an element with properties and children. Functions named `onclick` and the like are
 * listeners; other properties are attributes.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, unknown>} [properties]
 * @param {...Children} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function h(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children);
}

/**
 * Creates an SVG element in the same way.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, unknown>} [properties]
 * @param {...Children} children
 * @returns {SVGElementTagNameMap[Name]}
 */
export function s(name, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, name), properties, children);
}

/**
 * Sets an element's properties and children.
 * @template {Element} Kind
 * @param {Kind} element
 * @param {Record<string, unknown>} properties
 * @param {Children[]} children
 */
function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on") && typeof value === "function") {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else if (name === "value" && "value" in element) {
      element.value = value;
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  put(element, ...children);
  return element;
}

/**
 * Appends children. Null, undefined and false are skipped.
 * @param {Element | DocumentFragment} element
 * @param {...Children} children
 */
export function put(element, ...children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === "number" ? String(child) : child);
  }
}

/**
 * Replaces all children of an element.
 * @param {Element} element
 * @param {...Children} children
 */
export function replace(element, ...children) {
  element.replaceChildren();
  put(element, ...children);
}

let last = 0;

/** Returns an id that no other element has. @param {string} prefix */
export function freshId(prefix) {
  last += 1;
  return `${prefix}-${last}`;
}

/**
 * Returns a function that calls `call` at most once a frame, with the newest arguments.
 * @template {unknown[]} Arguments
 * @param {(...values: Arguments) => void} call
 */
export function inFrame(call) {
  /** @type {Arguments | null} */
  let waiting = null;
  return (/** @type {Arguments} */ ...values) => {
    const isAsked = waiting !== null;
    waiting = values;
    if (isAsked) return;
    requestAnimationFrame(() => {
      const newest = /** @type {Arguments} */ (waiting);
      waiting = null;
      call(...newest);
    });
  };
}

/**
 * Returns a function that calls `call` at most once in `ms` milliseconds. The first call is
 * immediate. Slow views need not follow a pointer in each frame.
 * @param {number} ms
 * @param {() => void} call
 */
export function throttle(ms, call) {
  let isResting = false;
  let isAsked = false;
  const rest = () => {
    isResting = true;
    setTimeout(() => {
      isResting = false;
      if (!isAsked) return;
      isAsked = false;
      call();
      rest();
    }, ms);
  };
  return () => {
    if (isResting) {
      isAsked = true;
      return;
    }
    call();
    rest();
  };
}
