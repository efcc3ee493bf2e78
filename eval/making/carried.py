"""Timelines to other programs and back: OTIO by opentimelineio, EDL by its CMX 3600 adapter, captions by srt and webvtt, and OTIO
that somebody means harm with."""

import urllib.request
from fractions import Fraction
from io import StringIO

import numpy as np
import opentimelineio as otio
import srt
import webvtt

from .. import films as judge
from ..films import Scene
from ..rows import Bar, Row
from ..studio import sequence
from ..themes.texts import LINES
from .desk import Desk
from .hostile_otio import MOST_SECONDS, attacked
from ..footage import counted, hiss

FPS = {1: (25.0, Fraction(25)), 2: (29.97, Fraction(30000, 1001))}
SECONDS = 10
CUE_LINES, CUE_LETTERS, CUE_SECONDS = 2, 42, 7.0
# What is another's, and what the document alone knows of.
OWN = {"id", "name", "revision", "created_at", "updated_at"}


def made(desk: Desk, seeds: int) -> dict:
    dice = np.random.default_rng(2500 + seeds)
    fps, rate = FPS[seeds]
    paths = [desk.studio.path(f"take-{number}.mp4") for number in range(2)]
    items = [
        desk.item(counted(path, 5 + n, rate, hiss(SECONDS, 2600 + 10 * seeds + n))) for n, path in enumerate(paths)
    ]
    ops = [{"op": "set_format", "width": 640, "height": 360, "fps": fps}]
    for number in range(9):
        # On the timeline's pictures, as an EDL counts in those.
        start, count = int(dice.integers(0, 150)), int(dice.integers(12, 90))
        spot = {"start": round(float(start / rate), 6), "duration": round(float(count / rate), 6)}
        ops.append({"op": "add_scene", "ref": items[number % 2], **spot})
    cuts = desk.timeline(f"Carried cuts {seeds}", ops)
    tune = desk.item(desk.studio.wav("bed.wav", hiss(8, 2690 + seeds), 48_000))
    cues = [
        {"start": 0.5 + 2 * n, "end": 2.1 + 2 * n, "text": line.capitalize()} for n, line in enumerate(LINES[seeds][:4])
    ]
    ops[4]["transition"] = {"kind": "crossfade", "seconds": round(float(6 / rate), 6)}
    ops += [
        {"op": "set_audio", "slot": "music", "ref": tune, "offset": 1.0, "volume": 0.4, "duck_under_voice": True},
        {
            "op": "add_overlay",
            "kind": "text",
            "text": "River & harbour",
            "start": 1.0,
            "duration": 2.0,
            "x": 0.1,
            "y": 0.2,
        },
        {"op": "set_captions", "captions": {"source": "cues", "burn": True, "cues": cues}},
    ]
    whole = desk.timeline(f"Carried whole {seeds}", ops)
    return {
        "whole": whole,
        "cuts": cuts,
        "carried": there_and_back(desk, whole, cuts, fps),
        "edited": edited(desk, seeds),
        "hostile": attacked(desk, items[0]),
    }


def exported(desk: Desk, timeline: dict, form: str) -> str:
    return desk.tool("export_timeline", timeline_id=timeline["id"], format=form)["content"]


def imported(desk: Desk, content: str, form: str, **more: object) -> dict:
    return desk.tool("import_timeline", content=content, format=form, **more)["timeline"]


def there_and_back(desk: Desk, whole: dict, cuts: dict, fps: float) -> dict:
    """What each program is given, and what comes of that which it writes."""
    given = {
        "otio": exported(desk, whole, "otio"),
        "edl": exported(desk, cuts, "edl"),
        "dissolved": exported(desk, whole, "edl"),
    }
    given |= {form: exported(desk, whole, form) for form in ("srt", "vtt")}
    by_otio = otio.adapters.write_to_string(
        otio.adapters.read_from_string(given["otio"], "otio_json"), "otio_json", indent=0
    )
    plain = otio.adapters.read_from_string(given["otio"], "otio_json")
    for one in (plain, plain.tracks, *plain.tracks, *(child for track in plain.tracks for child in track)):
        one.metadata.clear()
    by_adapter = otio.adapters.write_to_string(read_edl(given["edl"], fps), "cmx_3600", rate=float(exact(fps)))
    by_srt = srt.compose(list(srt.parse(given["srt"])), reindex=False)
    return {
        "given": given,
        "by_otio": imported(desk, by_otio, "otio"),
        "plain": imported(desk, otio.adapters.write_to_string(plain, "otio_json", indent=0), "otio"),
        "by_adapter": imported(desk, by_adapter, "edl", fps=fps),
        "by_srt": imported(desk, by_srt, "srt"),
        "by_vtt": imported(desk, webvtt.from_string(given["vtt"]).content, "vtt"),
    }


def exact(fps: float) -> Fraction:
    return dict(FPS.values())[fps]


def read_edl(content: str, fps: float):
    read = otio.adapters.read_from_string(content, "cmx_3600", rate=float(exact(fps)))
    return read[0] if isinstance(read, otio.schema.SerializableCollection) else read


