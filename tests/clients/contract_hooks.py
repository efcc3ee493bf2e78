"""What scripts/contract has schemathesis do beside what the document says.

Before it begins one thing of each kind is made, and most requests that the document allows name it: without that nearly
all of them ask for what is not there, and get no further. Nothing that the run itself stands on is ever revoked, erased,
suspended or deleted: it is called with CONTRACT_KEY.
"""

import hashlib
import io
import json
import os
import random
import struct
import time
import urllib.error
import urllib.request
import wave
import zlib

import schemathesis
from schemathesis import GenerationMode

# Bytes of a file as tus sends them.
schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")

BASE, KEY = os.environ["CONTRACT_BASE"], os.environ["CONTRACT_KEY"]
# Of a request that may name what is there: not all of them, so that the rest is looked at too.
SHARE = 0.8
ENDS = ("delete", "revoke", "erase", "suspend", "cancel", "redeem")


def call(method, path, body=None, bytes_=None, content_type="application/json"):
    data = bytes_ if bytes_ is not None else None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": content_type}
    url = path if path.startswith("http") else BASE + path
    with urllib.request.urlopen(urllib.request.Request(url, data=data, method=method, headers=headers)) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def tool(tool_name, /, **arguments):
    return call("POST", f"/tools/{tool_name}", arguments)["data"]


def sound():
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1), out.setsampwidth(2), out.setframerate(16_000)
        out.writeframes(b"".join(struct.pack("<h", (n * 97 % 4_001) - 2_000) for n in range(32_000)))
    return file.getvalue()


def picture():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header, rows = struct.pack(">IIBBBBB", 32, 32, 8, 2, 0, 0, 0), (b"\0" + b"\x20\x80\xc0" * 32) * 32
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def item(filename, content_type, data):
    sha256 = hashlib.sha256(data).hexdigest()
    asked = {"filename": filename, "content_type": content_type, "bytes": len(data), "sha256": sha256}
    upload = call("POST", "/uploads", asked)
    call("PUT", upload["upload"]["url"], bytes_=data, content_type=content_type)
    call("POST", f"/uploads/{upload['id']}/complete")
    for _ in range(10):
        if tool("get_item", ref=upload["item_id"], wait_seconds=30)["item"]["status"] != "processing":
            break
    return upload["item_id"], upload["id"]


def made():
    heard, upload = item("heard.wav", "audio/wav", sound())
    seen, _ = item("seen.png", "image/png", picture())
    said = tool("add_comment", ref=heard, text="a")["comment"]["id"]
    entry = tool("add_calendar_entry", title="a", starts_at="2030-01-01T10:00:00Z", ends_at="2030-01-01T11:00:00Z")
    tool("save_skill", name="a", text="a")
    tool("save_template", name="a", tool="get_item", arguments={"ref": heard})
    scene = {"op": "add_scene", "ref": seen, "duration": 1}
    job = tool("prepare_media", refs=[heard], reads=["levels"])["job_ids"][0]
    fields = {
        "ref": [heard, seen],
        "voice_ref": [heard],
        "music_ref": [heard],
        "board_id": [tool("create_board", name="a")["board"]["id"]],
        "canvas_id": [tool("create_canvas", name="a", width=64, height=64)["canvas"]["id"]],
        "timeline_id": [tool("create_timeline", name="a", ops=[scene])["timeline"]["id"]],
        "comment_id": [said],
        "reply_to": [said],
        "entry_id": [entry["entry"]["id"]],
        "link_id": [tool("create_public_link", ref=heard)["link"]["id"]],
        "feed_id": [tool("create_calendar_feed")["feed"]["id"]],
        "job_ids": [job],
        "refs": [heard, seen],
        "name": ["a"],
    }
    project = call("POST", "/projects", {"brief": "a", "mode": "manual"})["id"]
    hook = call("POST", "/webhooks", {"url": "https://93.184.216.34/"})["id"]
    workspace = call("GET", "/workspaces")["data"][0]["id"]
    paths = {
        "/library/items/{id}": [heard, seen],
        "/uploads/{id}": [upload],
        "/projects/{id}": [project],
        "/webhooks/{id}": [hook],
        "/workspaces/{id}": [workspace],
        "/operator/jobs/{id}": [job],
        "/operator/webhooks/{id}": [hook],
        "/operator/workspaces/{id}": [workspace],
    }
    return fields, paths


FIELDS, PATHS = made()
# Named by what it is found by; elsewhere a name is a new one.
BY_NAME = ("get_skill", "undo_skill", "delete_skill", "run_template", "undo_template", "delete_template")
OWN = json.dumps(call("GET", "/keys")) + json.dumps(call("GET", "/workspaces"))


def named(operation, body):
    for field, ids in FIELDS.items():
        said = body.get(field)
        if said is None or (field == "name" and operation not in BY_NAME) or random.random() > SHARE:
            continue
        if isinstance(said, str):
            body[field] = random.choice(ids)
        elif isinstance(said, list) and said and all(isinstance(one, str) for one in said):
            body[field] = random.sample(ids, 1)
    for part in body.get("ops") or body.get("layers") or []:
        if isinstance(part, dict):
            named(operation, part)


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation.definition.raw.get("operationId", "")
    ends = any(word in operation for word in ENDS)
    for name, value in list((case.path_parameters or {}).items()):
        own = isinstance(value, str) and len(value) > 9 and value in OWN
        if own and (ends or operation.startswith("operator_")) or "account" in case.operation.path and ends:
            case.path_parameters[name] = "x" + str(value)[1:]
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE or ends:
        return
    if isinstance(case.body, dict):
        named(operation, case.body)
    for start, ids in PATHS.items():
        if case.operation.path.startswith(start) and random.random() < SHARE:
            case.path_parameters["id"] = random.choice(ids)


@schemathesis.hook
def after_call(context, case, response):
    # Whatever takes the key away is named, since all that comes after it finds nothing.
    if response.status_code == 401 and not hasattr(after_call, "told") and call_is_refused():
        after_call.told = time.time()
        print(f"contract: the key is refused since {case.method} {case.formatted_path}", flush=True)


def call_is_refused():
    try:
        call("GET", "/workspaces")
    except urllib.error.HTTPError as error:
        return error.code == 401
    return False
