"""The agent of projects: a brief and footage become a film, and each status is told in its order."""

import hashlib
import hmac
import json
import urllib.request
from pathlib import Path

import numpy as np

from .. import films as judge
from ..films import Scene
from ..footage import RATE, counted
from ..rows import Bar, Row
from ..studio import music, sequence
from ..themes.texts import LINES
from . import killed
from .desk import Desk
from .films import EXACT, RATES
from .mixing import ASIDE, PILOT, PILOT_HERTZ, RELEASE
from .outside import Receiver

BRIEFS = {
    1: ("A 30 second film about the river from the interview footage, with music", "Interview", 30),
    2: ("A 20 second film about the garden from the lecture footage, with music", "Lecture", 20),
}
# What is said in two films, and which of it is asked for.
SAID = {
    1: (
        [
            "my family has lived beside the river for many years",
            "every summer we went swimming in the river",
            "the river was frozen in the winter",
        ],
        "river",
    ),
    2: (
        [
            "my mother had a garden behind the house",
            "we planted apple trees in the garden",
            "the garden was full of flowers in the summer",
        ],
        "garden",
    ),
}
STATUSES = ["running", "generating", "running", "rendering", "idle"]
# What the agent does with music, and how the film begins and ends.
MUSIC_DB, DUCK_DB = 20 * np.log10(0.5), 12.0
FADES = (0.3, 0.5)
MUSIC_FADE = 1.5


def made(desk: Desk, seeds: int) -> dict:
    brief, name, _ = BRIEFS[seeds]
    dice = np.random.default_rng(2800 + seeds)
    footage = [film(desk, seeds, number, dice) for number in range(2)]
    for number, one in enumerate(footage):
        one["item"] = desk.item(Path(one["path"]), f"{name} {number + 1}.mkv")
        one["path"] = Path(one["path"]).name
    time = np.arange(50 * RATE) / RATE
    tune = 0.2 * music(50, 2850 + seeds, RATE) + PILOT * np.sin(2 * np.pi * PILOT_HERTZ * time)
    tune = desk.item(desk.studio.wav("theme.wav", np.stack([tune, tune], axis=1), RATE), "Theme music.wav")
    secret = desk.service.call("POST", "/webhook-secret", {})["secret"]
    with Receiver() as receiver:
        begun = desk.service.call("POST", "/projects", {"brief": brief, "webhook_url": receiver.url})
        get = lambda: desk.service.call("GET", f"/projects/{begun['id']}")
        project = desk.until(
            "the project is done", lambda: (found := get())["status"] in ("idle", "failed") and found, 1200
        )
        desk.until(
            "its last status is told",
            lambda: any(json.loads(body)["event"] == project["status"] for _, body in receiver.heard),
            60,
        )
        told = [
            {
                "event": json.loads(body)["event"],
                "revision": json.loads(body)["revision"],
                "is_signed": is_signed(headers, body, secret),
            }
            for headers, body in receiver.heard
        ]
    timeline = desk.tool("get_timeline", timeline_id=project["timeline_id"])["timeline"]
    # The link needs no credential.
    with urllib.request.urlopen(project["assembled_url"], timeout=600) as answer:
        desk.studio.path("film.mp4").write_bytes(answer.read())
    usual = {"steps": killed.steps(desk, project["id"]), "minutes": project["spent"]["minutes"]}
    taken = beside_a_talk(desk, brief, tune)
    talks = among_talks(desk, brief, f"{name} about {SAID[seeds][1]} music.wav")
    # Neither footage nor music for the next one.
    for item in (project["output_item_id"], *(one["item"] for one in footage)):
        desk.tool("delete_item", ref=item)
    return {
        "footage": footage,
        "project": project,
        "told": told,
        "timeline": timeline,
        "taken": taken,
        "talks": talks,
        "usual": usual,
        # It takes minutes: a lease has to end each time.
        "killed": killed_anew(desk, brief, name, footage) if seeds == 1 else None,
    }


def killed_anew(desk: Desk, brief: str, name: str, footage: list[dict]) -> dict:
    """The same brief and the same media, nothing of which is read yet, with kills."""
    tune = desk.item(desk.folder / "theme.wav", "Theme music.wav")
    anew = [desk.item(desk.folder / one["path"], f"{name} {number + 1}.mkv") for number, one in enumerate(footage)]
    found = killed.made(desk, brief, anew)
    for item in (tune, *anew, *filter(None, [found["output"]])):
        desk.tool("delete_item", ref=item)
    return found


def beside_a_talk(desk: Desk, brief: str, tune: str) -> bool:
    """Whether music is taken for music where there is an older talk that `duck_music` has mixed some into."""
    talk = desk.item(desk.folder / "spoken-0.wav", "Old talk.wav")
    mixed = desk.ready("duck_music", voice_ref=talk, music_ref=tune, render=True)["output_item_id"]
    later = desk.item(desk.folder / "theme.wav", "Second theme music.wav")
    desk.tool("delete_item", ref=tune)
    is_music = music_of(desk, brief) == later
    for item in (talk, mixed, later):
        desk.tool("delete_item", ref=item)
    return is_music


