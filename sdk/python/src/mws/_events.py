"""The account's event stream: server-sent events put together from lines, without any IO."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from . import _types as types


@dataclass(frozen=True)
class Streamed:
    """One event of the stream."""

    place: str
    """Where it stands: `events.stream(since=place)` goes on after it."""
    event: types.JobEvent
    """The event, as endpoints are sent it."""


class Decoder:
    """Puts events together from the lines of a stream, and keeps the place that was reached."""

    def __init__(self, place: str | None) -> None:
        self.place = place
        self._id: str | None = None
        self._data: list[str] = []

    def line(self, line: str) -> Streamed | None:
        """Takes a line; returns the event that it completes."""
        if line:
            name, _, value = line.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if name == "id":
                self._id = value
            elif name == "data":
                self._data.append(value)
            return None
        place, data = self._id, "\n".join(self._data)
        self._id, self._data = None, []
        if place is not None:
            self.place = place
        if not data or place is None:
            return None
        return Streamed(place, types.JobEvent(json.loads(data)))

    def broke(self) -> None:
        """Forgets what had not come as a whole: it is told again after the last place."""
        self._id, self._data = None, []

    def headers(self) -> dict[str, Any]:
        """What to ask for the stream with."""
        return {"Last-Event-ID": self.place} if self.place else {}
