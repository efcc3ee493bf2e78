"""Dubs from English into Spanish: when each segment is heard, who speaks when, how loud it is, and what is spoken anew."""

from pathlib import Path

import numpy as np

from .. import films as judge
from .. import judges
from ..footage import RATE, counted
from ..rows import Bar, Row
from ..studio import sequence
from ..themes.texts import LINES
from .desk import Desk
from .films import RATES

# Whose turn it is, line by line.
VOICES = {1: ["slt", "rms", "slt", "rms", "slt", "rms"], 2: ["rms", "awb", "slt", "rms", "awb", "slt"]}
# Sound is heard in a window that is not this far below the loudest one.
WINDOW, FLOOR_DB = 0.01, -45
# Words of a voice that are nearer to each other are one stretch.
APART = 0.3
SCRIPT = {
    1: [
        "Buenos días y bienvenidos.",
        "Esta frase es demasiado larga para el poco tiempo que le queda aquí, y sigue después.",
        "Gracias.",
    ],
    2: [
        "El río está muy alto hoy.",
        "Gracias.",
        "Nadie puede decir todo esto en un segundo y medio, y por eso se oye más tarde.",
    ],
}


def made(desk: Desk, seeds: int) -> dict:
    lines = LINES[seeds][:6]
    parts = [desk.studio.say(f"flite:{voice}", line) for voice, line in zip(VOICES[seeds], lines)]
    sound, spans = sequence(parts, [0.6, 1.1, 0.9, 1.4, 1.0, 1.2, 1.0])
    path = desk.studio.wav("lecture.wav", 0.6 * sound)
    if seeds == 2:
        path = counted(desk.studio.path("lecture.mp4"), 3, RATES[1][1][0][1], judge.decoded(path))
    item = desk.item(path)
    asked = {"ref": item, "target_language": "es", "keep_background": seeds == 2}
    first = desk.ready("dub", **asked)
    before = kept(desk, first["dub_id"], "first")
    # The one with the most time left is said in a word, so that no other has to wait for it or comes sooner.
    fits = [one for one in before["segments"] if not one["overflow"]]
    longest = max(fits, key=lambda one: one["end"] - one["start"])
    op = {"op": "update_segment", "segment_id": longest["id"], "translation": "Muchas gracias a todos."}
    desk.tool("edit_dub", dub_id=first["dub_id"], ops=[op])
    again = desk.ready("render_dub", dub_id=first["dub_id"])["job"]["result"]
    after = kept(desk, first["dub_id"], "again")
    script = [{"start": 1.0 + 4 * n, "end": 2.5 + 4 * n, "text": text} for n, text in enumerate(SCRIPT[seeds])]
    told = desk.ready("dub", ref=item, target_language="es", script=script)
    ops = [{"op": "set_format", "width": 640, "height": 360, "fps": 25}]
    ops.append({"op": "add_scene", "ref": item, "start": 1.0, "duration": 12.0})
    timeline = desk.timeline(f"Lecture {seeds}", ops)
    of_timeline = desk.ready("dub", timeline_id=timeline["id"], target_language="es", script=script)
    desk.fetched(of_timeline["output_item_id"], "timeline.dub")
    desk.rendered(timeline["id"], "timeline.mp4")
    desk.rendered(of_timeline["timeline_id"], "variant.mp4")
    return {
        "source": path.name,
        "turns": [[*span, voice] for span, voice in zip(spans, VOICES[seeds])],
        "first": before,
        "again": after,
        "changed": longest["id"],
        "result": again,
        "script": kept(desk, told["dub_id"], "script"),
    }


def kept(desk: Desk, dub: str, name: str) -> dict:
    """The document, with what was made of it as files."""
    found = desk.tool("get_dub", dub_id=dub)["dub"]
    desk.fetched(found["output_item_id"], f"{name}.dub")
    desk.fetched(found["voice_item_id"], f"{name}.voices")
    return found