def among_talks(desk: Desk, brief: str, called: str) -> int:
    """Whether a talk is taken for music that the brief names and that is called music, where a tune has another name: what
    was read of them tells them apart."""
    talk = desk.item(desk.folder / "spoken-0.wav", called)
    tune = desk.item(desk.folder / "theme.wav", "Loop.wav")
    other = desk.item(desk.folder / "spoken-1.wav", "Panel.wav")
    asked = (([talk, other], ["transcript", "beats"]), ([tune], ["beats"]))
    for job in [job for refs, reads in asked for job in desk.tool("prepare_media", refs=refs, reads=reads)["job_ids"]]:
        desk.ended(job)
    taken = music_of(desk, brief)
    for item in (talk, tune, other):
        desk.tool("delete_item", ref=item)
    return int(taken is None or taken in (talk, other))


def music_of(desk: Desk, brief: str) -> str | None:
    """The item that a project of this brief takes for music."""
    begun = desk.service.call("POST", "/projects", {"brief": brief, "output_type": "timeline"})
    get = lambda: desk.service.call("GET", f"/projects/{begun['id']}")
    project = desk.until("a timeline is there", lambda: (one := get())["status"] in ("idle", "failed") and one, 300)
    timeline = desk.tool("get_timeline", timeline_id=project["timeline_id"])["timeline"]
    return (timeline["audio"]["music"] or {}).get("item_id")


def film(desk: Desk, seeds: int, number: int, dice: np.random.Generator) -> dict:
    """Somebody who speaks of this and that, and in between of what is asked for; in shots of three to six seconds."""
    wanted, _ = SAID[seeds]
    others = LINES[seeds + 2][6 * number : 6 * number + 6]
    lines = [others[0], wanted[number], others[1], others[2], *([wanted[2]] if number == 0 else []), others[3]]
    voice = ["slt", "rms"][(seeds + number) % 2]
    sound, spans = sequence([desk.studio.say(f"flite:{voice}", line) for line in lines], [2.4] * (len(lines) + 1))
    low = desk.studio.wav(f"spoken-{number}.wav", 0.5 * sound)
    rate = RATES[seeds][1][0][1]
    shots, at = [], 0.0
    while (at := at + dice.uniform(3, 6)) < len(sound) / 16_000 - 2:
        shots.append(round(at * rate) / float(rate))
    path = counted(desk.studio.path(f"footage-{number}.mkv"), 10 + number, rate, judge.decoded(low), shots)
    return {"path": str(path), "voice": low.name, "lines": lines, "spans": spans, "shots": shots, "rate": float(rate)}


def is_signed(headers: dict[str, str], body: bytes, secret: str) -> bool:
    signed = headers.get("x-service-timestamp", "").encode() + b"." + body
    expected = "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, headers.get("x-service-signature", ""))


def rows(folder: Path, found: dict, seeds: int) -> list[Row]:
    _, _, seconds = BRIEFS[seeds]
    timeline, footage = found["timeline"], found["footage"]
    fps = EXACT.get(timeline["fps"], timeline["fps"])
    scenes, path, frame, none = scenes_of(timeline, footage), folder / "film.mp4", Bar.at_most(1), Bar.at_most(0)
    # Some may go on without their sound.
    heard = scenes_of({"scenes": [one for one in timeline["scenes"] if one["volume"] > 0]}, footage)
    cut, picture = judge.cuts_off(path, scenes, fps, FADES)
    under, between, voice = sounds_off(folder, heard, footage, fps)
    said = shown(heard, footage, SAID[seeds][1])
    told = [one["event"] for one in found["told"]]
    revisions = [one["revision"] for one in found["told"]]
    return [
        Row(
            "projects",
            "length of the film against the brief's: pictures off",
            judge.off_frames(path, seconds, fps),
            frame,
            2,
        ),
        Row("projects", "its cuts against its timeline's: worst, pictures off", cut, frame, 2),
        Row("projects", "every picture in it: worst, pictures off", picture, frame, 2),
        Row("projects", "seconds that are shown twice", overlaps(scenes), none, 2),
        Row("projects", "sentences with the word of the brief: part that is shown whole", said, Bar.at_least(1), 2),
        Row(
            "projects",
            "beginnings and ends of scenes in the middle of a sentence",
            in_sentences(heard, footage),
            none,
            0,
        ),
        Row(
            "projects",
            "beginnings and ends of scenes: part that is on a border of a shot ± 1 picture",
            on_borders(scenes, footage),
            None,
            2,
            min,
        ),
        Row("projects", "music under a sentence, by a tone in it: worst, dB off", under, Bar.at_most(0.5), 2),
        Row("projects", "music in pauses: worst, dB off", between, Bar.at_most(0.5), 2),
        Row("projects", "voices against their source's: worst sentence, dB off", voice, Bar.at_most(0.2), 2),
        Row("projects", "a talk that `duck_music` mixed music into, taken for music", int(not found["taken"]), none, 0),
        Row("projects", "a talk that is called music and was read for words, taken for music", found["talks"], none, 0),
        Row(
            "projects",
            "statuses told otherwise than once each and in their order",
            int(told != STATUSES) + out_of_order(revisions),
            none,
            0,
        ),
        Row(
            "projects",
            "statuses whose signature does not verify",
            sum(not one["is_signed"] for one in found["told"]),
            none,
            0,
        ),
        *(killed.rows(found["killed"], found["usual"], STATUSES) if found["killed"] else []),
    ]


