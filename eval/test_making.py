"""The judges of what is made, judged: each is given what is right and what is wrong, films of other cuts and late sound among it."""

import contextlib
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from scipy.io import wavfile

from . import films
from .films import LOST, RATE, Scene
from .footage import H264, counted, hiss
from .making import carried, dubs, hostile_otio, killed, mixing, models, pictures, projects
from .making.desk import Refused
from .rows import Bar, Row, worse_table
from .studio import run

SOUNDS = {0: hiss(3, 1), 1: hiss(3, 2)}
SCENES = [Scene(0, 0.4, 0.0, 0.8, 25.0), Scene(1, 0.8, 0.8, 1.0, 25.0)]


class Films(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.sources = [counted(cls.folder / f"{n}.mp4", n, Fraction(25), sound) for n, sound in SOUNDS.items()]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_pictures_of_a_dub(self):
        one, other = self.sources
        self.assertEqual(dubs.pictures_off(one, one), 0)
        self.assertGreater(dubs.pictures_off(one, other), 50)
        self.assertGreater(dubs.pictures_off(one, self.cut("other.mkv", (0, 0, 1), (1, 1, 2))), 40)

    def cut(self, name, first, second):
        """A film of a span of each source."""
        graph = ";".join(
            f"[{source}:v]trim={start}:{end},setpts=PTS-STARTPTS[v{n}];[{source}:a]atrim={start}:{end},asetpts=PTS-STARTPTS[a{n}]"
            for n, (source, start, end) in enumerate((first, second))
        )
        inputs = [word for path in self.sources for word in ("-i", path)]
        path = self.folder / name
        joined = f"{graph};[v0][a0][v1][a1]concat=v=1:a=1[v][a]"
        run(
            "ffmpeg",
            "-nostdin",
            "-v",
            "error",
            *inputs,
            "-filter_complex",
            joined,
            "-map",
            "[v]",
            "-map",
            "[a]",
            *H264,
            "-c:a",
            "flac",
            path,
        )
        return path

    def test_a_film_that_is_cut_as_it_should_be(self):
        path = self.cut("right.mkv", (0, 0.4, 1.2), (1, 0.8, 1.8))
        cut, picture = films.cuts_off(path, SCENES, 25.0)
        self.assertLess(cut, 0.1)
        self.assertLess(picture, 0.1)
        self.assertLess(films.off_frames(path, 1.8, 25.0), 1)
        moved, taken = films.sound_off(films.decoded(path), SCENES, SOUNDS)
        self.assertLess(moved, 0.1)
        self.assertLess(taken, 1)

    def test_a_cut_that_is_late(self):
        path = self.cut("late.mkv", (0, 0.4, 1.32), (1, 0.92, 1.8))
        cut, picture = films.cuts_off(path, SCENES, 25.0)
        self.assertAlmostEqual(cut, 3, 1)
        self.assertLess(picture, 0.1)
        moved, taken = films.sound_off(films.decoded(path), SCENES, SOUNDS)
        self.assertLess(moved, 0.1)
        self.assertGreater(taken, 50)

    def test_pictures_and_sound_of_another_place(self):
        path = self.cut("moved.mkv", (0, 0.4, 1.2), (1, 0.88, 1.88))
        cut, picture = films.cuts_off(path, SCENES, 25.0)
        self.assertLess(cut, 0.1)
        self.assertAlmostEqual(picture, 2, 1)
        moved, _ = films.sound_off(films.decoded(path), SCENES, SOUNDS)
        self.assertAlmostEqual(moved, 80, 0)

    def test_a_scene_that_goes_on_is_no_cut(self):
        path = self.cut("on.mkv", (0, 0.4, 1.2), (0, 1.2, 2.2))
        joined = [SCENES[0], Scene(0, 1.2, 0.8, 1.0, 25.0)]
        self.assertLess(max(films.cuts_off(path, joined, 25.0)), 0.1)
        self.assertEqual(films.cuts_off(path, SCENES, 25.0), (LOST, LOST))
        self.assertEqual(films.cuts_off(path, [joined[0], Scene(0, 1.4, 0.8, 1.0, 25.0)], 25.0), (LOST, LOST))

    def test_a_film_that_comes_up_from_black(self):
        black = self.folder / "black.mkv"
        path = self.cut("up.mkv", (0, 0.4, 1.2), (1, 0.8, 1.8))
        run("ffmpeg", "-nostdin", "-v", "error", "-i", path, "-vf", "fade=in:d=0.3,fade=out:st=1.3:d=0.5", *H264, black)
        self.assertEqual(films.cuts_off(black, SCENES, 25.0), (LOST, LOST))
        self.assertLess(max(films.cuts_off(black, SCENES, 25.0, (0.3, 0.5))), 0.1)

    def test_another_film(self):
        path = self.cut("other.mkv", (1, 0.4, 1.2), (0, 0.8, 1.8))
        self.assertEqual(films.cuts_off(path, SCENES, 25.0), (LOST, LOST))
        self.assertEqual(films.sound_off(films.decoded(path), SCENES, SOUNDS)[0], LOST)
        self.assertGreater(films.off_frames(path, 1.7, 25.0), 2)

    def test_what_is_written_and_when(self):
        text = (
            "drawtext=fontfile=/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf:fontsize=48:fontcolor=white:x=60:y=600"
        )
        path = self.folder / "captions.mp4"
        source = "color=0x203040:s=1280x720:r=25:d=3"
        said = f"{text}:text='The river is wide':enable='gte(t,0.99)*lt(t,1.99)'"
        run("ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", source, "-vf", said, *H264, path)
        self.assertEqual(films.written(path, 1.5).split(), ["The", "river", "is", "wide"])
        self.assertEqual(films.written(path, 2.5).split(), [])
        cue = {"start": 1.0, "end": 2.0, "text": "The river is wide"}
        self.assertAlmostEqual(pictures.shown_off(path, [cue]), 0, 1)
        self.assertAlmostEqual(pictures.shown_off(path, [cue | {"end": 1.8}]), 5, 1)
        self.assertEqual(pictures.shown_off(path, [cue, cue]), LOST)

    def test_one_channel_of_two(self):
        path = self.folder / "stereo.wav"
        wavfile.write(path, RATE, np.stack([SOUNDS[0], SOUNDS[0]], axis=1).astype(np.float32))
        self.assertAlmostEqual(films.gain_db(films.decoded(path), SOUNDS[0]), 0, 3)

    def test_loudness_and_its_parts(self):
        path = self.folder / "loud.wav"
        sound = np.concatenate([hiss(4, 5), 0.5 * hiss(4, 5)])
        wavfile.write(path, RATE, sound.astype(np.float32))
        halves = [films.loudness(path, start, start + 4)["lufs"] for start in (0, 4)]
        self.assertAlmostEqual(halves[0] - halves[1], 6, 0)


class Sounds(unittest.TestCase):
    def test_shifts_and_turns(self):
        true, other = hiss(2, 3), hiss(2, 4)
        part = true[24_000:48_000]
        self.assertAlmostEqual(films.shift_ms(part, true, 24_000), 0, 3)
        self.assertAlmostEqual(films.shift_ms(part, true, 24_000 - 96), -2, 2)
        self.assertEqual(films.shift_ms(other[:24_000], true, 24_000), LOST)
        self.assertEqual(films.shift_ms(np.zeros(24_000), true, 24_000), LOST)
        leaving, coming = films.part(true, 1.0), films.part(other, 1.0)
        middle = len(leaving) // 2
        turned = lambda at: np.concatenate([leaving[: middle + at], coming[middle + at :]])
        self.assertAlmostEqual(films.turn_ms(turned(0), leaving, coming), 0, 1)
        self.assertAlmostEqual(films.turn_ms(turned(144), leaving, coming), 3, 1)
        self.assertEqual(films.turn_ms(films.part(hiss(2, 5), 1.0), leaving, coming), LOST)

    def test_dissolves(self):
        at = np.arange(30) / 25
        levels = np.interp(np.arange(30), [9, 20], [40, 200])
        first, last, half = films.dissolve(levels, at)
        self.assertEqual((first, last), (at[10], at[20]))
        self.assertAlmostEqual(half, 14.5 / 25)
        self.assertEqual(films.dissolve(np.where(np.arange(30) < 15, 40, 200), at), (LOST, LOST, LOST))

    def test_music_under_a_voice(self):
        at = np.arange(10 * RATE) / RATE
        gain = np.where((at > 2) & (at < 5), 0.25, 1.0)
        gains = films.tone_db(gain * np.sin(2 * np.pi * 10_000 * at), 10_000)
        under, between = mixing.under_and_between(gains, [(2.0, 5.0), (9.0, 9.9)])
        self.assertAlmostEqual(under[0], -12.04, 1)
        self.assertAlmostEqual(between[0], 0, 1)
        # Music that does not go down is told as such.
        self.assertAlmostEqual(under[1], 0, 1)

    def test_a_voice_in_a_mix(self):
        voice, music = hiss(3, 6), hiss(3, 7)
        self.assertAlmostEqual(films.gain_db(0.5 * voice + 0.3 * music, voice), -6.02, 0)


class Carried(unittest.TestCase):
    def test_fields_that_differ(self):
        one = {"id": "a", "scenes": [{"id": "s1", "start": 1.0}], "captions": None}
        self.enterContext(contextlib.redirect_stdout(None))
        self.assertEqual(carried.differ(one, one | {"id": "b"}), 0)
        self.assertEqual(carried.differ(one, one | {"scenes": [{"id": "s2", "start": 1.5}]}), 2)
        self.assertEqual(carried.differ(one, one | {"scenes": []}), 1)

    def test_lists_of_cuts(self):
        events = [
            ("00:00:01:00 00:00:02:00", "01:00:00:00 01:00:01:00"),
            ("00:00:05:00 00:00:06:12", "01:00:01:00 01:00:02:12"),
        ]
        edl = "TITLE: a\n" + "".join(f"00{n}  AX V C {own} {film}\n" for n, (own, film) in enumerate(events, 1))
        scenes = [
            {"start": 1.0, "begins_at": 0.0, "duration": 1.0, "item_id": "a"},
            {"start": 5.0, "begins_at": 1.0, "duration": 1.48, "item_id": "b"},
        ]
        self.assertAlmostEqual(carried.edl_off(edl, {"scenes": scenes}, 25.0), 0)
        late = [scenes[0], scenes[1] | {"start": 5.2}]
        self.assertAlmostEqual(carried.edl_off(edl, {"scenes": late}, 25.0), 5)
        self.assertEqual(carried.edl_off(edl, {"scenes": scenes[:1]}, 25.0), LOST)
        self.assertAlmostEqual(carried.scenes_off({"scenes": late}, {"scenes": scenes}), 0.2)
        self.assertEqual(carried.scenes_off({"scenes": scenes[::-1]}, {"scenes": scenes}), LOST)

    def test_dissolves(self):
        edl = "TITLE: a\n001  AX V C 00:00:01:00 00:00:02:00 01:00:00:00 01:00:01:00\n"
        edl += "002  AX V C 00:00:02:00 00:00:02:00 01:00:01:00 01:00:01:00\n002  BX V D {} 00:00:03:00 00:00:05:00 01:00:01:00 01:00:03:00\n"
        self.assertEqual(carried.dissolve_off(edl.format("006"), 25.0), 0)
        self.assertAlmostEqual(carried.dissolve_off(edl.format("009"), 25.0), 3)
        self.assertEqual(carried.dissolve_off(edl.split("002")[0], 25.0), LOST)

    def test_captions(self):
        content = "1\n00:00:01,000 --> 00:00:02,500\nThe river\nis wide\n\n2\n00:00:03,000 --> 00:00:04,000\nand deep\n"
        cues = [{"start": 1.0, "end": 2.5, "text": "The river is wide"}, {"start": 3.0, "end": 4.0, "text": "and deep"}]
        read = carried.parsed("srt", content)
        self.assertEqual(
            read,
            carried.parsed("vtt", "WEBVTT\n\n" + content.replace(",", ".").removeprefix("1\n").replace("\n2\n", "\n")),
        )
        self.assertAlmostEqual(carried.cues_off(read, cues), 0)
        self.assertAlmostEqual(carried.cues_off(read, [cues[0] | {"end": 2.4}, cues[1]]), 100)
        self.assertEqual(carried.cues_off(read[:1], cues), LOST)
        self.assertEqual(carried.unreadable(read), 0)
        wrong = [(0, 1, "a\nb\nc"), (0.5, 2, "x" * 43), (2, 9.5, "long"), (9.5, 9.5, "none")]
        self.assertEqual(carried.unreadable(wrong), 5)


class Hostile(unittest.TestCase):
    def test_what_is_no_refusal(self):
        def attacked(answer):
            def tool(name, **_):
                if name == "get_item":
                    return {"item": {"status": "ready"}}
                return answer()

            process = SimpleNamespace(poll=lambda: None)
            desk = SimpleNamespace(tool=tool, service=SimpleNamespace(process=process))
            return len(hostile_otio.attacked(desk, "itm_own")["faults"])

        def refused(code):
            raise Refused(code, "")

        taken = lambda item, seconds: {"timeline": {"scenes": [{"item_id": item}], "duration_seconds": seconds}}
        many = len(hostile_otio.hostile("itm_own"))
        self.assertEqual(attacked(lambda: refused(400)), 0)
        self.assertEqual(attacked(lambda: refused(500)), many)
        self.assertEqual(attacked(lambda: taken(None, 2.0)), 0)
        self.assertEqual(attacked(lambda: taken("itm_other", 2.0)), many)
        self.assertEqual(attacked(lambda: taken("itm_own", 1e9)), many)


class Models(unittest.TestCase):
    def test_what_cog_says(self):
        said = [
            '{"message":"Starting prediction","prediction_id":"01abc"}',
            '{"message":"Cancelling prediction","prediction_id":"01abd"}',
        ]
        self.assertEqual(models.starts(said * 2, "Starting", "job_01ABC"), 2)
        self.assertEqual(models.starts(said, "Cancelling", "job_01ABC"), 0)


class Dubs(unittest.TestCase):
    SEGMENTS = [
        {"id": "a", "start": 1.0, "end": 2.0, "speaker": "A", "translation": "uno", "overflow": 0.5},
        {"id": "b", "start": 3.0, "end": 4.0, "speaker": "B", "translation": "dos", "overflow": 0.0},
    ]

    def test_when_segments_are_heard(self):
        self.assertEqual(dubs.misplaced([(1.0, 2.5), (3.0, 4.0)], self.SEGMENTS), (0.0, 0))
        outside, silent = dubs.misplaced([(0.5, 2.5), (5.0, 6.0)], self.SEGMENTS)
        self.assertAlmostEqual(outside, 1.49)
        self.assertEqual(silent, 1)

    def test_who_is_heard_when(self):
        found = dubs.turns([(1.0, 1.4), (1.5, 2.4), (3.1, 3.9)], self.SEGMENTS)
        self.assertEqual(found, [(1.0, 2.4, "A"), (3.1, 3.9, "B")])

    def test_what_is_heard(self):
        sound = np.concatenate([np.zeros(RATE), hiss(1, 8), np.zeros(RATE)])
        ((start, end),) = dubs.heard(sound)
        self.assertAlmostEqual(start, 1, 1)
        self.assertAlmostEqual(end, 2, 1)

    def test_what_is_spoken_anew(self):
        before = hiss(5, 9)
        after = before.copy()
        after[2 * RATE : 3 * RATE] = 0
        self.assertEqual(dubs.same_elsewhere(before, after, (2.0, 3.0)), 0)
        self.assertGreater(dubs.same_elsewhere(before, after, (2.0, 2.5)), 10_000)
        self.assertGreater(dubs.same_elsewhere(before, after[: 4 * RATE], (2.0, 3.0)), 40_000)


class Pictures(unittest.TestCase):
    def test_rectangles(self):
        picture = np.full((100, 200, 3), 240, np.uint8)
        picture[30:60, 40:120] = (10, 20, 30)
        rect = {"x": 40.0, "y": 30.0, "width": 80.0, "height": 30.0, "color": "#0a141e"}
        self.assertEqual(pictures.placed(picture, [rect], 1), (0, 0))
        self.assertEqual(pictures.placed(picture, [rect | {"x": 44.0, "color": "#0a1421"}], 1), (4, 3))

    def test_what_an_svg_refers_to(self):
        with tempfile.NamedTemporaryFile("w", suffix=".svg") as file:
            inside = '<image href="data:image/png;base64,AA"/><use href="#a"/><g fill="url(#b)"/>'
            wrong = '<script/><image href="http://a/b.png"/><g onclick="x()" fill="url(http://a)"/>'
            for content, many in ((inside, 0), (inside + wrong, 4)):
                file.seek(0)
                file.truncate()
                file.write(f'<svg xmlns="http://www.w3.org/2000/svg">{content}</svg>')
                file.flush()
                self.assertEqual(pictures.refers(Path(file.name)), many)


class Projects(unittest.TestCase):
    FOOTAGE = [{"lines": ["the river", "a dog"], "spans": [(2.0, 4.0), (6.0, 8.0)], "shots": [1.0, 5.0]}]

    def test_what_is_shown(self):
        scenes = [Scene(10, 1.0, 0.0, 4.0, 25.0), Scene(10, 4.5, 4.0, 2.0, 25.0)]
        self.assertAlmostEqual(projects.overlaps(scenes), 0.5)
        self.assertEqual(projects.shown(scenes, self.FOOTAGE, "river"), 1)
        self.assertEqual(projects.shown(scenes, self.FOOTAGE, "dog"), 0)
        self.assertEqual(projects.on_borders(scenes, self.FOOTAGE), 0.5)
        self.assertEqual(projects.in_sentences(scenes, self.FOOTAGE), 1)

    def test_statuses(self):
        self.assertEqual(projects.out_of_order([1, 2, 3]), 0)
        self.assertEqual(projects.out_of_order([1, 3, 2, 2]), 2)
        headers = {"x-service-timestamp": "1", "x-service-signature": "sha256=" + "0" * 64}
        self.assertFalse(projects.is_signed(headers, b"{}", "whsec_a"))

    def test_what_is_done_twice(self):
        usual = ["list_items", "prepare_media", "create_timeline"]
        self.assertEqual(killed.differing(["list_items", *usual], usual), 0)
        self.assertEqual(killed.differing([*usual, "create_timeline"], usual), 1)
        self.assertEqual(killed.differing(["list_items", "prepare_media", "search_footage"], usual), 2)
        reads = [["read", "itm_1", "speech"], ["read", "itm_1", "beats"], ["render", "itm_1", None]]
        once = {"jobs": reads, "ends": 3, "things": [["tml_1"], ["itm_9"]]}
        self.assertEqual(killed.made_otherwise(once), 0)
        self.assertEqual(killed.made_otherwise(once | {"ends": 4}), 1)
        self.assertEqual(killed.made_otherwise(once | {"jobs": [*reads, reads[0]], "ends": 4}), 1)
        self.assertEqual(killed.made_otherwise(once | {"things": [["tml_1", "tml_2"], []]}), 2)

    def test_what_is_told_twice(self):
        told = lambda *events: [{"event": event, "revision": number} for number, event in enumerate(events)]
        self.assertEqual(killed.told_wrongly(told(*projects.STATUSES), projects.STATUSES), 0)
        self.assertEqual(killed.told_wrongly(told("generating", "rendering", "idle"), projects.STATUSES), 0)
        self.assertEqual(killed.told_wrongly(told("running", "running", "running"), projects.STATUSES), 1)
        self.assertEqual(killed.told_wrongly(told("rendering", "generating"), projects.STATUSES), 1)
        late = told("running", "idle")[::-1]
        self.assertGreater(killed.told_wrongly(late, projects.STATUSES), 0)


class Worse(unittest.TestCase):
    def test_a_figure_is_the_worse_one_of_its_seeds(self):
        columns = [
            [Row("a", "low", 0.1, Bar.at_most(1)), Row("a", "high", 0.9, Bar.at_least(0.5))],
            [
                Row("a", "low", 2.0, Bar.at_most(1)),
                Row("a", "high", 0.6, Bar.at_least(0.5)),
                Row("a", "once", 1, None, 0),
            ],
        ]
        for some in (columns, columns[::-1]):
            lines = worse_table(some)
            self.assertIn("| a | low | ≤ 1 | 2.000 | MISS |", lines)
            self.assertIn("| a | high | ≥ 0.5 | 0.600 | pass |", lines)
            self.assertIn("| a | once | – | 1 | told |", lines)
        told = [[Row("a", "told", value, None, 0, min)] for value in (3, 2)]
        self.assertIn("| a | told | – | 2 | told |", worse_table(told))


if __name__ == "__main__":
    unittest.main()
