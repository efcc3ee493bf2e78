"""Pictures of canvases, words over films, and what is made larger or cut out: where they should be, to be read, and the same
bytes each time."""

import hashlib
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from .. import films as judge
from .. import judges
from ..rows import Bar, Row
from ..studio import run
from ..themes.texts import LINES
from .desk import Desk

WIDTH, HEIGHT = 960, 540
FORMATS = ("png", "webp", "jpeg", "svg")
SCALES = (1, 2, 0.5)
CUES = 3
CUE_SECONDS, GAP_SECONDS, FPS = 2.0, 0.8, 25
GROUNDS = {1: "0x203040", 2: "0x404020"}
GREEN = (0, 255, 0)


def layout(seeds: int) -> dict:
    """Where the flat parts of a canvas are, what they look like, and what is written."""
    dice = np.random.default_rng(2700 + seeds)
    colour = lambda: "#" + "".join(f"{value:02x}" for value in dice.integers(0, 200, 3))
    rects = [
        {
            "x": float(40 + 300 * n + dice.integers(0, 40)),
            "y": float(dice.integers(300, 400)),
            "width": float(dice.integers(80, 200)),
            "height": float(dice.integers(50, 120)),
            "color": colour(),
        }
        for n in range(3)
    ]
    return {
        "background": "#f4efe6",
        "rects": rects,
        "text": LINES[seeds][6].capitalize(),
        "name": LINES[seeds][8].split()[1].capitalize(),
    }


def made(desk: Desk, seeds: int) -> dict:
    plan = layout(seeds)
    still = desk.studio.path("leaf.png")
    run(
        "ffmpeg",
        "-nostdin",
        "-v",
        "error",
        "-f",
        "lavfi",
        "-i",
        f"mandelbrot=s=240x160:start_x=-{0.7 + 0.01 * seeds}",
        "-frames:v",
        "1",
        still,
    )
    image = desk.item(still)
    text = {"type": "text", "size": 40, "color": "#101820", "x": 40}
    layers = [
        {"type": "gradient", "colors": ["#ffffff", "#dfe8f0"], "height": 200, "angle": 90},
        *({"type": "rect", **rect} for rect in plan["rects"]),
        {"type": "ellipse", "x": 800, "y": 220, "width": 90, "height": 60, "color": "#cc333380", "rotation": 30},
        {
            "type": "image",
            "ref": image,
            "x": 700,
            "y": 20,
            "width": 240,
            "height": 160,
            "radius": 12,
            "shadow": {"x": 4, "y": 4, "blur": 8},
        },
        text | {"text": plan["text"], "y": 40, "max_width": 600, "family": "DejaVu Serif"},
        text | {"text": "Episode with {guest}", "y": 220, "weight": 700},
    ]
    canvas = desk.tool(
        "create_canvas", name=f"Cover {seeds}", width=WIDTH, height=HEIGHT, background=plan["background"], layers=layers
    )["canvas"]
    sums: dict[str, list[str]] = {}
    for time in ("first", "again"):
        for form in FORMATS:
            for scale in SCALES if form == "png" else (1,):
                drawn = {"canvas_id": canvas["id"], "format": form, "scale": scale, "values": {"guest": plan["name"]}}
                item = desk.ready("render_canvas", **drawn)["output_item_id"]
                path = desk.fetched(item, f"{time}-{scale}.{form}")
                sums.setdefault(f"{form} {scale}", []).append(hashlib.sha256(path.read_bytes()).hexdigest())
                # One that is gone is drawn anew.
                desk.tool("delete_item", ref=item)
    return {"sums": sums, "captions": captioned(desk, seeds), "changed": changed(desk, image, seeds)}


