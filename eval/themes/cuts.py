"""Moments: films whose cuts are known, with cameras and things that move, dissolves, fades through black and flashes."""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .. import judges
from ..rows import Bar, Heard, Row, Sample, of
from ..studio import Studio

READ = ("search_index",)
RATE = 25
WIDTH, HEIGHT = 320, 180
# One frame on either side, and the rounding of a stored time.
FRAME = 1 / RATE + 0.002


@dataclass
class Film:
    """Frames so far, and where it changes."""

    frames: list[np.ndarray] = field(default_factory=list)
    cuts: list[tuple[float, float]] = field(default_factory=list)
    gradual: list[tuple[float, float]] = field(default_factory=list)
    flashes: list[float] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return len(self.frames) / RATE


class Camera:
    """A picture of its own with natural contrast, over which the camera moves while things move in it."""

    def __init__(self, dice: np.random.Generator):
        self.dice = dice
        height, width = 2 * HEIGHT, 2 * WIDTH
        down, across = np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None, :]
        falling = 1 / np.maximum(np.hypot(down, across), 1 / width) ** 1.1
        shades = [np.fft.irfft2(np.fft.rfft2(dice.standard_normal((height, width))) * falling, (height, width)) for _ in range(2)]
        picture = shades[0][..., None] * dice.uniform(0.5, 1, 3) + 0.6 * shades[1][..., None] * dice.uniform(-1, 1, 3)
        picture = picture / picture.std() * dice.uniform(25, 50) + dice.uniform(70, 170) + dice.uniform(-30, 30, 3)
        self.picture = np.clip(picture, 0, 255)
        self.at = np.array([dice.uniform(0.25, 0.75) * HEIGHT, dice.uniform(0.25, 0.75) * WIDTH])
        pace = float(dice.choice([0.0, 0.3, 1.0, 2.5]))
        self.pace = dice.uniform(-1, 1, 2) * pace
        self.things = [
            (dice.uniform(0, 1, 2), dice.uniform(-0.012, 0.012, 2), dice.uniform(10, 28), dice.uniform(0, 255, 3))
            for _ in range(int(dice.integers(0, 3)))
        ]
        self.count = 0

    def frame(self) -> np.ndarray:
        self.count += 1
        self.at = np.clip(self.at + self.pace, 0, [HEIGHT - 1, WIDTH - 1])
        top, left = self.at.astype(int)
        shot = self.picture[top : top + HEIGHT, left : left + WIDTH].copy()
        for place, pace, size, colour in self.things:
            middle = (place + pace * self.count) % 1 * [HEIGHT, WIDTH]
            y, x = np.ogrid[:HEIGHT, :WIDTH]
            shot[(y - middle[0]) ** 2 + (x - middle[1]) ** 2 < size**2] = colour
        noisy = shot + self.dice.normal(0, 2, (HEIGHT, WIDTH, 1))
        return np.clip(noisy, 0, 255).astype(np.uint8)

    def frames(self, seconds: float) -> list[np.ndarray]:
        return [self.frame() for _ in range(round(seconds * RATE))]


def film(seed: int, changes: list[str], flashes: int) -> Film:
    """Shots of 1.2 to 4 s with these changes between them, and flashes inside of shots."""
    dice = np.random.default_rng(seed)
    made, camera = Film(), Camera(dice)
    flashing = set(dice.choice(len(changes), flashes, replace=False)) if flashes else set()
    for number, change in enumerate(changes):
        shot = camera.frames(dice.uniform(1.2, 4.0))
        if number in flashing:
            flash(made, shot, dice)
        made.frames += shot
        then = Camera(dice)
        if change == "cut":
            made.cuts.append((made.seconds - FRAME, made.seconds + FRAME))
        else:
            count = round(dice.uniform(0.5, 1.4) * RATE)
            start = made.seconds
            made.frames += blended(camera, then, count, change)
            made.gradual.append((start - FRAME, made.seconds + FRAME))
        camera = then
    made.frames += camera.frames(2.0)
    return made