def heard(voices: np.ndarray) -> list[tuple[float, float]]:
    """When something is heard in a track that is silent otherwise."""
    size = round(WINDOW * RATE)
    windows = voices[: len(voices) // size * size].reshape(-1, size)
    levels = 20 * np.log10(np.sqrt(np.mean(windows**2, axis=1)) + 1e-9)
    loud = levels > levels.max() + FLOOR_DB
    turns = np.flatnonzero(np.diff(np.concatenate([[0], loud.astype(int), [0]]))).reshape(-1, 2)
    return [(float(start * WINDOW), float(end * WINDOW)) for start, end in turns]


def misplaced(stretches: list[tuple[float, float]], segments: list[dict]) -> tuple[float, int]:
    """Seconds that are heard outside of all segments with what their `overflow` tells, and segments with words of which
    nothing is heard."""
    spans = [(one["start"], one["end"] + (one["overflow"] or 0.0)) for one in segments if one["translation"].strip()]
    within = lambda start, end, span: max(min(end, span[1] + WINDOW) - max(start, span[0] - WINDOW), 0.0)
    outside = sum(max(end - start - sum(within(start, end, span) for span in spans), 0.0) for start, end in stretches)
    silent = sum(not any(within(start, end, span) > 0.05 for start, end in stretches) for span in spans)
    return outside, silent


def turns(stretches: list[tuple[float, float]], segments: list[dict]) -> list[tuple[float, float, str]]:
    """Who is heard when, words of one segment with short pauses together."""
    found: list[tuple[float, float, str]] = []
    for one in segments:
        until = one["end"] + (one["overflow"] or 0.0)
        inner = [(max(start, one["start"]), min(end, until)) for start, end in stretches]
        for start, end in sorted(span for span in inner if span[1] > span[0]):
            if found and found[-1][2] == one["speaker"] and start - found[-1][1] < APART:
                found[-1] = (found[-1][0], max(end, found[-1][1]), one["speaker"])
            else:
                found.append((start, end, one["speaker"]))
    return found


def same_elsewhere(before: np.ndarray, after: np.ndarray, span: tuple[float, float]) -> int:
    """Samples outside of this span that are not the same in both."""
    count = max(len(before), len(after))
    differs = np.pad(before, (0, count - len(before))) != np.pad(after, (0, count - len(after)))
    differs[round((span[0] - WINDOW) * RATE) : round((span[1] + WINDOW) * RATE)] = False
    return int(differs.sum())


def rows(folder: Path, found: dict, seeds: int) -> list[Row]:
    names = ("first", "again", "script")
    voices = {name: judge.decoded(folder / f"{name}.voices") for name in names}
    placed = [misplaced(heard(voices[name]), found[name]["segments"]) for name in names]
    segments = found["first"]["segments"]
    score = judges.SpeakerScore(collar_seconds=0)
    score.add(
        turns(heard(voices["first"]), segments), [tuple(turn) for turn in found["turns"]], len(voices["first"]) / RATE
    )
    source = judge.loudness(folder / found["source"])["lufs"]
    off = max(abs(judge.loudness(folder / f"{name}.dub")["lufs"] - source) for name in names)
    variant = abs(judge.loudness(folder / "variant.mp4")["lufs"] - judge.loudness(folder / "timeline.dub")["lufs"])
    changed = next(one for one in segments if one["id"] == found["changed"])
    then = next(one for one in found["again"]["segments"] if one["id"] == found["changed"])
    span = (changed["start"], max(one["end"] + (one["overflow"] or 0.0) for one in (changed, then)))
    result, none = found["result"], Bar.at_most(0)
    told = [one for one in found["script"]["segments"] if one["overflow"]]
    # A sound has no pictures to count.
    is_film = found["source"].endswith(".mp4")
    return [
        Row(
            "dubs",
            "voices outside of their segments and of what `overflow` tells, seconds: worst dub",
            max(one for one, _ in placed),
            Bar.at_most(0.05),
            2,
        ),
        Row(
            "dubs", "segments with words of which nothing is heard there", sum(silent for _, silent in placed), none, 0
        ),
        Row("dubs", "who speaks when against the source: DER, nothing left out", score.rate, Bar.at_most(0.15)),
        Row("dubs", "loudness against the source's: worst dub, LU off", off, Bar.at_most(1), 2),
        Row("dubs", "the timeline of a timeline's dub, rendered: LU off the dub", variant, Bar.at_most(1), 2),
        Row(
            "dubs",
            "one segment of a dub changed: others that are spoken anew",
            result["spoken"] - 1 + abs(result["reused"] - len(segments) + 1),
            none,
            0,
        ),
        Row(
            "dubs",
            "the same: samples of the others' voices that are not the same",
            same_elsewhere(voices["first"], voices["again"], span),
            none,
            0,
        ),
        Row(
            "dubs",
            "segments of the script that are too long for their span, and told: of one",
            len(told),
            Bar("= 1", lambda value: value == 1),
            0,
        ),
        Row(
            "dubs",
            "the same of the talk: part that overflows",
            sum(bool(one["overflow"]) for one in segments) / len(segments),
            None,
            2,
        ),
        Row(
            "dubs",
            "pictures of a dubbed film that are not its source's",
            pictures_off(folder / found["source"], folder / "first.dub") if is_film else 0,
            none,
            0,
        ),
        Row(
            "dubs",
            "pictures of a dubbed timeline that are not its film's",
            pictures_off(folder / "timeline.mp4", folder / "timeline.dub") if is_film else 0,
            none,
            0,
        ),
    ]


def pictures_off(source: Path, dub: Path) -> int:
    """Pictures that one of these films has and the other one has not in the same place."""
    one, other = judge.counters(source), judge.counters(dub)
    return abs(len(one) - len(other)) + sum(said != shown for said, shown in zip(one, other))
