"""How a call is made, without any IO: one core for both clients.

A flow is a generator. It yields what it wants done (`Send`, `Sleep`, `Work`), is given what came of it, and returns
its result; the two clients differ in nothing but in how they do these three things.
"""

from __future__ import annotations

import json
import platform
import random
import time
import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

import httpx

from ._codes import BY_CODE
from ._errors import ApiError, ConnectionFailed, is_passing
from ._model import plain

VERSION = "1.0.0"
USER_AGENT = f"mws-python/{VERSION} (python {platform.python_version()}; httpx {httpx.__version__})"
RETRIES = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds before each further try."""
# One try may take this long without a byte from the service.
SILENCE = 30.0
# The longest wait that `Retry-After` may ask for before a further try; the deadline bounds all of them together.
LONGEST_PAUSE = 60.0

T = TypeVar("T")


@dataclass(frozen=True)
class Operation:
    """An operation on the wire."""

    name: str
    method: str
    path: str
    repeat: str
    answer: Any = None
    rows: tuple[str, ...] = ()
    texts: bool = False


@dataclass(frozen=True)
class Request:
    """One request to send."""

    method: str
    url: str
    headers: dict[str, str]
    content: bytes | None
    silence: float


@dataclass(frozen=True)
class Response:
    """One answer, whole. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    def json(self) -> Any:
        """The body as JSON; an empty object where it is none."""
        try:
            return json.loads(self.content)
        except ValueError:
            return {}


@dataclass(frozen=True)
class Send:
    """Wanted: this request sent, and its answer."""

    request: Request


@dataclass(frozen=True)
class Sleep:
    """Wanted: time to pass."""

    seconds: float


@dataclass(frozen=True)
class Work:
    """Wanted: something that may take the time of a file's reading."""

    do: Callable[[], Any]


Flow = Generator[Any, Any, T]


class Broken(Exception):
    """No whole answer came."""


@dataclass
class Settings:
    """What all calls of a client share."""

    base_url: str
    api_key: str
    workspace_id: str | None = None
    timeout: float = 120.0
    retries: Sequence[float] = RETRIES
    user_agent: str = USER_AGENT
    clock: Callable[[], float] = time.monotonic
    jitter: Callable[[], float] = field(default=random.random)

    def url(self, path: str, parts: Mapping[str, str], query: Mapping[str, Any]) -> str:
        """The URL of an operation."""
        for name, value in parts.items():
            path = path.replace("{" + name + "}", quote(value, safe=""))
        given = {name: worded(value) for name, value in query.items() if value is not None}
        return f"{self.base_url}{path}" + (f"?{urlencode(given)}" if given else "")


def worded(value: Any) -> str:
    """A query parameter's value."""
    value = plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def may_repeat(operation: Operation, body: Any, keyed: bool) -> bool:
    """Whether a request whose answer is not known may be sent again. A ping that is asked for is sent each time."""
    pings = operation.name == "update_webhook" and bool((body or {}).get("test"))
    return not pings and (operation.repeat == "harmless" or (operation.repeat == "kept" and keyed))


def call(
    settings: Settings,
    operation: Operation,
    *,
    path: Mapping[str, str] = {},
    query: Mapping[str, Any] = {},
    body: Mapping[str, Any] | None = None,
    maybe: Mapping[str, Any] = {},
    idempotency_key: str | None = None,
    workspace_id: str | None = None,
    timeout: float | None = None,
    headers: Mapping[str, str] = {},
) -> Flow[Response]:
    """Makes a call and returns its answer; a refusal is raised."""
    sent = {"Authorization": f"Bearer {settings.api_key}", "User-Agent": settings.user_agent, **headers}
    sent["Accept"] = "application/json"
    if operation.repeat == "kept":
        # One key over all tries: whichever of them arrives, the call is made once.
        sent["Idempotency-Key"] = idempotency_key or f"auto_{uuid.uuid4()}"
    if workspace := workspace_id or settings.workspace_id:
        sent["x-workspace-id"] = workspace
    content, arguments = None, {}
    if body is not None:
        arguments = {**body, **{name: value for name, value in maybe.items() if value is not None}}
        content = json.dumps(plain(arguments)).encode()
        sent["Content-Type"] = "application/json"
    waits = arguments.get("wait_seconds") or query.get("wait_seconds") or 0
    request = Request(operation.method, settings.url(operation.path, path, query), sent, content, SILENCE + waits)
    repeats = may_repeat(operation, arguments, "Idempotency-Key" in sent)
    return (yield from tried(settings, request, repeats, settings.timeout if timeout is None else timeout))


def tried(settings: Settings, request: Request, repeats: bool, timeout: float) -> Flow[Response]:
    """Sends a request until it is answered, refused for good, or the schedule or the time is over."""
    deadline = settings.clock() + timeout
    for pause in [*settings.retries, None]:
        left = deadline - settings.clock()
        if left <= 0:
            raise ConnectionFailed(f"{named(request)}: no answer within {timeout:g} s")
        bounded = Request(request.method, request.url, request.headers, request.content, min(request.silence, left))
        response, cause = None, None
        try:
            response = yield Send(bounded)
        except Broken as broken:
            cause = broken.__cause__
        if response is not None and response.status < 400:
            return response
        error = refusal(response) if response is not None else None
        if error is not None and not is_passing(error.status, error.code):
            raise error
        if pause is not None:
            pause = pause_before(settings, pause, error)
        if pause is None or not repeats or settings.clock() + pause >= deadline:
            if error is not None:
                raise error
            raise ConnectionFailed(f"{named(request)}: {cause or 'the connection broke'}") from cause
        yield Sleep(pause)
    raise AssertionError("the last of the schedule raises")


def pause_before(settings: Settings, scheduled: float, error: ApiError | None) -> float:
    """How long to wait before the next try: what the service asks for, or what the schedule says; and some jitter."""
    asked = error.retry_after if error is not None else None
    base = scheduled if asked is None else min(asked, LONGEST_PAUSE)
    return base + base * 0.25 * settings.jitter()


def refusal(response: Response) -> ApiError:
    """An answer that says no, as the exception of its code."""
    raw = response.json()
    raw = raw if isinstance(raw, dict) else {}
    error = raw.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    return BY_CODE.get(str(code), ApiError)(response.status, raw, response.headers)


def named(request: Request) -> str:
    """A request in an error's words: never with its query, which may hold a token."""
    return f"{request.method} {request.url.split('?')[0]}"
