"""Loudness: the cases of EBU Tech 3341 and 3342 that can be synthesised, and ffmpeg on recordings."""

import re

import numpy as np

from .. import judges
from ..rows import Bar, Heard, Row, Sample, of
from ..studio import LIBRIVOX, MUSIC, Studio, run

RATE = 48_000
READ = ("levels",)


def tone(parts: list[tuple[float, float]], channels: int = 2, hertz: float = 1000.0) -> np.ndarray:
    """A sine at each level (dBFS) for its seconds, the same in all channels."""
    amplitude = np.concatenate([np.full(round(seconds * RATE), 10 ** (level / 20)) for level, seconds in parts])
    sine = amplitude * np.sin(2 * np.pi * hertz * np.arange(len(amplitude)) / RATE)
    return np.repeat(sine[:, None], channels, axis=1)


def integrated_cases() -> list[tuple[str, np.ndarray, float]]:
    """Cases 1 to 6 of Tech 3341: what is measured over the whole."""
    surround = [tone([(level, 20.0)], 1) for level in (-28.0, -28.0, -24.0, -30.0, -30.0)]
    return [
        ("1", tone([(-23, 20)]), -23.0),
        ("2", tone([(-33, 20)]), -33.0),
        ("3", tone([(-36, 10), (-23, 60), (-36, 10)]), -23.0),
        ("4", tone([(-72, 10), (-36, 10), (-23, 60), (-36, 10), (-72, 10)]), -23.0),
        ("5", tone([(-26, 20), (-20, 20.1), (-26, 20)]), -23.0),
        ("6", np.concatenate(surround, axis=1), -23.0),
    ]


def peak_cases() -> list[tuple[str, np.ndarray, float]]:
    """Cases 15 to 23: sines whose peaks lie between the samples, and a peak at each quarter of a sample."""
    cases = []
    for number, divisor, amplitude, degrees, expected in [
        ("15", 4, 0.5, 0.0, -6.0),
        ("16", 4, 0.5, 45.0, -6.0),
        ("17", 6, 0.5, 60.0, -6.0),
        ("18", 8, 0.5, 67.5, -6.0),
        ("19", 4, 1.41, 45.0, 3.0),
    ]:
        n = np.arange(2 * RATE)
        sine = amplitude * np.sin(2 * np.pi * n / divisor + np.deg2rad(degrees))
        faded = sine * np.minimum(1, np.minimum(n, n[::-1]) / (0.05 * RATE))
        cases.append((number, np.repeat(faded[:, None], 2, axis=1), expected))
    for quarter in range(4):
        # A burst around its own peak, which is 1 and falls a number of quarter samples after a sample.
        time = np.arange(2 * RATE) - RATE - quarter / 4
        burst = np.cos(2 * np.pi * time / 6) * np.exp(-((time / 200) ** 2))
        cases.append((str(20 + quarter), np.repeat(burst[:, None], 2, axis=1), 0.0))
    return cases


RANGES = [
    ([(-20, 20), (-30, 20)], 10.0),
    ([(-20, 20), (-15, 20)], 5.0),
    ([(-40, 20), (-20, 20)], 20.0),
    ([(-50, 20), (-35, 20), (-20, 20), (-35, 20), (-50, 20)], 15.0),
]


