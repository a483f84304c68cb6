// @ts-check
// What is drawn anew loses the focus, and who goes by keys would begin the page anew. Here it goes to what has the same name then, or
// to what is left of the part that it was in.

/** What can have the focus by keys. */
const CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex='0']";

/**
 * @typedef {object} Held what had the focus last
 * @property {HTMLElement | SVGElement} element
 * @property {string} name
 * @property {number} place among those of its kind and name
 * @property {Element[]} around what it stands in, from within
 */

/** @type {Held | null} */
let held = null;
/** What has the focus as long as what had it may still come again: it waits for an answer. @type {Element | null} */
let standsIn = null;

/** From here on nobody looks for what had the focus: the reader goes elsewhere. */
export function forgetFocus() {
  held = null;
  standsIn = null;
}

/** Keeps the focus in what is below this, which can have it itself. @param {HTMLElement} root */
export function keepFocus(root) {
  root.addEventListener("focusin", ({ target }) => {
    if (target === standsIn || !(target instanceof HTMLElement || target instanceof SVGElement)) return;
    standsIn = null;
    const name = nameOf(target);
    held = { element: target, name, place: alike(root, target, name).indexOf(target), around: around(target, root) };
  });
  // Before those hear it who may change the page then: on its way from one to another nobody is to take it back.
  root.addEventListener("blur", ({ target, relatedTarget }) => {
    if (relatedTarget !== null) return forgetFocus();
    // Who points at an empty place has let it go; what was taken away, or may not be used for a moment, has not.
    queueMicrotask(() => {
      if (document.activeElement === document.body && target instanceof Element && target.isConnected && isUsable(target)) forgetFocus();
    });
  }, { capture: true });
  new MutationObserver(() => place(root)).observe(root, { subtree: true, childList: true, attributeFilter: ["disabled", "hidden"] });
}

/** Finds the focus a place, where it has lost its own. @param {HTMLElement} root */
function place(root) {
  const { activeElement } = document;
  if (held === null || (activeElement !== null && activeElement !== document.body && activeElement !== standsIn)) return;
  const { element, name, place } = held;
  if (element.isConnected && isShown(element)) {
    // What is disabled while the service is asked comes back.
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

/** What is left of the part that it was in: what has the focus for the whole part, or its first control. @param {Element[]} around @param {HTMLElement} root */
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

/** The part that has the same label now. @param {Element} part @param {HTMLElement} root */
function again(part, root) {
  const label = part.getAttribute("aria-label");
  return label === null ? null : ([...root.querySelectorAll(part.localName)].find((one) => one.getAttribute("aria-label") === label) ?? null);
}

/** @param {Element} element @param {Element} root */
function around(element, root) {
  const found = [];
  for (let at = element.parentElement; at !== null && at !== root; at = at.parentElement) found.push(at);
  return found;
}

/** Those of its kind and its name. @param {HTMLElement} root @param {Element} element @param {string} name @returns {(HTMLElement | SVGElement)[]} */
function alike(root, element, name) {
  if (name === "") return [];
  return /** @type {(HTMLElement | SVGElement)[]} */ ([...root.querySelectorAll(element.localName)].filter((one) => nameOf(one) === name));
}

/** @param {Element} control */
function nameOf(control) {
  const label = control instanceof HTMLSelectElement || control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement ? control.labels?.[0] : control;
  return control.getAttribute("aria-label") ?? (label ? said(label) : "");
}

/** Its text without what only eyes are told. @param {Element} element */
function said(element) {
  return [...element.childNodes].map((node) => (node instanceof Element && node.getAttribute("aria-hidden") === "true" ? "" : node.textContent)).join("").trim();
}

/** @param {Element} element */
function isShown(element) {
  return element.closest("[hidden]") === null;
}

/** @param {Element} element */
function isUsable(element) {
  return isShown(element) && !element.matches(":disabled");
}