def out_of_order(revisions: list[int]) -> int:
    return sum(other <= one for one, other in zip(revisions, revisions[1:]))


def scenes_of(timeline: dict, footage: list[dict]) -> list[Scene]:
    place = {one["item"]: number for number, one in enumerate(footage)}
    known = [(one, place[one["item_id"]]) for one in timeline["scenes"]]
    return [Scene(10 + n, one["start"], one["begins_at"], one["duration"], footage[n]["rate"]) for one, n in known]


def overlaps(scenes: list[Scene]) -> float:
    ends = lambda scene: scene.start + scene.duration
    pairs = [(one, other) for n, one in enumerate(scenes) for other in scenes[n + 1 :] if one.source == other.source]
    return sum(max(min(ends(one), ends(other)) - max(one.start, other.start), 0.0) for one, other in pairs)


def shown(scenes: list[Scene], footage: list[dict], word: str) -> float:
    """The part of the sentences with this word that is shown from their beginning to their end."""
    wanted = [
        (10 + n, *span)
        for n, one in enumerate(footage)
        for line, span in zip(one["lines"], one["spans"])
        if word in line
    ]
    whole = lambda source, start, end: any(
        scene.source == source and scene.start <= start + 0.05 and end - 0.05 <= scene.start + scene.duration
        for scene in scenes
    )
    return sum(whole(*one) for one in wanted) / len(wanted)


def in_sentences(scenes: list[Scene], footage: list[dict]) -> int:
    """The beginnings and ends of scenes at which a sentence has begun and goes on."""
    said = lambda scene: footage[scene.source - 10]["spans"]
    goes_on = lambda scene, at: any(start + 0.05 < at < end - 0.05 for start, end in said(scene))
    return sum(goes_on(scene, at) for scene in scenes for at in (scene.start, scene.start + scene.duration))


def on_borders(scenes: list[Scene], footage: list[dict]) -> float:
    near = lambda scene, at: any(
        abs(at - border) <= 1.01 / scene.rate for border in footage[scene.source - 10]["shots"]
    )
    ends = [near(scene, at) for scene in scenes for at in (scene.start, scene.start + scene.duration)]
    return sum(ends) / len(ends)


def sounds_off(folder: Path, scenes: list[Scene], footage: list[dict], fps: float) -> tuple[float, float, float]:
    """Decibels that the music is off under sentences and in pauses, and that voices are off."""
    heard = judge.decoded(folder / "film.mp4")
    source = float(np.median(judge.tone_db(judge.decoded(folder / "theme.wav"), PILOT_HERTZ)))
    gains = judge.tone_db(heard, PILOT_HERTZ) - source - MUSIC_DB
    voices = [judge.decoded(folder / one["voice"]) for one in footage]
    spans = []
    for scene in (judge.on_pictures(scene, fps) for scene in scenes):
        for start, end in footage[scene.source - 10]["spans"]:
            at, until = scene.begins_at + start - scene.start, scene.begins_at + end - scene.start
            spans.append((max(at, scene.begins_at), min(until, scene.begins_at + scene.duration), scene, start))
    spans = sorted((span for span in spans if span[1] - span[0] > 0.05), key=lambda span: span[0])
    last = len(heard) / RATE - MUSIC_FADE
    middle = lambda start, end: float(np.median(gains[round(start / 0.05) : round(end / 0.05)]))
    under = [
        abs(middle(at + ASIDE, until - ASIDE) + DUCK_DB) for at, until, *_ in spans if until - at > 1.0 and until < last
    ]
    rests = [(one[1] + ASIDE + RELEASE, other[0] - ASIDE - 0.2) for one, other in zip(spans, spans[1:])]
    between = [abs(middle(*rest)) for rest in rests if rest[1] - rest[0] > 0.2 and rest[1] < last]
    off = []
    for at, until, scene, start in spans:
        is_whole = at > scene.begins_at + FADES[0] and until < scene.begins_at + scene.duration - FADES[1]
        if is_whole:
            count = round((until - at) * RATE)
            begins = round(start * RATE)
            true = voices[scene.source - 10][begins : begins + count]
            off.append(abs(judge.gain_db(heard[round(at * RATE) : round(at * RATE) + count], true)))
    return max(under), max(between), max(off)