def samples(studio: Studio, seeds: int) -> list[Sample]:
    if seeds != 1:
        # The cases are what the standard says: there are no others.
        return []
    made = []

    def case(name: str, sound: np.ndarray, truth: object, group: str) -> None:
        made.append(Sample(studio.wav(f"{group}-{name}.wav", sound, RATE), READ, truth, group))

    for name, sound, expected in integrated_cases():
        case(name, sound, expected, "integrated")
    for name, sound, expected in peak_cases():
        case(name, sound, expected, "true-peak")
    # Cases 9 and 12: levels that change within the window, whose mean does not.
    case("9", tone([(-20, 1.34), (-30, 1.66)] * 5), -23.0, "short-term")
    case("12", tone([(-20, 0.18), (-30, 0.22)] * 25), -23.0, "momentary")
    # Cases 10 and 13: a tone as long as the window, wherever it begins; 20 files each.
    for step in range(20):
        case(f"10-{step}", tone([(-120, 0.15 * step + 0.001), (-23, 3.0), (-120, 1)]), -23.0, "short-term")
        case(f"13-{step}", tone([(-120, 0.02 * step + 0.001), (-23, 0.4), (-120, 1)]), -23.0, "momentary")
    for number, (parts, expected) in enumerate(RANGES):
        case(str(number + 1), tone(parts), expected, "range")
    for folder, ends, group in ((LIBRIVOX, "*.wav", "recorded speech"), (MUSIC, "*.g722", "recorded music")):
        for path in sorted(folder.glob(ends)):
            flac = studio.path(f"recorded-{path.stem}.flac")
            run("ffmpeg", "-nostdin", "-v", "error", "-i", path, "-ar", "48000", flac)
            made.append(Sample(flac, READ, by_ffmpeg(flac), group))
    return made


def by_ffmpeg(path: object) -> dict[str, float]:
    """What ffmpeg's own ebur128 filter says."""
    command = ["ffmpeg", "-nostdin", "-hide_banner", "-i", path, "-af", "ebur128=metadata=1:peak=true,ametadata=print"]
    said = run(*command, "-f", "null", "-", stderr=True).decode(errors="replace")
    last = lambda key: float(re.findall(rf"lavfi\.r128\.{key}=(\S+)", said)[-1])
    return {"integrated_lufs": last("I"), "loudness_range_lu": last("LRA")}


def worst(heard: list[Heard], field: str) -> float:
    return max(judges.off(one.data[field], one.truth) for one in heard)


def rows(heard: list[Heard]) -> list[Row]:
    if not heard:
        return []
    short, momentary = of(heard, "short-term"), of(heard, "momentary")
    steady = next(one for one in short if "-9." in one.sample.path.name).data["short_term"]
    # From the third second on the window is full and its level stands still.
    wandering = max(judges.off(level, -23.0) for level in steady[2:])
    peaks = [one.data["true_peak_dbtp"] - one.truth for one in of(heard, "true-peak")]
    apart = lambda group, name: max(judges.off(one.data[name], one.truth[name]) for one in of(heard, group))
    tenth, within = Bar.at_most(0.1), lambda value: -0.4 <= value <= 0.2
    highest, lowest = Bar("−0.4 … +0.2", within), Bar("−0.4 … +0.2", within, min)
    return [
        Row("levels", "Tech 3341 cases 1–6, integrated: worst error, LU", worst(of(heard, "integrated"), "integrated_lufs"), tenth, 2),
        Row("levels", "cases 9 and 10, short term: worst error, LU", max(wandering, worst(short, "max_short_term_lufs")), tenth, 2),
        Row("levels", "cases 12 and 13, momentary: worst error, LU", worst(momentary, "max_momentary_lufs"), tenth, 2),
        Row("levels", "cases 15–23, true peak: highest error, dB", max(peaks), highest, 2),
        Row("levels", "cases 15–23, true peak: lowest error, dB", min(peaks), lowest, 2),
        Row("levels", "Tech 3342 cases 1–4, range: worst error, LU", worst(of(heard, "range"), "loudness_range_lu"), Bar.at_most(1), 2),
        Row("levels", "recorded speech against ffmpeg's ebur128, integrated: worst, LU", apart("recorded speech", "integrated_lufs"), tenth, 2),
        Row("levels", "recorded music against ffmpeg's ebur128, integrated: worst, LU", apart("recorded music", "integrated_lufs"), tenth, 2),
        # The range of a recording of a few seconds rests on one or two values, so speech is left out.
        Row("levels", "recorded music against ffmpeg's ebur128, range: worst, LU", apart("recorded music", "loudness_range_lu"), None, 2),
    ]
