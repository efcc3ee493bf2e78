"""Beats: clicks and drums whose beats are known: in four, three and six, after a pick-up, at a tempo that drifts."""

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
THREES = {1: [96, 118, 138, 162], 2: [91, 109, 147, 171]}
# Eighths of six to a bar.
SIXES = {1: [141, 156, 174], 2: [134, 163, 186]}
PICKED = {1: [(4, 1, 98), (4, 3, 142), (3, 2, 124), (6, 5, 160)], 2: [(4, 2, 106), (3, 1, 152), (6, 4, 171), (6, 1, 148)]}
# The tempo at the start, and by what it is multiplied until the end.
DRIFTS = {1: [(92, 1.3), (150, 0.75), (120, 1.2)], 2: [(96, 1.35), (168, 0.7), (110, 0.85)]}


def samples(studio: Studio, seeds: int) -> list[Sample]:
    made = []
    for bpm in CLICKS[seeds]:
        sound, beats = clicks(bpm, 300 + seeds)
        made.append(Sample(studio.wav(f"clicks{seeds}-{bpm}.wav", sound, RATE), READ, (beats, beats[::4]), "clicks"))
    for group, tempi in (("fast", FAST), ("slow", SLOW)):
        for number, bpm in enumerate(tempi[seeds]):
            sound, beats = drums(bpm, 400 + 50 * seeds + number, STYLES[number % len(STYLES)], seeds)
            made.append(Sample(studio.wav(f"drums{seeds}-{bpm}.wav", sound, RATE), READ, (beats, beats[::4]), group))
    barred = [
        *(("threes", 3, 0, bpm, 1.0) for bpm in THREES[seeds]),
        *(("sixes", 6, 0, bpm, 1.0) for bpm in SIXES[seeds]),
        *(("picked", meter, pick_up, bpm, 1.0) for meter, pick_up, bpm in PICKED[seeds]),
        *(("drift", 4, 0, bpm, drift) for bpm, drift in DRIFTS[seeds]),
    ]
    for number, (group, meter, pick_up, bpm, drift) in enumerate(barred):
        styles = STYLES if meter == 4 else THREE_STYLES if meter == 3 else SIX_STYLES
        sound, beats = drums(bpm, 1_400 + 50 * seeds + number, styles[number % len(styles)], seeds, meter, pick_up, drift)
        path = studio.wav(f"{group}{seeds}-{meter}-{pick_up}-{bpm}.wav", sound, RATE)
        made.append(Sample(path, READ, (beats, beats[pick_up::meter]), group))
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
THREE_STYLES = [
    {0: ("kick", 1.0), 1: ("snare", 0.5), 2: ("snare", 0.5)},
    {0: ("kick", 1.0), 1: ("kick", 0.4), 2: ("snare", 0.8)},
    {0: ("kick", 1.0), 1.5: ("kick", 0.5), 2: ("snare", 0.8)},
]
SIX_STYLES = [
    {0: ("kick", 1.0), 3: ("snare", 0.9)},
    {0: ("kick", 1.0), 2: ("kick", 0.3), 3: ("snare", 0.9), 5: ("snare", 0.4)},
    {0: ("kick", 1.0), 3: ("kick", 0.6), 5: ("kick", 0.3)},
]


def at_a_tempo(start: float, bpm: float, drift: float) -> list[float]:
    """Beats whose tempo is multiplied by `drift` from the first to the end, evenly in time."""
    if drift == 1:
        return list(np.arange(start, SECONDS - 0.2, 60 / bpm))
    beats = [start]
    while beats[-1] < SECONDS - 0.2:
        beats.append(beats[-1] + 60 / (bpm * (1 + (drift - 1) * beats[-1] / SECONDS)))
    return beats[:-1]


def drums(
    bpm: float, seed: int, style: dict[float, tuple[str, float]], seeds: int, meter: int = 4, pick_up: int = 0, drift: float = 1
) -> tuple[np.ndarray, list[float]]:
    """A drummer who is some 8 ms off, with hats on the eighths, fills, and for the other seeds a bass and chords too. The
    first bar comes after the beats of the pick-up, which are the last ones of a bar."""
    dice = np.random.default_rng(seed)
    sound, start = silence(SECONDS, RATE), dice.uniform(0.2, 0.6)
    beats = at_a_tempo(start, bpm, drift)
    swing = 0.5 if seeds == 1 else float(dice.choice([0.5, 0.58]))

    def stroke(kind: str, at: float, level: float) -> None:
        add(sound, max(at + dice.normal(0, 0.008), 0.0), drum(kind, dice, RATE), level, RATE)

    root = int(dice.integers(36, 44))
    for number, at in enumerate(beats, -pick_up):
        beat = 60 / (bpm * (1 + (drift - 1) * at / SECONDS))
        for place, (kind, level) in style.items():
            if int(place) == number % meter:
                stroke(kind, at + (place % 1) * beat, level)
        stroke("hat", at, 0.35)
        stroke("hat", at + swing * beat, 0.25)
        if number % (4 * meter) == 4 * meter - 1:
            stroke("snare", at + 0.5 * beat, 0.6)
            stroke("snare", at + 0.75 * beat, 0.6)
        if seeds == 2:
            chord = [0, 5, 7, 3][(number // meter) % 4]
            add(sound, at + float(dice.choice([0, 0, 0.5])) * beat, pluck(tuned(root + chord), 0.2, RATE), 0.25, RATE)
            if number % meter == 0:
                for third in (0, 4, 7):
                    add(sound, at, pluck(tuned(root + 24 + chord + third), 0.6, RATE), 0.08, RATE)
    sound += 0.02 * noise("pink", SECONDS, seed, RATE)
    return 0.6 * sound / np.abs(sound).max(), beats


def mean(heard: list[Heard], judge, field: str = "beat_times", which: int = 0) -> float:
    return float(np.mean([judge(one.data[field], one.truth[which]) for one in heard]))


def bars(heard: list[Heard]) -> float:
    return mean(heard, judges.beat_f, "downbeat_times", 1)


def worst(heard: list[Heard], judge) -> float:
    return min(judge(one.data["beat_times"], one.truth[0]) for one in heard)


def rows(heard: list[Heard]) -> list[Row]:
    fast, slow = of(heard, "fast"), of(heard, "slow")
    return [
        Row("beats", "F ± 70 ms, clicks 60–200 BPM", mean(of(heard, "clicks"), judges.beat_f), Bar.at_least(0.98)),
        Row("beats", "F ± 70 ms, drums 90–180 BPM", mean(fast, judges.beat_f), Bar.at_least(0.95)),
        Row("beats", "the same, worst file", worst(fast, judges.beat_f), worse=min),
        Row("beats", "AMLt, drums 60–75 BPM", mean(slow, judges.beat_any_level), Bar.at_least(0.95)),
        Row("beats", "F ± 70 ms, drums whose tempo drifts by 15–35 %", mean(of(heard, "drift"), judges.beat_f), Bar.at_least(0.95)),
        Row("beats", "F of bars, drums 90–180 BPM", bars(fast), Bar.at_least(0.95)),
        Row("beats", "F of bars of three", bars(of(heard, "threes")), Bar.at_least(0.95)),
        Row("beats", "F of bars of six", bars(of(heard, "sixes")), Bar.at_least(0.95)),
        Row("beats", "F of bars after a pick-up", bars(of(heard, "picked")), Bar.at_least(0.95)),
        Row("beats", "F of bars, tempo that drifts", bars(of(heard, "drift")), Bar.at_least(0.95)),
    ]
