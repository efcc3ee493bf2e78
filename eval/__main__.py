"""`make eval`: makes the media, has the service read them and make others of them, judges the answers and prints two tables.

    python -m eval [--only PART,…] [--seeds 1,2] [--program target/debug/mws] [--keep FOLDER] [--write docs/reads.md,docs/making.md]

A folder that is kept is taken up again: what was answered there is judged anew, and not asked a second time. Exits with 1 when
a bar is missed. Each figure of a table is the worse one of both sets of seeds. Where only parts are run their rows are put into
the table that is there; where only one set of seeds is run nothing is written but the speed, which is measured once."""

import argparse
import json
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path

from . import speed
from .making import MAKING
from .making.desk import Desk
from .making.outside import Outside
from .rows import Heard, Row, Sample, into_document, table, worse_table
from .service import Service
from .studio import Studio
from .themes import THEMES, with_parts


def main() -> int:
    # A service that is left running is worse than an evaluation that is not finished.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    arguments = parsed()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mws-eval-") as temporary:
        folder = arguments.keep or Path(temporary)
        # Media are made anew for what is true of them; the same seeds make the same files.
        shutil.rmtree(folder / "media", ignore_errors=True)
        shutil.rmtree(folder / "data", ignore_errors=True)
        (folder / "data").mkdir(parents=True)
        studio = Studio(folder / "media")
        outside = Outside(folder)
        with Service(arguments.program, folder / "data", outside.settings) as service:
            columns, engines = evaluated(service, studio, folder, arguments)
            making = making_evaluated(service, outside, folder, arguments)
    both = {1, 2} <= set(arguments.seeds)
    tables = [(columns, {*THEMES, "speed"}, lambda some: table(some, engines)), (making, set(MAKING), worse_table)]
    for document, (found, parts, lines) in zip_longest(arguments.write[:2], tables):
        if any(found):
            print("\n".join(lines(found)))
        written = found if both else [[row for row in rows if row.read == "speed"] for rows in found]
        if document and any(written):
            whole = both and parts <= set(arguments.only)
            document.write_text(into_document(document.read_text(), lines(written), whole))
    say(f"{time.monotonic() - began:.0f} s")
    missed = [row for rows in columns + making for row in rows if row.verdict == "MISS"]
    return 1 if missed else 0


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="eval", description=__doc__.split("\n")[0])
    parser.add_argument("--only", type=lambda text: with_parts(text.split(",")), default=[*THEMES, "speed", *MAKING])
    parser.add_argument("--seeds", type=lambda text: [int(number) for number in text.split(",")], default=[1, 2])
    parser.add_argument("--program", type=Path, default=Path("target/debug/mws"))
    parser.add_argument("--keep", type=Path, help="a folder that keeps the media, the answers and the service's log")
    documents = lambda text: [Path(name) for name in text.split(",")]
    parser.add_argument("--write", type=documents, default=[], help="the documents whose tables are replaced: of reads, of making")
    return parser.parse_args()


def evaluated(
    service: Service, studio: Studio, folder: Path, arguments: argparse.Namespace
) -> tuple[list[list[Row]], dict[str, str]]:
    """A column of rows for each set of seeds, and the engine of each read."""
    columns: list[list[Row]] = [[] for _ in arguments.seeds]
    engines: dict[str, str] = {}
    measured = None
    if "speed" in arguments.only:
        say("speed: one file at a time, while nothing else runs")
        measured = once(folder / "speed.json", lambda: speed.measured(service, studio))
    for column, seeds in zip(columns, arguments.seeds):
        for name, theme in THEMES.items():
            if name not in arguments.only:
                continue
            say(f"{name}, seeds {seeds}: making media")
            samples = theme.samples(studio, seeds)
            say(f"{name}, seeds {seeds}: {len(samples)} files are read")
            stored = once(folder / f"{name}-{seeds}.json", lambda: answers(service, samples))
            heard = [Heard(sample, stored[sample.path.name]) for sample in samples]
            engines |= {read: engine(answer) for one in stored.values() for read, answer in one.items()}
            column += theme.rows(heard)
    if measured:
        columns[0] += speed.rows(measured)
    return columns, engines


def making_evaluated(service: Service, outside: Outside, folder: Path, arguments: argparse.Namespace) -> list[list[Row]]:
    """A column of rows of what is made for each set of seeds."""
    columns: list[list[Row]] = [[] for _ in arguments.seeds]
    for column, seeds in zip(columns, arguments.seeds):
        for name, part in MAKING.items():
            if name not in arguments.only:
                continue
            place = folder / "making" / f"{name}-{seeds}"

            def work() -> dict:
                say(f"{name}, seeds {seeds}: making")
                shutil.rmtree(place, ignore_errors=True)
                return part.made(Desk(service, place, outside), seeds)

            found = once(folder / f"made-{name}-{seeds}.json", work)
            say(f"{name}, seeds {seeds}: judging")
            column += part.rows(place, found, seeds)
    return columns


def answers(service: Service, samples: list[Sample]) -> dict[str, dict]:
    """The stored reads of all samples, by the names of their files."""
    stored = service.read_all([(sample.path, sample.reads) for sample in samples])
    return {sample.path.name: answer for sample, answer in zip(samples, stored)}


def once(file: Path, work: Callable[[], dict]) -> dict:
    """What the file holds, or else what the work comes to, kept in it."""
    if not file.exists():
        found = work()
        unfinished = file.with_suffix(".new")
        unfinished.write_text(json.dumps(found, indent=1))
        unfinished.rename(file)
    return json.loads(file.read_text())


def engine(stored: dict) -> str:
    return f"{stored['engine']['name']} {stored['engine']['version']}"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
