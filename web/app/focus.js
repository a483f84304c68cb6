// @ts-check
// Keyboard focus across redraws. A redraw removes the focused element, and Tab would start at the
// top again. This module focuses the new element with the same name, or the rest of its part of the
// page.

/** Elements that the keyboard can focus. */
const CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex='0']";

/**
 * @typedef {object} FocusedElement the last focused element
 * @property {HTMLElement | SVGElement} element
 * @property {string} name
 * @property {number} place index among elements of its kind and name
 * @property {Element[]} around ancestors, from the innermost
 */

/** @type {FocusedElement | null} */
let held = null;
/**
 * The substitute that has the focus until the former element returns, such as after an answer.
 * @type {Element | null}
 */
let standsIn = null;

/** Stops all restoring, because the reader navigates elsewhere. */
export function forgetFocus() {
  held = null;
  standsIn = null;
}

/** Keeps the focus inside `root`, which must be focusable itself. @param {HTMLElement} root */
export function keepFocus(root) {
  root.addEventListener("focusin", ({ target }) => {
    if (target === standsIn || !(target instanceof HTMLElement || target instanceof SVGElement)) return;
    standsIn = null;
    const name = nameOf(target);
    held = { element: target, name, place: alike(root, target, name).indexOf(target), around: around(target, root) };
  });
  // Capture runs before other listeners, which may redraw the page. On a move between two elements,
  // nothing must be restored.
  root.addEventListener("blur", ({ target, relatedTarget }) => {
    if (relatedTarget !== null) return forgetFocus();
    // A click on empty space gives up the focus. Removal or disabling of the element does not.
    queueMicrotask(() => {
      if (document.activeElement === document.body && target instanceof Element && target.isConnected && isUsable(target)) forgetFocus();
    });
  }, { capture: true });
  new MutationObserver(() => place(root)).observe(root, { subtree: true, childList: true, attributeFilter: ["disabled", "hidden"] });
}

/** Restores a lost focus. @param {HTMLElement} root */
function place(root) {
  const { activeElement } = document;
  if (held === null || (activeElement !== null && activeElement !== document.body && activeElement !== standsIn)) return;
  const { element, name, place } = held;
  if (element.isConnected && isShown(element)) {
    // An element that is disabled during a request will be enabled again.
    if (isUsable(element)) element.focus({ preventScroll: true });
    return;
  }
  const same = alike(root, element, name).filter(isUsable);
  if (same.length > 0) {
    standsIn = null;
    same[Math.min(place, same.length - 1)].focus({ preventScroll: true });
    return;
  }
  if (standsIn?.isConnected && activeElement === standsIn) return;
  const other = left(held.around, root);
  standsIn = other;
  other.focus({ preventScroll: true });
}

/**
 * Returns the substitute in the smallest remaining part: the part itself, its scrolling box, or its
 * first control.
 * @param {Element[]} around
 * @param {HTMLElement} root
 */
function left(around, root) {
  for (const part of around) {
    const here = part.isConnected ? part : again(part, root);
    if (here === null || here === root) continue;
    if (here instanceof HTMLElement && here.tabIndex >= 0) return here;
    const box = here.closest("[tabindex='0']");
    if (box instanceof HTMLElement && root.contains(box)) return box;
    const control = [...here.querySelectorAll(CONTROLS)].find(isUsable);
    if (control instanceof HTMLElement || control instanceof SVGElement) return control;
  }
  return root;
}

/**
 * Returns the new part with the same label, or null.
 * @param {Element} part
 * @param {HTMLElement} root
 */
function again(part, root) {
  const label = part.getAttribute("aria-label");
  return label === null ? null : ([...root.querySelectorAll(part.localName)].find((one) => one.getAttribute("aria-label") === label) ?? null);
}

/**
 * Returns the ancestors of an element below `root`.
 * @param {Element} element
 * @param {Element} root
 */
function around(element, root) {
  const found = [];
  for (let at = element.parentElement; at !== null && at !== root; at = at.parentElement) found.push(at);
  return found;
}

/**
 * Returns the elements with the same tag and name.
 * @param {HTMLElement} root
 * @param {Element} element
 * @param {string} name
 * @returns {(HTMLElement | SVGElement)[]}
 */
function alike(root, element, name) {
  if (name === "") return [];
  return /** @type {(HTMLElement | SVGElement)[]} */ ([...root.querySelectorAll(element.localName)].filter((one) => nameOf(one) === name));
}

/** Returns the accessible name of a control. @param {Element} control */
function nameOf(control) {
  const label = control instanceof HTMLSelectElement || control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement ? control.labels?.[0] : control;
  return control.getAttribute("aria-label") ?? (label ? said(label) : "");
}

/**
 * Returns the text of an element without parts that are hidden from screen readers.
 * @param {Element} element
 */
function said(element) {
  return [...element.childNodes].map((node) => (node instanceof Element && node.getAttribute("aria-hidden") === "true" ? "" : node.textContent)).join("").trim();
}

/** Returns whether no ancestor is hidden. @param {Element} element */
function isShown(element) {
  return element.closest("[hidden]") === null;
}

/** Returns whether an element is visible and enabled. @param {Element} element */
function isUsable(element) {
  return isShown(element) && !element.matches(":disabled");
}
