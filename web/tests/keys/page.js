// @ts-check
// Keyboard checks of a page: elements with pointer listeners, stops of the Tab key, and the visible
// focus. The checks run on the live page, so they cover future controls.

/** @typedef {import("playwright-core").Page} Page */

/**
 * @typedef {object} Twin an element with a pointer listener that is no control; another element
 *   does the same by keys
 * @property {string} pointer selector of the element
 * @property {string} keys selector of the focusable element: itself, an ancestor, or a descendant
 */

/**
 * Records pointer and key listeners, open requests and short timers. Runs before the page's own
 * scripts.
 */
function note() {
  const POINTER = /^(click|dblclick|auxclick|contextmenu|mousedown|mouseup|mousemove|mouseenter|mouseleave|mouseover|mouseout|wheel|pointer|touch|drag)/;
  /** @type {Set<EventTarget>} */
  const pointed = new Set();
  /** @type {Set<EventTarget>} */
  const keyed = new Set();
  const { addEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    // The browser driver adds listeners, too.
    if (POINTER.test(type) && new Error().stack?.includes("/web/")) pointed.add(this);
    if (type === "keydown") keyed.add(this);
    return addEventListener.call(this, type, ...rest);
  };
  let asked = 0;
  const { fetch, requestAnimationFrame, setTimeout, clearTimeout } = window;
  window.fetch = async (...words) => {
    asked += 1;
    try {
      return await fetch(...words);
    } finally {
      // The page handles an answer slightly after it arrives.
      setTimeout(() => (asked -= 1));
    }
  };
  // Slow drawing runs in the next frame or after a short pause. Timers with longer delays, such as
  // polling, are ignored.
  const MOMENT_MS = 300;
  /** @type {Set<number>} */
  const put = new Set();
  let frames = 0;
  window.requestAnimationFrame = (call) => {
    frames += 1;
    return requestAnimationFrame((time) => {
      frames -= 1;
      call(time);
    });
  };
  Object.assign(window, {
    setTimeout(/** @type {(...words: any[]) => void} */ call, delay = 0, /** @type {any[]} */ ...words) {
      const timer = setTimeout(() => {
        put.delete(timer);
        call(...words);
      }, delay);
      if (delay <= MOMENT_MS) put.add(timer);
      return timer;
    },
    clearTimeout(/** @type {number | undefined} */ timer) {
      if (timer !== undefined) put.delete(timer);
      clearTimeout(timer);
    },
  });
  const isBusy = () => asked > 0 || frames > 0 || put.size > 0;
  const isPointed = (/** @type {Element} */ element) => pointed.has(element) || isPointedByAttribute(element);
  const known = { pointed, keyed, isBusy, isPointed, frame: requestAnimationFrame.bind(window), later: setTimeout.bind(window) };
  Object.assign(window, { known });
  /** Returns whether an element has a pointer handler as an attribute. @param {any} element */
  function isPointedByAttribute(element) {
    for (const name in element) if (name.startsWith("on") && POINTER.test(name.slice(2)) && element[name] !== null) return true;
    return false;
  }
}

/** Adds the recorder to a page. @param {Page} page */
export async function noting(page) {
  await page.addInitScript(note);
}

let visits = 0;

/**
 * Loads the dashboard at a fresh address.
 * @param {Page} page
 * @param {string} url address of the service
 * @param {string} address
 * @param {string} ready selector of the page's last content
 */
export async function visit(page, url, address, ready) {
  visits += 1;
  await page.goto(`${url}/?visit=${visits}${address.slice(1)}`);
  await page.locator(`main ${ready}`).first().waitFor();
  await quiet(page);
}

/** Returns the path of the current page, without its settings. @param {Page} page */
const placeOf = (page) => new URL(page.url()).hash.split("?")[0];

/**
 * Waits until the page is idle: for two frames, no request or short timer is open and nothing is
 * loading.
 * @param {Page} page
 */
