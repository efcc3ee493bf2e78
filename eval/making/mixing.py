"""What goes over into what, and how loud it is: dissolves, volumes, a mix that would clip, and music under a voice."""

import numpy as np
from scipy.io import wavfile

from .. import films as judge
from ..rows import Bar, Row
from ..studio import music, run, sequence
from ..themes.texts import LINES
from .desk import Desk
from ..footage import RATE

FPS = {1: 25, 2: 30}
DISSOLVES = {1: [0.4, 1.0, 1.6], 2: [0.6, 1.2, 0.3]}
VOLUMES = {1: [1.0, 0.25, 2.0, 0.5], 2: [0.7, 1.6, 0.1, 1.0]}
# Loud enough that a part at twice its volume is far from what is limited.
SCENE_SECONDS, SCENE_LEVEL = 5.0, 0.3
SHADES = {1: (40, 200), 2: (220, 60)}
DUCKS = {1: 12.0, 2: 18.0}
# No voice of flite has anything up there.
PILOT_HERTZ, PILOT = 10_000.0, 0.03
ATTACK, RELEASE = 0.2, 0.5
# What the read of speech leaves before and behind a sentence, and what a sentence begins and ends with.
ASIDE = 0.3


def flat(desk: Desk, name: str, shade: int, fps: int) -> str:
    path = desk.studio.path(name)
    source = f"color=0x{shade:02x}{shade:02x}{shade:02x}:s=320x180:r={fps}:d=8"
    run(
        "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", source, "-c:v", "libx264", "-pix_fmt", "yuv420p", path
    )
    return desk.item(path)


def made(desk: Desk, seeds: int) -> dict:
    return {
        "dissolves": dissolves(desk, seeds),
        "volumes": volumes(desk, seeds),
        "ducks": ducks(desk, seeds),
    }


def dissolves(desk: Desk, seeds: int) -> dict:
    fps, (one, other) = FPS[seeds], SHADES[seeds]
    items = [flat(desk, f"flat-{shade}.mp4", shade, fps) for shade in (one, other)]
    ops = [{"op": "set_format", "width": 320, "height": 180, "fps": fps}]
    for number, seconds in enumerate([0.0, *DISSOLVES[seeds]]):
        op = {"op": "add_scene", "ref": items[number % 2], "start": 0.5, "duration": 3.52 + 0.2 * number}
        ops.append(op | ({"transition": {"kind": "crossfade", "seconds": seconds}} if seconds else {}))
    timeline = desk.timeline(f"Dissolves {seeds}", ops)
    desk.rendered(timeline["id"], "dissolves.mp4")
    return timeline


def volumes(desk: Desk, seeds: int) -> dict:
    # Of noise AAC leaves out a quarter of an LU, which is no fault of the mix.
    sides = [SCENE_LEVEL * music(20, 2300 + 10 * seeds + side, RATE) for side in range(2)]
    item = desk.item(desk.studio.wav("stereo.wav", np.stack(sides, axis=1), RATE))
    ops = [
        {"op": "add_scene", "ref": item, "start": number, "duration": SCENE_SECONDS, "volume": volume}
        for number, volume in enumerate(VOLUMES[seeds])
    ]
    timeline = desk.timeline(f"Volumes {seeds}", [{"op": "set_format", "width": 64, "height": 64, "fps": 25}, *ops])
    for name in ("volumes.wav", "volumes.mp4"):
        desk.rendered(timeline["id"], name)
    loud = desk.item(desk.studio.wav("loud.wav", 5 * np.stack(sides, axis=1)[: 5 * RATE], RATE))
    ops = [{"op": "set_audio", "slot": "voiceover", "ref": loud, "volume": 4.0}]
    timeline = desk.timeline(f"Loud {seeds}", ops)
    desk.rendered(timeline["id"], "limited.wav")
    return timeline


def ducks(desk: Desk, seeds: int) -> dict:
    lines = LINES[seeds][5:9]
    sound, spans = sequence([desk.studio.say("flite:rms", line) for line in lines], [2.5, 3.0, 2.8, 3.2, 2.6])
    # A mix has the voice's rate, and is to have room for the tone.
    sound = judge.decoded(desk.studio.wav("spoken-low.wav", 0.5 * sound))
    voice = desk.item(desk.studio.wav("speaking.wav", sound, RATE))
    time = np.arange(len(sound) + 2 * RATE) / RATE
    tune = music(len(time) / RATE, 2400 + seeds, RATE)[: len(time)]
    under = 0.15 * tune + PILOT * np.sin(2 * np.pi * PILOT_HERTZ * time)
    path = desk.studio.path("under.wav")
    wavfile.write(path, RATE, np.stack([under, under], axis=1).astype(np.float32))
    tune = desk.item(path)
    asked = {"voice_ref": voice, "music_ref": tune, "duck_db": DUCKS[seeds]}
    at_once = desk.ready("duck_music", render=True, **asked)
    name = desk.tool("get_item", ref=at_once["output_item_id"])["item"]["content_type"].split("/")[-1]
    file = desk.fetched(at_once["output_item_id"], f"ducked.{name.replace('x-', '')}")
    # It is called music, and would be taken for that by an agent (`projects` has a row of it).
    desk.tool("delete_item", ref=at_once["output_item_id"])
    timeline = desk.ready("duck_music", timeline=True, **asked)["timeline_id"]
    desk.rendered(timeline, "ducked-timeline.wav")
    return {"spans": spans, "files": [file.name, "ducked-timeline.wav"]}