def captioned(desk: Desk, seeds: int) -> dict:
    """A film with captions in its picture, and what our own read of what is written makes of it."""
    lines = LINES[seeds][9 : 9 + CUES]
    at = lambda number: round(0.6 + number * (CUE_SECONDS + GAP_SECONDS), 3)
    cues = [
        {"start": at(n), "end": round(at(n) + CUE_SECONDS, 3), "text": line.capitalize()}
        for n, line in enumerate(lines)
    ]
    path = desk.studio.path("ground.mp4")
    source = f"color={GROUNDS[seeds]}:s=1280x720:r={FPS}:d={at(CUES) + 1}"
    run(
        "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", source, "-c:v", "libx264", "-pix_fmt", "yuv420p", path
    )
    ground = desk.item(path)
    film = desk.timeline(
        f"Captions {seeds}",
        [
            {"op": "set_format", "width": 1280, "height": 720, "fps": FPS},
            {"op": "add_scene", "ref": ground, "duration": round(at(CUES) + 0.5, 3)},
            {"op": "set_captions", "captions": {"source": "cues", "burn": True, "cues": cues}},
        ],
    )
    found = desk.ready("render_timeline", timeline_id=film["id"])
    item = found["output_item_id"]
    desk.fetched(item, "captions.mp4")
    (job,) = desk.tool("prepare_media", refs=[item], reads=["search_index"])["job_ids"]
    desk.ended(job)
    index = desk.service.call("GET", f"/library/items/{item}/reads/search_index")["data"]
    return {"cues": cues, "read": " ".join(word["text"] for one in index["written"] for word in one["words"])}


