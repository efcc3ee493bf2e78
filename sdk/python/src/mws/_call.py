"""What the generated methods stand on: groups of operations, and pages that go on by themselves."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator, Iterator
from typing import Any, Generic, TypeVar

from ._core import Operation
from ._model import shaped

__all__ = ["AsyncGroup", "AsyncPages", "Group", "Operation", "Page"]

T = TypeVar("T")


class Group:
    """The operations of a tag, of a client."""

    __slots__ = ("_client",)

    def __init__(self, client: Any) -> None:
        self._client = client


class AsyncGroup(Group):
    """The same, of an asynchronous client."""

    __slots__ = ()


class Page(Generic[T]):
    """A page of a list. To go through it is to go through all that follow, which are asked for as they are needed."""

    def __init__(self, client: Any, operation: Operation, arguments: dict[str, Any], raw: dict[str, Any]) -> None:
        self._client, self._operation, self._arguments = client, operation, arguments
        self.raw = raw
        """The answer as it came."""
        held = raw
        for name in operation.rows[:-1]:
            held = held.get(name, {})
        row = operation.answer
        for name in operation.rows:
            row = row._shapes[name]
        self.data: list[T] = shaped(held.get(operation.rows[-1], []), row)
        """The rows of this page."""
        self.has_more = bool(held.get("has_more"))
        """Whether there are rows after these."""
        self.next_cursor: str | None = held.get("next_cursor")
        """Where those begin."""

    def following(self) -> dict[str, Any]:
        """The arguments of the call for the page after this one."""
        where = "maybe" if self._arguments.get("body") is not None else "query"
        return {**self._arguments, where: {**self._arguments[where], "cursor": self.next_cursor}}

    def next_page(self) -> Page[T] | None:
        """The page after this one; None after the last."""
        if not self.next_cursor:
            return None
        page: Page[T] = self._client.pages(self._operation, **self.following())
        return page

    def __iter__(self) -> Iterator[T]:
        page: Page[T] | None = self
        while page is not None:
            yield from page.data
            page = page.next_page()


class AsyncPages(Generic[T]):
    """A list. Awaited, it is its first page; gone through by `async for`, all of its rows."""

    def __init__(self, client: Any, operation: Operation, arguments: dict[str, Any]) -> None:
        self._client, self._operation, self._arguments = client, operation, arguments

    async def _page(self, arguments: dict[str, Any]) -> Page[T]:
        response = await self._client._answer(self._operation, **arguments)
        return Page(self._client, self._operation, arguments, response.json())

    def __await__(self) -> Generator[Any, None, Page[T]]:
        return self._page(self._arguments).__await__()

    async def __aiter__(self) -> AsyncIterator[T]:
        page = await self._page(self._arguments)
        while True:
            for row in page.data:
                yield row
            if not page.next_cursor:
                return
            page = await self._page(page.following())
