// @ts-check
// What is drawn anew loses the focus: it goes to what has the same name then.

/**
 * Draws a box anew.
 * @param {Element} box
 * @param {() => void} draw
 */
export function keepingFocus(box, draw) {
  const { activeElement } = document;
  const name = activeElement !== null && box.contains(activeElement) ? nameOf(activeElement) : null;
  draw();
  if (name === null || box.contains(activeElement)) return;
  const same = [...box.querySelectorAll("button, select, input")].find((one) => nameOf(one) === name);
  if (same instanceof HTMLElement) same.focus({ preventScroll: true });
}

/** @param {Element} control */
function nameOf(control) {
  const label = control instanceof HTMLSelectElement || control instanceof HTMLInputElement ? control.labels?.[0]?.textContent : control.textContent;
  return control.getAttribute("aria-label") ?? label ?? "";
}
