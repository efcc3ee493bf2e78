"""Speed on one core: processor time of the service itself while it reads one file and nothing else, without the decoder. Of
a search index it is with the decoder and with the engine that reads what is written: most of its work is theirs.

What the service uses when idle is measured beside it and taken off. ffmpeg's filter is measured in the same run on the
same file: its processor time with the filter less that without."""

import resource
import subprocess
import time

from .rows import Bar, Row
from .service import Service
from .studio import Studio, music, sequence
from .themes import written
from .themes.texts import LINES

SECONDS = 600
TIMES = 3
# Speakers find speech first, and their time includes that.
BARS = {"levels": 100.0, "speech": 80.0, "beats": 200.0, "speakers": 60.0}
SLIDES = 40
SLIDES_BAR = 8.0


def measured(service: Service, studio: Studio) -> dict[str, float]:
    """Processor seconds of each read, and of ffmpeg's filter."""
    spoken, _ = sequence([studio.say("flite:slt", line) for line in LINES[1]], [0.8] * (len(LINES[1]) + 1))
    minute = music(60, 900)
    minute[: len(spoken)] += spoken[: len(minute)]
    studio.wav("speed-minute.wav", 0.5 * minute)
    files = []
    for number in range(TIMES):
        # The tag makes each a file of its own; the sound is the same.
        path = studio.path(f"speed-{number}.wav")
        command = ["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", str(SECONDS // 60 - 1), "-i"]
        made = ["-ar", "48000", "-ac", "2", "-metadata", f"title={number}", str(path)]
        subprocess.run([*command, str(studio.folder / "speed-minute.wav"), *made], check=True)
        files.append(path)
    idle = idle_share(service)
    own = {read: min(spent(service, path, read, idle) for path in files) for read in BARS}
    lines = LINES[1] + LINES[2]
    texts = [f"{lines[number % len(lines)]}\n{lines[(7 * number + 3) % len(lines)]}" for number in range(SLIDES)]
    shown = studio.path("speed-slides.mp4")
    written.slides(shown, (1280, 720), 32, "sans", texts, rate=25)
    indexed = spent(service, shown, "search_index", idle, with_children=True)
    return own | {"ffmpeg": min(filter_seconds(path) for path in files), "search_index": indexed}


def rows(spent_seconds: dict[str, float]) -> list[Row]:
    faster = spent_seconds["ffmpeg"] / spent_seconds["levels"]
    return [
        *(
            Row("speed", f"{read}, times real time on one core", SECONDS / spent_seconds[read], Bar.at_least(least), 0)
            for read, least in BARS.items()
        ),
        Row(
            "speed",
            f"search_index of {SLIDES} slides with text, decoders and engine included, times real time on one core",
            SLIDES * written.SLIDE_SECONDS / spent_seconds["search_index"],
            Bar.at_least(SLIDES_BAR),
            1,
        ),
        Row("speed", "levels, times as fast as ffmpeg's ebur128 with true peak", faster, Bar.at_least(1), 2),
    ]


def idle_share(service: Service, seconds: float = 5.0) -> float:
    """Processor seconds a second that the service uses when there is nothing to do."""
    before = service.cpu_seconds()
    time.sleep(seconds)
    return (service.cpu_seconds() - before) / seconds


def spent(service: Service, path, read: str, idle: float, with_children: bool = False) -> float:
    item = service.upload(path)
    service.settled(item)
    used = service.cpu_seconds_with_children if with_children else service.cpu_seconds
    before, began = used(), time.monotonic()
    started = service.call("POST", "/tools/prepare_media", {"refs": [item], "reads": [read]})["data"]
    (job,) = service.finished(started["job_ids"])
    if job["status"] != "succeeded":
        raise RuntimeError(f"{read}: {job}")
    return used() - before - idle * (time.monotonic() - began)


def filter_seconds(path) -> float:
    def cpu(*filters: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = ["ffmpeg", "-nostdin", "-v", "quiet", "-threads", "1", "-i", str(path), *filters, "-f", "null", "-"]
        subprocess.run(command, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return cpu("-af", "ebur128=peak=true") - cpu()
