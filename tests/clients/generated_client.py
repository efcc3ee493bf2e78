"""The main job by a client that openapi-python-client made from our document: send a file, prepare it, follow its jobs,
read what they stored, look at the balance.

usage: generated_client.py <folder that holds the package mws_client> <base url> <API key> <file>

Prints what it saw as one JSON object; what that must be is the calling test's to say.
"""

import json
import pathlib
import sys
import time

sys.path.insert(0, sys.argv[1])

from mws_client import AuthenticatedClient, types
from mws_client.api.account import read_balances
from mws_client.api.library import get_library_item, get_stored_read, prepare_media
from mws_client.api.uploads import complete_upload, create_upload, send_upload_content
from mws_client.api.workspace import get_jobs
from mws_client.models import (
    CreateUpload,
    GetJobsRequest,
    LibraryItemStatus,
    PrepareMediaRequest,
    ReadKind,
    RouteError,
    ToolError,
)
from urllib.parse import parse_qs, urlsplit

_, _, base_url, key, path = sys.argv
file = pathlib.Path(path)
client = AuthenticatedClient(base_url=base_url, token=key, timeout=60)
content = file.read_bytes()



def answered(reply):
    """What was answered; a refusal ends the program with its words."""
    if reply is None or isinstance(reply, (RouteError, ToolError)):
        raise SystemExit(f"refused: {reply}")
    return reply


announced = CreateUpload(filename=file.name, content_type="audio/wav", bytes_=len(content))
upload = answered(create_upload.sync(client=client, body=announced))
token = parse_qs(urlsplit(upload.upload.url).query)["token"][0]
body = types.File(payload=file.open("rb"), file_name=file.name, mime_type="audio/wav")
received = answered(send_upload_content.sync(upload.id, client=client, body=body, token=token))
answered(complete_upload.sync(upload.id, client=client))
for _ in range(1200):
    item = answered(get_library_item.sync(upload.item_id, client=client))
    if item.status != LibraryItemStatus.PROCESSING:
        break
    time.sleep(0.1)

wish = PrepareMediaRequest(refs=[item.id], reads=[ReadKind.LEVELS, ReadKind.SPEECH])
prepared = answered(prepare_media.sync(client=client, body=wish, idempotency_key="a-generated-client"))
started = prepared.data.job_ids
for _ in range(60):
    followed = answered(get_jobs.sync(client=client, body=GetJobsRequest(job_ids=started, wait_seconds=5)))
    if all(job.finished_at for job in followed.data.jobs):
        break

levels = get_stored_read.sync_detailed(item.id, "levels", client=client)
balances = answered(read_balances.sync(client=client))
unknown = get_library_item.sync("nothing", client=client)
empty = prepare_media.sync(client=client, body=PrepareMediaRequest(refs=[], reads=[ReadKind.LEVELS]))
assert isinstance(unknown, RouteError) and isinstance(empty, ToolError)

print(json.dumps({
    "received_bytes": received.received_bytes,
    "status": item.status.value,
    "jobs": [job.status.value for job in followed.data.jobs],
    "estimate": prepared.data.estimate.minutes,
    "levels": json.loads(levels.content)["kind"],
    "used_minutes": balances.used_minutes,
    "unknown": unknown.error.code.value,
    "empty": empty.error.code.value,
}))
