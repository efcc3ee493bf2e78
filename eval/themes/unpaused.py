"""Who speaks when, where one voice follows another without a pause: two and three voices, synthesised and recorded.

The voices are those of the sets 3 and 4 of `speakers`, which nothing was tuned on. There is no pause within a sentence
either, so that what is wrong is a voice or the place of a change. Nothing here has a bar."""

from collections.abc import Iterable, Iterator
from itertools import cycle
from statistics import median

import numpy as np

from .. import judges
from ..rows import Heard, Row, Sample, of
from ..studio import RATE, Studio, close_cut, joined, silence, spoken
from .speakers import READ, RECORDED, SETS, VOICES, number_right, rate, turns_of
from .texts import LINES

# Seconds of a turn: of one sentence or of two.
LEAST, MOST = 2.0, 8.0
# A file has so many seconds of turns, and the rest of its last one. Both ends are silent.
SECONDS, QUIET = 42.0, 0.5
# Recorded sentences that are looked at for each voice of a file. About half of them have a pause or another length.
SENTENCES = 24
# A change that is found further away, in seconds, is beyond the collar.
NEAR = 0.25


def samples(studio: Studio, seeds: int) -> list[Sample]:
    number = SETS[seeds][-1]
    made, lines = [], LINES[number]

    def conversation(name: str, voices: list[str], said: dict[str, Iterable[np.ndarray]], group: str, seed: int) -> None:
        sound, truth = taking_over({voice: sentences(said[voice]) for voice in voices}, np.random.default_rng(seed))
        made.append(Sample(studio.wav(f"unpaused{number}-{name}.wav", sound), READ, truth, group))

    for at, voices in enumerate(several(VOICES[number])):
        # Each voice begins with a line of its own.
        texts = {voice: lines[3 * place :] + lines[: 3 * place] for place, voice in enumerate(voices)}
        said = {voice: map(studio.say, [voice] * len(lines), texts[voice]) for voice in voices}
        conversation(f"synthetic-{at}", voices, said, "synthetic", 700 + 10 * number + at)
    for at, voices in enumerate(several(RECORDED[number])):
        seed = 800 + 10 * number + at
        said = {voice: studio.prompts(voice, SENTENCES, seed, LEAST) for voice in voices}
        conversation(f"recorded-{at}", voices, said, "recorded", seed)
    return made


def several(sets: list[list[str]]) -> list[list[str]]:
    return [voices for voices in sets if len(voices) in (2, 3)]


def sentences(said: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
    """Those without a pause that are as long as a turn may be, cut close, and from the first again after the last."""
    cut = map(close_cut, said)
    return cycle(part for part in cut if len(spoken(part)) == 1 and LEAST <= len(part) / RATE <= MOST)


def taking_over(voices: dict[str, Iterator[np.ndarray]], dice: np.random.Generator) -> tuple[np.ndarray, tuple]:
    """Turns of these voices, each followed at once by another's; and what is true of them: turns, seconds, voices."""
    parts, who, names = [], [], list(voices)
    while sum(map(len, parts)) < SECONDS * RATE:
        others = [name for name in names if name not in who[-1:]]
        who.append(others[int(dice.integers(len(others)))])
        parts.append(turn(voices[who[-1]], two=dice.random() < 0.5))
    sound, spans = joined(parts)
    sound = np.concatenate([silence(QUIET), sound, silence(QUIET)])
    turns = [(QUIET + start, QUIET + end, voice) for (start, end), voice in zip(spans, who)]
    return sound, (turns, len(sound) / RATE, len(set(who)))


def turn(own: Iterator[np.ndarray], two: bool) -> np.ndarray:
    """The next sentence, or the next two where these are short enough."""
    first = next(own)
    both = joined([first, next(own)])[0] if two else first
    return both if len(both) <= MOST * RATE else first


def rows(heard: list[Heard]) -> list[Row]:
    found = []
    for kind, name in (("recorded", "two and three recorded"), ("synthetic", "two and three synthesised")):
        some = of(heard, kind)
        gaps = [gap for one in some for gap in judges.changes_off(turns_of(one), one.truth[0])]
        far = float(np.mean([gap > NEAR for gap in gaps]))
        found += [
            Row("speakers", f"DER, {name}, no pause between turns, new voices", rate(some)),
            Row("speakers", f"DER, {name}, no pause between turns, no collar, new voices", rate(some, 0.0)),
            Row("speakers", f"s from a change without a pause to the found one, median, {name}, new voices", median(gaps)),
            Row("speakers", f"changes without a pause that are not found within {NEAR} s, part, {name}, new voices", far),
        ]
    right = number_right(heard)
    return [*found, Row("speakers", "the number of voices is right, part of the new files without a pause", right, worse=min)]