export async function quiet(page) {
  await page.evaluate(() => new Promise((resolve) => {
    const { known } = /** @type {any} */ (window);
    let calm = 0;
    const look = () => {
      const isCalm = !known.isBusy() && document.querySelector("main h1, main .notice") !== null && document.querySelector("main .waits") === null;
      calm = isCalm ? calm + 1 : 0;
      if (calm > 1) resolve(null);
      else known.frame(look);
    };
    // A click navigates in a later task, which this timer lets run first.
    known.later(look);
  }));
}

/** Keys that are sent without a wait. The page records the effect of each. */
const AT_ONCE = 25;

/**
 * Walks over a page once by Tab, and returns the faults of its controls.
 * @param {Page} page
 * @param {Twin[]} twins
 * @returns {Promise<{ faults: string[], stops: number, seen: string[] }>} faults, number of stops,
 *   and twins on this page
 */
export async function walked(page, twins) {
  const expected = await page.evaluate(begin, twins);
  // A long table adds rows while the focus moves down. A focus trap has no end, so there is a
  // limit.
  const most = 3 * expected + 100;
  for (let pressed = 0; pressed < most && !(await page.evaluate(isRound)); pressed += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => page.keyboard.press("Tab")));
  }
  return page.evaluate(end);
}

/**
 * Collects the elements that Tab must reach, and records those that it does.
 * @param {Twin[]} twins
 * @returns {number} minimum number of stops
 */
