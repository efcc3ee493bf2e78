"""Objects of the interface, seen through attributes.

A model keeps the JSON that came, whole, in `raw`. A field that this release does not know is there as an attribute
too, an optional one that did not come is None, and nothing is checked: what the service adds later breaks nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, ClassVar


class Model:
    """A JSON object of the interface."""

    __slots__ = ("raw",)
    _known: ClassVar[frozenset[str]] = frozenset()
    _shapes: ClassVar[Mapping[str, Any]] = {}

    raw: dict[str, Any]
    """The object as it came."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = dict(raw)

    def __init_subclass__(cls) -> None:
        cls._known = frozenset(cls.__dict__.get("__annotations__", {}))

    def __getattr__(self, name: str) -> Any:
        field = name[:-1] if name.endswith("_") and name in self._known else name
        if field in self.raw:
            return shaped(self.raw[field], self._shapes.get(field))
        if name in self._known:
            return None
        raise AttributeError(f"{type(self).__name__} has no field {name!r}")

    def __setstate__(self, state: Any) -> None:
        self.raw = state[1]["raw"]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.raw == other.raw

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.raw!r})"


def shapes(*table: tuple[type[Model], Mapping[str, Any]]) -> None:
    """Says of each class which of its fields are objects themselves. Called once all classes are there."""
    for cls, fields in table:
        cls._shapes = fields


def shaped(value: Any, shape: Any) -> Any:
    """A raw value as what it is: a model, a list of models, or itself."""
    if shape is None or value is None:
        return value
    if isinstance(value, list):
        return [shaped(one, shape) for one in value]
    if not isinstance(value, Mapping):
        return value
    # Of several kinds, the one that has most of what came.
    kinds = getattr(shape, "__args__", (shape,))
    return max(kinds, key=lambda kind: len(kind._known & value.keys()) - len(value.keys() - kind._known))(value)


def plain(value: Any) -> Any:
    """What is sent for a value: models as their JSON, times as RFC 3339."""
    if isinstance(value, Model):
        return value.raw
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("a time needs its zone: datetime.now(timezone.utc), not datetime.now()")
        return value.isoformat()
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return [plain(one) for one in value]
    return value
