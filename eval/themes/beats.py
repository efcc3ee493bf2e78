"""Beats: clicks and drums whose beats are known."""

import numpy as np

from .. import judges
from ..rows import Bar, Heard, Row, Sample, of
from ..studio import Studio, add, drum, noise, pluck, silence, tuned

READ = ("beats",)
RATE = 24_000
SECONDS = 40.0
CLICKS = {1: [60, 73.5, 100, 128, 155, 180, 200], 2: [66, 84, 111, 137, 168, 191]}
FAST = {1: [90, 104, 120, 133, 150, 166, 180], 2: [93, 99, 112, 126, 141, 159, 174]}
SLOW = {1: [60, 67, 75], 2: [62, 70, 73]}


def samples(studio: Studio, seeds: int) -> list[Sample]:
    made = []
    for bpm in CLICKS[seeds]:
        sound, beats = clicks(bpm, 300 + seeds)
        made.append(Sample(studio.wav(f"clicks{seeds}-{bpm}.wav", sound, RATE), READ, (beats, beats[::4]), "clicks"))
    for group, tempi in (("fast", FAST), ("slow", SLOW)):
        for number, bpm in enumerate(tempi[seeds]):
            sound, beats = drums(bpm, 400 + 50 * seeds + number, STYLES[number % len(STYLES)], seeds)
            made.append(Sample(studio.wav(f"drums{seeds}-{bpm}.wav", sound, RATE), READ, (beats, beats[::4]), group))
    return made


def clicks(bpm: float, seed: int) -> tuple[np.ndarray, list[float]]:
    dice = np.random.default_rng(seed)
    sound, start = silence(SECONDS, RATE), dice.uniform(0.3, 0.8)
    beats = list(np.arange(start, SECONDS - 0.1, 60 / bpm))
    time = np.arange(round(0.04 * RATE)) / RATE
    click = np.sin(2 * np.pi * dice.uniform(800, 2000) * time) * np.exp(-time / 0.01)
    for at in beats:
        add(sound, at, click, 0.5, RATE)
    return sound, beats


# The strokes of a bar of four: which beat, what, how loud. A half of a beat is an eighth.
STYLES = [
    {0: ("kick", 1.0), 1: ("snare", 0.8), 2: ("kick", 0.8), 2.5: ("kick", 0.6), 3: ("snare", 0.8)},
    {0: ("kick", 1.0), 1: ("kick", 0.9), 2: ("kick", 0.9), 3: ("kick", 0.9)},
    {0: ("kick", 1.0), 0.75: ("kick", 0.6), 1: ("snare", 0.8), 2.25: ("kick", 0.7), 3: ("snare", 0.9), 3.5: ("snare", 0.4)},
]


def drums(bpm: float, seed: int, style: dict[float, tuple[str, float]], seeds: int) -> tuple[np.ndarray, list[float]]:
    """A drummer who is some 8 ms off, with hats on the eighths, fills, and for the other seeds a bass and chords too."""
    dice = np.random.default_rng(seed)
    sound, beat, start = silence(SECONDS, RATE), 60 / bpm, dice.uniform(0.2, 0.6)
    beats = list(np.arange(start, SECONDS - 0.2, beat))
    swing = 0.5 if seeds == 1 else float(dice.choice([0.5, 0.58]))

    def stroke(kind: str, at: float, level: float) -> None:
        add(sound, max(at + dice.normal(0, 0.008), 0.0), drum(kind, dice, RATE), level, RATE)

    root = int(dice.integers(36, 44))
    for number, at in enumerate(beats):
        for place, (kind, level) in style.items():
            if int(place) == number % 4:
                stroke(kind, at + (place % 1) * beat, level)
        stroke("hat", at, 0.35)
        stroke("hat", at + swing * beat, 0.25)
        if number % 16 == 15:
            stroke("snare", at + 0.5 * beat, 0.6)
            stroke("snare", at + 0.75 * beat, 0.6)
        if seeds == 2:
            chord = [0, 5, 7, 3][(number // 4) % 4]
            add(sound, at + float(dice.choice([0, 0, 0.5])) * beat, pluck(tuned(root + chord), 0.2, RATE), 0.25, RATE)
            if number % 4 == 0:
                for third in (0, 4, 7):
                    add(sound, at, pluck(tuned(root + 24 + chord + third), 0.6, RATE), 0.08, RATE)
    sound += 0.02 * noise("pink", SECONDS, seed, RATE)
    return 0.6 * sound / np.abs(sound).max(), beats


def mean(heard: list[Heard], judge, field: str = "beat_times", which: int = 0) -> float:
    return float(np.mean([judge(one.data[field], one.truth[which]) for one in heard]))


def worst(heard: list[Heard], judge) -> float:
    return min(judge(one.data["beat_times"], one.truth[0]) for one in heard)


def rows(heard: list[Heard]) -> list[Row]:
    fast, slow = of(heard, "fast"), of(heard, "slow")
    return [
        Row("beats", "F ± 70 ms, clicks 60–200 BPM", mean(of(heard, "clicks"), judges.beat_f), Bar.at_least(0.98)),
        Row("beats", "F ± 70 ms, drums 90–180 BPM", mean(fast, judges.beat_f), Bar.at_least(0.95)),
        Row("beats", "the same, worst file", worst(fast, judges.beat_f)),
        Row("beats", "AMLt, drums 60–75 BPM", mean(slow, judges.beat_any_level), Bar.at_least(0.95)),
        Row("beats", "F of bars, drums 90–180 BPM", mean(fast, judges.beat_f, "downbeat_times", 1)),
    ]