def flash(made: Film, shot: list[np.ndarray], dice: np.random.Generator) -> None:
    """One to three frames of a photographer's flash in the middle of a shot."""
    at = int(dice.integers(len(shot) // 3, 2 * len(shot) // 3))
    for frame in range(at, at + int(dice.integers(1, 4))):
        shot[frame] = (255 - 0.25 * (255.0 - shot[frame])).astype(np.uint8)
    made.flashes.append(made.seconds + at / RATE)


def blended(one: Camera, other: Camera, count: int, change: str) -> list[np.ndarray]:
    parts = (np.arange(count) + 1) / (count + 1)
    # Through black the first has gone when the second comes.
    shares = [(1 - part, part) if change == "dissolve" else (max(1 - 2 * part, 0), max(2 * part - 1, 0)) for part in parts]
    return [(of_one * one.frame() + of_other * other.frame()).astype(np.uint8) for of_one, of_other in shares]


def write(path: Path, frames: list[np.ndarray]) -> None:
    size, rate = f"{WIDTH}x{HEIGHT}", str(RATE)
    command = ["ffmpeg", "-nostdin", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", rate, "-i", "-"]
    coded = ["-c:v", "libx264", "-crf", "25", "-preset", "fast", "-threads", "1", "-pix_fmt", "yuv420p", str(path)]
    encoder = subprocess.Popen(command + coded, stdin=subprocess.PIPE)
    for frame in frames:
        encoder.stdin.write(frame.tobytes())
    encoder.stdin.close()
    if encoder.wait():
        raise RuntimeError("ffmpeg could not write a film")


def as_transport_stream(film: Path) -> Path:
    """The same frames as a broadcast has them, on a clock that does not begin at 0."""
    path = film.with_suffix(".ts")
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", str(film), "-c", "copy", str(path)], check=True)
    return path


def samples(studio: Studio, seeds: int) -> list[Sample]:
    made = []
    for number in range(3):
        seed = 800 + 10 * seeds + number
        mixture = ["cut", "dissolve", "cut", "fade", "cut", "dissolve", "fade", "cut", "dissolve", "fade"]
        for group, changes, flashes in (("cuts", ["cut"] * 18, 0), ("mixed", mixture, 4)):
            truth = film(seed, changes, flashes)
            path = studio.path(f"film{seeds}-{group}-{number}.mp4")
            write(path, truth.frames)
            truth.frames = []
            made.append(Sample(path, READ, truth, group))
            if group == "cuts":
                made.append(Sample(as_transport_stream(path), READ, truth, "ts"))
    return made


def starts(one: Heard) -> list[float]:
    """Where moments begin, but for the first, which begins with the film."""
    return [moment["start"] for moment in one.data["moments"][1:]]


def recall(heard: list[Heard], kind: str) -> float:
    right = sum(judges.matched(starts(one), getattr(one.truth, kind))[0] for one in heard)
    return right / sum(len(getattr(one.truth, kind)) for one in heard)


def precision(heard: list[Heard]) -> float:
    right = sum(judges.matched(starts(one), one.truth.cuts + one.truth.gradual)[1] for one in heard)
    return right / max(sum(len(starts(one)) for one in heard), 1)


def fooled(heard: list[Heard]) -> float:
    """The part of the flashes that are taken for a cut."""
    near = lambda at, one: any(at - FRAME <= start <= at + 4 * FRAME for start in starts(one))
    flashes = [(at, one) for one in heard for at in one.truth.flashes]
    return sum(near(at, one) for at, one in flashes) / len(flashes)


def rows(heard: list[Heard]) -> list[Row]:
    cuts, mixture, transported = of(heard, "cuts"), of(heard, "mixed"), of(heard, "ts")
    return [
        Row("search_index", "hard cuts ± 1 frame: recall", recall(cuts, "cuts"), Bar.at_least(0.95)),
        Row("search_index", "hard cuts ± 1 frame: precision", precision(cuts), Bar.at_least(0.9)),
        Row("search_index", "the same films as MPEG-TS: recall", recall(transported, "cuts"), Bar.at_least(0.95)),
        Row("search_index", "the same films as MPEG-TS: precision", precision(transported), Bar.at_least(0.9)),
        Row("search_index", "among fades and flashes: recall of hard cuts", recall(mixture, "cuts"), Bar.at_least(0.95)),
        Row("search_index", "dissolves and fades through black: recall", recall(mixture, "gradual"), Bar.at_least(0.95)),
        Row("search_index", "among fades and flashes: precision", precision(mixture), Bar.at_least(0.9)),
        Row("search_index", "flashes taken for a cut", fooled(mixture), Bar.at_most(0.05)),
    ]
