// @ts-check
// The page of wishes: problems of lookups without an exact answer. A click tunes one.

import { ask, withQuery as at, get, ApiError } from "../api.js";
import { h, replace } from "../dom.js";
import * as format from "../format.js";
import { groupBy } from "../parts/group.js";
import { loadDevices } from "../parts/devices.js";
import * as marks from "../parts/marks.js";
import { none } from "../parts/notice.js";
import { submit } from "../parts/submit.js";
import { table } from "../parts/table.js";
import { address } from "../router.js";
import { tuneRequest, wishRow, wishTarget } from "../wishes/row.js";

/** Wishes of a page. */
const LIMIT = 200;
/** The most problems of one request. */
const TOGETHER = 1000;

/** @type {import("../main.js").Page} */
export async function show({ signal }) {
  const [first, all] = await Promise.all([get(at("/api/v1/wishes", { limit: LIMIT }), signal), loadDevices(signal)]);
  const lent = all.filter((place) => place.generators.length > 0);
  /** @type {import("../wishes/row.js").WishRow[]} */
  let rows = [];
  let { next } = first;
  const body = h("div", { class: "stack" });
  const said = h("p", { role: "status", class: "break" });
  const button = h("button", { class: "main", disabled: true, onclick: () => void tuneSelected() }, "Tune the selection");
  const every = h("input", { type: "checkbox", id: "every", onchange: () => {
    for (const { box } of rows) if (!box.disabled) box.checked = every.checked;
    count();
  } });

  const count = () => {
    const selected = rows.filter(({ box }) => box.checked).length;
    button.disabled = selected === 0;
    button.textContent = selected === 0 ? "Tune the selection" : `Tune ${format.counted(selected, "wish", "wishes")}`;
    every.indeterminate = selected > 0 && selected < rows.filter(({ box }) => !box.disabled).length;
    if (selected === 0) every.checked = false;
  };

  const dismiss = async (/** @type {import("../wishes/row.js").WishRow} */ kept) => {
    const { problem, target, device, generator } = kept.wish;
    try {
      /** @type {Api.Dismissal} */
      const body = { problem, target, device: device ?? undefined, generator: generator ?? undefined };
      await ask("/api/v1/wishes:dismiss", { method: "POST", body });
      rows = rows.filter((one) => one !== kept);
      draw();
      replace(said, `${problem} is no longer a wish.`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      kept.say(error.status === 403 ? `${error.message}. To dismiss a wish, use a token with the scope admin.` : error.message);
    }
  };

  const tuneSelected = async () => {
    button.disabled = true;
    const groups = groupBy(rows.filter(({ box }) => box.checked), ({ wish, place }) => JSON.stringify([wish.target, place()]));
    let begun = 0;
    /** @type {string[]} */
    const troubles = [];
    for (const group of groups.values()) {
      for (let from = 0; from < group.length; from += TOGETHER) {
        const part = group.slice(from, from + TOGETHER);
        try {
          const studies = await submit(tuneRequest(part));
          part.forEach((one, i) => one.begun(studies[i]));
          begun += studies.length;
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          troubles.push(error.message);
        }
      }
    }
    count();
    replace(said, begun > 0 && [`${format.counted(begun, "study", "studies")} started: `, h("a", { href: address(["studies"]) }, "see them"), ". "], troubles.length > 0 && `Not started: ${troubles.join("; ")}.`);
  };

  /** @type {import("../parts/table.js").Column<import("../wishes/row.js").WishRow>[]} */
  const columns = [
    { name: "Problem", wide: true, class: "problem", cell: ({ wish }) => h("a", { href: address(["problem"], { problem: wish.problem, target: wish.target }) }, marks.problem(wish.problem)) },
    { name: "For", cell: ({ wish }) => wishTarget(wish) },
    { name: "Lookups", number: true, cell: ({ wish }) => `${format.count(wish.count)}×` },
    { name: "Last", class: "phone-hidden", cell: ({ wish }) => marks.ago(wish.last) },
    { name: "First", class: "phone-hidden", cell: ({ wish }) => marks.ago(wish.first) },
    { name: "Select", cell: (kept) => kept.box },
    { name: "Actions", class: "acts", cell: (kept) => kept.acts },
    { name: "Tuned on", class: "places", cell: (kept) => kept.places },
  ];
  const take = (/** @type {Api.Wishes} */ page) => {
    rows = [...rows, ...page.wishes.map((wish) => wishRow(wish, lent, { selected: count, dismiss }))];
    next = page.next;
    draw();
  };
  const draw = () => {
    const more = h("button", { onclick: async () => {
      more.disabled = true;
      try {
        take(await get(at("/api/v1/wishes", { limit: LIMIT, cursor: next }), signal));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        replace(said, error.message);
        more.disabled = false;
      }
    } }, "Show more");
    count();
    if (rows.length === 0) {
      replace(body, said, none("No wish", "A lookup without an exact answer records a wish on request: ", h("code", {}, "wavetune lookup 'argmax:4x[32000]xf32' --target gfx942"), ", or the header ", h("code", {}, "Wavetune-Wish: yes"), " over HTTP."));
      return;
    }
    replace(body, h("div", { class: "row" }, button, h("span", {}, every, " ", h("label", { for: "every" }, "All with a lent device"))), said, table("Wishes, the most frequent first", columns, rows), next ? h("div", { class: "row" }, more) : null);
  };
  take(first);
  const element = h("div", { class: "page" }, h("header", {}, h("div", {}, h("h1", {}, "Wishes"), h("p", {}, "Lookups without an exact answer, the most frequent first. Tune one, and the next lookup finds it."))), body);
  return { title: "Wishes", element };
}
