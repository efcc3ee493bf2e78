// How a call is made: one key over all tries, retries by the schedule or by Retry-After, a deadline over everything.

import { BY_CODE } from "./codes.js";
import { ApiError, ConnectionFailed, isPassing } from "./errors.js";

export const VERSION = "1.0.0";
/** Seconds before each further try. */
export const RETRIES: readonly number[] = [0.5, 1, 2, 4, 8];
// One try may take this long without an answer.
const SILENCE = 30;
// The longest wait that Retry-After may ask for before a further try; the deadline bounds all of them together.
const LONGEST_PAUSE = 60;

/** An operation on the wire. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly repeat: string;
  readonly rows?: readonly string[];
  readonly texts?: boolean;
}

/** What every call may be told. */
export interface Options {
  /** The same key starts, charges and makes nothing twice; one is made where none is given. */
  idempotencyKey?: string;
  /** The workspace that this one call acts in. */
  workspaceId?: string;
  /** Seconds for the call with all of its tries. */
  timeout?: number;
  /** Ends the call. */
  signal?: AbortSignal;
}

/** What a call is made of. */
export interface Arguments {
  path?: Record<string, string>;
  query?: object;
  body?: object;
  options?: Options;
}

/** What all calls of a client share. */
export interface Settings {
  baseUrl: string;
  apiKey: string;
  workspaceId: string | undefined;
  timeout: number;
  retries: readonly number[];
  userAgent: string;
  fetch: typeof fetch;
}

/** One request to send. */
export interface Wanted {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer> | undefined;
  silence: number;
}

/** An answer, whole. */
export interface Answered {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
}

/** Lets time pass. */
export function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const ended = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", ended);
      resolve();
    }, seconds * 1000);
    if (signal?.aborted) ended();
    else signal?.addEventListener("abort", ended, { once: true });
  });
}

/** Sends a request once and reads its whole answer; what breaks is thrown as fetch throws it. */
export async function sent(settings: Settings, wanted: Wanted, signal?: AbortSignal): Promise<Answered> {
  const limit = AbortSignal.timeout(Math.max(1, Math.ceil(wanted.silence * 1000)));
  const response = await settings.fetch(wanted.url, {
    method: wanted.method,
    headers: wanted.headers,
    ...(wanted.body === undefined ? {} : { body: wanted.body }),
    signal: signal ? AbortSignal.any([limit, signal]) : limit,
    redirect: "error",
  });
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
}

