"""The judges judged: a perfect, a broken and an empty answer get what they deserve, and the table says so."""

import unittest
from itertools import cycle
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from . import judges
from .rows import Bar, Heard, Row, Sample, into_document, table, worst
from .studio import LEVEL, RATE, close_cut, joined, silence, spoken
from .themes import THEMES, unpaused, with_parts
from .themes.speakers import RECORDED, VOICES


class Judges(unittest.TestCase):
    def test_speech(self):
        true = [(1.0, 3.0), (5.0, 6.0)]

        def f1(found):
            score = judges.SpeechScore()
            score.add(found, true, 10.0)
            return score.f1

        self.assertAlmostEqual(f1(true), 1.0)
        # Half of it is missed: precision 1, recall 1/2.
        self.assertAlmostEqual(f1([(1.0, 2.5)]), 2 / 3)
        # All of ten seconds is called speech: precision 0.3, recall 1.
        self.assertAlmostEqual(f1([(0.0, 10.0)]), 0.6 / 1.3)
        self.assertAlmostEqual(f1([(7.0, 8.0)]), 0.0)

    def test_false_alarms(self):
        self.assertAlmostEqual(judges.false_alarm([], 20.0), 0.0)
        self.assertAlmostEqual(judges.false_alarm([(1.0, 2.0), (4.0, 5.0)], 20.0), 0.1)

    def test_late_words(self):
        sentences = [(1.0, 3.0), (5.0, 6.0), (8.0, 9.0)]
        words = [{"start": start} for start in (1.1, 2.0, 5.6, 5.9, 9.5)]
        # The second sentence's first word is missed, so that the next one counts, and the third has none.
        self.assertEqual([round(gap, 3) for gap in judges.late_words(words, sentences)], [0.1, 0.6, 9.0])

    def test_speakers(self):
        true = [(0.0, 4.0, "anna"), (5.0, 9.0, "bo")]

        def rate(found):
            score = judges.SpeakerScore()
            score.add(found, true, 10.0)
            return score.rate

        self.assertAlmostEqual(rate([(0.0, 4.0, "X"), (5.0, 9.0, "Y")]), 0.0)
        # Names may be swapped, voices may not: who is taken for the other is half of what was said.
        self.assertAlmostEqual(rate([(0.0, 4.0, "X"), (5.0, 9.0, "X")]), 0.5)
        self.assertAlmostEqual(rate([]), 1.0)
        # A boundary 0.2 s off is within the collar.
        self.assertAlmostEqual(rate([(0.0, 4.2, "X"), (5.2, 9.0, "Y")]), 0.0)

    def test_a_misplaced_change_counts_where_there_is_no_collar(self):
        true = [(0.0, 4.0, "anna"), (4.0, 8.0, "bo")]

        def rate(collar_seconds):
            score = judges.SpeakerScore(collar_seconds)
            score.add([(0.0, 4.2, "X"), (4.2, 8.0, "Y")], true, 8.0)
            return score.rate

        self.assertAlmostEqual(rate(0.25), 0.0)
        self.assertAlmostEqual(rate(0.0), 0.2 / 8)

    def test_changes_of_voice(self):
        true = [(0.0, 4.0, "anna"), (4.0, 8.0, "bo"), (8.0, 10.0, "anna"), (10.0, 14.0, "anna"), (14.0, 16.0, "bo")]
        off = lambda found: [round(gap, 3) for gap in judges.changes_off(found, true)]
        # A voice that goes on is no change, and whoever is taken for whom is another figure.
        self.assertEqual(off(true), [0.0, 0.0, 0.0])
        self.assertEqual(off([(start, end, {"anna": "Y", "bo": "X"}[voice]) for start, end, voice in true]), [0.0] * 3)
        # One is late, one has a pause around it, and the last is not found: another's place is not taken for its own.
        self.assertEqual(off([(0.0, 4.3, "X"), (4.3, 7.8, "Y"), (8.1, 16.0, "X")]), [0.3, 0.05, float("inf")])
        # Of several the nearest counts.
        self.assertEqual(off([(0.0, 3.0, "X"), (3.0, 4.1, "Y"), (4.1, 16.0, "X")])[0], 0.1)
        self.assertEqual(off([]), [float("inf")] * 3)

    def test_words(self):
        self.assertEqual(judges.word_errors(["The cat, sat."], ["the cat sat"]), 0.0)
        self.assertAlmostEqual(judges.word_errors(["one two three four"], ["one too four"]), 0.5)
        self.assertEqual(judges.word_errors(["one two"], [""]), 1.0)
        # Texts count by their words, not each alike.
        self.assertAlmostEqual(judges.word_errors(["a b c", "d"], ["a b c", "x"]), 0.25)

    def test_written_words(self):
        self.assertEqual(judges.words_f1(["Sat, the cat."], ["the cat sat"]), 1.0)
        # Two of three are found, and one that is not there: precision and recall are 2/3.
        self.assertAlmostEqual(judges.words_f1(["the cat cat"], ["the cat sat"]), 2 / 3)
        # A text that is not found leaves half of the words out: precision 1, recall 1/2.
        self.assertAlmostEqual(judges.words_f1(["one", ""], ["one", "two"]), 2 / 3)

    def test_words_among_others(self):
        self.assertEqual(judges.words_read("e\nThe cat\nsat. LJ", "the cat sat"), 1)
        self.assertEqual(judges.words_read("the cat", "the cat sat sat"), 0.5)
        self.assertEqual(judges.words_read("", "the cat"), 0)

    def test_beats(self):
        true = [0.5 * number for number in range(60)]
        self.assertEqual(judges.beat_f(true, true), 1.0)
        self.assertEqual(judges.beat_f([at + 0.06 for at in true], true), 1.0)
        self.assertEqual(judges.beat_f([at + 0.1 for at in true], true), 0.0)
        self.assertAlmostEqual(judges.beat_f(true[::2], true), 2 / 3)
        self.assertEqual(judges.beat_f([], true), 0.0)
        self.assertGreater(judges.beat_any_level(true[::2], true), 0.95)
        self.assertLess(judges.beat_any_level([at * 1.37 for at in true], true), 0.3)

    def test_boundaries(self):
        true = [(1.96, 2.04), (4.0, 5.0)]
        self.assertEqual(judges.matched([2.0, 4.5], true), (2, 2))
        self.assertEqual(judges.matched([2.0, 2.03, 4.2, 4.8], true), (2, 2))
        self.assertEqual(judges.matched([3.0], true), (0, 0))

    def test_levels(self):
        self.assertAlmostEqual(judges.off(-23.05, -23.0), 0.05)
        self.assertEqual(judges.off(None, -23.0), float("inf"))


