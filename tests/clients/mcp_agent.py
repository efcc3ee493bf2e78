"""An agent's errand over MCP, with the reference client: list the tools, send a file, prepare it, follow its jobs.

usage: mcp_agent.py <url of /mcp> <base url> <API key> <file> <mode: auto or legacy>

Prints what it saw as one JSON object; what that must be is the calling test's to say. An answer that is not what the
tool's output schema says, or a protocol that is not kept, ends it with an exception.
"""

import asyncio
import json
import mimetypes
import pathlib
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


def told(result):
    """What a call came back with, as a model sees it: the same in data and in text."""
    assert json.loads(result.content[0].text) == result.structured_content
    return {"is_error": bool(result.is_error), "envelope": result.structured_content}


async def send(client, http, base_url, path):
    """Sends a file the way the service tells agents to: by a script's session."""
    code = (await client.call_tool("get_api_session")).structured_content["data"]["code"]
    redeemed = await http.post(f"{base_url}/sessions/redeem", json={"code": code})
    redeemed.raise_for_status()
    session = {"Authorization": f"Bearer {redeemed.json()['token']}"}
    content = path.read_bytes()
    announced = {"filename": path.name, "content_type": mimetypes.guess_type(path.name)[0], "bytes": len(content)}
    upload = await http.post(f"{base_url}/uploads", json=announced, headers=session)
    upload.raise_for_status()
    how = upload.json()["upload"]
    (await http.request(how["method"], how["url"], headers=how["headers"], content=content)).raise_for_status()
    complete = await http.post(f"{base_url}/uploads/{upload.json()['id']}/complete", headers=session)
    complete.raise_for_status()
    return upload.json()["item_id"]


async def ready(client, item):
    """The item, once it has been looked at."""
    for _ in range(1200):
        found = (await client.call_tool("get_item", {"ref": item})).structured_content["data"]["item"]
        if found["status"] != "processing":
            return found
        await asyncio.sleep(0.1)
    raise TimeoutError(f"{item} is still processing")


async def followed(client, jobs):
    """The jobs, once all have ended."""
    for _ in range(60):
        asked = {"job_ids": jobs, "wait_seconds": 5, "wait_for": "all"}
        found = (await client.call_tool("get_jobs", asked)).structured_content["data"]["jobs"]
        if all(job["finished_at"] for job in found):
            return found
    raise TimeoutError(f"{jobs} have not ended")


async def main():
    url, base_url, key, path, mode = sys.argv[1:]
    authorized = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60)
    async with authorized, httpx2.AsyncClient(timeout=60) as http:
        async with Client(streamable_http_client(url, http_client=authorized), mode=mode) as client:
            tools = (await client.list_tools()).tools
            item = await send(client, http, base_url, pathlib.Path(path))
            found = await ready(client, item)
            wish = {"refs": [item], "reads": ["levels", "speech"], "context": "An agent listens."}
            meta = {"idempotency_key": "an-agents-errand"}
            prepared = told(await client.call_tool("prepare_media", wish, meta=meta))
            again = told(await client.call_tool("prepare_media", wish, meta=meta))
            jobs = await followed(client, prepared["envelope"]["data"]["job_ids"])
            print(json.dumps({
                "protocol": client.session.protocol_version,
                "tools": {tool.name: tool.model_dump(by_alias=True, exclude_none=True) for tool in tools},
                "item": found,
                "prepared": prepared,
                "again": again,
                "jobs": jobs,
                "balances": told(await client.call_tool("get_balances")),
                "listed": told(await client.call_tool("list_items", {"limit": 5})),
                "unknown_item": told(await client.call_tool("get_item", {"ref": "nothing"})),
                "unknown_field": told(await client.call_tool("get_item", {"ref": item, "more": 1})),
                "unknown_tool": told(await client.call_tool("../keys", {})),
            }))


asyncio.run(main())
