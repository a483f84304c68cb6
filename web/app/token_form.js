// @ts-check
// The form for a token, shown in place of a page if the service requires one.

import { useToken } from "./api.js";
import { h } from "./dom.js";

/**
 * Creates the form.
 * @param {boolean} isRejected true if the service rejected the tab's last token
 * @param {() => void} enter
 */
export function tokenForm(isRejected, enter) {
  const field = h("input", { id: "token", type: "password", autocomplete: "off", required: true, class: "wide", "aria-describedby": "token-help" });
  const form = h(
    "form",
    {
      class: "door panel",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        useToken(field.value.trim());
        enter();
      },
    },
    h("h1", {}, isRejected ? "This token is not valid" : "This service requires a token"),
    h("p", { class: "quiet" }, isRejected ? "It has expired, was revoked, or is from another service." : "Ask the administrator of the service for one."),
    h("label", { for: "token" }, "Token"),
    field,
    h("p", { id: "token-help", class: "quiet" }, "This tab keeps it until you close it. The command for a new one: ", h("code", {}, "wavetune token create NAME --scope read"), "."),
    h("p", {}, h("button", { type: "submit", class: "main" }, "Enter")),
  );
  queueMicrotask(() => field.focus());
  return h("div", { class: "page" }, form);
}
