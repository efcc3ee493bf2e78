"""The two clients. They share every decision (`_core`), and differ in how they wait."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import anyio
import anyio.to_thread
import httpx

from . import _types as types
from ._call import AsyncPages, Page
from ._core import (
    RETRIES,
    SILENCE,
    USER_AGENT,
    Broken,
    Flow,
    Operation,
    Response,
    Send,
    Settings,
    Sleep,
    Work,
    call,
    refusal,
)
from ._errors import ConnectionFailed, is_passing
from ._events import Decoder, Streamed
from ._jobs import wait_for_item, wait_for_jobs
from ._model import shaped
from ._operations import OPERATIONS, AsyncGroups, Groups
from ._uploads import Progress, Source, upload

CONNECT = 10.0
# Between two comments of an event stream there are 15 seconds (contract §6.4).
STREAM_SILENCE = 45.0
STREAM_PAUSES = (0.5, 1.0, 2.0, 5.0, 15.0)


def settings_of(
    base_url: str | None,
    api_key: str | None,
    workspace_id: str | None,
    timeout: float,
    retries: Sequence[float],
    user_agent: str | None,
) -> Settings:
    """What a client is told, or the environment says."""
    base_url = base_url or os.environ.get("MWS_BASE_URL", "")
    api_key = api_key or os.environ.get("MWS_API_KEY", "")
    if not base_url or not api_key:
        raise ValueError("a client needs base_url and api_key, or MWS_BASE_URL and MWS_API_KEY in the environment")
    agent = f"{user_agent} {USER_AGENT}" if user_agent else USER_AGENT
    return Settings(base_url.rstrip("/"), api_key, workspace_id, timeout, tuple(retries), agent)


def asked(request: Any) -> dict[str, Any]:
    """A request as httpx takes it."""
    timeout = httpx.Timeout(request.silence, connect=min(CONNECT, request.silence))
    return {"method": request.method, "url": request.url, "headers": request.headers, "content": request.content,
            "timeout": timeout}


def answered(answer: httpx.Response) -> Response:
    """An answer without httpx."""
    return Response(answer.status_code, {name.lower(): value for name, value in answer.headers.items()}, answer.content)


def result(operation: Operation, response: Response) -> Any:
    """What a method returns."""
    kind = response.headers.get("content-type", "")
    if operation.texts and "json" not in kind:
        return response.content.decode()
    raw = response.json() if response.content else None
    return shaped(raw, operation.answer) if operation.answer is not None else raw


def other(method: str, path: str, idempotency_key: str | None) -> Operation:
    """An operation that this release does not know. A POST with a key may be sent again."""
    repeat = "kept" if idempotency_key else "refused" if method.upper() == "POST" else "harmless"
    return Operation("other", method.upper(), path, repeat)


def do_or_close(flow: Flow[Any], do: Callable[[], Any]) -> Any:
    """Does a flow's work. What that raises is the caller's, and ends the flow, which lets go of its file."""
    try:
        return do()
    except BaseException:
        flow.close()
        raise


class Jobs:
    """Waiting for jobs."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def wait(
        self,
        job_ids: Sequence[str],
        timeout: float | None = None,
        on_progress: Callable[[list[types.JobAnswer]], Any] | None = None,
    ) -> list[types.JobAnswer]:
        """The jobs once all have ended, succeeded or not. `WaitTimeout` carries the ids: call it again with them."""
        return self._client._run(wait_for_jobs(self._client.settings, job_ids, timeout, on_progress))


class AsyncJobs:
    """Waiting for jobs."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def wait(
        self,
        job_ids: Sequence[str],
        timeout: float | None = None,
        on_progress: Callable[[list[types.JobAnswer]], Any] | None = None,
    ) -> list[types.JobAnswer]:
        """The jobs once all have ended, succeeded or not. `WaitTimeout` carries the ids: call it again with them."""
        return await self._client._run(wait_for_jobs(self._client.settings, job_ids, timeout, on_progress))


class Prepared:
    """What `prepare` started."""

    def __init__(self, client: Any, answer: types.ToolAnswerPreparedMedia) -> None:
        self._client = client
        self.answer = answer
        """The answer of `prepare_media`, whole."""
        self.job_ids: list[str] = answer.data.job_ids
        """The jobs to wait for: keep them, and any process can."""

    def wait(self, timeout: float | None = None) -> Any:
        """As `jobs.wait`, for these jobs; to be awaited with an asynchronous client."""
        return self._client.jobs.wait(self.job_ids, timeout)


class Events:
    """The account's event stream."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def stream(self, since: str | None = None) -> Iterator[Streamed]:
        """The account's events from now on, or after a place. It never ends by itself: a stream that breaks is opened
        again after the last event, so that none is missed and none comes twice."""
        client, decoder, vain = self._client, Decoder(since), 0
        while True:
            try:
                with client.http.stream(**client._streaming(decoder)) as answer:
                    if answer.status_code != 200:
                        answer.read()
                        client._refused(answered(answer))
                    else:
                        for line in answer.iter_lines():
                            vain = 0
                            if (told := decoder.line(line)) is not None:
                                yield told
            except httpx.TransportError as error:
                if not client.settings.retries:
                    raise ConnectionFailed(f"the event stream broke: {error}") from error
            decoder.broke()
            time.sleep(STREAM_PAUSES[min(vain, len(STREAM_PAUSES) - 1)])
            vain += 1


