"""What is written: slides in three fonts, two sizes of picture and two of letters, and footage that shows no letter."""

import subprocess
import textwrap
from pathlib import Path

import numpy as np

from .. import judges
from ..rows import Bar, Heard, Row, Sample, of
from ..studio import Studio
from .texts import LINES

READ = ("search_index",)
FONTS = {"sans": "DejaVuSans.ttf", "serif": "DejaVuSerif.ttf", "mono": "DejaVuSansMono-Bold.ttf"}
PICTURES = ((1280, 720), (1920, 1080))
# The height of the letters in pixels of the picture.
LETTERS = (24, 48)
# The ground and the letters.
COLOURS = (("white", "black"), ("0x10233f", "white"), ("0xf3e9d2", "0x5a1e1e"), ("0x202020", "0xffd24a"))
RATE = 10
SLIDE_SECONDS = 3
# A picture that is read belongs to the slides that it stands before for so long.
OVERLAP_SECONDS = 1.0
FOOTAGE_SECONDS, SHOT_SECONDS = 60, 2


def slides(
    path: Path, size: tuple[int, int], letters: int, font: str, texts: list[str], rate: int = RATE
) -> list[tuple[float, float, str]]:
    """A film of a slide a text, and what stands on each from when to when."""
    width, height = size
    inputs, drawn = [], []
    for number, text in enumerate(texts):
        ground, ink = COLOURS[number % len(COLOURS)]
        inputs += ["-f", "lavfi", "-i", f"color={ground}:s={width}x{height}:r={rate}:d={SLIDE_SECONDS}"]
        written = path.with_suffix(f".{number}.txt")
        # The widest of the fonts takes 0.6 of its height for a letter.
        columns = int((width - 4 * letters) / (0.62 * letters))
        written.write_text("\n".join(textwrap.fill(line, columns) for line in text.splitlines()))
        place = f"x={letters * 2}:y={letters * 2 + 37 * (number % 8)}:line_spacing={letters // 2}"
        face = f"fontfile=/usr/share/fonts/truetype/dejavu/{FONTS[font]}:fontsize={letters}:fontcolor={ink}"
        drawn.append(f"[{number}]drawtext=textfile={written}:expansion=none:{face}:{place}[s{number}]")
    joined = "".join(f"[s{number}]" for number in range(len(texts))) + f"concat=n={len(texts)}[film]"
    command = ["ffmpeg", "-nostdin", "-v", "error", *inputs, "-filter_complex", ";".join([*drawn, joined]), "-map", "[film]"]
    coded = ["-c:v", "libx264", "-crf", "23", "-preset", "fast", "-threads", "1", "-pix_fmt", "yuv420p", str(path)]
    subprocess.run(command + coded, check=True)
    return [(SLIDE_SECONDS * number, SLIDE_SECONDS * (number + 1), text) for number, text in enumerate(texts)]


def leaves(path: Path, seed: int) -> None:
    """A minute of thickets, another every two seconds: edges of every direction and size, and no letter."""
    dice = np.random.default_rng(seed)
    width, height = PICTURES[0]
    command = ["ffmpeg", "-nostdin", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}"]
    timed = ["-r", f"1/{SHOT_SECONDS}", "-i", "-", "-r", str(RATE)]
    coded = ["-c:v", "libx264", "-crf", "23", "-preset", "fast", "-threads", "1", "-pix_fmt", "yuv420p", str(path)]
    encoder = subprocess.Popen(command + timed + coded, stdin=subprocess.PIPE)
    for _ in range(FOOTAGE_SECONDS // SHOT_SECONDS):
        encoder.stdin.write(thicket(dice, width, height).tobytes())
    encoder.stdin.close()
    if encoder.wait():
        raise RuntimeError("ffmpeg could not write a film")


def thicket(dice: np.random.Generator, width: int, height: int) -> np.ndarray:
    """A picture of leaves and stems one over another, each a stretched and turned disc of its own green, grey or brown."""
    picture = np.full((height, width, 3), dice.uniform(20, 120, 3))
    for _ in range(700):
        across, down = dice.uniform(0, width), dice.uniform(0, height)
        long, narrow, turned = dice.uniform(4, 70), dice.uniform(1.5, 14), dice.uniform(0, np.pi)
        reach = int(max(long, narrow)) + 1
        top, left = max(int(down) - reach, 0), max(int(across) - reach, 0)
        part = picture[top : int(down) + reach, left : int(across) + reach]
        y, x = np.ogrid[top : top + part.shape[0], left : left + part.shape[1]]
        along = (x - across) * np.cos(turned) + (y - down) * np.sin(turned)
        beside = (y - down) * np.cos(turned) - (x - across) * np.sin(turned)
        part[(along / long) ** 2 + (beside / narrow) ** 2 < 1] = dice.uniform(10, 230) * dice.uniform(0.5, 1, 3)
    return np.clip(picture + dice.normal(0, 3, picture.shape), 0, 255).astype(np.uint8)


def samples(studio: Studio, seeds: int) -> list[Sample]:
    made = []
    for font in FONTS:
        for width, height in PICTURES:
            for letters in LETTERS:
                number = len(made)
                lines = LINES[seeds][number % 4 :]
                texts = [f"{first}\n{second}" for first, second in zip(lines[:8:2], lines[1:8:2])]
                path = studio.path(f"slides{seeds}-{font}-{height}-{letters}.mp4")
                truth = slides(path, (width, height), letters, font, texts)
                made.append(Sample(path, READ, truth, f"{height} {letters}"))
    for number in range(2):
        path = studio.path(f"leaves{seeds}-{number}.mp4")
        leaves(path, 1700 + 10 * seeds + number)
        made.append(Sample(path, READ, FOOTAGE_SECONDS, "without"))
    return made


def read_off(one: Heard, start: float, end: float) -> str:
    """What the pictures that stand within this time say."""
    shown = [
        written
        for written in one.data["written"]
        if min(written["end"], end) - max(written["start"], start) >= OVERLAP_SECONDS
    ]
    return " ".join(word["text"] for written in shown for word in written["words"])


def f1(heard: list[Heard]) -> float:
    pairs = [(read_off(one, start, end), text) for one in heard for start, end, text in one.truth]
    return judges.words_f1([found for found, _ in pairs], [true for _, true in pairs])


def false_words_a_minute(heard: list[Heard]) -> float:
    found = sum(len(written["words"]) for one in heard for written in one.data["written"])
    return found / sum(one.truth / 60 for one in heard)


def rows(heard: list[Heard]) -> list[Row]:
    judged = []
    for width, height in PICTURES:
        for letters in LETTERS:
            metric = f"slides in three fonts, {width} × {height}, letters of {letters} pixels: F1 of words"
            judged.append(Row("search_index", metric, f1(of(heard, f"{height} {letters}")), Bar.at_least(0.95)))
    metric = "footage without letters: words seen a minute"
    judged.append(Row("search_index", metric, false_words_a_minute(of(heard, "without")), Bar.at_most(1)))
    return judged
