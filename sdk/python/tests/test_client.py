"""The core without a network: a flow is run by hand, and what it wants done is looked at.

usage: python -m unittest discover sdk/python/tests, with the package installed
"""

import asyncio
import json
import os
import pathlib
import pickle
import unittest

import httpx
import mws
from mws._core import Broken, Operation, Response, Send, Settings, Sleep, call
from mws._events import Decoder
from mws._jobs import wait_for_jobs
from mws._operations import OPERATIONS
from mws._uploads import Source, upload

VECTORS = pathlib.Path(os.environ.get("MWS_VECTORS", "docs/webhook-vectors.json"))


class Hand:
    """Runs a flow: each request is given the next of these answers, and sleeping moves the clock."""

    def __init__(self, *answers, **settings):
        self.now, self.answers, self.sent, self.slept = 0.0, list(answers), [], []
        more = {"retries": (1.0, 2.0), "timeout": 60.0, **settings}
        self.settings = Settings("http://x/api/v1", "key", clock=lambda: self.now, jitter=lambda: 0.0, **more)

    def run(self, flow):
        done, failed = None, None
        while True:
            try:
                wanted = flow.throw(failed) if failed else flow.send(done)
            except StopIteration as ended:
                return ended.value
            done, failed = None, None
            if isinstance(wanted, Send):
                self.sent.append(wanted.request)
                answer = self.answers.pop(0)
                if answer is Broken:
                    failed = Broken()
                else:
                    done = answer
            elif isinstance(wanted, Sleep):
                self.slept.append(wanted.seconds)
                self.now += wanted.seconds
            else:
                done = wanted.do()

    def call(self, name, **arguments):
        return self.run(call(self.settings, OPERATIONS[name], **arguments))


