"""Who speaks when: conversations of one to four voices, synthesised and recorded; by telephone, in a room, over music.

The sets 1 and 2 are those that the engine was tuned on. A bar counts on the sets 3 and 4, whose voices, sentences and seeds
nothing was tuned on: each column of the table has one of either."""

import numpy as np

from .. import judges
from ..rows import Bar, Heard, Row, Sample, of
from ..studio import RATE, Studio, by_telephone, in_a_room, music, over, sequence, spoken
from .texts import LINES

READ = ("speakers",)
SETS = {1: (1, 3), 2: (2, 4)}
# `espeak:en-gb+f3` of an earlier table is no voice of its own: espeak-ng passes the variant over, and it was `en-us` in
# another accent.
VOICES = {
    1: [
        ["flite:slt"], ["flite:rms"], ["flite:awb"],
        ["flite:slt", "flite:rms"], ["flite:awb", "flite:slt"], ["flite:rms", "flite:awb"],
        ["flite:slt", "flite:rms", "flite:awb"],
    ],
    2: [
        ["flite:kal16"], ["espeak:en-us"], ["espeak:en-us+f3"],
        ["flite:kal16", "flite:slt"], ["espeak:en-us", "espeak:en-us+f3"], ["flite:awb", "espeak:en-us+f2"],
        ["flite:kal16", "flite:slt", "espeak:en-us"],
    ],
    3: [
        ["festival:ked_diphone"], ["festival:lp_diphone"], ["festival:czech_dita"],
        ["festival:ked_diphone", "festival:lp_diphone"], ["festival:czech_dita", "festival:czech_machac"],
        ["festival:suo_fi_lj_diphone", "festival:hy_fi_mv_diphone"],
        ["festival:ked_diphone", "festival:czech_dita", "festival:hy_fi_mv_diphone"],
        ["festival:lp_diphone", "festival:czech_machac", "festival:suo_fi_lj_diphone", "festival:ked_diphone"],
    ],
    4: [
        ["festival:upc_ca_ona_hts"], ["festival:czech_machac"], ["festival:suo_fi_lj_diphone"],
        ["festival:upc_ca_ona_hts", "festival:czech_machac"], ["festival:lp_diphone", "festival:hy_fi_mv_diphone"],
        ["festival:ked_diphone", "festival:suo_fi_lj_diphone"],
        ["festival:upc_ca_ona_hts", "festival:lp_diphone", "festival:ked_diphone"],
        ["festival:czech_dita", "festival:upc_ca_ona_hts", "festival:hy_fi_mv_diphone", "festival:czech_machac"],
    ],
}
# Debian's recorded speakers, each with a studio and a language of their own: of asterisk-core-sounds, and, in the sets 3
# and 4, of asterisk-prompt-it-menardi-wav, -es-co and -fr-armelle.
RECORDED = {
    1: [["en_US_f_Allison"], ["en_US_f_Allison", "it_IT_m_Carlo"], ["it_IT_m_Carlo", "fr_CA_f_June", "en_US_f_Allison"]],
    2: [["ru_RU_f_IvrvoiceRU"], ["fr_CA_f_June", "ru_RU_f_IvrvoiceRU"], ["ru_RU_f_IvrvoiceRU", "it_IT_m_Carlo", "fr_CA_f_June"]],
    3: [["it_IT_f_Menardi"], ["es"], ["it_IT_f_Menardi", "es"], ["fr", "it_IT_f_Menardi"], ["es", "fr", "it_IT_f_Menardi"],
        ["es", "fr", "it_IT_f_Menardi", "it_IT_m_Carlo"]],
    4: [["fr"], ["it_IT_f_Menardi"], ["es", "fr"], ["it_IT_f_Menardi", "it_IT_m_Carlo"], ["fr", "it_IT_m_Carlo", "it_IT_f_Menardi"],
        ["ru_RU_f_IvrvoiceRU", "it_IT_f_Menardi", "es", "fr"]],
}
# One voice with its pitch moved a little: as alike as siblings.
ALIKE = {
    1: ["espeak:en-us", "espeak:en-us+m1"],
    2: ["espeak:en-us+f1", "espeak:en-us+f4"],
    3: ["espeak:en-us+m5", "espeak:en-us+m6"],
    4: ["espeak:en-us+f3", "espeak:en-us+Annie"],
}
# What is between the voices and who listens, in the sets that nothing was tuned on.
WAYS = {
    "telephone": lambda sound, seed: by_telephone(sound),
    "room": in_a_room,
    "music": lambda sound, seed: over(sound, music(len(sound) / RATE + 1, seed), 12),
}
TURNS = 12


