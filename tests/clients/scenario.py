"""Runs scenario.json by the Python package, as it is installed.

usage: scenario.py sync|async <file of steps> <folder of the files that are sent>
MWS_BASE_URL and MWS_API_KEY say where and as whom. Prints how many steps held; the first that does not ends it.
"""

import asyncio
import inspect
import json
import pathlib
import sys

import mws

_, kind, steps, folder = sys.argv
QUICK = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)


def acts(client):
    """What each step does: a call, or something to await with an asynchronous client."""
    return {
        "upload": lambda step: client.upload(pathlib.Path(folder) / step["file"], idempotency_key=step["key"]),
        "ready": lambda step: client.wait_for_item(step["item"]),
        "prepare": lambda step: client.prepare([step["item"]], step["reads"], idempotency_key=step["key"]),
        "wait": lambda step: client.jobs.wait(step["jobs"]),
        "read": lambda step: client.library.get_stored_read(step["item"], step["read"]),
        "endpoint": lambda step: client.webhooks.create_webhook(url=step["url"], idempotency_key=step["key"]),
        "refused": lambda step: client.library.get_item(ref=step["item"]),
        "items": lambda step: client.library.list_items(limit=1),
        "used": lambda step: client.account.read_balances(),
    }


# What of it is compared.
SEEN = {
    "upload": lambda item: item.id,
    "ready": lambda item: item.status,
    "prepare": lambda prepared: prepared.job_ids,
    "wait": lambda jobs: [job.status for job in jobs],
    "read": lambda read: read["kind"],
    "endpoint": lambda endpoint: endpoint.id,
    "refused": lambda item: item,
    "items": lambda rows: [row.id for row in rows],
    "used": lambda balances: balances.used_minutes,
}


async def whole(doing):
    """What was done, or is to be awaited; all rows of a list."""
    if isinstance(doing, mws.AsyncPages):
        return [row async for row in doing]
    return await doing if inspect.isawaitable(doing) else doing


def named(value, kept):
    if isinstance(value, str) and value.startswith("$"):
        return kept[value[1:]]
    return [named(one, kept) for one in value] if isinstance(value, list) else value


async def run(client):
    kept, doing = {}, acts(client)
    todo = json.loads(pathlib.Path(steps).read_text())["steps"]
    for raw in todo:
        step = {name: named(value, kept) for name, value in raw.items()}
        try:
            done = await whole(doing[step["do"]](step))
            seen = SEEN[step["do"]](done)
        except mws.ApiError as refused:
            seen = refused.code
        if "as" in step:
            kept[step["as"]] = seen
        if "see" in step and seen != step["see"]:
            sys.exit(f"{raw}: saw {seen!r} instead of {step['see']!r}")
    print(len(todo))


async def asynchronous():
    async with mws.AsyncClient(retries=QUICK) as client:
        await run(client)


if kind == "async":
    asyncio.run(asynchronous())
else:
    with mws.Client(retries=QUICK) as synchronous:
        asyncio.run(run(synchronous))
