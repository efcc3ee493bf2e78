"""The judges: thin wrappers of mir_eval, jiwer and pyannote.metrics, and plain arithmetic where there is nothing to wrap.

`test_judges.py` shows that each gives a perfect, a broken and an empty answer what they deserve."""

import re
import warnings
from collections import Counter

import jiwer
import mir_eval
import numpy as np
from pyannote.core import Annotation, Segment, Timeline
from pyannote.metrics.detection import DetectionErrorRate, DetectionPrecisionRecallFMeasure
from pyannote.metrics.diarization import DiarizationErrorRate

Spans = list[tuple[float, float]]
# Who speaks from when to when, in seconds.
Turns = list[tuple[float, float, str]]


def annotation(turns: Turns) -> Annotation:
    made = Annotation()
    for number, (start, end, name) in enumerate(turns):
        if end > start:
            made[Segment(start, end), number] = name
    return made


def speech(spans: Spans) -> Annotation:
    return annotation([(start, end, "speech") for start, end in spans])


class SpeechScore:
    """F1 of speech over several files together: their times are added up before the ratio is taken."""

    def __init__(self) -> None:
        self.metric = DetectionPrecisionRecallFMeasure()

    def add(self, found: Spans, true: Spans, seconds: float) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.metric(speech(true), speech(found), uem=Timeline([Segment(0, seconds)]))

    @property
    def f1(self) -> float:
        return float(abs(self.metric))


def false_alarm(found: Spans, seconds: float) -> float:
    """The part of a sound without speech that is taken for speech."""
    metric = DetectionErrorRate()
    parts = metric.compute_components(speech([]), speech(found), uem=Timeline([Segment(0, seconds)]))
    return float(parts["false alarm"]) / seconds


class SpeakerScore:
    """Diarization error over several files together. The collar, so many seconds on each side of each turn's ends, is not
    judged."""

    def __init__(self, collar_seconds: float = 0.25) -> None:
        # pyannote's collar is the whole stretch that is left out, half of it on each side.
        self.metric = DiarizationErrorRate(collar=2 * collar_seconds)

    def add(self, found: Turns, true: Turns, seconds: float) -> float:
        uem = Timeline([Segment(0, seconds)])
        return float(self.metric(annotation(true), annotation(found), uem=uem))

    @property
    def rate(self) -> float:
        return float(abs(self.metric))


def changes_off(found: Turns, true: Turns) -> list[float]:
    """How far the found change of voice is from each true one, in seconds, whoever is taken for whom: the nearest one
    between the middles of both true turns. Where there is none, it is as far as can be."""
    places = changes(found)
    gaps = []
    for (start, end, voice), (start_after, end_after, voice_after) in zip(true, true[1:]):
        if voice != voice_after:
            at = (end + start_after) / 2
            near = [abs(place - at) for place in places if (start + end) / 2 <= place < (start_after + end_after) / 2]
            gaps.append(min(near, default=float("inf")))
    return gaps


def changes(turns: Turns) -> list[float]:
    """When one voice follows another, in seconds: where there is a pause between them, its middle."""
    turns = sorted(turns)
    return [(one[1] + other[0]) / 2 for one, other in zip(turns, turns[1:]) if one[2] != other[2]]


def words(text: str) -> str:
    """Text as it is compared: lower case, no punctuation."""
    return " ".join(re.sub(r"[^a-z' ]+", " ", text.lower()).split())


def late_words(heard: list[dict], sentences: Spans) -> list[float]:
    """How far the first word of each sentence is from its begin, in seconds: the first that begins after the middle of the
    pause before it and within the sentence. One that was not heard at all is 9 s off."""
    gaps, before = [], 0.0
    for begin, end in sentences:
        starts = [word["start"] for word in heard if (before + begin) / 2 <= word["start"] < end]
        gaps.append(abs(min(starts) - begin) if starts else 9.0)
        before = end
    return gaps


def word_errors(said: list[str], heard: list[str]) -> float:
    """Word error rate over several texts together."""
    return float(jiwer.wer([words(text) for text in said], [words(text) for text in heard]))


def words_f1(found: list[str], true: list[str]) -> float:
    """F measure of words over several texts together, whatever their order: a word that is found twice counts twice."""
    pairs = [(Counter(words(one).split()), Counter(words(other).split())) for one, other in zip(found, true)]
    right = sum((one & other).total() for one, other in pairs)
    return 2 * right / sum(one.total() + other.total() for one, other in pairs)


def words_read(found: str, true: str) -> float:
    """The part of the words of a text that are found, whatever else is."""
    one, other = Counter(words(found).split()), Counter(words(true).split())
    return (one & other).total() / other.total()


def beat_f(found: list[float], true: list[float], window: float = 0.07) -> float:
    """F measure of beats, ± 70 ms, from the first to the last: nothing is trimmed."""
    return float(mir_eval.beat.f_measure(np.array(true), np.array(found), window))


def beat_any_level(found: list[float], true: list[float]) -> float:
    """AMLt: the part of the beats that are right at the true level, at twice, half or off it."""
    if len(found) < 2:
        return 0.0
    *_, any_level = mir_eval.beat.continuity(np.array(true), np.array(found))
    return float(any_level)


def matched(found: list[float], true: Spans) -> tuple[int, int]:
    """How many of the true boundaries, each a span of time, are met by a found one, and how many found ones meet one.
    A boundary met twice is met once, and its second meeting is wrong."""
    left, right = list(found), 0
    for start, end in true:
        met = next((at for at in left if start <= at <= end), None)
        if met is not None:
            left.remove(met)
            right += 1
    return right, right


def off(found: float | None, true: float) -> float:
    """How far a level is from what it should be; one that is missing is as far as can be."""
    return float("inf") if found is None else abs(found - true)
