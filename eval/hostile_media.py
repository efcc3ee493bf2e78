"""Makes files that are no media, lie about themselves, name their neighbours or never end, the same ones every time.

    python3 eval/hostile_media.py FOLDER

Writes them to FOLDER/media with a canary beside them, and FOLDER/files.json: what each is, and what a reader may make of it.

    refused   every read ends in an error of the file's own
    read      its loudness is measured
    any       a typed error or a result, whichever

Needs ffmpeg and nothing but Python's own library: the tests of the worker run it (worker/tests/hostile_files.rs), and
`python -m eval.hostile` sends its files through a running service."""

import gzip
import json
import os
import random
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

# Nothing else lasts this long or has this in it: where it is found, a neighbour has been read.
CANARY_SECONDS = 7.77
CANARY_TEXT = "canary-of-the-neighbour-4711"
SOUND = "anoisesrc=d=4:c=pink:r=44100:seed=4"
FILM = "testsrc=s=96x64:r=25:d=4[out0];anoisesrc=d=4:c=pink:r=44100:seed=4[out1]"
CODECS = {
    "wav": ["-c:a", "pcm_s16le"], "mp3": ["-c:a", "libmp3lame"], "flac": ["-c:a", "flac"], "ogg": ["-c:a", "libvorbis"],
    "mka": ["-c:a", "aac"], "m4a": ["-c:a", "aac"], "aac": ["-c:a", "aac"], "mp4": ["-c:v", "mpeg4", "-c:a", "aac"],
    "mkv": ["-c:v", "mpeg4", "-c:a", "aac"], "ts": ["-c:v", "mpeg2video", "-c:a", "aac"], "avi": ["-c:v", "mpeg4", "-c:a", "mp3"],
}


