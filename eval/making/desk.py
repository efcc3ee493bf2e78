"""A place to make things at: the running service, a folder for what goes in and what comes out, and the calls in a word."""

import time
import urllib.error
import urllib.request
from pathlib import Path

from ..service import Service
from ..studio import Studio, run
from .outside import Outside


class Refused(Exception):
    """What was answered is none of 2xx: its status and what it said."""


class Desk:
    def __init__(self, service: Service, folder: Path, outside: Outside):
        self.service, self.folder, self.outside = service, folder, outside
        self.studio = Studio(folder)

    def tool(self, tool: str, /, **arguments: object) -> dict:
        try:
            return self.service.call("POST", f"/tools/{tool}", arguments)["data"]
        except urllib.error.HTTPError as refused:
            raise Refused(refused.code, f"{tool}: {refused.read().decode()}") from refused

    def item(self, path: Path, name: str | None = None) -> str:
        """Sends a file, and answers its item's id once it is ready."""
        item = self.service.upload(path, name=name)
        found = self.service.settled(item)
        if found["status"] != "ready":
            raise RuntimeError(f"{path.name}: {found}")
        return item

    def ended(self, job: str, status: str = "succeeded") -> dict:
        (found,) = self.service.finished([job])
        if found["status"] != status:
            raise RuntimeError(f"{found}")
        return found

    def ready(self, tool: str, /, **arguments: object) -> dict:
        """Calls a tool again and again until what it needs is there, and answers its last answer, with the last job."""
        last = None
        while True:
            found = self.tool(tool, **arguments)
            if found["status"] == "ready":
                return found | {"job": last}
            last = self.ended(found["job_id"])

    def generated(self, tool: str, /, **arguments: object) -> str:
        """Starts a generation, and answers its item's id."""
        found = self.tool(tool, **arguments)
        return (
            found["output_item_id"] if found["status"] == "ready" else self.ended(found["job_id"])["result"]["item_id"]
        )

    def timeline(self, name: str, ops: list[dict]) -> dict:
        return self.tool("create_timeline", name=name, ops=ops)["timeline"]

    def rendered(self, timeline: str, name: str, **how: str) -> Path:
        """Renders a timeline to a file of this name, whose ending says as what."""
        path = self.studio.path(name)
        found = self.ready("render_timeline", timeline_id=timeline, format=path.suffix[1:], **how)
        return self.fetched(found["output_item_id"], name)

    def fetched(self, item: str, name: str) -> Path:
        path = self.studio.path(name)
        link = self.tool("get_item", ref=item)["item"]["media_url"]
        with urllib.request.urlopen(link, timeout=600) as answer:
            path.write_bytes(answer.read())
        return path

    def command(self, *arguments: str) -> str:
        """A command of `mws` as an operator gives it."""
        told = ("--data-dir", self.service.data_dir, "--base-url", self.service.base_url)
        return run(self.service.program, *arguments, *told).decode()

    def until(self, what: str, found, seconds: float = 300):
        """The first answer that is something."""
        deadline = time.monotonic() + seconds
        while not (answer := found()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what}: not after {seconds} s")
            time.sleep(0.2)
        return answer
