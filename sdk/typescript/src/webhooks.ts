// Verifying webhooks of both systems, job webhooks and project webhooks (docs/webhooks.md), with the platform's own
// cryptography. Give `verify` the body as it came, byte for byte: what was parsed and written anew has another signature.

import { SignatureError } from "./errors.js";
import type { components } from "./schema.js";

type Schemas = components["schemas"];
/** The event of a webhook: its system, and the body. */
export type WebhookEvent =
  | { system: "job"; event: Schemas["JobEvent"] | Schemas["PingEvent"] }
  | { system: "project"; event: Schemas["ProjectEvent"] };

/** Headers as `fetch` or Node have them. */
export type HeadersLike = Headers | Record<string, string | string[] | undefined>;

/** How to verify. */
export interface VerifyOptions {
  /** Seconds that a webhook may be early or late; 300 when not given. */
  tolerance?: number;
  /** The time in unix seconds; now when not given. */
  now?: number;
}

/** The event of a webhook that is the service's; throws SignatureError otherwise. `secrets` are all that you know:
 * during a rotation the old and the new one. */
export async function verify(
  body: Uint8Array | ArrayBuffer | string,
  headers: HeadersLike,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const bytes = raw(body);
  const known = typeof secrets === "string" ? [secrets] : [...secrets];
  if (known.length === 0 || known.some((secret) => typeof secret !== "string" || secret === "")) {
    throw new TypeError("verify needs at least one secret, and none that is empty");
  }
  const header = (name: string): string => one(headers, name);
  const isJob = header("service-signature") !== "";
  const [stamp, values] = isJob ? ofJob(header("service-signature")) : ofProject(header);
  if (!/^[0-9]{1,15}$/.test(stamp)) throw new SignatureError("there is no signature, or it has no time");
  const now = options.now ?? Math.floor(Date.now() / 1000);
  if (!(Math.abs(now - Number(stamp)) <= (options.tolerance ?? 300))) {
    throw new SignatureError("the signature is not of now: it was sent too long ago, or a clock is wrong");
  }
  const prefix = new TextEncoder().encode(`${stamp}.`);
  const signed = new Uint8Array(prefix.length + bytes.length);
  signed.set(prefix);
  signed.set(bytes, prefix.length);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  let matched = false;
  for (const secret of known) {
    const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), algorithm, false, ["verify"]);
    for (const value of values) {
      const signature = fromHex(value);
      // `verify` compares in constant time, and no early end tells which one it was.
      if (signature && (await crypto.subtle.verify("HMAC", key, signature, signed))) matched = true;
    }
  }
  if (!matched) throw new SignatureError("the signature is of another secret, or the body is not what was sent");
  return read(bytes, isJob);
}

function raw(body: unknown): Uint8Array {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (body instanceof Uint8Array) return body;
  throw new TypeError(
    "verify needs the raw body, as the bytes that came: what was parsed and written anew has another signature",
  );
}

function one(headers: HeadersLike, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? "";
  const found = Object.entries(headers).find(([known]) => known.toLowerCase() === name)?.[1];
  return (Array.isArray(found) ? found.join(",") : found) ?? "";
}

function ofJob(text: string): [string, string[]] {
  const parts = text.split(",").map((part) => part.trim().split(/=(.*)/s));
  const stamps = parts.filter(([name]) => name === "t").map(([, value]) => value ?? "");
  const values = parts.filter(([name]) => name === "v1").map(([, value]) => value ?? "");
  return [stamps.length === 1 ? (stamps[0] ?? "") : "", values];
}

function ofProject(header: (name: string) => string): [string, string[]] {
  const [scheme, value] = header("x-service-signature").split(/=(.*)/s);
  return [header("x-service-timestamp"), scheme === "sha256" && value ? [value] : []];
}

function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^(?:[0-9a-f]{2})+$/.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function read(bytes: Uint8Array, isJob: boolean): WebhookEvent {
  let event: unknown;
  try {
    event = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    event = undefined;
  }
  if (typeof event !== "object" || event === null) throw new SignatureError("the body is signed, and is no JSON object");
  return { system: isJob ? "job" : "project", event } as WebhookEvent;
}