function begin(twins) {
  const { known } = /** @type {any} */ (window);
  const NATIVE = "a[href], area[href], button, input, select, textarea, summary, audio[controls], video[controls], iframe, [contenteditable]";
  const ROLES = ["button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "option", "slider", "spinbutton", "combobox", "textbox", "treeitem", "gridcell"];
  const faults = /** @type {string[]} */ ([]);
  const seen = /** @type {Set<string>} */ (new Set());
  const called = (/** @type {Element} */ element) => {
    const name = element.getAttribute("aria-label") ?? element.textContent?.trim().slice(0, 40) ?? "";
    return `<${element.localName}${element.id && ` id=${element.id}`}${element.getAttribute("class") ? ` class=${element.getAttribute("class")}` : ""}> ${name}`.trim();
  };
  const isThere = (/** @type {Element} */ element) => {
    const box = element.getBoundingClientRect();
    return element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && element.closest("[inert]") === null && !element.matches(":disabled") && (box.width > 0 || box.height > 0);
  };
  const isStop = (/** @type {any} */ element) => element.tabIndex >= 0 && isThere(element);
  /** @type {Set<Element>} */
  const wanted = new Set();
  for (const element of document.querySelectorAll("body *")) {
    const { tabIndex } = /** @type {HTMLElement} */ (element);
    const isNative = element.matches(NATIVE) || ROLES.includes(element.getAttribute("role") ?? "");
    const isPointed = known.isPointed(element);
    if (!isThere(element)) continue;
    if (element.getAttribute("tabindex") !== null && tabIndex > 0) faults.push(`${called(element)}: a tabindex above 0 is an order of its own`);
    if (element.localName === "a" && !element.hasAttribute("href") && isPointed) faults.push(`${called(element)}: a link that leads nowhere`);
    if (isNative) wanted.add(element);
    else if (isPointed) {
      const twin = twins.find(({ pointer }) => element.matches(pointer));
      const stop = twin === undefined ? null : (element.closest(twin.keys) ?? element.querySelector(twin.keys));
      if (twin === undefined) faults.push(`${called(element)}: it reacts to a pointer, is no control, and is not among those whose keys are known`);
      else if (stop === null) faults.push(`${called(element)}: nothing around it is ${twin.keys}`);
      else if (!known.keyed.has(stop)) faults.push(`${called(stop)}: it hears no key`);
      else {
        seen.add(twin.pointer);
        wanted.add(stop);
      }
    } else if (isStop(element)) wanted.add(element);
    // A pointer cursor shows a control even without a listener. Scrollable content must scroll by
    // keys, itself or by a child.
    const looks = getComputedStyle(element);
    if (looks.cursor === "pointer" && element.closest(`${NATIVE}, [tabindex='0'], label`) === null) faults.push(`${called(element)}: it shows a hand, and is no control`);
    const isScrolled = (/(auto|scroll)/.test(looks.overflowX) && element.scrollWidth > element.clientWidth + 1) || (/(auto|scroll)/.test(looks.overflowY) && element.scrollHeight > element.clientHeight + 1);
    if (isScrolled && tabIndex < 0 && ![...element.querySelectorAll(`${NATIVE}, [tabindex='0']`)].some(isStop)) faults.push(`${called(element)}: nobody scrolls it by keys`);
  }
  for (const target of known.pointed) {
    if (target === window || target === document || target === document.body || target === document.documentElement) faults.push("the whole page listens to a pointer: nobody can say who reacts");
  }

  /**
   * Returns whether ancestors clip the outline on all sides.
   * @param {Element} element
   * @param {number} away
   */
  const isCut = (element, away) => {
    const box = element.getBoundingClientRect();
    const sides = [box.left - away, box.top - away, box.right + away, box.bottom + away];
    for (let around = element.parentElement; around !== null && around !== document.body; around = around.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(around);
      const cut = around.getBoundingClientRect();
      if (overflowX !== "visible") [sides[0], sides[2]] = [sides[0] < cut.left ? NaN : sides[0], sides[2] > cut.right ? NaN : sides[2]];
      if (overflowY !== "visible") [sides[1], sides[3]] = [sides[1] < cut.top ? NaN : sides[1], sides[3] > cut.bottom ? NaN : sides[3]];
    }
    return sides.every(Number.isNaN);
  };

  /**
   * Returns all styles that may show the focus, of the element and of its first children.
   * @param {Element} element
   */
  const looks = (element) => [element, ...[...element.children].slice(0, 4)].map((one) => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, backgroundColor, stroke, strokeWidth, fill, top, outlineOffset } = getComputedStyle(one);
    const outline = outlineStyle === "none" || outlineWidth === "0px" || /, 0\)$/.test(outlineColor) || isCut(one, Number.parseFloat(outlineOffset) + 1) ? "none" : `${outlineStyle} ${outlineWidth} ${outlineColor}`;
    return [outline, boxShadow, borderColor, backgroundColor, stroke, strokeWidth, fill, top].join("; ");
  }).join(" | ");
  /** @type {{ element: Element, looks: string, inView: boolean }[]} */
  const passed = [];
  let isRound = false;
  const hear = (/** @type {FocusEvent} */ event) => {
    const element = /** @type {Element} */ (event.target);
    isRound ||= passed.some((one) => one.element === element);
    if (isRound) return;
    const { top, bottom, left, right } = element.getBoundingClientRect();
    passed.push({ element, looks: looks(element), inView: bottom > 0 && right > 0 && top < innerHeight && left < innerWidth });
  };
  document.addEventListener("focusin", hear);
  Object.assign(known, { isRound: () => isRound, end: () => {
    document.removeEventListener("focusin", hear);
    /** @type {HTMLElement} */ (document.activeElement).blur();
    const reached = new Set(passed.map(({ element }) => element));
    for (const element of wanted) {
      if (!element.isConnected || !isThere(element) || reached.has(element)) continue;
      // Tab stops at one radio button of a group; the arrows reach the others.
      const isRadio = element instanceof HTMLInputElement && element.type === "radio" && [...reached].some((one) => one instanceof HTMLInputElement && one.name === element.name);
      if (!isRadio) faults.push(`${called(element)}: Tab does not reach it`);
    }
    if (!isRound && passed.length > 0) faults.push(`after ${passed.length} stops Tab is not at the beginning again: it is held at ${called(passed[passed.length - 1].element)}`);
    passed.forEach(({ element, looks: then, inView }, i) => {
      if (!element.isConnected) return;
      if (then === looks(element)) faults.push(`${called(element)}: nobody sees that it has the focus`);
      if (!inView) faults.push(`${called(element)}: it has the focus out of view`);
      const before = passed[i - 1]?.element;
      if (before?.isConnected && (before.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) === 0) faults.push(`${called(element)}: it comes after ${called(before)}, which is behind it in the page`);
    });
    return { faults, stops: passed.length, seen: [...seen] };
  } });
  /** @type {HTMLElement} */ (document.activeElement).blur();
  return wanted.size;
}

