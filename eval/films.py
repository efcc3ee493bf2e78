"""The judges of what is made: pictures and sound as ffmpeg and ffprobe decode them, held against what was asked for.

The films that they judge show counters (`footage.py`), so that each of their pictures says which of which source it
is, and have a noise of their own as their sound, so that each of their samples does. `test_making.py` gives them wrong films."""

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from scipy.signal import correlate

from .footage import BITS, SHOWN
from .studio import run

RATE = 48_000
# What is not there at all is as far off as this.
LOST = 999.0
# A picture that is less than so many of its source's from where it should be goes on with its scene.
JUMP = 1.6
# What is less of a dissolve than this is none of it.
SOME = 0.012
# On either side of a cut, in seconds: where it is looked for in the sound.
AROUND = 0.06


@dataclass(frozen=True)
class Scene:
    """A part of a source, and where it stands in the film; seconds, and pictures a second of the source."""

    source: int
    start: float
    begins_at: float
    duration: float
    rate: float


def decoded(path: Path, rate: int = RATE) -> np.ndarray:
    """The sound of a file as one channel: the mean of those that it has, which ffmpeg's own is not always."""
    return channels(path, rate).mean(axis=1)


def channels(path: Path, rate: int = RATE) -> np.ndarray:
    """The sound of a file, a column a channel."""
    (count,) = (stream["channels"] for stream in probed(path)["streams"] if stream["codec_type"] == "audio")
    raw = run("ffmpeg", "-nostdin", "-v", "error", "-i", path, "-vn", "-ar", str(rate), "-f", "f32le", "-")
    return np.frombuffer(raw, dtype="<f4").astype(float).reshape(-1, count)


def pictures(path: Path, width: int, height: int) -> np.ndarray:
    """The pictures of a film, each as its grey, as it is stored: none is left out, and none is told twice."""
    shown = f"scale={width}:{height}:flags=area,format=gray"
    raw = run(
        "ffmpeg",
        "-nostdin",
        "-v",
        "error",
        "-i",
        path,
        "-map",
        "0:v:0",
        "-fps_mode",
        "passthrough",
        "-vf",
        shown,
        "-f",
        "rawvideo",
        "-",
    )
    return np.frombuffer(raw, dtype=np.uint8).reshape(-1, height, width)


def probed(path: Path) -> dict:
    return json.loads(run("ffprobe", "-v", "error", "-show_format", "-show_streams", "-of", "json", path))


def times(path: Path) -> np.ndarray:
    """When each picture is shown, in seconds."""
    said = run(
        "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time", "-of", "csv=p=0", path
    )
    return np.array(sorted(float(line.strip(",")) for line in said.decode().split() if line.strip(",") != "N/A"))


def off_frames(path: Path, seconds: float, rate: float) -> float:
    """How far the length of a film is from this, in its pictures: by what it says and by the pictures that it has."""
    said = float(probed(path)["format"]["duration"])
    return max(abs(said - seconds), abs(len(times(path)) / rate - seconds)) * rate


