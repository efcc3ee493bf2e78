"""A proxy that breaks calls as networks and restarts do, once each, before it lets them through.

Of each operation of each client the first tries fail, in one of two ways by turns:
  the request is done and its answer lost, then 503 with Retry-After;
  the request is done and its answer cut off, then the connection is reset before anything reaches the service.
Whoever repeats a call carelessly starts it twice; whoever doesn't repeat it never ends.

usage: fault_proxy.py
Prints its URL, reads the URL of the service from standard input, and serves until it is killed.
GET /faults answers how often each fault happened, as JSON.
"""

import asyncio
import collections
import json
import socket
import struct
import sys
import urllib.parse

PLANS = [["lost", "busy"], ["cut", "reset"]]
BUSY = json.dumps({"error": {"code": "unavailable", "message": "The fault proxy says no.", "status": 503}}).encode()

left = {}
# How many operations of each client were seen: they take the plans by turns.
seen = collections.Counter()
happened = collections.Counter()


def fault(head, headers):
    """What happens to this request."""
    method, target, _ = head.split(" ", 2)
    who = headers.get("authorization", "the bytes of an upload")
    operation = (who, method, target.split("?")[0])
    if operation not in left:
        left[operation] = list(PLANS[seen[who] % len(PLANS)])
        seen[who] += 1
    return left[operation].pop(0) if left[operation] else None


async def request_of(reader):
    """One request: its first line, its headers and all of its bytes; nothing at the end."""
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    kept = [line for line in lines if line and not line.lower().startswith(("connection:", "expect:"))]
    return first, headers, "\r\n".join([first, *kept, "connection: close", "", ""]).encode("latin-1") + body


def reset(writer):
    """Ends a connection as a crash does."""
    linger = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()


async def serve(reader, writer, service):
    try:
        first, headers, sent = await request_of(reader)
        if first.startswith("GET /faults "):
            body = json.dumps(happened).encode()
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(body) + body)
            return
        broken = fault(first, headers)
        if broken:
            happened[broken] += 1
        if broken == "reset":
            return reset(writer)
        if broken == "busy":
            writer.write(b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n"
                         b"content-length: %d\r\nconnection: close\r\n\r\n" % len(BUSY) + BUSY)
            return
        from_service, to_service = await asyncio.open_connection(*service)
        to_service.write(sent)
        if broken:
            answer = await from_service.read()
            to_service.close()
            if broken == "cut":
                writer.write(answer[: len(answer) * 3 // 4])
                await writer.drain()
            return reset(writer)
        while block := await from_service.read(1 << 16):
            writer.write(block)
            await writer.drain()
        to_service.close()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    service = []
    server = await asyncio.start_server(lambda reader, writer: serve(reader, writer, service), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    behind = urllib.parse.urlsplit(await asyncio.to_thread(sys.stdin.readline))
    service += [behind.hostname, behind.port]
    await server.serve_forever()


asyncio.run(main())
