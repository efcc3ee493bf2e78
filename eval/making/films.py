"""Films of timelines: as long as they say, cut where they say, each picture and each sample the one that was asked for."""

from fractions import Fraction

import numpy as np

from .. import films as judge
from ..films import Scene
from ..rows import Bar, Row
from ..studio import sequence
from ..themes.texts import LINES
from .desk import Desk
from ..footage import RATE, counted, hiss

SECONDS = 12
# A timeline's pictures a second, and those of its sources with what they come in.
RATES = {
    1: (25.0, [(".mp4", Fraction(25)), (".mkv", Fraction(30)), (".mov", Fraction(24))]),
    2: (29.97, [(".mp4", Fraction(30000, 1001)), (".mov", Fraction(25)), (".mkv", Fraction(60))]),
}
EXACT = {25.0: 25.0, 29.97: 30000 / 1001}
SCENES = 10
PICTURED, HEARD = (".mp4", ".webm", ".mov"), (".wav", ".mp3")


def made(desk: Desk, seeds: int) -> dict:
    dice = np.random.default_rng(2000 + seeds)
    fps, sources = RATES[seeds]
    items, scenes = {}, []
    for number, (ending, rate) in enumerate(sources):
        path = counted(
            desk.studio.path(f"source-{number}{ending}"), number, rate, hiss(SECONDS, 2100 + 10 * seeds + number)
        )
        items[number] = desk.item(path)
    ops = [{"op": "set_format", "width": 640, "height": 360, "fps": fps}]
    source = int(dice.integers(3))
    for _ in range(SCENES):
        source = (source + int(dice.integers(1, 3))) % 3
        start, duration = round(dice.uniform(0, 8), 3), round(dice.uniform(0.4, 2.6), 3)
        ops.append({"op": "add_scene", "ref": items[source], "start": start, "duration": duration})
        scenes.append(source)
    timeline = desk.timeline(f"Cuts {seeds}", ops)
    for ending in PICTURED + HEARD:
        desk.rendered(timeline["id"], f"cuts{ending}")
    desk.rendered(timeline["id"], "draft.mp4", quality="draft")
    return {"timeline": timeline, "scenes": scenes, "talk": talk(desk, seeds)}


def talk(desk: Desk, seeds: int) -> dict:
    """A talk in pictures, of which the silences are taken out, at once and by way of a timeline."""
    sound, _ = sequence(
        [desk.studio.say("flite:slt", line) for line in LINES[seeds][:5]], [1.3, 0.9, 2.1, 1.4, 0.8, 1.7]
    )
    heard = judge.decoded(desk.studio.wav("talk.wav", sound))
    path = counted(desk.studio.path("talk.mkv"), 9, RATES[seeds][1][0][1], heard)
    item = desk.item(path)
    answer = desk.ready("remove_silence", ref=item, render=True)
    desk.fetched(answer["output_item_id"], "tight.mp4")
    timeline = desk.ready("remove_silence", ref=item, timeline=True)["timeline_id"]
    desk.rendered(timeline, "tight-timeline.mp4")
    return {"keep": answer["keep"], "timeline": desk.tool("get_timeline", timeline_id=timeline)["timeline"]}


def scenes_of(timeline: dict, sources: list[int], rates: dict[int, float]) -> list[Scene]:
    stands = zip(timeline["scenes"], sources)
    return [Scene(source, one["start"], one["begins_at"], one["duration"], rates[source]) for one, source in stands]


def one_after_another(keep: list[dict], source: int, rate: float) -> list[Scene]:
    made, at = [], 0.0
    for span in keep:
        made.append(Scene(source, span["start"], at, span["end"] - span["start"], rate))
        at += span["end"] - span["start"]
    return made


def rows(folder, found: dict, seeds: int) -> list[Row]:
    fps, sources = RATES[seeds]
    fps = EXACT[fps]
    timeline = found["timeline"]
    seconds = timeline["duration_seconds"]
    rates = {number: float(rate) for number, (_, rate) in enumerate(sources)}
    scenes = scenes_of(timeline, found["scenes"], rates)
    sounds = {number: hiss(SECONDS, 2100 + 10 * seeds + number) for number in rates}
    all_pictured = [folder / f"cuts{ending}" for ending in PICTURED] + [folder / "draft.mp4"]
    lengths = max(judge.off_frames(path, seconds, fps) for path in all_pictured)
    wav, mp3 = (abs(len(judge.decoded(folder / f"cuts{ending}")) / RATE - seconds) for ending in HEARD)
    cuts, pictures = zip(*(judge.cuts_off(path, scenes, fps) for path in all_pictured))
    # Without pictures there are none to begin with.
    heard = [
        judge.sound_off(
            judge.decoded(folder / f"cuts{ending}"),
            [judge.on_pictures(scene, fps) for scene in scenes] if ending in PICTURED else scenes,
            sounds,
        )
        for ending in PICTURED + HEARD
    ]
    moved, taken = zip(*heard)
    frame = Bar.at_most(1)
    return [
        Row(
            "timelines",
            "length of an MP4, WebM, MOV and a draft against the timeline's: worst, pictures",
            lengths,
            frame,
            2,
        ),
        Row("timelines", "length of a WAV and an MP3: worst, pictures", max(wav, mp3) * fps, frame, 2),
        Row("timelines", "cuts of these films: worst, pictures off", max(cuts), frame, 2),
        Row(
            "timelines",
            "what every picture in them shows against what the timeline names, from its scene's first one: worst, pictures off",
            max(pictures),
            frame,
            2,
        ),
        Row("timelines", "sound at cuts, in all five formats: worst, ms off", max(taken), Bar.at_most(1), 2),
        Row("timelines", "sound within scenes: worst, ms off", max(moved), Bar.at_most(1), 2),
        *tight(folder, found["talk"], seeds),
    ]


def tight(folder, found: dict, seeds: int) -> list[Row]:
    rate = float(RATES[seeds][1][0][1])
    sound = judge.decoded(folder / "talk.wav")
    cut = picture = moved = 0.0
    timeline = found["timeline"]
    for name, scenes, fps in (
        ("tight.mp4", one_after_another(found["keep"], 9, rate), rate),
        (
            "tight-timeline.mp4",
            scenes_of(timeline, [9] * len(timeline["scenes"]), {9: rate}),
            EXACT.get(timeline["fps"], timeline["fps"]),
        ),
    ):
        off = judge.cuts_off(folder / name, scenes, fps)
        cut, picture = max(cut, off[0]), max(picture, off[1])
        moved = max(
            moved,
            judge.sound_off(
                judge.decoded(folder / name), [judge.on_pictures(scene, fps) for scene in scenes], {9: sound}
            )[0],
        )
    return [
        Row(
            "timelines",
            "a talk without its silences, rendered at once and as a timeline: cuts, worst, pictures off",
            cut,
            Bar.at_most(1),
            2,
        ),
        Row("timelines", "the same: every picture, worst, pictures off", picture, Bar.at_most(1), 2),
        Row("timelines", "the same: sound within its parts, worst, ms off", moved, Bar.at_most(1), 2),
    ]
