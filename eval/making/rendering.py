"""What a render costs beside ffmpeg that does the same work by one graph of filters: processor time, decoders and encoder
included, of the better one of three runs each."""

import resource
import time

import numpy as np

from ..rows import Row
from ..speed import idle_share
from ..studio import run
from .desk import Desk

TIMES, SECONDS, SCENES, SCENE_SECONDS = 3, 40, 12, 2.5


def made(desk: Desk, seeds: int) -> dict:
    if seeds != 1:
        return {}
    path = desk.studio.path("moving.mp4")
    pictures, sound = "testsrc2=s=1280x720:r=25", "anoisesrc=c=pink:r=48000:a=0.2"
    inputs = ["-f", "lavfi", "-i", f"{pictures}:d={SECONDS}", "-f", "lavfi", "-i", f"{sound}:d={SECONDS}"]
    run(
        "ffmpeg",
        "-nostdin",
        "-v",
        "error",
        *inputs,
        "-c:v",
        "libx264",
        "-preset",
        "veryfast",
        "-pix_fmt",
        "yuv420p",
        "-c:a",
        "aac",
        path,
    )
    item = desk.item(path)
    starts = [round(float(start), 2) for start in np.random.default_rng(2900).uniform(0, SECONDS - 3, SCENES)]
    scenes = [{"op": "add_scene", "ref": item, "start": start, "duration": SCENE_SECONDS} for start in starts]
    ops = [{"op": "set_format", "width": 1280, "height": 720, "fps": 25}, *scenes]
    idle = idle_share(desk.service)
    own, ours = [], []
    for _ in range(TIMES):
        # Another timeline is another film, and rendered anew: the last scene is a picture shorter each time.
        ops[-1]["duration"] -= 0.04
        timeline = desk.timeline("Rendered", ops)["id"]
        before, began = desk.service.cpu_seconds_with_children(), time.monotonic()
        desk.ready("render_timeline", timeline_id=timeline)
        lasted = time.monotonic() - began
        own.append((desk.service.cpu_seconds_with_children() - before - idle * lasted, lasted))
        ours.append(by_ffmpeg(desk, path, starts))
    return {"service": min(own), "ffmpeg": min(ours)}


def by_ffmpeg(desk: Desk, path, starts: list[float]) -> tuple[float, float]:
    """The same cuts as one graph, coded as the service codes them: processor seconds, and seconds."""
    parts = []
    for number, start in enumerate(starts):
        parts.append(
            f"[{number}:v]trim=duration={SCENE_SECONDS},setpts=PTS-STARTPTS[v{number}];[{number}:a]atrim=duration={SCENE_SECONDS},asetpts=PTS-STARTPTS[a{number}]"
        )
    joined = "".join(f"[v{number}][a{number}]" for number in range(SCENES)) + f"concat=n={SCENES}:v=1:a=1[v][a]"
    inputs = [word for start in starts for word in ("-ss", str(start), "-t", str(SCENE_SECONDS), "-i", path)]
    coded = [
        "-c:v",
        "libx264",
        "-preset",
        "veryfast",
        "-crf",
        "20",
        "-pix_fmt",
        "yuv420p",
        "-c:a",
        "aac",
        "-threads",
        "2",
    ]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    graph = ["-filter_complex", ";".join([*parts, joined]), "-map", "[v]", "-map", "[a]"]
    run("ffmpeg", "-nostdin", "-y", "-v", "error", *inputs, *graph, *coded, desk.folder / "by-ffmpeg.mp4")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - began


def rows(_folder, found: dict, _seeds: int) -> list[Row]:
    if not found:
        return []
    film = SCENES * SCENE_SECONDS
    (own, lasted), (theirs, took) = found["service"], found["ffmpeg"]
    return [
        Row(
            "speed",
            "a film of twelve scenes in 720p: processor time, times that of ffmpeg doing the same",
            own / theirs,
            None,
            2,
        ),
        Row("speed", "the same: seconds that it takes for each second of film", lasted / film, None, 2),
        Row("speed", "the same of ffmpeg", took / film, None, 2),
    ]