def counters(path: Path) -> list[tuple[int, int] | None]:
    """What each picture says: its source and its number. None of one that says nothing, as between two."""
    width, height = SHOWN
    block = width // BITS
    said: list[tuple[int, int] | None] = []
    for picture in pictures(path, width, height):
        strip = picture[block // 4 : 3 * block // 4].reshape(block // 2, BITS, block)
        levels = strip[:, :, block // 4 : 3 * block // 4].mean(axis=(0, 2))
        bits = [int(level > 128) for level in levels]
        is_clear = bool(np.all(np.abs(levels - 128) > 40)) and bits[:2] == [1, 0]
        number = lambda some: int("".join(map(str, some)), 2)
        said.append((number(bits[2:6]), number(bits[6:])) if is_clear else None)
    return said


def runs(seen: list[tuple[int, int] | None], step: float) -> list[list[int]]:
    """The pictures that go on from each other, `step` being how far a source goes from one to the next."""
    found: list[list[int]] = []
    before = None
    for place, said in enumerate(seen):
        goes_on = said and before and said[0] == before[0] and abs(said[1] - before[1] - step) < JUMP
        if goes_on:
            found[-1].append(place)
        else:
            found.append([place])
        before = said
    return found


def cuts_off(path: Path, scenes: list[Scene], rate: float, fades: tuple[float, float] = (0, 0)) -> tuple[float, float]:
    """How far the cuts of a film are from where they should be, and how far what its pictures show is from what they should,
    counted from their scene's first one: the worst of each, in pictures of the film. A film that has other scenes is lost. It
    comes up and goes down in `fades`, in which its pictures say nothing."""
    seen, shown = counters(path), times(path)
    if len(seen) != len(shown):
        return LOST, LOST
    clear = (shown >= fades[0]) & (shown < len(shown) / rate - fades[1])
    seen, shown = [said for said, is_clear in zip(seen, clear) if is_clear], shown[clear]
    if None in seen:
        return LOST, LOST
    found, scenes = runs(seen, scenes[0].rate / rate), without_joints(scenes)
    if [seen[places[0]][0] for places in found] != [scene.source for scene in scenes]:
        return LOST, LOST
    cut = picture = 0.0
    for places, scene in zip(found, scenes):
        if places[0] or not fades[0]:
            cut = max(cut, abs(shown[places[0]] - scene.begins_at) * rate)
        begins_at = on_pictures(scene, rate).begins_at
        for place in places:
            wanted = (scene.start + shown[place] - begins_at) * scene.rate
            # A picture of a source stands until the next one.
            number = seen[place][1]
            picture = max(picture, (number - wanted) / scene.rate * rate, (wanted - number - 1) / scene.rate * rate)
    return cut, picture


def on_pictures(scene: Scene, rate: float) -> Scene:
    """The scene as it is in a film, where it begins with a picture: the nearest, of two that are as near the later one."""
    return replace(scene, begins_at=int(scene.begins_at * rate + 0.5) / rate)


def without_joints(scenes: list[Scene]) -> list[Scene]:
    """The scenes, one that goes on where the one before ends being the same: there is no cut to be seen."""
    made: list[Scene] = []
    for scene in scenes:
        before = made[-1] if made else None
        if (
            before
            and before.source == scene.source
            and abs(before.start + before.duration - scene.start) * scene.rate < JUMP
        ):
            made[-1] = replace(before, duration=before.duration + scene.duration)
        else:
            made.append(scene)
    return made


def sound_off(found: np.ndarray, scenes: list[Scene], sources: dict[int, np.ndarray]) -> tuple[float, float]:
    """How far the sound of each scene is from where it should be, and where it takes over from the one before, in ms: the
    worst of each."""
    moved = taken = 0.0
    for before, scene in zip([None, *scenes], scenes):
        at = round(scene.begins_at * RATE)
        count = round(scene.duration * RATE)
        inner = slice(at + count // 4, at + 3 * count // 4)
        true = sources[scene.source]
        start = round(scene.start * RATE)
        moved = max(moved, abs(shift_ms(found[inner], true, start + count // 4)))
        if before:
            leaving = part(sources[before.source], before.start + scene.begins_at - before.begins_at)
            taken = max(taken, abs(turn_ms(part(found, scene.begins_at), leaving, part(true, scene.start))))
    return moved, taken


def part(sound: np.ndarray, at: float) -> np.ndarray:
    """The sound around this second; silence where there is none."""
    reach, middle = round(AROUND * RATE), round(at * RATE)
    padded = np.pad(sound, reach)
    return padded[middle : middle + 2 * reach]


def shift_ms(found: np.ndarray, true: np.ndarray, at: int, reach: float = 0.1) -> float:
    """How much later a part is heard than at this sample of the true sound, to parts of a sample."""
    margin = round(reach * RATE)
    wide = np.pad(true, margin)[at : at + len(found) + 2 * margin]
    if len(wide) < len(found) + 2 * margin or not np.any(found):
        return LOST
    alike = correlate(wide, found, "valid", "fft")
    peak = int(np.argmax(alike))
    own = np.sqrt(np.sum(found**2) * np.sum(wide[peak : peak + len(found)] ** 2))
    if alike[peak] < 0.5 * own:
        return LOST
    finer = 0.0
    if 0 < peak < len(alike) - 1:
        before, top, behind = alike[peak - 1 : peak + 2]
        finer = (before - behind) / (2 * (before - 2 * top + behind))
    return (margin - peak - finer) / RATE * 1000


def turn_ms(found: np.ndarray, leaving: np.ndarray, coming: np.ndarray) -> float:
    """When one sound becomes the other, from the middle: where it is best told as the one before and the other behind."""
    one, other = (found - leaving) ** 2, (found - coming) ** 2
    told = np.concatenate([[0], np.cumsum(one)]) + np.concatenate([np.cumsum(other[::-1])[::-1], [0]])
    place = int(np.argmin(told))
    if told[place] > 0.5 * np.sum(found**2):
        return LOST
    return (place - len(found) // 2) / RATE * 1000


def dissolve(levels: np.ndarray, at: np.ndarray) -> tuple[float, float, float]:
    """When a picture begins to become another, when it has become it, and when it is half way: from the level of the first of
    these pictures to that of the last."""
    gone = (levels - levels[0]) / (levels[-1] - levels[0])
    between = np.flatnonzero((gone > SOME) & (gone < 1 - SOME))
    if not len(between) or np.any(np.diff(gone) < -SOME):
        return LOST, LOST, LOST
    half = int(np.argmax(gone >= 0.5))
    part_of = (0.5 - gone[half - 1]) / (gone[half] - gone[half - 1])
    return at[between[0]], at[between[-1] + 1], at[half - 1] + part_of * (at[half] - at[half - 1])


def loudness(path: Path, start: float | None = None, end: float | None = None) -> dict[str, float]:
    """What ffmpeg's ebur128 says of a file, or of a part of it: LUFS, and the true peak in dBTP."""
    trim = f"atrim={start}:{end}," if end is not None else ""
    command = [
        "ffmpeg",
        "-nostdin",
        "-hide_banner",
        "-i",
        path,
        "-vn",
        "-af",
        f"{trim}ebur128=peak=true",
        "-f",
        "null",
        "-",
    ]
    said = run(*command, stderr=True).decode(errors="replace")
    summary = said[said.rindex("Summary:") :]
    number = lambda name: float(re.search(rf"{name}:\s+(-?[\d.]+|-inf)", summary)[1])
    return {"lufs": number("I"), "peak": number("Peak")}


def tone_db(found: np.ndarray, hertz: float, seconds: float = 0.05) -> np.ndarray:
    """How loud a tone is, in decibels, window by window."""
    size = round(seconds * RATE)
    windows = found[: len(found) // size * size].reshape(-1, size) * np.hanning(size)
    turning = np.exp(-2j * np.pi * hertz * np.arange(size) / RATE)
    return 20 * np.log10(np.abs(windows @ turning) / np.hanning(size).sum() * 2 + 1e-9)


def gain_db(found: np.ndarray, true: np.ndarray) -> float:
    """How loud a sound is in a mix with others that know nothing of it."""
    return float(20 * np.log10(max(np.dot(found, true) / np.dot(true, true), 1e-9)))


def written(path: Path, at: float | None = None) -> str:
    """What a picture, or the one of a film at this second, says: by tesseract."""
    with TemporaryDirectory() as folder:
        still = Path(folder) / "still.png"
        seek = [] if at is None else ["-ss", f"{at:.3f}"]
        run("ffmpeg", "-nostdin", "-v", "error", *seek, "-i", path, "-frames:v", "1", still)
        return run("tesseract", still, "-", "--psm", "11").decode()
