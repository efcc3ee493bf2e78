// The main job by a client that openapi-typescript made from our document: send a file, prepare it, follow its jobs, read
// what they stored, look at the balance. Every name and shape below is checked by the TypeScript compiler.
//
// usage: node generated_client.js <base url> <API key> <file>; prints what it saw as one JSON object.

import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Jobs = components["schemas"]["JobAnswer"][];

const [baseUrl, key, file] = process.argv.slice(2) as [string, string, string];
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

/** What was answered; a refusal ends the program with its words. */
function answered<Data, Refusal>(reply: { data?: Data; error?: Refusal }): Data {
  if (reply.data === undefined) throw new Error(JSON.stringify(reply.error));
  return reply.data;
}

const content = await readFile(file);
const announced = { filename: basename(file), content_type: "audio/wav", bytes: content.length };
const upload = answered(await client.POST("/uploads", { body: announced }));
const how = upload.upload;
if (!how) throw new Error("nothing says where to send the file");
const sent = await fetch(how.url, { method: how.method, headers: how.headers, body: content });
if (!sent.ok) throw new Error(await sent.text());
const id = upload.id;
answered(await client.POST("/uploads/{id}/complete", { params: { path: { id } } }));

let item = answered(await client.GET("/library/items/{id}", { params: { path: { id: upload.item_id } } }));
for (let tries = 0; item.status === "processing" && tries < 1_200; tries++) {
  await new Promise((resume) => setTimeout(resume, 100));
  item = answered(await client.GET("/library/items/{id}", { params: { path: { id: upload.item_id } } }));
}

const prepared = answered(
  await client.POST("/tools/prepare_media", {
    params: { header: { "Idempotency-Key": "a-generated-client" } },
    body: { refs: [item.id], reads: ["levels", "speech"] },
  }),
);
const jobIds = prepared.data.job_ids;
let jobs: Jobs = [];
for (let tries = 0; tries < 60; tries++) {
  const body = { job_ids: jobIds, wait_seconds: 5 };
  jobs = answered(await client.POST("/tools/get_jobs", { body })).data.jobs;
  if (jobs.every((job) => job.finished_at)) break;
}

const read = { params: { path: { id: item.id, read: "levels" } } };
const levels = answered(await client.GET("/library/items/{id}/reads/{read}", read)) as { kind?: unknown };
const balances = answered(await client.GET("/balances"));
const unknown = await client.GET("/library/items/{id}", { params: { path: { id: "nothing" } } });
const empty = await client.POST("/tools/prepare_media", { body: { refs: [], reads: ["levels"] } });

console.log(
  JSON.stringify({
    received_bytes: content.length,
    status: item.status,
    jobs: jobs.map((job) => job.status),
    estimate: prepared.data.estimate.minutes,
    levels: levels.kind,
    used_minutes: balances.used_minutes,
    unknown: unknown.error?.error.code,
    empty: empty.error?.error.code,
  }),
);
