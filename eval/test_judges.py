"""The judges judged: a perfect, a broken and an empty answer get what they deserve, and the table says so."""

import unittest

import numpy as np

from . import judges
from .rows import Bar, Row, into_document, table, worst
from .studio import RATE, spoken


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
