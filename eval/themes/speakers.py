"""Who speaks when: conversations of one, two and three voices, synthesised and recorded."""

import numpy as np

from .. import judges
from ..rows import Bar, Heard, Row, Sample, of
from ..studio import RATE, Studio, sequence
from .texts import LINES

READ = ("speakers",)
VOICES = {
    1: [
        ["flite:slt"], ["flite:rms"], ["flite:awb"],
        ["flite:slt", "flite:rms"], ["flite:awb", "flite:slt"], ["flite:rms", "flite:awb"],
        ["flite:slt", "flite:rms", "flite:awb"],
    ],
    2: [
        ["flite:kal16"], ["espeak:en-us"], ["espeak:en-gb+f3"],
        ["flite:kal16", "flite:slt"], ["espeak:en-us", "espeak:en-gb+f3"], ["flite:awb", "espeak:en-us+f2"],
        ["flite:kal16", "flite:slt", "espeak:en-us"],
    ],
}
# Debian's four recorded speakers, each with a studio and a language of their own.
RECORDED = {
    1: [["en_US_f_Allison"], ["en_US_f_Allison", "it_IT_m_Carlo"], ["it_IT_m_Carlo", "fr_CA_f_June", "en_US_f_Allison"]],
    2: [["ru_RU_f_IvrvoiceRU"], ["fr_CA_f_June", "ru_RU_f_IvrvoiceRU"], ["ru_RU_f_IvrvoiceRU", "it_IT_m_Carlo", "fr_CA_f_June"]],
}
# One voice with its pitch moved a little: as alike as siblings.
ALIKE = {1: ["espeak:en-us", "espeak:en-us+m1"], 2: ["espeak:en-us+f1", "espeak:en-us+f4"]}
TURNS = 12


def samples(studio: Studio, seeds: int) -> list[Sample]:
    dice = np.random.default_rng(500 + seeds)
    lines = LINES[seeds]
    made = []

    def conversation(name: str, voices: list[str], say, group: str) -> None:
        parts, who, at = [], [], 0
        for turn in range(TURNS):
            # Now and then somebody goes on.
            at = at if turn and dice.random() < 0.25 else at + 1
            who.append(voices[at % len(voices)])
            parts.append(say(who[-1], turn))
        sound, spans = sequence(parts, list(dice.uniform(0.3, 1.0, TURNS + 1)))
        turns = [(start, end, voice) for (start, end), voice in zip(spans, who)]
        truth = (turns, len(sound) / RATE, len(set(who)))
        made.append(Sample(studio.wav(f"speakers{seeds}-{name}.wav", sound), READ, truth, group))

    for number, voices in enumerate(VOICES[seeds]):
        say = lambda voice, turn: studio.say(voice, lines[(turn + number) % len(lines)])
        conversation(f"synthetic-{number}", voices, say, f"synthetic {len(voices)}")
    for number, voices in enumerate(RECORDED[seeds]):
        prompts = {voice: studio.prompts(voice, TURNS, 600 + 10 * seeds + number, 2.0) for voice in voices}
        conversation(f"recorded-{number}", voices, lambda voice, turn: prompts[voice][turn], f"recorded {len(voices)}")
    conversation("alike", ALIKE[seeds], lambda voice, turn: studio.say(voice, lines[turn]), "alike")
    return made


def rate(heard: list[Heard]) -> float:
    score = judges.SpeakerScore()
    for one in heard:
        turns, seconds, _ = one.truth
        found = [(turn["start"], turn["end"], turn["speaker"]) for turn in one.data["segments"]]
        score.add(found, turns, seconds)
    return score.rate


def rows(heard: list[Heard]) -> list[Row]:
    tenth = Bar.at_most(0.10)
    judged = [one for one in heard if one.sample.group != "alike"]
    counted = np.mean([len(one.data["speakers"]) == one.truth[2] for one in judged])
    return [
        *(Row("speakers", f"DER, {count} synthesised", rate(of(heard, f"synthetic {count}")), tenth) for count in (1, 2, 3)),
        *(Row("speakers", f"DER, {count} recorded", rate(of(heard, f"recorded {count}")), tenth) for count in (1, 2, 3)),
        Row("speakers", "the number of voices is right, part of the files", float(counted)),
        Row("speakers", "DER, two voices that are nearly the same", rate(of(heard, "alike"))),
    ]