def edited(desk: Desk, seeds: int) -> dict:
    """A talk without its silences as OTIO, cut on by opentimelineio, rendered; and its transcript as captions."""
    lines = LINES[seeds][2:8]
    sound, _ = sequence([desk.studio.say("flite:slt", line) for line in lines], [0.9, 1.2, 1.6, 0.9, 1.1, 1.3, 1.5])
    path = desk.studio.wav("talk.wav", sound)
    item = desk.item(counted(desk.studio.path("talk.mkv"), 7, FPS[seeds][1], judge.decoded(path)))
    timeline = desk.ready("remove_silence", ref=item, timeline=True)["timeline_id"]
    document = otio.adapters.read_from_string(exported(desk, {"id": timeline}, "otio"), "otio_json")
    scenes = cut_on(document)
    content = otio.adapters.write_to_string(document, "otio_json", indent=0)
    desk.rendered(imported(desk, content, "otio")["id"], "edited.mp4")
    desk.ready("transcribe_media", ref=item)
    captions = {form: transcript(desk, item, form) for form in ("srt", "vtt")}
    return {"scenes": scenes, "captions": captions, "fps": float(FPS[seeds][1])}


def cut_on(document) -> list[list[float]]:
    """Every third clip goes, the others lose half a second of their beginning, and the last becomes the first; where each stands."""
    for track in document.tracks:
        clips = list(track)
        kept = [clip for number, clip in enumerate(clips) if number % 3 != 1][::-1]
        del track[:]
        for clip in kept:
            shown = clip.source_range
            half = otio.opentime.RationalTime(round(0.5 * shown.duration.rate), shown.duration.rate)
            clip.source_range = otio.opentime.TimeRange(shown.start_time + half, shown.duration - half)
            track.append(clip)
    video = document.video_tracks()[0]
    begins = [video.range_of_child(clip).start_time.to_seconds() for clip in video]
    return [
        [clip.source_range.start_time.to_seconds(), at, clip.duration().to_seconds()] for clip, at in zip(video, begins)
    ]


def transcript(desk: Desk, item: str, form: str) -> str:
    url = f"{desk.service.base_url}/library/items/{item}/reads/transcript?format={form}"
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {desk.service.key}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read().decode()


def rows(folder, found: dict, seeds: int) -> list[Row]:
    fps, rate = FPS[seeds]
    whole, cuts, carried = found["whole"], found["cuts"], found["carried"]
    given, none = carried["given"], Bar.at_most(0)
    for fault in found["hostile"]["faults"]:
        print(f"hostile OTIO: {fault}")
    return [
        Row(
            "carrying",
            "a timeline to OTIO, by opentimelineio and back: fields that differ",
            differ(whole, carried["by_otio"]),
            none,
            0,
        ),
        Row(
            "carrying",
            "the same without what we have put in its metadata: scenes, worst, pictures off",
            scenes_off(carried["plain"], whole) * float(rate),
            Bar.at_most(1),
            2,
        ),
        Row(
            "carrying",
            "its length as opentimelineio counts it: pictures off",
            otio_off(given["otio"], whole) * float(rate),
            Bar.at_most(1),
            2,
        ),
        Row(
            "carrying",
            "cuts in an EDL as the CMX 3600 adapter reads it: worst, pictures off",
            edl_off(given["edl"], cuts, fps),
            Bar.at_most(1),
            2,
        ),
        Row(
            "carrying",
            "a dissolve in an EDL as the adapter reads it: pictures off",
            dissolve_off(given["dissolved"], fps),
            Bar.at_most(1),
            2,
        ),
        Row(
            "carrying",
            "an EDL that the adapter wrote, taken in: worst, pictures off",
            scenes_off(carried["by_adapter"], cuts) * float(rate),
            Bar.at_most(1),
            2,
        ),
        *edited_rows(folder, found["edited"]),
        *caption_rows(whole["captions"]["cues"], carried, found["edited"]["captions"]),
        Row(
            "carrying",
            f"hostile OTIO, {found['hostile']['of']} documents: neither refused nor taken in without what they name",
            len(found["hostile"]["faults"]),
            none,
            0,
        ),
        Row("carrying", "the same: slowest answer, s", found["hostile"]["slowest"], Bar.at_most(MOST_SECONDS), 1),
    ]


def differ(one: object, other: object, at: str = "") -> int:
    """How many fields of two documents are not the same, but for what is a document's own."""
    if isinstance(one, dict) and isinstance(other, dict):
        names = (set(one) | set(other)) - (OWN if not at else set())
        return sum(differ(one.get(name), other.get(name), f"{at}/{name}") for name in names)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return sum(differ(*pair, f"{at}[]") for pair in zip(one, other))
    if one != other:
        print(f"differs: {at}: {one} {other}")
    return int(one != other)


def otio_off(content: str, timeline: dict) -> float:
    read = otio.adapters.read_from_string(content, "otio_json")
    return abs(read.video_tracks()[0].duration().to_seconds() - timeline["duration_seconds"])


