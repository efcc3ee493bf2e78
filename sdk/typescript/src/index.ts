// The client of the Media and Workspace Service. It runs where there is `fetch`: Node 20, Deno, Bun and browsers.

import { Calls, type Operation, type Options, RETRIES, VERSION } from "./call.js";
import * as errors from "./codes.js";
import { Events } from "./events.js";
import { Jobs, type WaitOptions, waitForItem } from "./jobs.js";
import {
  Account, Discovery, Library, Models, OPERATIONS, Operator, Uploads, Webhooks, Workspace,
} from "./operations.js";
import type { components } from "./schema.js";
import { type Source, type Upload, type UploadOptions, upload } from "./uploads.js";

export * from "./errors.js";
export { errors };
export { RETRIES, VERSION } from "./call.js";
export type { Operation, Options, Page, Pages } from "./call.js";
export type { Streamed } from "./events.js";
export type { Job, WaitOptions } from "./jobs.js";
export type { components, operations } from "./schema.js";
export type { Progress, Source, Upload, UploadOptions } from "./uploads.js";
export { verify, type WebhookEvent } from "./webhooks.js";
/** The objects of the interface, by their names in openapi.json. */
export type Schemas = components["schemas"];

/** What a client is told. */
export interface ClientOptions {
  /** Ends in /api/v1; `MWS_BASE_URL` when not given. */
  baseUrl?: string;
  /** `MWS_API_KEY` when not given. */
  apiKey?: string;
  /** The workspace that calls act in, when not the key's own. */
  workspaceId?: string;
  /** Seconds that a call may take with all of its tries; 120 when not given. */
  timeout?: number;
  /** Seconds before each further try; none are made when it is empty. */
  retries?: readonly number[];
  /** What stands before ours in `User-Agent`. */
  userAgent?: string;
  /** What sends requests: a `fetch` of yours, for proxies and tests. */
  fetch?: typeof fetch;
}

/** What `prepare` started. */
export interface Prepared {
  /** The answer of `prepare_media`, whole. */
  answer: Schemas["ToolAnswer_PreparedMedia"];
  /** The jobs to wait for: keep them, and any process can. */
  jobIds: string[];
  /** As `jobs.wait`, for these jobs. */
  wait(options?: WaitOptions): Promise<Schemas["JobAnswer"][]>;
}

/** A client: to be kept and shared. */
export class Client {
  readonly calls: Calls;
  readonly discovery: Discovery;
  readonly library: Library;
  readonly workspace: Workspace;
  readonly account: Account;
  readonly uploads: Uploads;
  readonly webhooks: Webhooks;
  readonly models: Models;
  readonly operator: Operator;
  readonly jobs: Jobs;
  readonly events: Events;

  constructor(options: ClientOptions = {}) {
    const env = typeof process === "undefined" ? {} : process.env;
    const baseUrl = options.baseUrl ?? env["MWS_BASE_URL"];
    const apiKey = options.apiKey ?? env["MWS_API_KEY"];
    if (!baseUrl || !apiKey) {
      throw new TypeError("a client needs baseUrl and apiKey, or MWS_BASE_URL and MWS_API_KEY in the environment");
    }
    const runtime = typeof process !== "undefined" && process.versions?.node ? `node ${process.versions.node}` : "fetch";
    const agent = `mws-typescript/${VERSION} (${runtime})`;
    this.calls = new Calls({
      baseUrl: baseUrl.replace(/\/+$/, ""),
      apiKey,
      workspaceId: options.workspaceId,
      timeout: options.timeout ?? 120,
      retries: options.retries ?? RETRIES,
      userAgent: options.userAgent ? `${options.userAgent} ${agent}` : agent,
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    });
    this.discovery = new Discovery(this.calls);
    this.library = new Library(this.calls);
    this.workspace = new Workspace(this.calls);
    this.account = new Account(this.calls);
    this.uploads = new Uploads(this.calls);
    this.webhooks = new Webhooks(this.calls);
    this.models = new Models(this.calls);
    this.operator = new Operator(this.calls);
    this.jobs = new Jobs(this.calls);
    this.events = new Events(this.calls);
  }

  /** Starts reads, as `library.prepareMedia`; `wait` of what it returns waits for them. */
  async prepare(refs: string[], reads: Schemas["ReadKind"][], options: Options = {}): Promise<Prepared> {
    const answer = await this.library.prepareMedia({ refs, reads }, options);
    const jobIds = answer.data.job_ids;
    return { answer, jobIds, wait: (how) => this.jobs.wait(jobIds, how) };
  }

  /** Puts a file into the library and returns its item. With an `idempotencyKey` of yours the same call again, in
   * another process too, goes on with the same upload. */
  async upload(source: Source | { url: string }, options: UploadOptions = {}): Promise<Schemas["LibraryItem"]> {
    if (typeof source !== "object" || !("url" in source)) return upload(this.calls, source, options);
    const { filename, ref, reads } = options;
    const body = { url: source.url, filename: filename ?? null, ref: ref ?? null, reads: reads ?? null };
    const started = await this.calls.call<Upload>(OPERATIONS.create_upload, { body, options });
    return this.library.getLibraryItem(started.item_id, {}, options);
  }

  /** The item once it is ready or failed. */
  waitForItem(id: string, options: { timeout?: number } = {}): Promise<Schemas["LibraryItem"]> {
    return waitForItem(this.calls, id, options.timeout);
  }

  /** Any request of the interface, below the base URL: for what this release does not know. Returns JSON. */
  request<T = unknown>(method: string, path: string, body?: object, options: Options = {}): Promise<T> {
    const verb = method.toUpperCase();
    const repeat = options.idempotencyKey ? "kept" : verb === "POST" ? "refused" : "harmless";
    const operation: Operation = { name: "other", method: verb, path, repeat };
    return this.calls.call<T>(operation, { ...(body ? { body } : {}), options });
  }
}