class Maker:
    """The folder, its manifest and one source of chance."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.files: list[dict[str, str]] = []
        self.dice = random.Random(20_261_121)
        self.whole: dict[str, bytes] = {}

    def path(self, name: str) -> Path:
        return self.folder / name

    def note(self, name: str, expected: str, what: str) -> None:
        if any(file["name"] == name for file in self.files):
            raise FileExistsError(name)
        self.files.append({"name": name, "expected": expected, "what": what})

    def write(self, name: str, content: bytes | str, expected: str, what: str) -> None:
        self.path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        self.note(name, expected, what)

    def ffmpeg(self, name: str, source: str, *arguments: str) -> Path:
        target = self.path(name)
        command = ["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", source, "-fflags", "+bitexact", *arguments]
        subprocess.run([*command, f"file:{target}"], check=True)
        return target

    def sample(self, kind: str) -> bytes:
        """Whole, honest media of this kind."""
        if kind not in self.whole:
            source = FILM if kind in ("mp4", "mkv", "ts", "avi") else SOUND
            path = self.ffmpeg(f"whole.{kind}", source, *CODECS[kind])
            self.whole[kind] = path.read_bytes()
            path.unlink()
        return self.whole[kind]


def no_media(make: Maker) -> None:
    noise = make.dice.randbytes
    make.write("empty.mp4", b"", "refused", "no bytes")
    make.write("one-byte.wav", b"R", "refused", "one byte")
    make.write("zeros.wav", bytes(100_000), "refused", "zeros")
    make.write("noise.mp4", noise(200_000), "any", "noise")
    make.write("noise.mp3", noise(200_000), "any", "noise, in which a decoder may see frames")
    make.write("ones.mp3", b"\xff" * 65_536, "any", "nothing but the begin of a frame")
    make.write("page.mp4", "<html><body>not found</body></html>", "refused", "a web page")
    make.write("header.wav", b"RIFF\x24\x00\x00\x00WAVE", "refused", "a header and nothing after it")
    make.write("gzip.mp4", gzip.compress(bytes(50_000_000), mtime=0), "refused", "a bomb of gzip")
    with zipfile.ZipFile(make.path("zip.mp4"), "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr(zipfile.ZipInfo("zeros"), bytes(50_000_000), zipfile.ZIP_DEFLATED)
    make.note("zip.mp4", "refused", "a bomb of zip")
    make.write("code.wav", b"\x7fELF" + noise(10_000), "refused", "a program")


def damaged(make: Maker) -> None:
    for kind in ("wav", "mp3", "flac", "ogg", "mka", "mkv", "ts"):
        whole = make.sample(kind)
        make.write(f"half.{kind}", whole[: len(whole) // 2], "read", "its second half is missing")
    for kind in ("m4a", "mp4"):
        whole = make.sample(kind)
        make.write(f"half.{kind}", whole[: len(whole) // 2], "refused", "its index stood at the end")
    for kind in CODECS:
        whole = bytearray(make.sample(kind))
        for _ in range(len(whole) // 300):
            whole[make.dice.randrange(200, len(whole))] ^= 1 << make.dice.randrange(8)
        make.write(f"flipped.{kind}", bytes(whole), "any", "bits are flipped all over it")
    for kind in ("mp4", "mkv", "flac", "ogg", "avi"):
        whole = bytearray(make.sample(kind))
        start = whole.find(b"moov") if kind == "mp4" else 4
        for _ in range(24):
            whole[start + make.dice.randrange(400)] ^= 1 << make.dice.randrange(8)
        make.write(f"flipped-head.{kind}", bytes(whole), "any", "bits of its description are flipped")


def disguised(make: Maker) -> None:
    """Text that some demuxer takes for a list of other files, by an absolute and by a relative name."""
    canary, near = make.path("canary.wav"), "canary.wav"
    hls = "#EXTM3U\n#EXT-X-TARGETDURATION:8\n#EXTINF:8,\n{}\n#EXT-X-ENDLIST\n"
    dash = (
        '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><Period><AdaptationSet mimeType="audio/wav">'
        f'<Representation id="1"><BaseURL>{canary}</BaseURL></Representation></AdaptationSet></Period></MPD>'
    )
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="{}" width="9" height="9"/></svg>'
    for name, text in {
        "ffconcat.mp4": f"ffconcat version 1.0\nfile '{canary}'\n",
        "ffconcat.wav": f"ffconcat version 1.0\nfile {near}\n",
        "hls.mp4": hls.format(f"file://{canary}"),
        "hls.mp3": hls.format(near),
        "hls-key.ts": hls.format(near).replace("#EXTINF", f'#EXT-X-KEY:METHOD=AES-128,URI="{canary}"\n#EXTINF'),
        "dash.mp4": dash,
        "sdp.mp4": "v=0\no=- 0 0 IN IP4 127.0.0.1\nm=audio 5004 RTP/AVP 0\n",
        "list.mp3": f"#EXTM3U\n{canary}\n",
        "list-pls.mp3": f"[playlist]\nFile1={canary}\nNumberOfEntries=1\n",
        "metadata.mp4": f";FFMETADATA1\ntitle={canary}\n",
        "graph.mp4": f"movie={near}[out0]\n",
        "subtitle.mp4": f"[Script Info]\n; {canary}\n[Events]\n",
        "web.vtt.mp4": "WEBVTT\n\n00:00.000 --> 00:01.000\nhello\n",
        "index.idx.mp4": "# VobSub index file, v7\ntimestamp: 00:00:00:000, filepos: 000000000\n",
        "cue.wav": f'FILE "{canary}" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n',
        "url.mp4": "http://127.0.0.1:9/secret.mp4\n",
        "drawing.png": svg.format(canary),
        "bitmap.png": "#define x_width 8\n#define x_height 8\nstatic char x_bits[] = {0};\n",
        "text.mp3": f"{CANARY_TEXT}\n{canary}\n",
    }.items():
        make.write(name, text, "refused", "it names a neighbour, or is drawn from text")


def box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", 8 + len(content)) + kind + content


def with_larger(whole: bytes, path: list[bytes], change) -> bytes:
    """An mp4 whose box at this path has its content changed, and the sizes around it with it."""
    at, end = 0, len(whole)
    made = b""
    while at + 8 <= end:
        size = struct.unpack(">I", whole[at : at + 4])[0]
        kind, content = whole[at + 4 : at + 8], whole[at + 8 : at + size]
        if kind == path[0]:
            content = change(content) if len(path) == 1 else with_larger(content, path[1:], change)
        made += box(kind, content)
        at += size
    return made


def mp4_tricks(make: Maker) -> None:
    make.ffmpeg("plain.mov", SOUND, "-c:a", "pcm_s16le", "-f", "mov", "-movflags", "+faststart")
    plain = make.path("plain.mov").read_bytes()
    make.path("plain.mov").unlink()
    track = [b"moov", b"trak"]
    dref = [*track, b"mdia", b"minf", b"dinf", b"dref"]
    canary = make.path("canary.wav")
    url = box(b"url ", bytes(4) + f"file://{canary}\0".encode())
    alias = box(b"alis", bytes(4) + struct.pack(">150x") + struct.pack(">HH", 18, 10) + b"canary.wav" + b"\xff\xff\0\0")
    for name, entry in {"elsewhere-url.mov": url, "elsewhere-alias.mov": alias}.items():
        changed = with_larger(plain, dref, lambda _: bytes(4) + struct.pack(">I", 1) + entry)
        make.write(name, changed, "any", "its samples are said to be in a neighbour")
    reference = box(b"rmra", box(b"rmda", box(b"rdrf", bytes(4) + b"url " + struct.pack(">I", 40) + str(canary).encode() + b"\0")))
    make.write("reference.mov", box(b"ftyp", b"qt  " + bytes(4)) + box(b"moov", reference), "refused", "a movie that is another")

    def edits(entries: list[tuple[int, int, int]]):
        table = b"".join(struct.pack(">IiI", *entry) for entry in entries)
        made = box(b"edts", box(b"elst", bytes(4) + struct.pack(">I", len(entries)) + table))
        without = lambda content: with_larger(content, [b"edts"], lambda _: b"") if b"edts" in content else content
        return lambda content: without(content) + made

    for name, entries in {
        "edits-many.mov": [(1, 0, 1 << 16)] * 20_000,
        "edits-wild.mov": [(0xFFFFFFFF, -1, 1 << 16), (0xFFFFFFFF, 0x7FFFFFFF, 1 << 16)],
        "edits-long.mov": [(80_000_000, -1, 1 << 16), (4_000, 0, 1 << 16)],
    }.items():
        make.write(name, with_larger(plain, track, edits(entries)), "any", "an edit list that plays its sound in strange ways")
    endless = lambda content: content[:16] + struct.pack(">I", 0xFFFFFFFE) + content[20:]
    lying = with_larger(plain, [b"moov", b"mvhd"], endless)
    make.write("endless.mov", lying, "any", "four seconds that are declared to be seven weeks")
    deep = b""
    for _ in range(3_000):
        deep = box(b"moov", deep)
    make.write("deep.mp4", box(b"ftyp", b"isom" + bytes(4)) + deep, "refused", "boxes within boxes, 3,000 deep")


def wav(rate: int, channels: int, bits: int, samples: bytes, kind: int = 1, declared: int | None = None) -> bytes:
    align = max(channels * bits // 8, 1) & 0xFFFF
    form = struct.pack("<HHIIHH", kind, channels, rate, (rate * align) & 0xFFFFFFFF, align, bits)
    size = len(samples) if declared is None else declared
    content = b"WAVEfmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", size) + samples
    return b"RIFF" + struct.pack("<I", min(len(content), 0xFFFFFFFF)) + content


def png(width: int, height: int) -> bytes:
    """A black picture of one bit a pixel: some kilobytes, whatever its size."""
    chunk = lambda kind, content: struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes((width // 8 + 1) * height), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def liars(make: Maker) -> None:
    sound = struct.pack("<32000h", *(make.dice.randrange(-3000, 3000) for _ in range(32_000)))
    for name, content, expected, what in [
        ("size-lie.wav", wav(16_000, 1, 16, sound, declared=0xFFFFFFFF), "read", "four gigabytes are declared"),
        ("rate-0.wav", wav(0, 1, 16, sound), "refused", "no samples a second"),
        ("rate-1.wav", wav(1, 1, 16, sound[:200]), "any", "a sample a second"),
        ("rate-max.wav", wav(0x7FFFFFFF, 1, 16, sound), "any", "two thousand million samples a second"),
        ("channels-64.wav", wav(8_000, 64, 16, sound), "refused", "64 channels"),
        ("channels-max.wav", wav(8_000, 65_535, 16, sound), "refused", "65,535 channels"),
        ("bits-0.wav", wav(8_000, 1, 0, sound), "any", "samples of no bits"),
        ("codec-unknown.wav", wav(8_000, 1, 16, sound, kind=0x7777), "any", "a codec that does not exist"),
        ("tag-lie.mp3", b"ID3\x04\x00\x00\x7f\x7f\x7f\x7f" + make.sample("mp3"), "any", "a tag of 256 megabytes is declared"),
    ]:
        make.write(name, content, expected, what)
    broken = struct.pack("<4f", float("nan"), float("inf"), -float("inf"), 3e38)
    floats = b"".join(struct.pack("<f", make.dice.uniform(-0.2, 0.2)) for _ in range(32_000))
    make.write("not-numbers.wav", wav(16_000, 1, 32, floats[:64_000] + broken * 500 + floats[64_000:], kind=3), "read", "samples that are no numbers")
    short = bytearray(make.sample("flac"))
    short[21] &= 0xF0
    short[22:26] = struct.pack(">I", 100)
    make.write("short-lie.flac", bytes(short), "any", "four seconds that are declared to be a few samples")
    short[21] |= 0x0F
    short[22:26] = b"\xff" * 4
    make.write("long-lie.flac", bytes(short), "any", "four seconds that are declared to be weeks")
    gap = make.sample("ogg")
    last = gap.rfind(b"OggS")
    make.write("granule.ogg", gap[: last + 6] + struct.pack("<q", 1 << 61) + gap[last + 14 :], "any", "its last page is years later")
    ebml = bytes.fromhex("1a45dfa3") + b"\x8b" + bytes.fromhex("4282") + b"\x88matroska"
    make.write("segment-lie.mkv", ebml + bytes.fromhex("18538067") + b"\x01" + b"\xff" * 6 + b"\xfe" + bytes(64), "refused", "a segment of 72 petabytes")


def large(make: Maker) -> None:
    """Much of something in a small file: pixels, seconds, frames, streams."""
    make.write("pixels-8192.png", png(8_192, 8_192), "refused", "67 million pixels in eight kilobytes")
    make.write("pixels-100000.png", png(8, 8).replace(struct.pack(">II", 8, 8), struct.pack(">II", 100_000, 100_000)), "refused", "ten thousand million pixels")
    make.write("pixels.gif", b"GIF89a" + struct.pack("<HH", 65_535, 65_535) + b"\0\0\0,\0\0\0\0\xff\xff\xff\xff\0\2\2\x4c\1\0;", "refused", "4,000 million pixels")
    make.path("frame.png").write_bytes(png(8_000, 7_992))
    make.ffmpeg("pixels-64m.mkv", SOUND, "-i", str(make.path("frame.png")), "-map", "0", "-map", "1", "-c:v", "copy", "-c:a", "aac")
    make.path("frame.png").unlink()
    make.note("pixels-64m.mkv", "any", "one frame of just under 64 million pixels")
    make.ffmpeg("day.mkv", "color=s=16x16:r=1/600:d=86400", "-c:v", "mpeg4", "-r", "1/600")
    make.note("day.mkv", "any", "24 hours in 144 frames")
    make.ffmpeg("two-days.mkv", "color=s=16x16:r=1/600:d=172800", "-c:v", "mpeg4", "-r", "1/600")
    make.note("two-days.mkv", "refused", "48 hours")
    gap = "sine=d=2:r=8000,asetpts=PTS+gt(T\\,1)*82800/TB"
    make.ffmpeg("gap.mka", gap, "-c:a", "pcm_s16le")
    make.note("gap.mka", "any", "a second of sound, 23 hours of nothing, a second of sound")
    with open(make.path("day.wav"), "wb") as day:
        day.write(wav(8_000, 1, 8, b"", declared=86_000 * 8_000))
        day.truncate(86_000 * 8_000)
    make.note("day.wav", "any", "a day of silence, 688 megabytes of holes")
    make.ffmpeg("frames-1000.mp4", "testsrc=s=32x32:r=1000:d=3", "-c:v", "mpeg4")
    make.note("frames-1000.mp4", "any", "1,000 frames a second")
    make.ffmpeg("apart.mkv", "testsrc=s=32x32:r=25:d=3,setpts=PTS+pow(N\\,3)/TB/20", "-c:v", "mpeg4", "-fps_mode", "passthrough")
    make.note("apart.mkv", "any", "frames that are further and further apart, hours at the end")
    for count, expected in ((60, "read"), (100, "refused")):
        split = f"asplit={count}" + "".join(f"[s{number}]" for number in range(count))
        maps = [part for number in range(count) for part in ("-map", f"[s{number}]")]
        make.ffmpeg(f"streams-{count}.mka", "sine=d=1:r=8000", "-filter_complex", split, *maps, "-c:a", "pcm_s16le")
        make.note(f"streams-{count}.mka", expected, f"{count} streams of sound")


def odd_names(make: Maker) -> None:
    plain = wav(16_000, 1, 16, struct.pack("<16000h", *(make.dice.randrange(-3000, 3000) for _ in range(16_000))))
    for name in [
        "-i.wav", "$(touch x).wav", "; touch x", "a%03d.wav", "concat:canary.wav", "http:x", "\U0001f3b5 ä\n.wav", "*.png",
        "subfile,,start,0,end,0,,:canary.wav",
    ]:
        make.write(name, plain, "read", "an honest sound of a strange name")


def no_files(make: Maker) -> None:
    """What is in the folder and is no regular file."""
    os.mkfifo(make.path("fifo.wav"))
    make.note("fifo.wav", "refused", "a pipe that nobody writes to")
    make.path("link.wav").symlink_to(make.path("canary.wav"))
    make.note("link.wav", "refused", "a link to a neighbour")
    make.path("passwords.wav").symlink_to("/etc/passwd")
    make.note("passwords.wav", "refused", "a link to the machine's own files")
    make.path("folder.wav").mkdir()
    make.note("folder.wav", "refused", "a folder")


def main() -> None:
    folder = Path(sys.argv[1]).resolve()
    (folder / "media").mkdir(parents=True)
    make = Maker(folder / "media")
    text = ["-metadata", f"title={CANARY_TEXT}"]
    make.ffmpeg("canary.wav", f"sine=f=997:d={CANARY_SECONDS}:r=16000", *text)
    for part in (no_media, damaged, disguised, mp4_tricks, liars, large, odd_names, no_files):
        part(make)
    (folder / "files.json").write_text(json.dumps(make.files, indent=1))
    print(f"{len(make.files)} files")


if __name__ == "__main__":
    main()
