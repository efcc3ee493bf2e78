// Runs scenario.json by the TypeScript package, as it is installed beside this file.
//
// usage: node scenario.mjs <file of steps> <folder of the files that are sent>
// MWS_BASE_URL and MWS_API_KEY say where and as whom. Prints how many steps held; the first that does not ends it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ApiError, Client } from "@mws/client";

const [steps, folder] = process.argv.slice(2);
const client = new Client({ retries: [0.05, 0.1, 0.2, 0.4, 0.8, 1.6] });

const acts = {
  upload: async ({ file, key }) => (await client.upload(join(folder, file), { idempotencyKey: key })).id,
  ready: async ({ item }) => (await client.waitForItem(item)).status,
  prepare: async ({ item, reads, key }) => (await client.prepare([item], reads, { idempotencyKey: key })).jobIds,
  wait: async ({ jobs }) => (await client.jobs.wait(jobs)).map((job) => job.status),
  read: async ({ item, read }) => (await client.library.getStoredRead(item, read)).kind,
  endpoint: async ({ url, key }) => (await client.webhooks.createWebhook({ url }, { idempotencyKey: key })).id,
  refused: ({ item }) => client.library.getItem({ ref: item }),
  items: async () => {
    const ids = [];
    for await (const item of client.library.listItems({ limit: 1 })) ids.push(item.id);
    return ids;
  },
  used: async () => (await client.account.readBalances()).used_minutes,
};

const kept = {};
const named = (value) => {
  if (Array.isArray(value)) return value.map(named);
  return typeof value === "string" && value.startsWith("$") ? kept[value.slice(1)] : value;
};

const todo = JSON.parse(readFileSync(steps, "utf8")).steps;
for (const raw of todo) {
  const step = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, named(value)]));
  const seen = await acts[step.do](step).catch((error) => {
    if (error instanceof ApiError) return error.code;
    throw error;
  });
  if (step.as) kept[step.as] = seen;
  if (step.see !== undefined) assert.deepEqual(seen, step.see, JSON.stringify(raw));
}
console.log(todo.length);
