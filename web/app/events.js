// @ts-check
// Live events of a study or a model. A broken stream resumes after the last received event, so no event is
// lost. This module reads the stream itself, because `EventSource` cannot send a token.

import { ApiError, ask, isAborted } from "./api.js";

const FIRST_MS = 250;
const LAST_MS = 5000;

/**
 * Calls `hear` with each event until the study ends, pauses, or `signal` is aborted.
 * @param {string} address
 * @param {(event: Api.RunEvent) => void} hear
 * @param {AbortSignal} signal
 */
export function follow(address, hear, signal) {
  return followEvents(address, hear, ({ state }) => isOver(state), signal);
}

/**
 * Calls `hear` with each event until one is the last, or `signal` is aborted.
 * @template {{ state: string }} Event
 * @param {string} address
 * @param {(event: Event) => void} hear
 * @param {(event: Event) => boolean} isLast
 * @param {AbortSignal} signal
 */
export async function followEvents(address, hear, isLast, signal) {
  let heard = "";
  let pause = FIRST_MS;
  while (!signal.aborted) {
    try {
      const headers = heard === "" ? undefined : { "Last-Event-ID": heard };
      const answer = await ask(address, { accept: "text/event-stream", headers, signal });
      for await (const { id, data } of events(answer)) {
        if (id !== null) heard = id;
        pause = FIRST_MS;
        /** @type {Event} */
        const event = JSON.parse(data);
        hear(event);
        if (isLast(event)) return;
      }
    } catch (error) {
      if (isAborted(error) || signal.aborted) return;
      if (error instanceof ApiError && error.status !== 0 && error.status < 500 && error.status !== 429) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 2, LAST_MS);
  }
}

/**
 * Returns whether a study in this state sends no events until it is resumed.
 * @param {Api.RunState} state
 */
export function isOver(state) {
  return state !== "running" && state !== "waiting";
}

/**
 * Yields the events of a stream (HTML standard, "server-sent events"). An empty line ends each
 * event.
 * @param {Response} answer
 */
async function* events(answer) {
  if (answer.body === null) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const blocks = rest.split(/\r\n\r\n|\n\n|\r\r/);
    rest = /** @type {string} */ (blocks.pop());
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event !== null) yield event;
    }
  }
}

/**
 * Parses an event; null if it has no data.
 * @param {string} block
 * @returns {{ id: string | null, data: string } | null}
 */
export function parseEvent(block) {
  let id = null;
  const data = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name === "id") id = value;
    if (name === "data") data.push(value);
  }
  return data.length === 0 ? null : { id, data: data.join("\n") };
}
