// Sending a file: announced, sent in pieces of which each is proved, gone on with where it broke. The pieces go to the
// service by tus 1.0.0, whatever else the answer offers: what the service has acknowledged stays.

import { type Answered, type Calls, type Options, cause, pause, refusal, sent } from "./call.js";
import { ApiError, MwsError, UploadInterrupted } from "./errors.js";
import { OPERATIONS } from "./operations.js";
import type { components } from "./schema.js";

type Schemas = components["schemas"];
export type Upload = Schemas["Upload"];

const CHUNK_BYTES = 8 << 20;
const SILENCE = 120;
// Names that are not literals where they are imported, so that bundlers for browsers do not follow them.
const FS: string = "node:fs";
const CRYPTO: string = "node:crypto";
const TYPES: Record<string, string> = {
  mp4: "video/mp4", m4v: "video/x-m4v", mov: "video/quicktime", webm: "video/webm", mkv: "video/x-matroska",
  avi: "video/x-msvideo", ts: "video/mp2t", "3gp": "video/3gpp", mp3: "audio/mpeg", wav: "audio/wav",
  flac: "audio/flac", ogg: "audio/ogg", oga: "audio/ogg", opus: "audio/opus", m4a: "audio/mp4", aac: "audio/aac",
  mka: "audio/x-matroska", png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg", webp: "image/webp", gif: "image/gif",
};

/** How far an upload is. */
export interface Progress {
  /** The upload: plain JSON, to keep for `resume`. */
  upload: Upload;
  /** Bytes that the service has said to have. */
  acknowledged: number;
  /** Bytes of the file. */
  total: number;
}

/** How to upload. */
export interface UploadOptions extends Options {
  /** The file's name; needed for what is not a file on disk or a File. */
  filename?: string;
  contentType?: string;
  /** What to call the item, unique in the workspace. */
  ref?: string;
  /** Reads to start once the item is ready. */
  reads?: Schemas["ReadKind"][];
  /** An upload that was interrupted, to go on with. */
  resume?: Upload;
  onProgress?: (progress: Progress) => void;
}

/** A path (in Node, Deno and Bun), bytes, a Blob or File, or a stream. */
export type Source = string | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>;

/** Sends a file and returns its item, which is still being looked at. */
export async function upload(calls: Calls, source: Source, options: UploadOptions): Promise<Schemas["LibraryItem"]> {
  const [blob, name] = await opened(source, options);
  const { idempotencyKey, workspaceId, timeout, signal } = options;
  const shared: Options = {
    ...(workspaceId ? { workspaceId } : {}), ...(timeout ? { timeout } : {}), ...(signal ? { signal } : {}),
  };
  let [going, askFirst] = [options.resume, options.resume !== undefined];
  if (!going) {
    const body = {
      filename: name,
      content_type: options.contentType ?? typeOf(name, blob),
      bytes: blob.size,
      sha256: await sha256(blob),
      ref: options.ref,
      reads: options.reads,
    };
    const keyed = idempotencyKey ? { ...shared, idempotencyKey } : shared;
    const answered = await calls.answer(OPERATIONS.create_upload, { body, options: keyed });
    going = JSON.parse(new TextDecoder().decode(answered.bytes)) as Upload;
    // The same key as an upload before: its bytes go on where they were.
    askFirst = answered.headers.get("idempotent-replayed") === "true";
  }
  await send(calls, blob, going, askFirst, options);
  return calls.call(OPERATIONS.complete_upload, { path: { id: going.id }, options: shared });
}

async function send(calls: Calls, blob: Blob, going: Upload, askFirst: boolean, options: UploadOptions): Promise<void> {
  const url = going.upload?.resumable_url;
  if (!url) throw new MwsError("the answer holds no URL to send the bytes to");
  const { settings } = calls;
  const headers = { "tus-resumable": "1.0.0", "user-agent": settings.userAgent };
  const tell = (acknowledged: number): void => options.onProgress?.({ upload: going, acknowledged, total: blob.size });
  let [at, vain, mustAsk] = [0, 0, askFirst];
  tell(0);
  while (mustAsk || at < blob.size) {
    try {
      let answered: Answered;
      if (mustAsk) {
        answered = await sent(settings, { method: "HEAD", url, headers, silence: SILENCE }, options.signal);
      } else {
        const piece = new Uint8Array(await blob.slice(at, at + CHUNK_BYTES).arrayBuffer());
        const proof = base64(new Uint8Array(await crypto.subtle.digest("SHA-256", piece)));
        const more = {
          "upload-offset": String(at),
          "upload-checksum": `sha256 ${proof}`,
          "content-type": "application/offset+octet-stream",
        };
        const wanted = { method: "PATCH", url, headers: { ...headers, ...more }, body: piece, silence: SILENCE };
        answered = await sent(settings, wanted, options.signal);
      }
      if (answered.status >= 400) throw refusal(answered);
      mustAsk = false;
      const reached = Number(answered.headers.get("upload-offset") ?? at);
      if (reached > at) {
        [at, vain] = [reached, 0];
        tell(at);
      }
    } catch (error) {
      // Where the bytes go on is the service's to say: after a break, a mismatch, or another request for this upload.
      const refused = error instanceof ApiError ? error : undefined;
      const passing = !refused || refused.retryable || refused.status === 409 || refused.status === 460;
      const scheduled = settings.retries[vain];
      if (options.signal?.aborted || !passing || scheduled === undefined) {
        const words = `the upload stopped at ${at} of ${blob.size} bytes: ${cause(error)}`;
        throw new UploadInterrupted(words, going, at, { cause: error });
      }
      await pause(refused?.retryAfter ?? scheduled, options.signal);
      [mustAsk, vain] = [true, vain + 1];
    }
  }
}

async function opened(source: Source, options: UploadOptions): Promise<[Blob, string]> {
  if (typeof source === "string") {
    // A file is read as it is sent.
    const fs = (await import(/* @vite-ignore */ FS)) as typeof import("node:fs");
    return [await fs.openAsBlob(source), options.filename ?? source.split(/[\\/]/).pop() ?? source];
  }
  const named = options.filename ?? (source as { name?: unknown }).name;
  if (typeof named !== "string" || named === "") {
    throw new TypeError("what is not a file on disk needs a filename, such as { filename: \"talk.mp4\" }");
  }
  if (source instanceof Blob) return [source, named];
  if (source instanceof ReadableStream) return [await new Response(source).blob(), named];
  return [new Blob([source as Uint8Array<ArrayBuffer>]), named];
}

function typeOf(name: string, blob: Blob): string {
  const known = TYPES[name.split(".").pop()?.toLowerCase() ?? ""] ?? blob.type;
  if (!known) throw new TypeError(`"${name}" does not end like a media file: say contentType`);
  return known;
}

// Of the whole file where hashes can be made piece by piece; elsewhere each piece is proved by itself.
async function sha256(blob: Blob): Promise<string | undefined> {
  if (typeof process === "undefined" || !process.versions?.node) return undefined;
  const { createHash } = (await import(/* @vite-ignore */ CRYPTO)) as typeof import("node:crypto");
  const hash = createHash("sha256");
  for (let at = 0; at < blob.size; at += CHUNK_BYTES) {
    hash.update(new Uint8Array(await blob.slice(at, at + CHUNK_BYTES).arrayBuffer()));
  }
  return hash.digest("hex");
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
