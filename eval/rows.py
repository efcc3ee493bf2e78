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


def worst(columns: list[list[Row]]) -> list[Row]:
    """Each figure once, the worse one of all sets of seeds, in the order in which they come."""
    found: dict[tuple[str, str], Row] = {}
    for row in (row for rows in columns for row in rows):
        before = found.setdefault((row.read, row.metric), row)
        worse = row.bar.worse if row.bar else row.worse
        found[row.read, row.metric] = replace(row, value=worse(before.value, row.value))
    return list(found.values())


def table(columns: list[list[Row]], engines: dict[str, str]) -> list[str]:
    """Markdown lines: a row a figure of a read, each the worse one of all sets of seeds, with its engine."""
    lines = ["| read | metric | bar | result | engine | |", "|---" * 6 + "|"]
    for row in worst(columns):
        bar, figure = row.bar.text if row.bar else "–", f"{row.value:.{row.digits}f}"
        lines.append(f"| {row.read} | {row.metric} | {bar} | {figure} | {engines.get(row.read, '–')} | {row.verdict} |")
    return lines


def worse_table(columns: list[list[Row]]) -> list[str]:
    """Markdown lines: a row a figure of what is made, each the worse one of all sets of seeds."""
    lines = ["| of | metric | bar | result | |", "|---" * 5 + "|"]
    for row in worst(columns):
        bar = row.bar.text if row.bar else "–"
        lines.append(f"| {row.read} | {row.metric} | {bar} | {row.value:.{row.digits}f} | {row.verdict} |")
    return lines


def into_document(document: str, lines: list[str], whole: bool = True) -> str:
    """The document with these lines between its two marks. Where they are not the whole table, its other rows stay."""
    before, rest = document.split(BEGIN)
    old, after = rest.split(END)
    lines = lines if whole else merged(old.strip().split("\n"), lines)
    return f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}"


def merged(old: list[str], new: list[str]) -> list[str]:
    """The old table with the new rows in the places of theirs; one without a place comes after the last one of its read."""
    if old[:2] != new[:2]:
        raise ValueError("the document's table has other columns: measure everything once")
    rows = {named(line): line for line in old[2:]}
    for line in new[2:]:
        if named(line) not in rows:
            of_read = [at for at, (read, _) in enumerate(rows) if read == named(line)[0]]
            at = of_read[-1] + 1 if of_read else len(rows)
            before = list(rows.items())
            rows = dict([*before[:at], (named(line), line), *before[at:]])
        rows[named(line)] = line
    return [*new[:2], *rows.values()]


def named(line: str) -> tuple[str, str]:
    """What a row is of, and its metric."""
    read, metric = (cell.strip() for cell in line.strip("|").split("|")[:2])
    return read, metric
