// @ts-check
// Text and files to take along: a copy button, CSV and JSON.

import { h } from "../dom.js";

/** Creates a button that copies a text. @param {() => string} text @param {string} [name] */
export function copyButton(text, name = "Copy") {
  const button = h("button", { class: "small", type: "button" }, name);
  button.addEventListener("click", async () => {
    button.textContent = (await copied(text())) ? "Copied" : "Select it and copy";
    setTimeout(() => (button.textContent = name), 1500);
  });
  return button;
}

/** Copies a text. Returns false if the browser denies it. @param {string} text */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Creates a text box with a copy button. @param {string} text @param {string} name */
export function copyable(text, name) {
  return h(
    "div",
    { class: "copyable" },
    h("pre", { tabindex: "0", role: "region", "aria-label": name }, text),
    copyButton(() => text),
  );
}

/** Saves a file. @param {string} name @param {Blob} content */
export function save(name, content) {
  const address = URL.createObjectURL(content);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @typedef {(string | number | null)[]} Row */

/** Returns rows as CSV (RFC 4180). @param {string[]} columns @param {Row[]} rows */
export function csv(columns, rows) {
  const line = (/** @type {Row} */ row) => row.map((value) => quoted(value === null ? "" : String(value))).join(",");
  return `${[columns, ...rows].map(line).join("\r\n")}\r\n`;
}

/**
 * Returns a field. A quote before formulas stops spreadsheets from running them.
 * @param {string} text
 */
function quoted(text) {
  const plain = /^[=@\t]|^[+-](?![\d.])/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Returns rows as a JSON list of objects. @param {string[]} columns @param {Row[]} rows */
export function json(columns, rows) {
  const object = (/** @type {Row} */ row) => Object.fromEntries(columns.map((name, i) => [name, row[i]]));
  return `${JSON.stringify(rows.map(object), null, 1)}\n`;
}
