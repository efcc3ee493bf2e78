"""Verifying webhooks of both systems: job webhooks and project webhooks (docs/webhooks.md).

Give `verify` the body as it came, byte for byte: a body that was parsed and written anew has another signature.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping
from typing import Any, Union

from ._errors import SignatureError
from ._types import JobEvent, PingEvent, ProjectEvent

TOLERANCE = 300
"""Seconds that a webhook may be early or late."""

Event = Union[JobEvent, PingEvent, ProjectEvent]


def verify(
    body: bytes | bytearray | memoryview | str,
    headers: Mapping[str, str],
    secrets: str | Iterable[str],
    *,
    tolerance: float = TOLERANCE,
    now: float | None = None,
) -> Event:
    """The event of a webhook that is the service's; `SignatureError` otherwise.

    `secrets` are all that you know: during a rotation the old and the new one. `tolerance` is in seconds.
    """
    if isinstance(body, str):
        body = body.encode()
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise TypeError(
            "verify needs the raw body, as the bytes that came: what was parsed and written anew has another signature"
        )
    known = [secrets] if isinstance(secrets, str) else list(secrets)
    if not known or not all(isinstance(one, str) and one for one in known):
        raise ValueError("verify needs at least one secret, and none that is empty")
    lower = {name.lower(): value for name, value in headers.items()}
    is_job = "service-signature" in lower
    stamp, values = of_job(lower) if is_job else of_project(lower)
    now = time.time() if now is None else now
    if not re.fullmatch("[0-9]{1,15}", stamp):
        raise SignatureError("there is no signature, or it has no time")
    if abs(now - int(stamp)) > tolerance:
        raise SignatureError("the signature is not of now: it was sent too long ago, or a clock is wrong")
    signed = stamp.encode() + b"." + bytes(body)
    matched = False
    for secret in known:
        wanted = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
        for value in values:
            # No early end: the time tells nothing of which one it was.
            matched |= hmac.compare_digest(wanted, value.encode())
    if not matched:
        raise SignatureError("the signature is of another secret, or the body is not what was sent")
    return event(bytes(body), is_job)


def of_job(headers: Mapping[str, str]) -> tuple[str, list[str]]:
    """The time and the signatures of a job webhook."""
    parts = [part.strip().partition("=") for part in headers["service-signature"].split(",")]
    stamps = [value for name, _, value in parts if name == "t"]
    return (stamps[0] if len(stamps) == 1 else "", [value for name, _, value in parts if name == "v1"])


def of_project(headers: Mapping[str, str]) -> tuple[str, list[str]]:
    """The time and the signature of a project webhook."""
    scheme, _, value = headers.get("x-service-signature", "").partition("=")
    return (headers.get("x-service-timestamp", ""), [value] if scheme == "sha256" else [])


def event(body: bytes, is_job: bool) -> Event:
    """A verified body as what it is."""
    try:
        raw: Any = json.loads(body)
    except ValueError:
        raw = None
    if not isinstance(raw, dict):
        raise SignatureError("the body is signed, and is no JSON object")
    if not is_job:
        return ProjectEvent(raw)
    return PingEvent(raw) if raw.get("type") == "ping" else JobEvent(raw)
