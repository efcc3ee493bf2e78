"""Sends the hostile files through a running service, as an uploader would, and looks at everything that comes back.

    python3 -m eval.hostile [--program target/debug/mws]

Every upload ends in an item that is ready or failed with a code of the file's own, every job of every read likewise; a file
that can be read is read, and no clock is an excuse; nothing shows the canary; the process is the same one at the end, with its memory bounded, and still reads an honest file. Needs
nothing but Python's own library. Exits with 1 when any of that is not so."""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import urllib.error
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .hostile_media import CANARY_SECONDS
from .service import TYPES, Service

READS = ["transcript", "search_index", "speech", "speakers", "beats", "levels"]
MORE_TYPES = {
    ".ogg": "audio/ogg", ".mka": "audio/x-matroska", ".m4a": "audio/mp4", ".aac": "audio/aac", ".mkv": "video/x-matroska",
    ".ts": "video/mp2t", ".avi": "video/x-msvideo", ".mov": "video/quicktime", ".png": "image/png", ".gif": "image/gif",
}
OF_THE_FILE = {"media_unreadable", "media_too_long", "reader_timeout"}
OWN_MIB = 600
MOST_BYTES = 100_000_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="eval.hostile", description=__doc__.split("\n")[0])
    parser.add_argument("--program", type=Path, default=Path("target/debug/mws"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mws-hostile-") as temporary:
        folder = Path(temporary)
        subprocess.run([sys.executable, Path(__file__).with_name("hostile_media.py"), folder / "made"], check=True)
        # Media of two hours at most, and a minute for a read: a day of silence is for the tests of the worker.
        settings = {"MWS_READ_TIMEOUT_FACTOR": "0", "MWS_MAX_MEDIA_SECONDS": "7200"}
        (folder / "data").mkdir()
        with Service(arguments.program, folder / "data", settings) as service:
            faults = attacked(service, folder / "made")
    print("\n".join(faults) or "no faults")
    return 1 if faults else 0


def attacked(service: Service, folder: Path) -> list[str]:
    pid, began = service.process.pid, time.monotonic()
    files = json.loads((folder / "files.json").read_text())
    paths = [(folder / "media" / file["name"], file["expected"]) for file in files]
    # Pipes and links can't be sent; a day of holes would be 688 megabytes of zeros.
    sent = [one for one in paths if one[0].is_file() and not one[0].is_symlink() and one[0].stat().st_size <= MOST_BYTES]
    with ThreadPoolExecutor(8) as pool:
        faults = [fault for found in pool.map(lambda one: attack(service, *one), sent) for fault in found]
    honest = service.read(folder / "media" / "canary.wav", ("levels",))["levels"]
    if abs(honest["duration_seconds"] - CANARY_SECONDS) > 0.05:
        faults.append(f"an honest file is not read any more: {honest}")
    status = Path(f"/proc/{pid}/status").read_text()
    mib = int(status.split("VmHWM:")[1].split()[0]) // 1024
    if service.process.poll() is not None or mib > OWN_MIB:
        faults.append(f"the service ended, or grew to {mib} MiB")
    print(f"{len(sent)} files in {time.monotonic() - began:.0f} s; the service had {mib} MiB at most")
    return faults


def attack(service: Service, path: Path, expected: str) -> list[str]:
    """What is wrong with what came of a file. One that can be read, whatever is strange about it, has to be."""
    of_the_file = set() if expected == "read" else OF_THE_FILE
    # A name may say of a sound that it is a picture: what it is announced as is not the name's to say here.
    announced = "audio/wav" if expected == "read" and path.suffix == ".png" else (TYPES | MORE_TYPES).get(path.suffix, "audio/wav")
    try:
        item = service.upload(path, announced)
    except urllib.error.HTTPError as refused:
        if expected == "read" and refused.code == 400 and not path.name.isprintable():
            # A name with a line break in it is refused, as it should be; what is in the file is read under another.
            item = service.upload(path, announced, "unprintable.wav")
        else:
            # Refused at the door, as an upload of no bytes is.
            at_the_door = expected != "read" and 400 <= refused.code < 500
            return [] if at_the_door else [f"{path.name!r}: the upload was answered with {refused.code}"]
    found = service.settled(item, 900)
    faults = leaks(path, found)
    if found["status"] != "ready":
        code = (found.get("error") or {}).get("code")
        return faults + ([] if code in of_the_file else [f"{path.name!r}: the item failed with {code}"])
    prepared = service.call("POST", "/tools/prepare_media", {"refs": [item], "reads": READS})["data"]
    for job in service.finished(prepared["job_ids"], 1800) if prepared["job_ids"] else []:
        faults += leaks(path, job)
        if job["status"] != "succeeded" and (job["error"] or {}).get("code") not in of_the_file:
            faults.append(f"{path.name!r}: {job['read']} ended {job['status']} with {job['error']}")
    stored = service.call("GET", f"/library/items/{item}")["reads"]
    if expected == "read" and "levels" not in stored:
        faults.append(f"{path.name!r}: its levels were not read")
    for read in stored:
        stored = service.call("GET", f"/library/items/{item}/reads/{read}")
        faults += leaks(path, stored["data"])
        if abs(stored["duration_seconds"] - CANARY_SECONDS) < 0.05:
            faults.append(f"{path.name!r}: {read} lasts as long as the neighbour")
    return faults


def leaks(path: Path, shown: object) -> list[str]:
    # The name is the uploader's own; everything else must know of no neighbour and no path.
    text = json.dumps({k: v for k, v in shown.items() if k != "name"} if isinstance(shown, dict) else shown)
    return [f"{path.name!r} shows {word!r}: {text[:300]}" for word in ("canary", "mws-hostile-") if word in text]


if __name__ == "__main__":
    sys.exit(main())