def edl_off(content: str, timeline: dict, fps: float) -> float:
    """How far the clips are from the scenes, in their items and in the film, in pictures."""
    read = read_edl(content, fps)
    track = read.tracks[0]
    clips = [clip for clip in track if isinstance(clip, otio.schema.Clip)]
    if len(clips) != len(timeline["scenes"]):
        return judge.LOST
    rate, worst, first = float(exact(fps)), 0.0, track.range_of_child(clips[0]).start_time
    for clip, scene in zip(clips, timeline["scenes"]):
        at = (track.range_of_child(clip).start_time - first).to_seconds()
        spots = [
            (clip.source_range.start_time.to_seconds(), scene["start"]),
            (at, scene["begins_at"]),
            (clip.duration().to_seconds(), scene["duration"]),
        ]
        worst = max(worst, *(abs(one - other) * rate for one, other in spots))
    return worst


def dissolve_off(content: str, fps: float) -> float:
    # What holds the track has to be held.
    read = read_edl(content, fps)
    found = [child for child in read.tracks[0] if isinstance(child, otio.schema.Transition)]
    if len(found) != 1:
        return judge.LOST
    return abs((found[0].in_offset + found[0].out_offset).to_seconds() * float(exact(fps)) - 6)


def scenes_off(found: dict, true: dict) -> float:
    if [scene["item_id"] for scene in found["scenes"]] != [scene["item_id"] for scene in true["scenes"]]:
        return judge.LOST
    pairs = zip(found["scenes"], true["scenes"])
    return max(abs(one[name] - other[name]) for one, other in pairs for name in ("start", "begins_at", "duration"))


def edited_rows(folder, found: dict) -> list[Row]:
    scenes = [Scene(7, start, at, duration, found["fps"]) for start, at, duration in found["scenes"]]
    path = folder / "edited.mp4"
    cut, picture = judge.cuts_off(path, scenes, found["fps"])
    moved, _ = judge.sound_off(judge.decoded(path), scenes, {7: judge.decoded(folder / "talk.wav")})
    what = "a talk without its silences, cut on by opentimelineio, taken in and rendered"
    return [
        Row("carrying", f"{what}: cuts, worst, pictures off", cut, Bar.at_most(1), 2),
        Row("carrying", f"{what}: every picture, worst, pictures off", picture, Bar.at_most(1), 2),
        Row("carrying", f"{what}: sound within scenes, worst, ms off", moved, Bar.at_most(1), 2),
    ]


def parsed(form: str, content: str) -> list[tuple[float, float, str]]:
    """The cues as another's parser has them."""
    if form == "srt":
        return [(cue.start.total_seconds(), cue.end.total_seconds(), cue.content) for cue in srt.parse(content)]
    # Its own seconds are whole ones.
    seconds = lambda text: sum(float(part) * 60**place for place, part in enumerate(reversed(text.split(":"))))
    return [(seconds(cue.start), seconds(cue.end), cue.text) for cue in webvtt.from_buffer(StringIO(content))]


def cues_off(found: list[tuple[float, float, str]], true: list[dict]) -> float:
    """The worst time of a cue that is off, in ms."""
    flat = lambda text: " ".join(text.split())
    if [flat(text) for *_, text in found] != [flat(cue["text"]) for cue in true]:
        return judge.LOST
    pairs = zip(found, true)
    return max(max(abs(start - cue["start"]), abs(end - cue["end"])) for (start, end, _), cue in pairs) * 1000


def unreadable(cues: list[tuple[float, float, str]]) -> int:
    """Cues of more than two lines, of longer lines than 42 letters, of more than seven seconds, or over the next."""
    too_much = sum(
        len(text.splitlines()) > CUE_LINES
        or max(map(len, text.splitlines())) > CUE_LETTERS
        or not 0 < end - start <= CUE_SECONDS + 1e-6
        for start, end, text in cues
    )
    return too_much + sum(one[1] > other[0] + 1e-6 for one, other in zip(cues, cues[1:]))


def caption_rows(cues: list[dict], carried: dict, captions: dict[str, str]) -> list[Row]:
    off = max(cues_off(parsed(form, carried["given"][form]), cues) for form in ("srt", "vtt"))
    back = [carried[name]["captions"]["cues"] for name in ("by_srt", "by_vtt")]
    back_off = max(cues_off([(cue["start"], cue["end"], cue["text"]) for cue in some], cues) for some in back)
    read = [parsed(form, content) for form, content in captions.items()]
    broken = sum(unreadable(some) or judge.LOST * (not some) for some in read)
    return [
        Row(
            "carrying", "captions as SRT and WebVTT, read by srt and webvtt: worst time, ms off", off, Bar.at_most(1), 2
        ),
        Row("carrying", "what those write, taken in: worst time, ms off", back_off, Bar.at_most(1), 2),
        Row(
            "carrying",
            "cues of a transcript over 42 letters × 2 lines or 7 s, or over each other",
            broken,
            Bar.at_most(0),
            0,
        ),
    ]
