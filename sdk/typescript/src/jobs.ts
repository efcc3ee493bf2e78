// Waiting for jobs and items: by long polls, and so that no job is lost on the way.

import type { Calls } from "./call.js";
import { MwsError, WaitInterrupted, WaitTimeout } from "./errors.js";
import { OPERATIONS } from "./operations.js";
import type { components } from "./schema.js";

type Schemas = components["schemas"];
export type Job = Schemas["JobAnswer"];

// How long one poll may wait, and how many jobs one may ask for (contract §4.4).
const POLL_SECONDS = 25;
const MOST_JOBS = 200;

/** How to wait. */
export interface WaitOptions {
  /** Seconds to wait at most; without end when not given. */
  timeout?: number;
  /** Told how the jobs stand, each time that is known. */
  onProgress?: (jobs: Job[]) => void;
  /** Ends the waiting. The jobs go on. */
  signal?: AbortSignal;
}

/** Waiting for jobs. */
export class Jobs {
  constructor(private readonly calls: Calls) {}

  /** The jobs once all have ended, succeeded or not. `WaitTimeout` carries the ids: call it again with them. */
  async wait(jobIds: readonly string[], options: WaitOptions = {}): Promise<Job[]> {
    const ids = [...new Set(jobIds)];
    const left = until(options.timeout);
    const seen = new Map<string, Job>();
    const known = (): Job[] => ids.flatMap((id) => seen.get(id) ?? []);
    for (;;) {
      const live = ids.filter((id) => !seen.get(id)?.finished_at);
      if (live.length === 0) return known();
      if (left() <= 0 && seen.size > 0) {
        const words = `${live.length} of ${ids.length} jobs go on after ${options.timeout} s: ${live.join(" ")}`;
        throw new WaitTimeout(words, ids, known());
      }
      const body = { job_ids: live.slice(0, MOST_JOBS), wait_seconds: poll(left()), wait_for: "all" as const };
      const given = { body, options: options.signal ? { signal: options.signal } : {} };
      let found: Schemas["JobsAnswer"];
      try {
        found = (await this.calls.call<Schemas["ToolAnswer_JobsAnswer"]>(OPERATIONS.get_jobs, given)).data;
      } catch (error) {
        if (!(error instanceof MwsError) && !options.signal?.aborted) throw error;
        const words = `waiting for ${live.length} jobs was cut short, and they go on: ${String(error)}`;
        throw new WaitInterrupted(words, ids, known(), { cause: error });
      }
      for (const job of found.jobs) seen.set(job.id, job);
      if (found.missing.length > 0) {
        throw new WaitInterrupted(`no such jobs in this workspace: ${found.missing.join(" ")}`, ids, known());
      }
      options.onProgress?.(known());
    }
  }
}

/** The item once it is ready or failed. */
export async function waitForItem(calls: Calls, id: string, timeout?: number): Promise<Schemas["LibraryItem"]> {
  const left = until(timeout);
  for (;;) {
    const given = { path: { id }, query: { wait_seconds: poll(left()) } };
    const item = await calls.call<Schemas["LibraryItem"]>(OPERATIONS.get_library_item, given);
    if (item.status !== "processing") return item;
    if (left() <= 0) throw new WaitInterrupted(`item ${id} is still being looked at after ${timeout} s`, [], []);
  }
}

function until(timeout: number | undefined): () => number {
  const deadline = performance.now() + (timeout ?? Infinity) * 1000;
  return () => (deadline - performance.now()) / 1000;
}

function poll(left: number): number {
  return Math.max(0, Math.min(POLL_SECONDS, Math.floor(left)));
}
