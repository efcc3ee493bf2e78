"""What is said: synthesised voices, and recorded readers whose text is known."""

import re

import numpy as np

from .. import judges
from ..rows import Bar, Heard, Row, Sample
from ..studio import LIBRIVOX, Studio, sequence
from .texts import LINES

READ = ("transcript",)
FLITE = ["slt", "rms", "awb", "kal", "kal16"]
OTHERS = {1: [], 2: ["espeak:en-us", "espeak:en-gb+f3"]}


def samples(studio: Studio, seeds: int) -> list[Sample]:
    dice = np.random.default_rng(700 + seeds)
    made = []
    for voice in [f"flite:{name}" for name in FLITE] + OTHERS[seeds]:
        parts = [studio.say(voice, line) for line in LINES[seeds]]
        sound, spans = sequence(parts, list(dice.uniform(0.5, 1.5, len(parts) + 1)))
        path = studio.wav(f"transcript{seeds}-{voice.replace(':', '-')}.wav", sound)
        made.append(Sample(path, READ, (" ".join(LINES[seeds]), spans), voice))
    if seeds == 1:
        made.append(librivox(studio))
    return made


def librivox(studio: Studio) -> Sample:
    """The five recordings one after the other, and what is read in them."""
    said = (LIBRIVOX / "transcription").read_text()
    texts = dict((name, text) for text, name in re.findall(r"<s> (.*) </s> \((.*)\)", said))
    parts = [studio.recording(LIBRIVOX / f"{name}.wav") for name in sorted(texts)]
    sound, spans = sequence(parts, [0.5] * (len(parts) + 1))
    text = " ".join(texts[name] for name in sorted(texts))
    return Sample(studio.wav("transcript-librivox.wav", sound), READ, (text, spans), "librivox")


def rate(heard: list[Heard]) -> float:
    return judges.word_errors([one.truth[0] for one in heard], [one.data["text"] for one in heard])


def late(heard: list[Heard]) -> tuple[float, float]:
    """How far the first word of each sentence is from the sentence's begin, in seconds: the middle one of all, and what nine
    of ten are within."""
    gaps = [gap for one in heard for gap in judges.late_words(one.data["words"], one.truth[1])]
    return float(np.median(gaps)), float(np.quantile(gaps, 0.9))


def rows(heard: list[Heard]) -> list[Row]:
    flite = [one for one in heard if one.sample.group.startswith("flite:")]
    made = [Row("transcript", "WER, the five flite voices together", rate(flite), Bar.at_most(0.12))]
    made += [Row("transcript", f"WER, {one.sample.group}", rate([one])) for one in heard]
    middle, most = late(flite)
    made.append(Row("transcript", "first word of a sentence, seconds off (median)", middle, Bar.at_most(0.1), 2))
    made.append(Row("transcript", "the same, nine of ten within", most, None, 2))
    return made
