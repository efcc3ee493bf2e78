// The client without a network: a fetch of ours answers.
//
// usage: node --test sdk/typescript/tests/, with the package installed where Node finds it

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import * as mws from "@mws/client";

const vectors = JSON.parse(readFileSync(process.env.MWS_VECTORS ?? "docs/webhook-vectors.json", "utf8"));
const BROKEN = Symbol("broken");

/** A client whose requests are given these answers, one after the other; `sent` has the requests. */
function hand(answers, options = {}) {
  const sent = [];
  const fetch = async (url, init) => {
    sent.push({ url: String(url), ...init });
    const next = answers.shift();
    if (next === BROKEN) throw new TypeError("fetch failed", { cause: new Error("ECONNRESET") });
    return next;
  };
  const told = { baseUrl: "http://x/api/v1/", apiKey: "key", retries: [0, 0], fetch, ...options };
  return { client: new mws.Client(told), sent };
}

const answer = (status, body = {}, headers = {}) =>
  new Response(status === 204 ? null : JSON.stringify(body), { status, headers });
const refused = (status, code, headers) => answer(status, { error: { code, message: "No." } }, headers);
const job = (id, ended) => ({ id, status: ended ? "succeeded" : "running", finished_at: ended ? "2026" : null });
const polled = (...jobs) => answer(200, { ok: true, data: { jobs, missing: [] } });

