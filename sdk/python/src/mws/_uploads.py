"""Sending a file: announced with its checksum, sent in pieces of which each is proved, gone on with where it broke.

The pieces go to the service by tus 1.0.0, whatever else the answer offers: what the service has acknowledged stays.
"""

from __future__ import annotations

import base64
import hashlib
import io
import mimetypes
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO

from . import _types as types
from ._core import SILENCE, Broken, Flow, Request, Response, Send, Settings, Sleep, Work, call, refusal
from ._errors import ApiError, MwsError, UploadInterrupted
from ._operations import OPERATIONS

CHUNK_BYTES = 8 << 20
# Tries that bring nothing, one after the other, before it is given up; a try that brings something begins anew.
KEEPS = 1 << 20
TYPES = {
    ".mkv": "video/x-matroska", ".m4v": "video/x-m4v", ".flac": "audio/flac", ".opus": "audio/opus",
    ".m4a": "audio/mp4", ".mka": "audio/x-matroska", ".wav": "audio/wav", ".ogg": "audio/ogg", ".webp": "image/webp",
    ".ts": "video/mp2t", ".aac": "audio/aac",
}


@dataclass(frozen=True)
class Progress:
    """How far an upload is."""

    upload: types.Upload
    """The upload: `upload.raw` is JSON to keep for `resume`."""
    acknowledged: int
    """Bytes that the service has said to have."""
    total: int
    """Bytes of the file."""


class Source:
    """The bytes of a file, whatever they were given as."""

    def __init__(self, given: str | os.PathLike[str] | bytes | BinaryIO, filename: str | None) -> None:
        self._given, self._file = given, None
        if filename is None and isinstance(given, (str, os.PathLike)):
            filename = os.path.basename(os.fspath(given))
        name = filename or getattr(given, "name", None)
        if not isinstance(name, str) or not name:
            raise ValueError("what is not a file on disk needs a filename, such as filename='talk.mp4'")
        self.filename = os.path.basename(name)

    def content_type(self, given: str | None) -> str:
        """The media type: what was said, or what the name speaks of."""
        end = os.path.splitext(self.filename)[1].lower()
        known = given or TYPES.get(end) or mimetypes.guess_type(self.filename)[0]
        if not known:
            raise ValueError(f"{self.filename!r} does not end like a media file: say content_type='video/mp4', say")
        return known

    def measure(self) -> tuple[int, str]:
        """How many bytes there are, and their SHA-256. A stream that can't go back is kept in a temporary file."""
        given = self._given
        if isinstance(given, (bytes, bytearray, memoryview)):
            self._file = io.BytesIO(given)
        elif isinstance(given, (str, os.PathLike)):
            self._file = open(given, "rb")
        elif given.seekable():
            self._file = given
        else:
            self._file = tempfile.TemporaryFile()
            while block := given.read(KEEPS):
                self._file.write(block)
            self._file.seek(0)
        self._start = self._file.tell()
        digest, size = hashlib.sha256(), 0
        while block := self._file.read(KEEPS):
            digest.update(block)
            size += len(block)
        return size, digest.hexdigest()

    def piece(self, at: int) -> bytes:
        """The bytes from this one on, as many as are sent at once."""
        self._file.seek(self._start + at)
        return self._file.read(CHUNK_BYTES)

    def close(self) -> None:
        """Lets go of what was opened here."""
        if self._file is not None and self._file is not self._given:
            self._file.close()


def upload(
    settings: Settings,
    source: Source,
    *,
    content_type: str | None,
    ref: str | None,
    reads: Any,
    resume: types.Upload | Mapping[str, Any] | None,
    on_progress: Callable[[Progress], Any] | None,
    idempotency_key: str | None,
    workspace_id: str | None,
) -> Flow[types.LibraryItem]:
    """Sends the file and returns its item, which is still being looked at."""
    try:
        size, digest = yield Work(source.measure)
        went_before = resume is not None
        if resume is None:
            body = {"filename": source.filename, "content_type": source.content_type(content_type), "bytes": size,
                    "sha256": digest}
            answer = yield from call(
                settings, OPERATIONS["create_upload"], body=body, maybe={"ref": ref, "reads": reads},
                idempotency_key=idempotency_key, workspace_id=workspace_id,
            )
            going, went_before = types.Upload(answer.json()), answer.headers.get("idempotent-replayed") == "true"
        else:
            going = resume if isinstance(resume, types.Upload) else types.Upload(resume)
        yield from send(settings, source, going, size, went_before, on_progress)
        path = {"id": going.id}
        answer = yield from call(settings, OPERATIONS["complete_upload"], path=path, workspace_id=workspace_id)
        return types.LibraryItem(answer.json())
    finally:
        source.close()


def send(
    settings: Settings,
    source: Source,
    going: types.Upload,
    size: int,
    ask_first: bool,
    on_progress: Callable[[Progress], Any] | None,
) -> Flow[None]:
    """Sends what is missing of the bytes."""
    if going.upload is None:
        raise MwsError("the answer holds no URL to send the bytes to")
    url, at, vain = going.upload.resumable_url, 0, 0
    must_ask = ask_first
    if on_progress is not None:
        on_progress(Progress(going, 0, size))
    while must_ask or at < size:
        error: Exception
        try:
            if must_ask:
                reached = offset(settings, (yield Send(tus(settings, "HEAD", url, {}, None))), at)
                must_ask = False
            else:
                piece = yield Work(partial(source.piece, at))
                proof = base64.b64encode(hashlib.sha256(piece).digest()).decode()
                headers = {"Upload-Offset": str(at), "Upload-Checksum": f"sha256 {proof}",
                           "Content-Type": "application/offset+octet-stream"}
                reached = offset(settings, (yield Send(tus(settings, "PATCH", url, headers, piece))), at)
        except (Broken, ApiError) as caught:
            error = caught
        else:
            if reached > at:
                at, vain = reached, 0
                if on_progress is not None:
                    on_progress(Progress(going, at, size))
            continue
        # Where the bytes go on is the service's to say: after a break, a mismatch, or another request for this upload.
        passing = isinstance(error, Broken) or error.retryable or error.status in (409, 460)
        if not passing or vain >= len(settings.retries):
            raise UploadInterrupted(f"the upload stopped at {at} of {size} bytes: {error.__cause__ or error}", going, at
                                    ) from error
        asked = error.retry_after if isinstance(error, ApiError) else None
        yield Sleep(settings.retries[vain] if asked is None else asked)
        must_ask, vain = True, vain + 1


def tus(settings: Settings, method: str, url: str, headers: dict[str, str], content: bytes | None) -> Request:
    """A request to the URL of the bytes, which needs no credential but itself."""
    sent = {"Tus-Resumable": "1.0.0", "User-Agent": settings.user_agent, **headers}
    return Request(method, url, sent, content, SILENCE * 4)


def offset(settings: Settings, response: Response, at: int) -> int:
    """How far the bytes have come, as an answer says."""
    if response.status >= 400:
        raise refusal(response)
    return int(response.headers.get("upload-offset", at))
