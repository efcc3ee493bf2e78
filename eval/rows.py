"""The rows of the table, and the table itself."""

from dataclasses import dataclass, field, replace
from typing import Any, Callable

BEGIN, END = "<!-- written by make eval -->", "<!-- end -->"


@dataclass(frozen=True)
class Bar:
    """What a figure has to reach. A figure without a bar is told and judges nothing."""

    text: str
    met: Callable[[float], bool]
    # Which of two figures is the worse one.
    worse: Callable[[float, float], float] = max

    @staticmethod
    def at_least(value: float) -> "Bar":
        return Bar(f"≥ {value:g}", lambda found: found >= value, min)

    @staticmethod
    def at_most(value: float) -> "Bar":
        return Bar(f"≤ {value:g}", lambda found: found <= value)


@dataclass
class Row:
    """One figure of one read."""

    read: str
    metric: str
    value: float
    bar: Bar | None = None
    digits: int = 3
    # Which of two figures without a bar is the worse one.
    worse: Callable[[float, float], float] = max

    @property
    def verdict(self) -> str:
        if self.bar is None:
            return "told"
        # Judged as printed, so that the table can be checked with the eye.
        return "pass" if self.bar.met(round(self.value, self.digits)) else "MISS"


@dataclass
class Sample:
    """A media file, the reads to ask for, and what is true of it. `group` says which figure it belongs to."""

    path: Any
    reads: tuple[str, ...]
    truth: Any
    group: str


@dataclass
class Heard:
    """A sample and the stored reads that the service answered for it."""

    sample: Sample
    stored: dict[str, dict] = field(default_factory=dict)

    @property
    def data(self) -> dict:
        return self.stored[self.sample.reads[0]]["data"]

    @property
    def truth(self) -> Any:
        return self.sample.truth


def of(heard: list[Heard], group: str) -> list[Heard]:
    """The samples of a group; a figure of none would be made up."""
    found = [one for one in heard if one.sample.group == group]
    if not found:
        raise LookupError(f"no sample of the group {group!r}")
    return found


def table(columns: list[list[Row]], engines: dict[str, str]) -> list[str]:
    """Markdown lines: a row a figure, a column a set of seeds."""
    names = ["result", "other seeds and voices"][: len(columns)]
    lines = [
        "| read | metric | bar | " + " | ".join(names) + " | engine | |",
        "|---" * (5 + len(columns)) + "|",
    ]
    by_key: dict[tuple[str, str], list[Row | None]] = {}
    for number, rows in enumerate(columns):
        for row in rows:
            by_key.setdefault((row.read, row.metric), [None] * len(columns))[number] = row
    for (read, metric), found in by_key.items():
        some = next(row for row in found if row)
        figures = [f"{row.value:.{row.digits}f}" if row else "–" for row in found]
        verdicts = {row.verdict for row in found if row}
        verdict = "MISS" if "MISS" in verdicts else verdicts.pop()
        bar = some.bar.text if some.bar else "–"
        lines.append(f"| {read} | {metric} | {bar} | {' | '.join(figures)} | {engines.get(read, '–')} | {verdict} |")
    return lines


def worse_table(columns: list[list[Row]]) -> list[str]:
    """Markdown lines: a row a figure, each the worse one of all sets of seeds."""
    worst: dict[tuple[str, str], Row] = {}
    for row in (row for rows in columns for row in rows):
        before = worst.setdefault((row.read, row.metric), row)
        worse = row.bar.worse if row.bar else row.worse
        worst[row.read, row.metric] = replace(row, value=worse(before.value, row.value))
    lines = ["| of | metric | bar | result | |", "|---" * 5 + "|"]
    for row in worst.values():
        bar = row.bar.text if row.bar else "–"
        lines.append(f"| {row.read} | {row.metric} | {bar} | {row.value:.{row.digits}f} | {row.verdict} |")
    return lines


def into_document(document: str, lines: list[str]) -> str:
    """The document with the lines between its two marks."""
    before, rest = document.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}"