def answer(status, body=None, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(status, named, json.dumps(body if body is not None else {}).encode())


def refused(status, code, **headers):
    return answer(status, {"ok": False, "error": {"code": code, "message": "No."}}, **headers)


def job(number, ended):
    return {"id": f"job_{number}", "status": "succeeded" if ended else "running",
            "finished_at": "2026-11-25T00:00:00.000Z" if ended else None}


class Calls(unittest.TestCase):
    def test_one_key_is_kept_over_all_tries(self):
        hand = Hand(Broken, refused(503, "unavailable"), answer(200))
        hand.call("prepare_media", body={"refs": ["a"], "reads": ["levels"]})
        keys = {request.headers["Idempotency-Key"] for request in hand.sent}
        self.assertEqual((len(hand.sent), len(keys)), (3, 1))
        self.assertTrue(keys.pop().startswith("auto_"))
        self.assertEqual(hand.slept, [1.0, 2.0])

    def test_a_key_of_ones_own_goes_before(self):
        hand = Hand(answer(200))
        hand.call("prepare_media", body={}, idempotency_key="mine")
        self.assertEqual(hand.sent[0].headers["Idempotency-Key"], "mine")

    def test_a_post_without_a_key_that_makes_something_is_sent_once(self):
        hand = Hand(Broken)
        with self.assertRaises(mws.ConnectionFailed):
            hand.call("resend_delivery", path={"id": "whe"}, body={"delivery_id": "dlv"})
        self.assertEqual((len(hand.sent), hand.slept), (1, []))

    def test_a_ping_is_sent_once_and_another_change_again(self):
        with self.assertRaises(mws.ConnectionFailed):
            Hand(Broken).call("update_webhook", path={"id": "w"}, body={}, maybe={"test": True})
        Hand(Broken, answer(200)).call("update_webhook", path={"id": "w"}, body={}, maybe={"enabled": True})

    def test_an_empty_schedule_means_no_further_try(self):
        hand = Hand(refused(503, "unavailable"), retries=())
        with self.assertRaises(mws.errors.UnavailableError):
            hand.call("read_balances")
        self.assertEqual(len(hand.sent), 1)

    def test_retry_after_goes_before_the_schedule(self):
        hand = Hand(refused(429, "rate_limited", retry_after="7"), answer(200))
        hand.call("read_balances")
        self.assertEqual(hand.slept, [7.0])

    def test_no_try_begins_after_the_deadline(self):
        hand = Hand(refused(429, "rate_limited", retry_after="50"), answer(200), timeout=20.0)
        with self.assertRaises(mws.errors.RateLimitedError):
            hand.call("read_balances")
        self.assertEqual((len(hand.sent), hand.slept), (1, []))

    def test_what_is_refused_for_good_is_not_sent_again_and_what_is_in_progress_is(self):
        hand = Hand(refused(422, "idempotency_key_reused"))
        with self.assertRaises(mws.errors.IdempotencyKeyReusedError):
            hand.call("prepare_media", body={})
        hand = Hand(refused(409, "idempotency_in_progress"), answer(200))
        hand.call("prepare_media", body={})
        self.assertEqual(len(hand.sent), 2)

    def test_an_error_prints_what_to_do_and_survives_pickling(self):
        body = {"ok": False, "error": {"code": "insufficient_minutes", "message": "None are left.", "retryable": False,
                                       "suggested_action": "Buy some.", "cloud_processing": {"left_minutes": 0}}}
        with self.assertRaises(mws.errors.InsufficientMinutesError) as caught:
            Hand(answer(402, body, x_request_id="req_1")).call("prepare_media", body={})
        for error in (caught.exception, pickle.loads(pickle.dumps(caught.exception))):
            self.assertEqual(str(error), "None are left. Next: Buy some. (insufficient_minutes, status 402, request req_1)")
            self.assertEqual((error.retryable, error.cloud_processing), (False, {"left_minutes": 0}))

    def test_codes_and_fields_of_later_releases_survive(self):
        with self.assertRaises(mws.ApiError) as caught:
            Hand(refused(418, "teapot")).call("read_balances")
        self.assertEqual((caught.exception.code, caught.exception.retryable), ("teapot", False))
        item = mws.types.LibraryItem({"id": "itm_1", "later": {"a": 1}})
        self.assertEqual((item.later, item.width), ({"a": 1}, None))
        with self.assertRaises(AttributeError):
            item.never

    def test_ids_stay_one_part_of_a_path(self):
        hand = Hand(answer(200))
        hand.call("get_library_item", path={"id": "a/../b?c"}, query={"wait_seconds": 3})
        self.assertEqual(hand.sent[0].url, "http://x/api/v1/library/items/a%2F..%2Fb%3Fc?wait_seconds=3")


class Waiting(unittest.TestCase):
    def polls(self, *stages):
        return [answer(200, {"ok": True, "data": {"jobs": jobs, "missing": []}, "meta": {}}) for jobs in stages]

    def test_a_wait_ends_when_all_have_ended_and_asks_for_the_live_alone(self):
        hand = Hand(*self.polls([job(1, True), job(2, False)], [job(2, True)]))
        ended = hand.run(wait_for_jobs(hand.settings, ["job_1", "job_2"], None, None))
        self.assertEqual([one.id for one in ended], ["job_1", "job_2"])
        self.assertEqual(json.loads(hand.sent[1].content)["job_ids"], ["job_2"])

    def test_a_timeout_carries_the_ids(self):
        hand = Hand(*self.polls([job(1, False)]))
        with self.assertRaises(mws.WaitTimeout) as caught:
            hand.run(wait_for_jobs(hand.settings, ["job_1"], 0, None))
        self.assertEqual(caught.exception.job_ids, ["job_1"])
        self.assertEqual(caught.exception.jobs[0].status, "running")

    def test_so_does_whatever_else_ends_a_wait(self):
        hand = Hand(refused(401, "credential_revoked"))
        with self.assertRaises(mws.WaitInterrupted) as caught:
            hand.run(wait_for_jobs(hand.settings, ["job_1"], None, None))
        self.assertEqual(caught.exception.job_ids, ["job_1"])
        self.assertIsInstance(caught.exception.__cause__, mws.errors.CredentialRevokedError)


class Uploads(unittest.TestCase):
    NONE = dict(content_type=None, ref=None, reads=None, resume=None, on_progress=None, idempotency_key=None,
                workspace_id=None)
    ANNOUNCED = {"id": "upl_1", "status": "awaiting_upload", "item_id": "itm_1",
                 "upload": {"resumable_url": "http://x/content?token=t", "url": "http://x/content?token=t"}}

    def test_an_upload_goes_on_where_the_service_says(self):
        hand = Hand(answer(201, self.ANNOUNCED), Broken, answer(204, upload_offset="4"), answer(204, upload_offset="9"),
                    answer(200, {"id": "itm_1", "status": "processing"}))
        told = []
        item = hand.run(upload(hand.settings, Source(b"123456789", "a.wav"), **{**self.NONE, "on_progress": told.append}))
        self.assertEqual(item.id, "itm_1")
        self.assertEqual([request.method for request in hand.sent], ["POST", "PATCH", "HEAD", "PATCH", "POST"])
        self.assertEqual((hand.sent[3].headers["Upload-Offset"], hand.sent[3].content), ("4", b"56789"))
        self.assertEqual([one.acknowledged for one in told], [0, 4, 9])

    def test_one_that_stops_carries_what_goes_on_with_it(self):
        hand = Hand(answer(201, self.ANNOUNCED), Broken, retries=())
        with self.assertRaises(mws.UploadInterrupted) as caught:
            hand.run(upload(hand.settings, Source(b"123", "a.wav"), **self.NONE))
        kept = json.loads(json.dumps(caught.exception.upload.raw))
        hand = Hand(answer(204, upload_offset="3"), answer(200, {"id": "itm_1"}))
        hand.run(upload(hand.settings, Source(b"123", "a.wav"), **{**self.NONE, "resume": kept}))
        self.assertEqual([request.method for request in hand.sent], ["HEAD", "POST"])

    def test_the_same_key_in_another_process_sends_what_is_missing_alone(self):
        replayed = answer(201, self.ANNOUNCED, idempotent_replayed="true")
        hand = Hand(replayed, answer(204, upload_offset="3"), answer(200, {"id": "itm_1"}))
        hand.run(upload(hand.settings, Source(b"123", "a.wav"), **{**self.NONE, "idempotency_key": "k"}))
        self.assertEqual([request.method for request in hand.sent], ["POST", "HEAD", "POST"])


class Transports(unittest.TestCase):
    def rows(self, request):
        self.agent = request.headers["User-Agent"]
        second = b"cursor" in request.url.query
        rows = [{"id": "itm_2"}] if second else [{"id": "itm_1"}]
        return httpx.Response(200, json={"data": rows, "has_more": not second, "next_cursor": None if second else "c"})

    def test_a_list_goes_on_through_its_pages_by_a_transport_of_ones_own(self):
        client = mws.Client("http://x/api/v1/", "key", transport=httpx.MockTransport(self.rows), user_agent="mine/2")
        page = client.library.list_library_items(limit=1)
        self.assertEqual(([one.id for one in page.data], page.has_more), (["itm_1"], True))
        self.assertEqual([one.id for one in page], ["itm_1", "itm_2"])
        self.assertRegex(self.agent, r"^mine/2 mws-python/1\.0\.0 \(python ")

    def test_so_it_does_asynchronously(self):
        async def go():
            transport = httpx.MockTransport(self.rows)
            async with mws.AsyncClient("http://x/api/v1", "key", transport=transport) as client:
                first = await client.library.list_library_items(limit=1)
                return len(first.data), [one.id async for one in client.library.list_library_items(limit=1)]

        self.assertEqual(asyncio.run(go()), (1, ["itm_1", "itm_2"]))

    def test_a_client_of_ones_own_is_not_closed(self):
        http = httpx.Client(transport=httpx.MockTransport(self.rows))
        with mws.Client("http://x/api/v1", "key", http=http):
            pass
        self.assertFalse(http.is_closed)


class Streams(unittest.TestCase):
    def test_an_event_is_whole_or_none(self):
        decoder = Decoder(None)
        lines = ["id: 7-0", "data: ", "", ": a comment", "", "id: 7-1", "event: job.failed", 'data: {"id":"evt"}', ""]
        told = [one for line in lines if (one := decoder.line(line))]
        self.assertEqual([(one.place, one.event.id) for one in told], [("7-1", "evt")])
        decoder.line("id: 7-2")
        decoder.broke()
        self.assertEqual(decoder.headers(), {"Last-Event-ID": "7-1"})


class Webhooks(unittest.TestCase):
    def test_the_vectors_hold(self):
        cases = json.loads(VECTORS.read_text())["cases"]
        self.assertGreater(len(cases), 10)
        for case in cases:
            with self.subTest(case["name"]):
                given = (case["body"].encode(), case["headers"], case["secrets"])
                if case["accept"]:
                    mws.webhooks.verify(*given, now=case["now"])
                else:
                    with self.assertRaises(mws.SignatureError):
                        mws.webhooks.verify(*given, now=case["now"])

    def test_a_body_that_was_parsed_is_refused_with_words(self):
        with self.assertRaisesRegex(TypeError, "raw body"):
            mws.webhooks.verify({"id": "evt"}, {}, "whsec")
        with self.assertRaisesRegex(ValueError, "at least one secret"):
            mws.webhooks.verify(b"{}", {}, [])


class Documents(unittest.TestCase):
    def test_no_operation_is_without_a_word_for_its_repeat(self):
        for operation in OPERATIONS.values():
            self.assertIsInstance(operation, Operation)
            self.assertIn(operation.repeat, ("kept", "harmless", "refused"))


if __name__ == "__main__":
    unittest.main()
