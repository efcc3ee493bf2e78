"""Films whose every picture says which it is: a strip of white and black blocks at the upper edge, the source's number in
four bits and the picture's in fourteen behind two that say that it is a strip."""

import subprocess
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from scipy.io import wavfile
from scipy.signal import butter, sosfilt

BITS = 20
WIDTH, HEIGHT = 640, 360
# The size that a film is looked at in.
SHOWN = (320, 180)
RATE = 48_000
WHITE, BLACK = 225, 30
H264 = ("-c:v", "libx264", "-preset", "veryfast", "-crf", "18", "-pix_fmt", "yuv420p")
# How sources come: their names' endings, and how their sound is coded.
CODED = {".mp4": ("-c:a", "aac", "-b:a", "192k"), ".mkv": ("-c:a", "flac"), ".mov": ("-c:a", "pcm_s16le")}


def hiss(seconds: float, seed: int) -> np.ndarray:
    """Noise that nothing else is like, within what lossy codecs keep."""
    noise = np.random.default_rng(seed).standard_normal(round(seconds * RATE))
    kept = sosfilt(butter(4, [100, 8_000], "bandpass", fs=RATE, output="sos"), noise)
    return 0.1 * kept / np.sqrt(np.mean(kept**2))


def ground(seed: int) -> np.ndarray:
    """A picture of its own, without sharp edges."""
    dice = np.random.default_rng(seed)
    small = dice.uniform(60, 190, (5, 8))
    down, across = np.linspace(0, 3.999, HEIGHT), np.linspace(0, 6.999, WIDTH)
    rows = np.array([np.interp(across, range(8), row) for row in small])
    return np.array([np.interp(down, range(5), column) for column in rows.T]).T


def counted(path: Path, source: int, rate: Fraction, sound: np.ndarray, shots: Sequence[float] = ()) -> Path:
    """A film as long as its sound, in a container by its name; another ground from each of these seconds on."""
    count = int(len(sound) / RATE * rate)
    heard = path.with_suffix(".sound.wav")
    wavfile.write(heard, RATE, sound.astype(np.float32))
    raw = [
        "-f",
        "rawvideo",
        "-pix_fmt",
        "gray",
        "-s",
        f"{WIDTH}x{HEIGHT}",
        "-r",
        str(rate),
        "-i",
        "-",
        "-i",
        str(heard),
    ]
    command = ["ffmpeg", "-nostdin", "-v", "error", *raw, *H264, "-threads", "1", *CODED[path.suffix], str(path)]
    encoder = subprocess.Popen(command, stdin=subprocess.PIPE)
    block = WIDTH // BITS
    under, shot = ground(source), 0
    y, x = np.ogrid[:HEIGHT, :WIDTH]
    for number in range(count):
        if shot < len(shots) and number / rate >= shots[shot] - 1e-6:
            shot += 1
            under = 255 - ground(source) if shot % 2 else ground(source + 100 * shot)
        picture = under.copy()
        middle = WIDTH * (0.1 + 0.8 * (number % 100) / 100)
        picture[(x - middle) ** 2 + (y - 220) ** 2 < 900] = 240
        bits = f"10{source:04b}{number:014b}"
        picture[:block] = np.repeat([WHITE if bit == "1" else BLACK for bit in bits], block)
        encoder.stdin.write(picture.astype(np.uint8).tobytes())
    encoder.stdin.close()
    if encoder.wait():
        raise RuntimeError("ffmpeg could not write a film")
    heard.unlink()
    return path