/** Returns whether Tab is at the beginning again. */
function isRound() {
  return /** @type {any} */ (window).known.isRound();
}

function end() {
  return /** @type {any} */ (window).known.end();
}

/** Retries for a control that was redrawn during its key press. */
const AGAIN = 3;

/**
 * Presses each control, and returns those without effect or with a lost focus. Reloads the page
 * after navigation.
 * @param {Page} page
 * @param {string[]} done controls to skip; pressed ones are added
 */
export async function pressed(page, done) {
  const faults = [];
  const [from, place] = [page.url(), placeOf(page)];
  let count = 0;
  let again = 0;
  for (;;) {
    const next = await page.evaluate(choose, done);
    if (next === null) break;
    for (const key of next.keys) await page.keyboard.press(key);
    await quiet(page);
    const said = await page.evaluate(() => {
      const { known } = /** @type {any} */ (window);
      const { activeElement } = document;
      return { heard: known.heard, isGone: !known.chosen.isConnected, isLost: activeElement === null || activeElement === document.body };
    });
    // An answer may redraw the control during the key press. A user would press again, and so does
    // the test.
    if (!said.heard && said.isGone && again < AGAIN) {
      again += 1;
      continue;
    }
    again = 0;
    done.push(next.id);
    count += 1;
    const isElsewhere = placeOf(page) !== place;
    if (!said.heard) faults.push(`${next.id}: ${next.keys.join(", ")} does nothing`);
    if (said.isLost) faults.push(`${next.id}: the focus is lost when it is used`);
    if (isElsewhere) {
      await page.goto(from);
      await quiet(page);
    }
  }
  return { faults, count };
}

/**
 * Focuses the next control that was not pressed; returns null if there is none.
 * @param {string[]} done
 * @returns {{ id: string, keys: string[] } | null}
 */
function choose(done) {
  const { known } = /** @type {any} */ (window);
  const all = [...document.querySelectorAll("main button, main summary, main select, main input[type=checkbox], main [role=button]")];
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const element of all) {
    const label = element instanceof HTMLSelectElement || element instanceof HTMLInputElement ? element.labels?.[0] : element;
    const text = (element.getAttribute("aria-label") ?? label?.textContent ?? "").replaceAll(/\d+/g, "…").replace(/^.* as (?=[A-Z]+$)/, "Chart as ").trim();
    const name = `${element.localName}: ${element.matches(".sort") ? "head of a column" : text}`;
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    const id = nth === 1 ? name : `${name} (${nth})`;
    // Two of many equal controls, such as column heads, suffice.
    if (nth > (text.startsWith("Chart as ") ? 1 : 2) || done.includes(id) || !element.checkVisibility() || element.matches(":disabled")) continue;
    known.heard = false;
    known.chosen = element;
    const kind = element.localName === "select" ? "change" : "click";
    element.addEventListener(kind, () => (known.heard = true), { once: true, capture: true });
    if (element.getAttribute("role") === "button") known.heard = known.keyed.has(element);
    /** @type {HTMLElement} */ (element).focus();
    const select = element instanceof HTMLSelectElement ? element : null;
    if (select !== null && select.options.length < 2) known.heard = true;
    const isLast = select !== null && select.selectedIndex === select.options.length - 1;
    return { id, keys: [select !== null ? (isLast ? "ArrowUp" : "ArrowDown") : element.matches("input") ? "Space" : done.length % 2 === 0 ? "Enter" : "Space"] };
  }
  return null;
}