test("one key is kept over all tries", async () => {
  const { client, sent } = hand([BROKEN, refused(503, "unavailable"), answer(200)]);
  await client.library.prepareMedia({ refs: ["a"], reads: ["levels"] });
  const keys = new Set(sent.map((one) => one.headers["idempotency-key"]));
  assert.deepEqual([sent.length, keys.size], [3, 1]);
  assert.match([...keys][0], /^auto_/);
  assert.match(sent[0].headers["user-agent"], /^mws-typescript\/1\.0\.0 \(node /);
  assert.equal(sent[0].url, "http://x/api/v1/tools/prepare_media");
});

test("a POST without a key that makes something is sent once, and so is a ping", async () => {
  for (const act of [
    (client) => client.webhooks.resendDelivery("whe", { delivery_id: "dlv" }),
    (client) => client.webhooks.updateWebhook("whe", { test: true }),
  ]) {
    const { client, sent } = hand([BROKEN, answer(200)]);
    await assert.rejects(act(client), mws.ConnectionFailed);
    assert.equal(sent.length, 1);
  }
});

test("an empty schedule means no further try", async () => {
  const { client, sent } = hand([refused(503, "unavailable"), answer(200)], { retries: [] });
  await assert.rejects(client.account.readBalances(), mws.errors.UnavailableError);
  assert.equal(sent.length, 1);
});

test("Retry-After goes before the schedule, and no try begins after the deadline", async () => {
  const later = () => [refused(429, "rate_limited", { "retry-after": "1" }), answer(200)];
  const before = performance.now();
  await hand(later()).client.account.readBalances();
  assert.ok(performance.now() - before >= 1000);
  const { client, sent } = hand(later());
  await assert.rejects(client.account.readBalances({ timeout: 0.5 }), mws.errors.RateLimitedError);
  assert.equal(sent.length, 1);
});

test("an error prints what to do, and codes of later releases survive", async () => {
  const error = { code: "insufficient_minutes", message: "None are left.", retryable: false, suggested_action: "Buy some." };
  const { client } = hand([answer(402, { ok: false, error }, { "x-request-id": "req_1" }), refused(418, "teapot")]);
  await assert.rejects(client.library.prepareMedia({ refs: [], reads: [] }), (caught) => {
    assert.ok(caught instanceof mws.errors.InsufficientMinutesError && caught instanceof mws.PaymentRequiredError);
    assert.equal(caught.message, "None are left. Next: Buy some. (insufficient_minutes, status 402, request req_1)");
    return true;
  });
  await assert.rejects(client.account.readBalances(), (caught) => caught.code === "teapot" && !caught.retryable);
});

test("a wait asks for the live alone, and a timeout carries the ids", async () => {
  const { client, sent } = hand([polled(job("1", true), job("2", false)), polled(job("2", true))]);
  assert.deepEqual((await client.jobs.wait(["1", "2"])).map((one) => one.status), ["succeeded", "succeeded"]);
  assert.deepEqual(JSON.parse(sent[1].body).job_ids, ["2"]);
  await assert.rejects(hand([polled(job("1", false))]).client.jobs.wait(["1"], { timeout: 0 }), (caught) => {
    assert.ok(caught instanceof mws.WaitTimeout);
    assert.deepEqual([caught.jobIds, caught.jobs[0].status], [["1"], "running"]);
    return true;
  });
  const revoked = hand([refused(401, "credential_revoked")]).client.jobs.wait(["1"]);
  await assert.rejects(revoked, (caught) => caught instanceof mws.WaitInterrupted && caught.jobIds[0] === "1");
});

test("an upload goes on where the service says, and one that stops carries what goes on with it", async () => {
  const going = { id: "upl_1", item_id: "itm_1", upload: { resumable_url: "http://x/content?token=t" } };
  const reached = (offset) => answer(204, {}, { "upload-offset": String(offset) });
  const told = [];
  const bytes = new TextEncoder().encode("123456789");
  const first = hand([answer(201, going), BROKEN, reached(4), reached(9), answer(200, { id: "itm_1" })]);
  const options = { filename: "a.wav", onProgress: (one) => told.push(one.acknowledged) };
  assert.equal((await first.client.upload(bytes, options)).id, "itm_1");
  assert.deepEqual(first.sent.map((one) => one.method), ["POST", "PATCH", "HEAD", "PATCH", "POST"]);
  assert.equal(Buffer.from(first.sent[3].body).toString(), "56789");
  assert.deepEqual(told, [0, 4, 9]);
  let kept;
  await assert.rejects(hand([answer(201, going), BROKEN], { retries: [] }).client.upload(bytes, { filename: "a.wav" }), (error) => {
    kept = JSON.parse(JSON.stringify(error.upload));
    return error instanceof mws.UploadInterrupted;
  });
  const again = hand([reached(9), answer(200, { id: "itm_1" })]);
  await again.client.upload(bytes, { filename: "a.wav", resume: kept });
  assert.deepEqual(again.sent.map((one) => one.method), ["HEAD", "POST"]);
});

test("a list goes on through its pages", async () => {
  const page = (id, next) => answer(200, { data: [{ id }], has_more: next !== null, next_cursor: next });
  const { client, sent } = hand([page("1", "c"), page("2", null)]);
  const ids = [];
  for await (const item of client.library.listLibraryItems({ limit: 1 })) ids.push(item.id);
  assert.deepEqual(ids, ["1", "2"]);
  assert.match(sent[1].url, /cursor=c/);
});

test("a stream that breaks goes on after the last event", async () => {
  const event = (place) => `id: ${place}\ndata: {"id":"evt_${place}"}\n\n`;
  const stream = (text) => new Response(text, { status: 200 });
  const { client, sent } = hand([stream(`id: 0\ndata: \n\n${event(1)}id: 2\ndata: {"ha`), stream(event(2))]);
  const places = [];
  for await (const one of client.events.stream()) {
    places.push(one.place);
    if (places.length === 2) break;
  }
  assert.deepEqual(places, ["1", "2"]);
  assert.equal(sent[1].headers["last-event-id"], "1");
});

test("the vectors of both webhook systems hold, and a parsed body is refused with words", async () => {
  assert.ok(vectors.cases.length > 10);
  for (const { name, body, headers, secrets, now, accept } of vectors.cases) {
    const verified = mws.verify(new TextEncoder().encode(body), headers, secrets, { now });
    if (accept) await verified;
    else await assert.rejects(verified, mws.SignatureError, name);
  }
  await assert.rejects(mws.verify({ id: "evt" }, {}, "whsec"), /raw body/);
});
