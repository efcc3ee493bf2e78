"""Where somebody speaks: synthesised and recorded voices with known pauses, clean, under noise and over music."""

import numpy as np

from .. import judges
from ..rows import Bar, Heard, Row, Sample, of
from ..studio import MUSIC, RATE, Studio, music, noise, sequence
from .texts import LINES

READ = ("speech",)
SYNTHETIC = {
    1: ["flite:slt", "flite:rms", "flite:awb"],
    2: ["flite:kal16", "espeak:en-us", "espeak:en-gb+f3", "espeak:en-gb-scotland+m4"],
}
RECORDED = {1: ["en_US_f_Allison", "it_IT_m_Carlo"], 2: ["fr_CA_f_June", "ru_RU_f_IvrvoiceRU"]}
SENTENCES = 8
DECIBELS = (20, 10, 5)


def samples(studio: Studio, seeds: int) -> list[Sample]:
    dice = np.random.default_rng(100 + seeds)
    made = []
    lines = LINES[seeds]
    voices = [(voice, [studio.say(voice, line) for line in lines[:SENTENCES]]) for voice in SYNTHETIC[seeds]]
    recorded = [(name, studio.prompts(name, SENTENCES, 200 + seeds)) for name in RECORDED[seeds]]
    for voice, parts in voices + recorded:
        name = f"speech{seeds}-{voice.replace(':', '-')}"
        sound, spans = sequence(parts, list(dice.uniform(0.4, 2.5, len(parts) + 1)))
        seconds = len(sound) / RATE
        clean = "recorded" if voice in RECORDED[seeds] else "clean"
        made.append(Sample(studio.wav(f"{name}.wav", sound), READ, (spans, seconds), clean))
        for decibels in DECIBELS:
            for colour in ("white", "pink", "brown"):
                under = mixed(sound, spans, noise(colour, seconds, int(dice.integers(1 << 30))), decibels)
                path = studio.wav(f"{name}-{colour}-{decibels}.wav", under)
                made.append(Sample(path, READ, (spans, seconds), "noise"))
            under = mixed(sound, spans, music(seconds, int(dice.integers(1 << 30))), decibels)
            made.append(Sample(studio.wav(f"{name}-music-{decibels}.wav", under), READ, (spans, seconds), "music"))
    return made + without_speech(studio, seeds, dice)


def without_speech(studio: Studio, seeds: int, dice: np.random.Generator) -> list[Sample]:
    made = []
    for number in range(3):
        for colour in ("white", "pink", "brown"):
            sound = noise(colour, 60, int(dice.integers(1 << 30)))
            made.append(Sample(studio.wav(f"alone{seeds}-{colour}-{number}.wav", sound), READ, 60.0, "noise alone"))
        sound = music(60, int(dice.integers(1 << 30)))
        made.append(Sample(studio.wav(f"alone{seeds}-music-{number}.wav", sound), READ, 60.0, "music alone"))
    # Five recorded pieces: three for these seeds, two for the others.
    for path in sorted(MUSIC.glob("*.g722"))[seeds - 1 :: 2]:
        sound = studio.recording(path)
        made.append(Sample(studio.wav(f"recorded-{path.stem}.wav", sound), READ, len(sound) / RATE, "recorded music"))
    return made


def mixed(sound: np.ndarray, spans: list[tuple[float, float]], under: np.ndarray, decibels: float) -> np.ndarray:
    """Speech with something under it, this many decibels below the level that the voice has while it speaks."""
    spoken = np.concatenate([sound[round(start * RATE) : round(end * RATE)] for start, end in spans])
    level = np.sqrt(np.mean(spoken**2) / np.mean(under**2)) * 10 ** (-decibels / 20)
    both = sound + level * under[: len(sound)]
    return 0.9 * both / np.abs(both).max()


def spans_of(one: Heard) -> list[tuple[float, float]]:
    return [(segment["start"], segment["end"]) for segment in one.data["segments"]]


def f1(heard: list[Heard]) -> float:
    score = judges.SpeechScore()
    for one in heard:
        spans, seconds = one.truth
        score.add(spans_of(one), spans, seconds)
    return score.f1


def rows(heard: list[Heard]) -> list[Row]:
    def alarms(group: str) -> float:
        return max(judges.false_alarm(spans_of(one), one.truth) for one in of(heard, group))

    quietest = [one for one in of(heard, "noise") if one.sample.path.stem.endswith("-5")]
    return [
        Row("speech", "F1, clean synthesised voices", f1(of(heard, "clean")), Bar.at_least(0.97)),
        Row("speech", "F1, clean recorded voices", f1(of(heard, "recorded")), Bar.at_least(0.97)),
        Row("speech", "F1, noise at 5, 10 and 20 dB", f1(of(heard, "noise")), Bar.at_least(0.97)),
        Row("speech", "F1, of these at 5 dB alone", f1(quietest), Bar.at_least(0.97)),
        Row("speech", "F1, over music at 5, 10 and 20 dB", f1(of(heard, "music")), Bar.at_least(0.95)),
        Row("speech", "false alarms on noise alone, worst file", alarms("noise alone"), Bar.at_most(0.02)),
        Row("speech", "false alarms on synthesised music, worst file", alarms("music alone"), Bar.at_most(0.02)),
        Row("speech", "false alarms on recorded music, worst file", alarms("recorded music"), Bar.at_most(0.02)),
    ]
