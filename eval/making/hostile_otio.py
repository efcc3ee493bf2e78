"""OTIO that somebody means harm with: it has to be refused, or come in without what it names, and soon."""

import json
import time
import urllib.error

from .desk import Desk, Refused

MOST_SECONDS = 5.0
MOST_LENGTH = 86_400


def clip(url: str, start: object = 0, duration: object = 50, rate: object = 25) -> dict:
    at = lambda value: {"OTIO_SCHEMA": "RationalTime.1", "rate": rate, "value": value}
    span = {"OTIO_SCHEMA": "TimeRange.1", "start_time": at(start), "duration": at(duration)}
    media = {
        "OTIO_SCHEMA": "ExternalReference.1",
        "target_url": url,
        "available_range": None,
        "name": "",
        "metadata": {},
    }
    return {"OTIO_SCHEMA": "Clip.1", "name": "clip", "source_range": span, "media_reference": media, "metadata": {}}


def document(children: object) -> dict:
    track = {"OTIO_SCHEMA": "Track.1", "kind": "Video", "name": "V", "children": children, "metadata": {}}
    stack = {"OTIO_SCHEMA": "Stack.1", "name": "tracks", "children": [track], "metadata": {}}
    return {"OTIO_SCHEMA": "Timeline.1", "name": "hostile", "tracks": stack, "metadata": {}}


def hostile(item: str) -> dict[str, str]:
    own = f"mws:{item}"
    deep = '{"OTIO_SCHEMA":"Stack.1","children":[' * 20_000 + "]}" * 20_000
    other = f"mws:itm_{'0' * 26}"
    told = {
        "a file of the machine": document([clip("file:///etc/passwd")]),
        "the service's secrets": document([clip("../../secrets.env"), clip("/proc/self/environ")]),
        "a metadata service": document(
            [clip("http://169.254.169.254/latest/meta-data/"), clip("concat:/etc/passwd|/etc/hosts")]
        ),
        "nobody's item": document([clip(other)]),
        "itself": document([{"OTIO_SCHEMA": "SerializableObjectRef.1", "id": "Timeline-1"}])
        | {"OTIO_REF_ID": "Timeline-1"},
        "no rate": document([clip(own, rate=0)]),
        "less than no time": document([clip(own, duration=-50), clip(own, start=-1e9)]),
        "the end of time": document([clip(own, duration=1e308, rate=1e-308)]),
        "no list": document(5),
        "null": document([None, True, "clip", [[]]]),
        "another kind": {"OTIO_SCHEMA": "Effect.1"},
        "too many": document([clip(own, duration=1)] * 2_100),
    }
    texts = {name: json.dumps(one) for name, one in told.items()}
    return texts | {
        "20,000 deep": deep,
        "a deep list": json.dumps(document([])).replace(
            '"metadata": {}', '"metadata": ' + "[" * 100_000 + "]" * 100_000, 1
        ),
        "not a number": json.dumps(document([clip(own, duration=float("nan"))])),
        "3 MiB": json.dumps(document([clip(own) | {"name": "x" * (3 << 20)}])),
        "no end": json.dumps(document([clip(own)]))[:-3],
    }


def attacked(desk: Desk, item: str) -> dict:
    faults, slowest = [], 0.0
    documents = hostile(item)
    for name, content in documents.items():
        began = time.monotonic()
        try:
            timeline = desk.tool("import_timeline", content=content, format="otio")["timeline"]
            if any(scene["item_id"] not in (None, item) for scene in timeline["scenes"]):
                faults.append(f"{name}: something was found: {timeline['scenes']}")
            if timeline["duration_seconds"] > MOST_LENGTH:
                faults.append(f"{name}: {timeline['duration_seconds']} s")
        except Refused as refused:
            if not 400 <= refused.args[0] < 500:
                faults.append(f"{name}: {refused}")
        except urllib.error.URLError as cut:
            # What is too large is refused before all of it is sent.
            if not isinstance(cut.reason, ConnectionError):
                faults.append(f"{name}: {cut}")
        took = time.monotonic() - began
        slowest = max(slowest, took)
    if desk.service.process.poll() is not None or desk.tool("get_item", ref=item)["item"]["status"] != "ready":
        faults.append("the service ended")
    return {"of": len(documents), "faults": faults, "slowest": slowest}