def samples(studio: Studio, seeds: int) -> list[Sample]:
    return [sample for number in SETS[seeds] for sample in of_set(studio, number)]


def of_set(studio: Studio, seeds: int) -> list[Sample]:
    dice = np.random.default_rng(500 + seeds)
    lines = LINES[seeds]
    made = []
    new = "new " if seeds > 2 else ""

    def conversation(name: str, voices: list[str], say, group: str, way=None) -> None:
        parts, who, at = [], [], 0
        for turn in range(TURNS):
            # Now and then somebody goes on.
            at = at if turn and dice.random() < 0.25 else at + 1
            who.append(voices[at % len(voices)])
            parts.append(say(who[-1], turn))
        sound, spans = sequence(parts, list(dice.uniform(0.3, 1.0, TURNS + 1)))
        # A pause within a sentence is silence, whoever listens.
        turns = [
            (start + begin, start + end, voice)
            for (start, _), voice, part in zip(spans, who, parts)
            for begin, end in spoken(part)
        ]
        sound = way(sound, seeds) if way else sound
        truth = (turns, len(sound) / RATE, len(set(who)))
        made.append(Sample(studio.wav(f"speakers{seeds}-{name}.wav", sound), READ, truth, new + group))

    for number, voices in enumerate(VOICES[seeds]):
        say = lambda voice, turn: studio.say(voice, lines[(turn + number) % len(lines)])
        conversation(f"synthetic-{number}", voices, say, f"synthetic {len(voices)}")
    for number, voices in enumerate(RECORDED[seeds]):
        prompts = {voice: studio.prompts(voice, TURNS, 600 + 10 * seeds + number, 2.0) for voice in voices}
        say = lambda voice, turn: prompts[voice][turn]
        conversation(f"recorded-{number}", voices, say, f"recorded {len(voices)}")
        for name, way in WAYS.items() if new and len(voices) > 1 else ():
            conversation(f"{name}-{number}", voices, say, name, way)
    conversation("alike", ALIKE[seeds], lambda voice, turn: studio.say(voice, lines[turn]), "alike")
    return made


def turns_of(one: Heard) -> judges.Turns:
    return [(turn["start"], turn["end"], turn["speaker"]) for turn in one.data["segments"]]


def rate(heard: list[Heard], collar_seconds: float = 0.25) -> float:
    score = judges.SpeakerScore(collar_seconds)
    for one in heard:
        turns, seconds, _ = one.truth
        score.add(turns_of(one), turns, seconds)
    return score.rate


def number_right(heard: list[Heard]) -> float:
    """The part of the files whose number of voices is right."""
    return float(np.mean([len(one.data["speakers"]) == one.truth[2] for one in heard]))


def rows(heard: list[Heard]) -> list[Row]:
    bar, alike = Bar.at_most(0.05), Bar.at_most(0.25)
    judged = [one for one in heard if not one.sample.group.endswith("alike")]
    right = number_right
    fresh = [one for one in judged if one.sample.group.startswith("new")]
    alone = [one for one in fresh if one.truth[2] == 1]
    der = lambda group: rate(of(heard, group))
    kinds = [("synthetic", "synthesised"), ("recorded", "recorded")]
    return [
        *(Row("speakers", f"DER, {n} {name}, new voices", der(f"new {kind} {n}"), bar) for kind, name in kinds for n in (1, 2, 3, 4)),
        *(Row("speakers", f"DER, {n} {name}, tuned on", der(f"{kind} {n}")) for kind, name in kinds for n in (1, 2, 3)),
        *(Row("speakers", f"DER, two to four recorded, {way}, new voices", der(f"new {way}")) for way in WAYS),
        Row("speakers", "the number of voices is right, part of the new files", right(fresh), Bar.at_least(0.95)),
        Row("speakers", "one speaker alone is one voice, part of the new files", right(alone), worse=min),
        Row("speakers", "the number of voices is right, part of those tuned on", right([one for one in judged if one not in fresh]), worse=min),
        Row("speakers", "DER, two voices that are nearly the same, new", der("new alike"), alike),
        Row("speakers", "DER, two voices that are nearly the same, tuned on", der("alike")),
    ]
