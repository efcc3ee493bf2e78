// The account's event stream. One that breaks is opened again after the last event, so that none is missed and none
// comes twice.

import { type Calls, pause, refusal } from "./call.js";
import { ApiError, ConnectionFailed, isPassing } from "./errors.js";
import type { components } from "./schema.js";

type Schemas = components["schemas"];

// Between two comments of a stream there are 15 seconds (contract §6.4).
const SILENCE_MS = 45_000;
const PAUSES = [0.5, 1, 2, 5, 15];

/** One event of the stream. */
export interface Streamed {
  /** Where it stands: `events.stream({ since: place })` goes on after it. */
  place: string;
  /** The event, as endpoints are sent it. */
  event: Schemas["JobEvent"];
}

/** Puts events together from the lines of a stream, and keeps the place that was reached. */
export class Decoder {
  private id: string | undefined;
  private data: string[] = [];

  constructor(public place: string | undefined) {}

  /** Takes a line; returns the event that it completes. */
  line(line: string): Streamed | undefined {
    if (line !== "") {
      const [, name, value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (name === "id") this.id = value;
      else if (name === "data") this.data.push(value);
      return undefined;
    }
    const [place, data] = [this.id, this.data.join("\n")];
    this.broke();
    if (place === undefined) return undefined;
    this.place = place;
    return data === "" ? undefined : { place, event: JSON.parse(data) as Schemas["JobEvent"] };
  }

  /** Forgets what had not come as a whole: it is told again after the last place. */
  broke(): void {
    [this.id, this.data] = [undefined, []];
  }
}

/** The account's event stream. */
export class Events {
  constructor(private readonly calls: Calls) {}

  /** The account's events from now on, or after a place. It never ends by itself: leave the loop, or abort. */
  async *stream(options: { since?: string; signal?: AbortSignal } = {}): AsyncGenerator<Streamed, void, undefined> {
    const { settings } = this.calls;
    const decoder = new Decoder(options.since);
    for (let vain = 0; !options.signal?.aborted; vain += 1) {
      const ended = new AbortController();
      const signal = options.signal ? AbortSignal.any([options.signal, ended.signal]) : ended.signal;
      let silence = setTimeout(() => ended.abort(), SILENCE_MS);
      try {
        const last: Record<string, string> = decoder.place ? { "last-event-id": decoder.place } : {};
        const headers = { ...this.calls.headers(), accept: "text/event-stream", ...last };
        const response = await settings.fetch(`${settings.baseUrl}/events/stream`, { headers, signal });
        if (response.status !== 200) {
          const bytes = new Uint8Array(await response.arrayBuffer());
          throw refusal({ status: response.status, headers: response.headers, bytes });
        }
        for await (const line of lines(response)) {
          clearTimeout(silence);
          silence = setTimeout(() => ended.abort(), SILENCE_MS);
          vain = 0;
          const told = decoder.line(line);
          if (told) yield told;
        }
      } catch (error) {
        if (options.signal?.aborted) return;
        if (error instanceof ApiError && !isPassing(error.status, error.code)) throw error;
        if (settings.retries.length === 0) {
          throw error instanceof ApiError ? error : new ConnectionFailed("the event stream broke", { cause: error });
        }
      } finally {
        clearTimeout(silence);
        ended.abort();
      }
      decoder.broke();
      await pause(PAUSES[Math.min(vain, PAUSES.length - 1)] ?? 15, options.signal).catch(() => undefined);
    }
  }
}

async function* lines(response: Response): AsyncGenerator<string, void, undefined> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) yield part.endsWith("\r") ? part.slice(0, -1) : part;
  }
}
