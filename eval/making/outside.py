"""What stands beside the service on this machine: a server of models that is Cog's own, and one that hears webhooks."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PREDICTOR = Path(__file__).parents[2] / "tests" / "clients"
PRICE = 2.5
MODEL = f"""[[model]]
id = "painter"
kind = "image"
dialect = "cog"
url = "http://127.0.0.1:{{port}}"
price = {{{{ per = "call", credits = {PRICE} }}}}
timeout = 60
"""


class Outside:
    """Says where both are before the service starts; each is started by who needs it."""

    def __init__(self, folder: Path):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = folder / "cog.log"
        providers = folder.absolute() / "providers.toml"
        providers.write_text(MODEL.format(port=self.port))
        self.settings = {"MWS_PROVIDERS": str(providers), "MWS_OUTBOUND_ALLOW": "127.0.0.0/8"}


class Cog:
    """The server of the package `cog`, without a container, with the predictor of the tests. Leaving the block ends it."""

    def __init__(self, outside: Outside):
        self.outside = outside

    def __enter__(self) -> "Cog":
        programs = Path(sys.executable).parent
        stub = {
            "COG_PREDICT_TYPE_STUB": "cog_predict.py:Predictor",
            "PORT": str(self.outside.port),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        environment = os.environ | stub | {"PATH": f"{programs}:{os.environ['PATH']}"}
        command = [sys.executable, "-m", "cog.server.http", "--host", "127.0.0.1"]
        with open(self.outside.log, "ab") as log:
            # A session of its own: what it starts ends with it.
            self.process = subprocess.Popen(
                command, env=environment, cwd=PREDICTOR, stdout=log, stderr=log, start_new_session=True
            )
        deadline = time.monotonic() + 60
        while self.status() != "READY":
            if time.monotonic() > deadline:
                raise TimeoutError(f"Cog is not ready: {self.outside.log.read_text()[-2000:]}")
            time.sleep(0.2)
        return self

    def status(self) -> str | None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.outside.port}/health-check", timeout=5) as answer:
                return json.load(answer)["status"]
        except OSError:
            return None

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Receiver:
    """Takes whatever is posted, and keeps its headers and its body in the order in which it came."""

    def __enter__(self) -> "Receiver":
        heard = self.heard = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                heard.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