class AsyncEvents:
    """The account's event stream."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def stream(self, since: str | None = None) -> AsyncIterator[Streamed]:
        """The account's events from now on, or after a place. It never ends by itself: a stream that breaks is opened
        again after the last event, so that none is missed and none comes twice."""
        client, decoder, vain = self._client, Decoder(since), 0
        while True:
            try:
                async with client.http.stream(**client._streaming(decoder)) as answer:
                    if answer.status_code != 200:
                        await answer.aread()
                        client._refused(answered(answer))
                    else:
                        async for line in answer.aiter_lines():
                            vain = 0
                            if (told := decoder.line(line)) is not None:
                                yield told
            except httpx.TransportError as error:
                if not client.settings.retries:
                    raise ConnectionFailed(f"the event stream broke: {error}") from error
            decoder.broke()
            await anyio.sleep(STREAM_PAUSES[min(vain, len(STREAM_PAUSES) - 1)])
            vain += 1


class _Shared:
    """What both clients are told."""

    settings: Settings

    def _streaming(self, decoder: Decoder) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.settings.api_key}", "User-Agent": self.settings.user_agent,
                   "Accept": "text/event-stream", **decoder.headers()}
        return {"method": "GET", "url": f"{self.settings.base_url}/events/stream", "headers": headers,
                "timeout": httpx.Timeout(STREAM_SILENCE, connect=CONNECT)}

    def _refused(self, response: Response) -> None:
        error = refusal(response)
        if not is_passing(error.status, error.code) or not self.settings.retries:
            raise error

    def _upload(self, source: Any, filename: str | None, **more: Any) -> Flow[types.LibraryItem]:
        return upload(self.settings, Source(source, filename), **more)

    def _import(self, url: str, filename: str | None, ref: str | None, reads: Any, **more: Any) -> Flow[Response]:
        maybe = {"filename": filename, "ref": ref, "reads": reads}
        return call(self.settings, OPERATIONS["create_upload"], body={"url": url}, maybe=maybe, **more)


class Client(_Shared, Groups):
    """A synchronous client: one pool of connections, to be kept and shared, by threads too.

    `retries` are the seconds before each further try, none when empty; `timeout` is what a call may take with all of
    them. `http` takes an `httpx.Client` of yours, `transport` a transport of yours (proxies, tests).
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        workspace_id: str | None = None,
        timeout: float = 120.0,
        retries: Sequence[float] = RETRIES,
        user_agent: str | None = None,
        proxy: str | None = None,
        transport: httpx.BaseTransport | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        self.settings = settings_of(base_url, api_key, workspace_id, timeout, retries, user_agent)
        self._owned = http is None
        self.http = http or httpx.Client(transport=transport, proxy=proxy, timeout=SILENCE)
        Groups.__init__(self, self)
        self.jobs, self.events = Jobs(self), Events(self)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections, unless they are of a client of yours."""
        if self._owned:
            self.http.close()

    def _run(self, flow: Flow[Any]) -> Any:
        done: Any = None
        failed: Broken | None = None
        while True:
            try:
                wanted = flow.throw(failed) if failed is not None else flow.send(done)
            except StopIteration as ended:
                return ended.value
            done, failed = None, None
            match wanted:
                case Send(request):
                    try:
                        done = answered(self.http.request(**asked(request)))
                    except httpx.TransportError as error:
                        failed = Broken()
                        failed.__cause__ = error
                case Sleep(seconds):
                    time.sleep(seconds)
                case Work(do):
                    done = do_or_close(flow, do)

    def call(self, operation: Operation, **arguments: Any) -> Any:
        """Makes a call of the interface; the generated methods are this."""
        return result(operation, self._run(call(self.settings, operation, **arguments)))

    def pages(self, operation: Operation, **arguments: Any) -> Page[Any]:
        """Makes a call that is answered with a page."""
        return Page(self, operation, arguments, self._run(call(self.settings, operation, **arguments)).json())

    def request(self, method: str, path: str, body: Any = None, *, idempotency_key: str | None = None) -> Any:
        """Any request of the interface, below the base URL: for what this release does not know. Returns JSON."""
        operation = other(method, path, idempotency_key)
        return self.call(operation, body=body, idempotency_key=idempotency_key)

    def prepare(self, refs: Sequence[str], reads: Sequence[str], **more: Any) -> Prepared:
        """Starts reads, as `library.prepare_media`; `.wait()` on what it returns waits for them."""
        return Prepared(self, self.library.prepare_media(refs=refs, reads=reads, **more))

    def wait_for_item(self, item_id: str, timeout: float | None = None) -> types.LibraryItem:
        """The item once it is ready or failed."""
        return self._run(wait_for_item(self.settings, item_id, timeout))

    def upload(
        self,
        source: str | os.PathLike[str] | bytes | BinaryIO | None = None,
        *,
        url: str | None = None,
        filename: str | None = None,
        content_type: str | None = None,
        ref: str | None = None,
        reads: Sequence[str] | None = None,
        resume: types.Upload | Mapping[str, Any] | None = None,
        on_progress: Callable[[Progress], Any] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
    ) -> types.LibraryItem:
        """Puts a file (a path, bytes, or a stream) into the library, or has the service fetch a URL; returns its item.

        With an `idempotency_key` of yours the same call again, in another process too, goes on with the same upload.
        """
        more = {"idempotency_key": idempotency_key, "workspace_id": workspace_id}
        if url is not None:
            started = types.Upload(self._run(self._import(url, filename, ref, reads, **more)).json())
            return self.library.get_library_item(started.item_id, workspace_id=workspace_id)
        given = {"content_type": content_type, "ref": ref, "reads": reads, "resume": resume, "on_progress": on_progress}
        return self._run(self._upload(source, filename, **given, **more))


class AsyncClient(_Shared, AsyncGroups):
    """The asynchronous client: as `Client`, on asyncio and trio."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        workspace_id: str | None = None,
        timeout: float = 120.0,
        retries: Sequence[float] = RETRIES,
        user_agent: str | None = None,
        proxy: str | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self.settings = settings_of(base_url, api_key, workspace_id, timeout, retries, user_agent)
        self._owned = http is None
        self.http = http or httpx.AsyncClient(transport=transport, proxy=proxy, timeout=SILENCE)
        AsyncGroups.__init__(self, self)
        self.jobs, self.events = AsyncJobs(self), AsyncEvents(self)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections, unless they are of a client of yours."""
        if self._owned:
            await self.http.aclose()

    async def _run(self, flow: Flow[Any]) -> Any:
        done: Any = None
        failed: Broken | None = None
        while True:
            try:
                wanted = flow.throw(failed) if failed is not None else flow.send(done)
            except StopIteration as ended:
                return ended.value
            done, failed = None, None
            match wanted:
                case Send(request):
                    try:
                        done = answered(await self.http.request(**asked(request)))
                    except httpx.TransportError as error:
                        failed = Broken()
                        failed.__cause__ = error
                case Sleep(seconds):
                    await anyio.sleep(seconds)
                case Work(do):
                    done = await anyio.to_thread.run_sync(do_or_close, flow, do)

    async def _answer(self, operation: Operation, **arguments: Any) -> Response:
        return await self._run(call(self.settings, operation, **arguments))

    async def call(self, operation: Operation, **arguments: Any) -> Any:
        """Makes a call of the interface; the generated methods are this."""
        return result(operation, await self._answer(operation, **arguments))

    def pages(self, operation: Operation, **arguments: Any) -> AsyncPages[Any]:
        """Makes a call that is answered with a page."""
        return AsyncPages(self, operation, arguments)

    async def request(self, method: str, path: str, body: Any = None, *, idempotency_key: str | None = None) -> Any:
        """Any request of the interface, below the base URL: for what this release does not know. Returns JSON."""
        operation = other(method, path, idempotency_key)
        return await self.call(operation, body=body, idempotency_key=idempotency_key)

    async def prepare(self, refs: Sequence[str], reads: Sequence[str], **more: Any) -> Prepared:
        """Starts reads, as `library.prepare_media`; `.wait()` on what it returns waits for them."""
        return Prepared(self, await self.library.prepare_media(refs=refs, reads=reads, **more))

    async def wait_for_item(self, item_id: str, timeout: float | None = None) -> types.LibraryItem:
        """The item once it is ready or failed."""
        return await self._run(wait_for_item(self.settings, item_id, timeout))

    async def upload(
        self,
        source: str | os.PathLike[str] | bytes | BinaryIO | None = None,
        *,
        url: str | None = None,
        filename: str | None = None,
        content_type: str | None = None,
        ref: str | None = None,
        reads: Sequence[str] | None = None,
        resume: types.Upload | Mapping[str, Any] | None = None,
        on_progress: Callable[[Progress], Any] | None = None,
        idempotency_key: str | None = None,
        workspace_id: str | None = None,
    ) -> types.LibraryItem:
        """As `Client.upload`."""
        more = {"idempotency_key": idempotency_key, "workspace_id": workspace_id}
        if url is not None:
            started = types.Upload((await self._run(self._import(url, filename, ref, reads, **more))).json())
            return await self.library.get_library_item(started.item_id, workspace_id=workspace_id)
        given = {"content_type": content_type, "ref": ref, "reads": reads, "resume": resume, "on_progress": on_progress}
        return await self._run(self._upload(source, filename, **given, **more))
