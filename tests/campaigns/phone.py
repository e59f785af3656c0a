"""`traykeeper play` in its own process, and the phone of its scorekeeper."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from http.cookiejar import CookieJar
from pathlib import Path
from typing import IO, Any
from urllib.request import HTTPCookieProcessor

from tests.waiting import PATIENCE_S, until
from web.stream import HEARTBEAT_S

COMMAND = Path(sys.executable).with_name("traykeeper")


class Played:
    """A table in this folder.

    Args:
        folder: of its state.
        cookies: of the phone: with them it is the same one after a restart.
        options: of `traykeeper play`.
        command: starts Traykeeper.
        stderr: where its messages go.
    """

    def __init__(
        self,
        folder: Path,
        cookies: CookieJar,
        *options: str,
        command: Sequence[Path | str] = (COMMAND,),
        stderr: IO[str] | int = subprocess.DEVNULL,
    ) -> None:
        self.process = subprocess.Popen(
            [*command, "play", "--port", "0", "--state", folder, *options],
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
        assert self.process.stdout
        found = None
        while not found:
            line = self.process.stdout.readline()
            assert line, "it has ended"
            found = re.search(r"localhost:(\d+)/#scorekeeper=(\S+)", line)
        self.port = int(found[1])
        self._base = f"http://localhost:{self.port}/api/v1/"
        self._opener = urllib.request.build_opener(HTTPCookieProcessor(cookies))
        if not len(cookies):
            self.post("scorekeeper/link", token=found[2])

    def state(self) -> dict[str, Any]:
        with self._opener.open(f"{self._base}state", timeout=PATIENCE_S) as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    def until(self, holds: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """Wait until this holds for the state, and return that state."""

        def look() -> dict[str, Any] | None:
            state = self.state()
            return state if holds(state) else None

        return until(look)

    def post(self, path: str, key: str = "", /, **body: object) -> dict[str, Any]:
        """Return the answer to a request with this idempotency key."""
        headers = {"Content-Type": "application/json"} | ({"Idempotency-Key": key} if key else {})
        request = urllib.request.Request(self._base + path, json.dumps(body).encode(), headers)  # noqa: S310
        with self._opener.open(request, timeout=PATIENCE_S) as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    def stream(self) -> Iterator[bytes]:
        """The lines of its stream, until that ends.

        Raises:
            HTTPError: there is none for it now.
        """
        with self._opener.open(f"{self._base}events", timeout=HEARTBEAT_S + PATIENCE_S) as lines:
            yield from lines

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)

    def gone(self) -> None:
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()
