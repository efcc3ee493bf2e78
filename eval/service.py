"""A `mws up` of our own, on a temporary data folder and a free port, and a client of its API."""

import hashlib
import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

TYPES = {
    ".wav": "audio/wav", ".flac": "audio/flac", ".mp3": "audio/mpeg", ".mp4": "video/mp4", ".ts": "video/mp2t",
    ".mkv": "video/x-matroska", ".mov": "video/quicktime", ".png": "image/png",
}
SETTINGS = {
    "MWS_LISTEN": "127.0.0.1:0",
    "MWS_MONTHLY_MINUTES": "100000",
    "MWS_RATE_PER_MINUTE": "100000",
    "MWS_RATE_BURST": "10000",
    "MWS_LOG": "warn",
    # What is measured is how good a read is, not whether a machine that is busy with other things was in time.
    "MWS_READ_TIMEOUT_FACTOR": "30",
}


class Service:
    """The running service. Leaving the `with` block stops it."""

    def __init__(self, program: Path, data_dir: Path, more: dict[str, str] | None = None):
        self.program, self.data_dir, self.more = program, data_dir, dict(more or {})

    def __enter__(self) -> "Service":
        if os.geteuid() == 0:
            # The service's PostgreSQL does not run as root, and has to get through to its folder.
            self.data_dir.parent.chmod(0o755)
        self.log = open(self.data_dir.parent / "service.log", "w")
        self._start()
        self.credentials = json.loads((self.data_dir / "credentials.json").read_text())
        self.key = self.credentials["api_key"]
        return self

    def _start(self) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MWS_", "DATABASE_URL"))}
        environment = kept | SETTINGS | {"MWS_DATA_DIR": str(self.data_dir)} | self.more
        self.process = subprocess.Popen(
            [self.program, "up", "--json"], env=environment, stdout=subprocess.PIPE, stderr=self.log, text=True
        )
        ready = self.process.stdout.readline()
        if not ready:
            raise RuntimeError(f"mws up did not start:\n{Path(self.log.name).read_text()}")
        self.base_url = json.loads(ready)["base_url"]

    def crash(self) -> None:
        """Kills all of the service at once, database and decoders with it, and starts it again at the same address."""
        self.process.kill()
        self.process.wait()
        self.more["MWS_LISTEN"] = urlsplit(self.base_url).netloc
        self._start()

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(60)
        self.log.close()

    def call(self, method: str, path: str, body: dict | None = None) -> dict:
        """One request; an answer that is none of 2xx is an `HTTPError`."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        request = urllib.request.Request(self.base_url + path, data, headers, method=method)
        for wait in (1, 5, 20, None):
            try:
                with urllib.request.urlopen(request, timeout=120) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as refused:
                # A machine that is busy with other things says so, and means later.
                if refused.code != 503 or wait is None:
                    raise
                time.sleep(wait)

    def upload(self, path: Path, content_type: str | None = None, name: str | None = None) -> str:
        """Sends a file and answers its item's id."""
        content = path.read_bytes()
        announced = {
            "filename": name or path.name,
            "content_type": content_type or TYPES[path.suffix],
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        upload = self.call("POST", "/uploads", announced)
        target = upload["upload"]
        request = urllib.request.Request(target["url"], content, target["headers"], method="PUT")
        urllib.request.urlopen(request, timeout=600).close()
        self.call("POST", f"/uploads/{upload['id']}/complete", {})
        return upload["item_id"]

    def settled(self, item: str, seconds: float = 300) -> dict:
        """The item, once it has been looked at."""
        deadline = time.monotonic() + seconds
        while True:
            found = self.call("GET", f"/library/items/{item}")
            if found["status"] != "processing":
                return found
            if time.monotonic() > deadline:
                raise TimeoutError(f"{item} is still being looked at after {seconds} s")
            time.sleep(0.1)

    def finished(self, jobs: list[str], seconds: float = 3600) -> list[dict]:
        """The jobs, once all have ended."""
        deadline, ended = time.monotonic() + seconds, {}
        while len(ended) < len(jobs):
            if time.monotonic() > deadline:
                raise TimeoutError(f"jobs still run after {seconds} s: {set(jobs) - set(ended)}")
            waiting = [job for job in jobs if job not in ended][:200]
            found = self.call("POST", "/tools/get_jobs", {"job_ids": waiting, "wait_seconds": 20})["data"]["jobs"]
            ended |= {job["id"]: job for job in found if job["status"] not in ("queued", "running")}
        return [ended[job] for job in jobs]

    def read(self, path: Path, reads: tuple[str, ...]) -> dict[str, dict]:
        """Uploads a file, has it read, and answers its stored reads."""
        item = self.upload(path)
        looked_at = self.settled(item)
        if looked_at["status"] != "ready":
            raise RuntimeError(f"{path.name}: {looked_at}")
        started = self.call("POST", "/tools/prepare_media", {"refs": [item], "reads": list(reads)})["data"]
        for job in self.finished(started["job_ids"]):
            if job["status"] != "succeeded":
                raise RuntimeError(f"{path.name}: {job}")
        return {read: self.call("GET", f"/library/items/{item}/reads/{read}") for read in reads}

    def read_all(self, work: list[tuple[Path, tuple[str, ...]]], at_once: int = 6) -> list[dict[str, dict]]:
        """The same for many files; the service's own slots say how many are read at once."""
        with ThreadPoolExecutor(at_once) as pool:
            return list(pool.map(lambda one: self.read(*one), work))

    def cpu_seconds(self) -> float:
        """Processor time that the process itself has used: its decoders and its database are other processes."""
        return sum(self._ticks()[:2]) / os.sysconf("SC_CLK_TCK")

    def cpu_seconds_with_children(self) -> float:
        """The same, with that of its children that have ended: decoders, and engines that are programs."""
        return sum(self._ticks()) / os.sysconf("SC_CLK_TCK")

    def _ticks(self) -> list[int]:
        """Time of the process in its own code and in the kernel's, then the same of its children that have ended."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return [int(field) for field in fields[11:15]]