def changed(desk: Desk, image: str, seeds: int) -> dict:
    """A picture made larger, and one of which the green is taken out: an ellipse is left."""
    for factor in (2, 4):
        item = desk.generated("upscale_media", ref=image, factor=factor)
        desk.fetched(item, f"larger-{factor}.png")
    stands = ellipse(60 + 20 * seeds)
    picture = np.where(stands[..., None], (200, 60, 90), GREEN).astype(np.uint8)
    path = desk.studio.path("green.png")
    raw = desk.studio.path("green.rgb")
    raw.write_bytes(picture.tobytes())
    run("ffmpeg", "-nostdin", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", "320x240", "-i", raw, path)
    desk.fetched(desk.generated("cut_out", ref=desk.item(path)), "cut-out.png")
    return {"radius": 60 + 20 * seeds}


def ellipse(radius: int) -> np.ndarray:
    y, x = np.ogrid[:240, :320]
    return ((x - 160) / 110) ** 2 + ((y - 120) / radius) ** 2 < 1


def colours(path: Path, form: str = "rgb24") -> np.ndarray:
    size = judge.probed(path)["streams"][0]
    raw = run("ffmpeg", "-nostdin", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", form, "-")
    return np.frombuffer(raw, dtype=np.uint8).reshape(size["height"], size["width"], len(form.removesuffix("24")))


def rows(folder: Path, found: dict, seeds: int) -> list[Row]:
    plan = layout(seeds)
    differ = sum(len(set(sums)) != 1 for sums in found["sums"].values())
    size = max(size_off(folder / f"first-{scale}.png", scale) for scale in SCALES)
    edge, colour = zip(*(placed(colours(folder / f"first-{scale}.png"), plan["rects"], scale) for scale in SCALES))
    said = f"{plan['text']} Episode with {plan['name']}"
    pictures = [f"first-1.{form}" for form in FORMATS if form != "svg"]
    # Tesseract sees letters in shapes too.
    read = min(judges.words_read(judge.written(folder / name), said) for name in pictures)
    none = Bar.at_most(0)
    return [
        Row(
            "canvases",
            f"drawn twice ({len(found['sums'])} formats and scales): how many are not the same bytes",
            differ,
            none,
            0,
        ),
        Row("canvases", "size at scales 1, 2 and 0.5: worst, pixels off", size, none, 0),
        Row("canvases", "edges of rectangles, at all scales: worst, pixels off", max(edge), Bar.at_most(1), 1),
        Row("canvases", "their colours: worst, of 255", max(colour), Bar.at_most(1), 0),
        Row(
            "canvases",
            "words in PNG, WebP and JPEG, of a placeholder too, that tesseract reads: lowest part",
            read,
            Bar.at_least(0.95),
        ),
        Row("canvases", "what an SVG refers to outside of it, or that runs", refers(folder / "first-1.svg"), none, 0),
        *caption_rows(folder / "captions.mp4", found["captions"]),
        *changed_rows(folder, found["changed"]),
    ]


def size_off(path: Path, scale: float) -> int:
    stream = judge.probed(path)["streams"][0]
    return max(abs(stream["width"] - round(WIDTH * scale)), abs(stream["height"] - round(HEIGHT * scale)))


def placed(picture: np.ndarray, rects: list[dict], scale: float) -> tuple[float, float]:
    """How far the edges of rectangles are from where they should be, in pixels, and how far their colours are off."""
    edge = colour = 0.0
    for rect in rects:
        true = np.array([int(rect["color"][at : at + 2], 16) for at in (1, 3, 5)])
        left, top = rect["x"] * scale, rect["y"] * scale
        right, bottom = left + rect["width"] * scale, top + rect["height"] * scale
        middle = picture[int((top + bottom) / 2), int((left + right) / 2)].astype(int)
        colour = max(colour, np.abs(middle - true).max())
        # More than half of the way from what is around to the rectangle's colour is in it.
        row, column = picture[int((top + bottom) / 2)], picture[:, int((left + right) / 2)]
        for line, (start, end) in ((row, (left, right)), (column, (top, bottom))):
            near = slice(max(int(start) - 10, 0), int(end) + 10)
            inside = np.flatnonzero(
                np.abs(line[near].astype(int) - true).sum(axis=1)
                < np.abs(line[near].astype(int) - line[near][0]).sum(axis=1)
            )
            found = (inside[0] + near.start, inside[-1] + 1 + near.start) if len(inside) else (judge.LOST, judge.LOST)
            edge = max(edge, abs(found[0] - start), abs(found[1] - end))
    return edge, colour


def refers(path: Path) -> int:
    """Links that are not within the document or data, and elements that run or bring others in."""
    found = 0
    for element in ElementTree.parse(path).iter():
        found += element.tag.rpartition("}")[2] in {"script", "foreignObject", "style", "iframe"}
        for name, value in element.attrib.items():
            links = [value] if name.rpartition("}")[2] in {"href", "src"} else re.findall(r"url\(([^)]*)\)", value)
            found += sum(not link.startswith(("#", "data:image/")) for link in links) + name.lower().startswith("on")
    return found


def caption_rows(path: Path, found: dict) -> list[Row]:
    cues = found["cues"]
    read = [judge.written(path, (cue["start"] + cue["end"]) / 2) for cue in cues]
    f1 = judges.words_f1(read, [cue["text"] for cue in cues])
    own = judges.words_f1([found["read"]], [" ".join(cue["text"] for cue in cues)])
    return [
        Row("captions", "words in the picture, read by tesseract: F1", f1, Bar.at_least(0.95)),
        Row("captions", "the same by our own search index: F1", own, Bar.at_least(0.95)),
        Row("captions", "when they come and go: worst, pictures off", shown_off(path, cues), Bar.at_most(1), 2),
    ]


def shown_off(path: Path, cues: list[dict]) -> float:
    """How far the pictures in which something stands over the ground begin and end from when they should, in pictures."""
    grey, at = judge.pictures(path, 320, 180), judge.times(path)
    stands = np.abs(grey.astype(int) - int(np.median(grey[0]))).max(axis=(1, 2)) > 40
    turns = np.flatnonzero(np.diff(np.concatenate([[0], stands.astype(int), [0]])))
    if len(turns) != 2 * len(cues):
        return judge.LOST
    when = [at[min(turn, len(at) - 1)] for turn in turns]
    return (
        max(abs(one - other) for one, other in zip(when, [cue[end] for cue in cues for end in ("start", "end")])) * FPS
    )


def changed_rows(folder: Path, found: dict) -> list[Row]:
    sizes = [judge.probed(folder / f"larger-{factor}.png")["streams"][0] for factor in (2, 4)]
    off = max(max(abs(size["width"] - 240 * f), abs(size["height"] - 160 * f)) for size, f in zip(sizes, (2, 4)))
    small, large = colours(folder / "leaf.png").astype(float), colours(folder / "larger-2.png").astype(float)
    again = large.reshape(160, 2, 240, 2, 3).mean(axis=(1, 3))
    psnr = 10 * np.log10(255**2 / max(np.mean((again - small) ** 2), 1e-9))
    alpha = colours(folder / "cut-out.png", "rgba")[..., 3] > 127
    stands = ellipse(found["radius"])
    share = (alpha & stands).sum() / (alpha | stands).sum()
    return [
        Row("generation", "a picture made 2 and 4 times as large: worst, pixels off", off, Bar.at_most(0), 0),
        Row("generation", "the same, made as small as it was: dB from what it was (PSNR)", psnr, None, 1, min),
        Row(
            "generation",
            "what is cut out against what stands before the green: intersection over union",
            share,
            Bar.at_least(0.95),
        ),
    ]
