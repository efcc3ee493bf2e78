"""A predictor for Cog that draws a picture of 64 by 64 pixels, after as many seconds as its prompt says."""

import re
import struct
import tempfile
import time
import zlib

from cog import BasePredictor, Input, Path


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


class Predictor(BasePredictor):
    def predict(self, prompt: str = Input(default=""), seed: int = Input(default=0), steps: int = Input(default=1)) -> Path:
        seconds = re.search(r"(\d+) seconds", prompt)
        time.sleep(int(seconds.group(1)) if seconds else 0)
        rows = b"".join(b"\0" + bytes([row * 4, seed % 256, len(prompt) % 256]) * 64 for row in range(64))
        picture = Path(tempfile.mkdtemp()) / "picture.png"
        head = struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0)
        body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
        picture.write_bytes(b"\x89PNG\r\n\x1a\n" + body)
        return picture