class Truth(unittest.TestCase):
    def test_a_pause_within_a_sentence_is_no_speech_and_a_short_one_is(self):
        said = lambda seconds: 0.5 * np.sin(np.arange(round(seconds * RATE)))
        quiet = lambda seconds: 0.001 * np.sin(np.arange(round(seconds * RATE)))
        spans = spoken(np.concatenate([said(1.0), quiet(0.2), said(1.0), quiet(0.5), said(0.5)]))
        self.assertEqual([(round(start, 2), round(end, 2)) for start, end in spans], [(0.0, 2.2), (2.7, 3.2)])
        self.assertEqual(len(spoken(said(2.0))), 1)

    def test_a_pause_with_the_noise_of_its_room_is_a_pause(self):
        said = 0.5 * np.sin(np.arange(RATE))
        noise = 0.0025 * np.random.default_rng(1).standard_normal(RATE)
        self.assertGreater(np.abs(noise).max(), 0.01 * 0.5)
        spans = spoken(np.concatenate([said, noise, said]))
        self.assertEqual([(round(start, 2), round(end, 2)) for start, end in spans], [(0.0, 1.0), (2.0, 3.0)])


class Unpaused(unittest.TestCase):
    """Files in which one voice follows another without a pause, of tones in place of voices."""

    def tone(self, seconds, hertz):
        return 0.75 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * RATE)) / RATE)

    def taken_over(self, count):
        pitches = list(zip("abc", (150, 200, 250)))[:count]
        voices = {name: cycle([self.tone(seconds, hertz) for seconds in (5.0, 2.1, 3.5)]) for name, hertz in pitches}
        return unpaused.taking_over(voices, np.random.default_rng(1))

    def test_speech_meets_speech(self):
        # What dies away is cut off too, though it is no silence.
        said = np.concatenate([silence(0.4), self.tone(2.0, 200), 0.03 * self.tone(0.3, 200), silence(0.2)])
        cut = close_cut(said)
        self.assertEqual(len(cut), 2 * RATE)
        sound, spans = joined([cut, 0.5 * cut, cut])
        for (_, end), (start, _) in zip(spans, spans[1:]):
            self.assertEqual(end, start)
        # Each fades into the next for 5 ms: half of that is taken off each side.
        np.testing.assert_allclose(np.ravel(spans), [0.0, 1.9975, 1.9975, 3.9925, 3.9925, 5.99])
        self.assertEqual(len(sound) / RATE, spans[-1][1])
        levels = np.sqrt(np.mean(sound[: len(sound) // LEVEL * LEVEL].reshape(-1, LEVEL) ** 2, axis=1))
        self.assertGreater(levels.min(), 0.2)

    def test_a_click_is_faded(self):
        sound, _ = joined([np.full(RATE, 0.75), np.full(RATE, -0.75)])
        self.assertLess(np.abs(np.diff(sound)).max(), 0.02)

    def test_a_sentence_with_a_pause_or_of_another_length_is_left_out(self):
        good, short, long = (self.tone(seconds, 200) for seconds in (2.5, 1.9, 8.1))
        paused = np.concatenate([good, silence(0.5), good])
        chosen = unpaused.sentences([short, paused, good, long])
        for _ in range(3):
            self.assertEqual(len(next(chosen)), len(good))

    def test_turns_follow_each_other_at_once(self):
        for count in (2, 3):
            sound, (turns, seconds, voices) = self.taken_over(count)
            self.assertEqual((voices, seconds), (count, len(sound) / RATE))
            for (_, end, voice), (start, _, other) in zip(turns, turns[1:]):
                self.assertEqual(end, start)
                self.assertNotEqual(voice, other)
            lengths = [end - start for start, end, _ in turns]
            # The middle of a fade is its edge.
            self.assertGreater(min(lengths), unpaused.LEAST - 0.01)
            self.assertLessEqual(max(lengths), unpaused.MOST)
            self.assertGreater(max(lengths), 4.0)
            self.assertLessEqual(seconds, unpaused.SECONDS + unpaused.MOST + 2 * unpaused.QUIET)

    def test_where_each_voice_is_true(self):
        sound, (turns, *_) = self.taken_over(3)
        for start, end, voice in turns:
            heard = sound[round((start + 0.01) * RATE) : round((end - 0.01) * RATE)]
            loudest = np.argmax(np.abs(np.fft.rfft(heard))) * RATE / len(heard)
            self.assertAlmostEqual(loudest, {"a": 150, "b": 200, "c": 250}[voice], delta=1)
        self.assertEqual(np.abs(sound[: round(turns[0][0] * RATE)]).max(), 0)

    def test_files_of_two_and_three_new_voices(self):
        said = self.tone(3.0, 200)
        studio = SimpleNamespace(
            say=lambda voice, text: said, prompts=lambda voice, count, *_: [said] * count, wav=lambda name, sound: Path(name)
        )
        names = []
        for seeds, number in ((1, 3), (2, 4)):
            made = unpaused.samples(studio, seeds)
            new = [voices for voices in VOICES[number] + RECORDED[number] if len(voices) in (2, 3)]
            for sample, voices in zip(made, new, strict=True):
                turns, _, count = sample.truth
                self.assertEqual(({voice for *_, voice in turns}, count), (set(voices), len(voices)))
                self.assertEqual(sample.group, "recorded" if voices in RECORDED[number] else "synthetic")
            # The run's length is bounded, however long the sentences are.
            self.assertLess(len(made) * (unpaused.SECONDS + unpaused.MOST + 2 * unpaused.QUIET), 360)
            names += [sample.path.name for sample in made]
        self.assertEqual(len(set(names)), len(names))

    def test_rows(self):
        def heard(kind, late):
            sound, truth = self.taken_over(2)
            turns = truth[0]
            ends = [*(start + late for start, *_ in turns[1:]), turns[-1][1]]
            starts = [turns[0][0], *ends[:-1]]
            found = [
                {"start": start, "end": end, "speaker": voice} for start, end, (*_, voice) in zip(starts, ends, turns)
            ]
            data = {"segments": found, "speakers": ["A", "B"]}
            return Heard(Sample(Path(kind), unpaused.READ, truth, kind), {"speakers": {"data": data}})

        rows = unpaused.rows([heard("recorded", 0.3), heard("synthetic", 0.0)])
        self.assertEqual({row.verdict for row in rows}, {"told"})
        self.assertEqual({row.read for row in rows}, {"speakers"})
        collar, none, middle, far, *synthetic, right = (row.value for row in rows)
        # Of each change 0.05 s are beyond the collar, and all 0.3 s count without one.
        self.assertLess(0, collar)
        self.assertLess(3 * collar, none)
        self.assertAlmostEqual(middle, 0.3)
        self.assertEqual((far, right), (1.0, 1.0))
        np.testing.assert_allclose(synthetic, 0, atol=1e-9)

    def test_part_of_a_read(self):
        self.assertEqual(with_parts(["speakers", "beats"]), ["speakers", "beats", "speakers.unpaused"])
        self.assertEqual(with_parts(["speakers.unpaused"]), ["speakers.unpaused"])
        self.assertEqual(with_parts(list(THEMES)), list(THEMES))


class Table(unittest.TestCase):
    def test_a_row_is_judged_as_it_is_printed(self):
        rows = [
            Row("speech", "good", 0.9699, Bar.at_least(0.97)),
            Row("speech", "bad", 0.9694, Bar.at_least(0.97)),
            Row("speech", "told", 0.5),
        ]
        lines = table([rows], {"speech": "silero"})
        self.assertIn("| speech | good | ≥ 0.97 | 0.970 | silero | pass |", lines)
        self.assertIn("| speech | bad | ≥ 0.97 | 0.969 | silero | MISS |", lines)
        self.assertIn("| speech | told | – | 0.500 | silero | told |", lines)

    def test_a_miss_with_other_seeds_is_a_miss(self):
        columns = [[Row("beats", "F", 1.0, Bar.at_least(0.9))], [Row("beats", "F", 0.5, Bar.at_least(0.9))]]
        for some in (columns, columns[::-1]):
            self.assertEqual(table(some, {})[2:], ["| beats | F | ≥ 0.9 | 0.500 | – | MISS |"])

    def test_the_worse_of_two_figures_without_a_bar_is_known(self):
        columns = [[Row("speakers", "right", value, worse=min), Row("speakers", "DER", value)] for value in (0.8, 1.0)]
        self.assertEqual([row.value for row in worst(columns)], [0.8, 1.0])

    def test_the_document_keeps_what_is_around_the_table(self):
        before = "a\n<!-- written by make eval -->\nold\n<!-- end -->\nb\n"
        after = into_document(before, ["new"])
        self.assertEqual(after, "a\n<!-- written by make eval -->\nnew\n<!-- end -->\nb\n")
        self.assertEqual(into_document(after, ["new"]), after)

    def test_the_rows_of_a_part_take_the_places_of_theirs(self):
        old = table([[Row("beats", "F", 0.9), Row("beats", "bars", 0.8), Row("speed", "beats", 400)]], {"beats": "b 1"})
        document = into_document("<!-- written by make eval --><!-- end -->", old)
        new = table([[Row("beats", "bars", 0.95), Row("beats", "sixes", 0.7), Row("speakers", "DER", 0.1)]], {"beats": "b 2"})
        rows = into_document(document, new, whole=False).split("\n")[3:-1]
        self.assertEqual(rows, [
            "| beats | F | – | 0.900 | b 1 | told |",
            "| beats | bars | – | 0.950 | b 2 | told |",
            "| beats | sixes | – | 0.700 | b 2 | told |",
            "| speed | beats | – | 400.000 | – | told |",
            "| speakers | DER | – | 0.100 | – | told |",
        ])
        with self.assertRaises(ValueError):
            into_document(document, ["| a |", "|---|", "| b |"], whole=False)


if __name__ == "__main__":
    unittest.main()