/** A body as JSON; undefined where it is none. */
export function json(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** An answer that says no, as the error of its code. */
export function refusal(answered: Answered): ApiError {
  const raw = json(answered.bytes);
  const code = (raw as { error?: { code?: string } } | undefined)?.error?.code;
  return new (BY_CODE[code ?? ""] ?? ApiError)(answered.status, raw, answered.headers);
}

/** A request in an error's words: never with its query, which may hold a token. */
function named(wanted: Wanted): string {
  return `${wanted.method} ${wanted.url.split("?")[0]}`;
}

/** What a broken connection says innermost. */
export function cause(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return inner instanceof Error ? inner.message : String(inner);
}

/** Makes calls, for the generated methods. */
export class Calls {
  constructor(readonly settings: Settings) {}

  /** Makes a call and returns what it answers. */
  async call<T>(operation: Operation, given: Arguments): Promise<T> {
    const { bytes, headers } = await this.answer(operation, given);
    const kind = headers.get("content-type") ?? "";
    if (operation.texts && !kind.includes("json")) return new TextDecoder().decode(bytes) as T;
    return json(bytes) as T;
  }

  /** Makes a call that is answered with a page. */
  pages<T>(operation: Operation, given: Arguments): Pages<T> {
    return new Pages<T>(this, operation, given);
  }

  /** Makes a call and returns its answer; a refusal is thrown. */
  answer(operation: Operation, given: Arguments): Promise<Answered> {
    const { settings } = this;
    const { body, query = {}, options = {} } = given;
    const headers: Record<string, string> = { ...this.headers(), accept: "application/json" };
    // One key over all tries: whichever of them arrives, the call is made once.
    if (operation.repeat === "kept") {
      headers["idempotency-key"] = options.idempotencyKey ?? `auto_${globalThis.crypto.randomUUID()}`;
    }
    const workspace = options.workspaceId ?? settings.workspaceId;
    if (workspace) headers["x-workspace-id"] = workspace;
    if (body !== undefined) headers["content-type"] = "application/json";
    const waits = { ...query, ...body } as { wait_seconds?: number | null; test?: boolean | null };
    const wanted: Wanted = {
      method: operation.method,
      url: this.url(operation.path, given.path ?? {}, query),
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      silence: SILENCE + (waits.wait_seconds ?? 0),
    };
    // A ping that is asked for is sent each time; a POST that makes something is repeated with its key alone.
    const pings = operation.name === "update_webhook" && waits.test === true;
    return this.tried(wanted, operation.repeat !== "refused" && !pings, options);
  }

  /** The headers of every request. */
  headers(): Record<string, string> {
    return { authorization: `Bearer ${this.settings.apiKey}`, "user-agent": this.settings.userAgent };
  }

  private url(path: string, parts: Record<string, string>, query: object): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts[name] ?? ""));
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return `${this.settings.baseUrl}${filled}${search ? `?${search}` : ""}`;
  }

  private async tried(wanted: Wanted, repeats: boolean, options: Options): Promise<Answered> {
    const timeout = options.timeout ?? this.settings.timeout;
    const deadline = performance.now() + timeout * 1000;
    for (const scheduled of [...this.settings.retries, undefined]) {
      const left = (deadline - performance.now()) / 1000;
      if (left <= 0) throw new ConnectionFailed(`${named(wanted)}: no answer within ${timeout} s`);
      let error: ApiError | ConnectionFailed;
      let asked: number | undefined;
      try {
        const answered = await sent(this.settings, { ...wanted, silence: Math.min(wanted.silence, left) }, options.signal);
        if (answered.status < 400) return answered;
        const refused = refusal(answered);
        if (!isPassing(refused.status, refused.code)) throw refused;
        [error, asked] = [refused, refused.retryAfter];
      } catch (broken) {
        if (broken instanceof ApiError) throw broken;
        if (options.signal?.aborted) throw broken;
        error = new ConnectionFailed(`${named(wanted)}: ${cause(broken)}`, { cause: broken });
      }
      if (scheduled === undefined || !repeats) throw error;
      const base = asked === undefined ? scheduled : Math.min(asked, LONGEST_PAUSE);
      const wait = base * (1 + 0.25 * Math.random());
      if (performance.now() + wait * 1000 >= deadline) throw error;
      await pause(wait, options.signal);
    }
    throw new Error("the last of the schedule throws");
  }
}

/** A page of a list. */
export interface Page<T> {
  /** The rows of this page. */
  data: T[];
  /** Whether there are rows after these. */
  hasMore: boolean;
  /** Where those begin. */
  nextCursor: string | undefined;
  /** The answer as it came. */
  raw: unknown;
}

/** A list. Awaited, it is its first page; gone through by `for await`, all of its rows. */
export class Pages<T> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  constructor(
    private readonly calls: Calls,
    private readonly operation: Operation,
    private readonly given: Arguments,
  ) {}

  then<A = Page<T>, B = never>(
    done?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    failed?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.page().then(done, failed);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    let cursor: string | undefined;
    do {
      const page = await this.page(cursor);
      yield* page.data;
      cursor = page.nextCursor;
    } while (cursor);
  }

  /** The page at this cursor, or the first. */
  async page(cursor?: string): Promise<Page<T>> {
    const where = this.given.body === undefined ? "query" : "body";
    const given = cursor ? { ...this.given, [where]: { ...this.given[where], cursor } } : this.given;
    const raw = await this.calls.call<Record<string, unknown>>(this.operation, given);
    const path = this.operation.rows ?? ["data"];
    const held = path.slice(0, -1).reduce((inner, name) => inner[name] as Record<string, unknown>, raw);
    return {
      data: (held[path[path.length - 1] ?? "data"] ?? []) as T[],
      hasMore: held["has_more"] === true,
      nextCursor: (held["next_cursor"] as string | null) ?? undefined,
      raw,
    };
  }
}