def rows(folder, found: dict, seeds: int) -> list[Row]:
    return [
        *dissolve_rows(folder / "dissolves.mp4", found["dissolves"], FPS[seeds]),
        *volume_rows(folder, seeds),
        *duck_rows(folder, found["ducks"], DUCKS[seeds]),
    ]


def dissolve_rows(path, timeline: dict, fps: float) -> list[Row]:
    levels, at = judge.pictures(path, 32, 18).mean(axis=(1, 2)), judge.times(path)
    middle = ends = 0.0
    for scene in timeline["scenes"][1:]:
        seconds, begins = scene["transition"]["seconds"], scene["begins_at"]
        near = (at > begins - 0.5) & (at < begins + seconds + 0.5)
        first, last, half = judge.dissolve(levels[near], at[near])
        ends = max(ends, abs(first - begins) * fps, abs(last - begins - seconds) * fps)
        # Each of n pictures between is a step of n + 1: half way is half a picture before the middle.
        middle = max(middle, abs(half - begins - seconds / 2 + 0.5 / fps) * fps)
    return [
        Row("timelines", "dissolves: first and last picture, worst, pictures off", ends, Bar.at_most(1), 2),
        Row("timelines", "dissolves: half way, worst, pictures off", middle, Bar.at_most(1), 2),
    ]


def volume_rows(folder, seeds: int) -> list[Row]:
    worst = 0.0
    for name in ("volumes.wav", "volumes.mp4"):
        for number, volume in enumerate(VOLUMES[seeds]):
            begins = number * SCENE_SECONDS
            source = judge.loudness(folder / "stereo.wav", number + 0.2, number + SCENE_SECONDS - 0.2)["lufs"]
            scene = judge.loudness(folder / name, begins + 0.2, begins + SCENE_SECONDS - 0.2)["lufs"]
            worst = max(worst, abs(scene - source - 20 * np.log10(volume)))
    limited = judge.channels(folder / "limited.wav")
    peak = 20 * np.log10(np.abs(limited).max())
    return [
        Row(
            "timelines",
            "loudness of scenes against their source's and their volume: worst, LU off",
            worst,
            Bar.at_most(0.2),
            2,
        ),
        Row("timelines", "a mix that is far too loud (volume 4): the highest sample, dBFS", peak, Bar.at_most(-1), 2),
    ]


def duck_rows(folder, found: dict, down: float) -> list[Row]:
    tune = judge.decoded(folder / "under.wav")
    source = judge.tone_db(tune, PILOT_HERTZ)
    under = between = 0.0
    for name in found["files"]:
        gains = judge.tone_db(judge.decoded(folder / name), PILOT_HERTZ)
        gains -= source[: len(gains)]
        told = under_and_between(gains, [tuple(span) for span in found["spans"]])
        under = max(under, *(abs(gain + down) for gain in told[0]))
        between = max(between, *(abs(gain) for gain in told[1]))
    return [
        Row(
            "timelines",
            "music under a sentence against `duck_db`, by a tone in it: worst sentence, dB off",
            under,
            Bar.at_most(0.5),
            2,
        ),
        Row(
            "timelines",
            "music in pauses of 2.5 s and more against its own level: worst pause, dB off",
            between,
            Bar.at_most(0.5),
            2,
        ),
    ]


def under_and_between(gains: np.ndarray, spans: list[tuple[float, float]], window: float = 0.05) -> tuple[list, list]:
    """The middle gain while somebody speaks, and in what is left of each pause when music has come back."""
    cut = lambda start, end: float(np.median(gains[round(start / window) : round(end / window)]))
    under = [cut(start + ASIDE, end - ASIDE) for start, end in spans]
    pauses = zip([end for _, end in spans], [start for start, _ in spans[1:]])
    return under, [cut(start + ASIDE + RELEASE, end - ASIDE - ATTACK) for start, end in pauses]
