"""The event stream of `traykeeper play`, whose process is killed and started again."""

import json
import subprocess
import sys
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_S
from tests.web.test_stream import next_event, next_steps

COMMAND = str(Path(sys.executable).with_name("traykeeper"))


class Process:
    """`traykeeper play` in a process of its own, and the scorekeeper's phone."""

    def __init__(self, folder: Path) -> None:
        where = ["--host", "127.0.0.1", "--port", "0", "--state", str(folder)]
        command = [COMMAND, "play", "--camera", "usb:97", *where]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        line = next(line for line in self._process.stdout if line.startswith("To play, open"))
        self._address, _, token = line.split()[-1].partition("#scorekeeper=")
        self._phone = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self.post("scorekeeper/link", token=token)

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()

    def post(self, path: str, **body) -> dict:
        return json.load(self._open(path, json.dumps(body).encode()))

    def steps(self, last_id: str = ""):
        """Open the event stream, as a browser does that has received an event with this id."""
        headers = {"Last-Event-ID": last_id} if last_id else {}
        return self._open("events?steps=1", None, **headers)

    def _open(self, path: str, data: bytes | None, **headers: str):
        url = f"{self._address}api/v1/{path}"
        headers |= {"Content-Type": "application/json"}
        request = urllib.request.Request(url, data, headers)  # noqa: S310 - our own
        return self._phone.open(request, timeout=PATIENCE_S)


@pytest.fixture
def start(tmp_path):
    """Starts the process in the same folder, again and again."""
    started = []

    def start():
        started.append(Process(tmp_path))
        return started[-1]

    yield start
    for process in started:
        process.kill()


@pytest.mark.slow
def test_a_program_gets_every_step_once_although_the_companion_is_killed_twice(start):
    process = start()
    process.post("match", names=["Anna", "Ben"])
    with process.steps() as stream:
        assert next_event(stream)[0] == "state"
        process.post("dice", dice=[1, 1, 1, 2, 3, 4])
        found = next_steps(stream, 2)
    for dice, n_missed in (([5, 5, 5, 1, 1, 2], 7), ([1, 1, 1, 1, 2, 3], 6)):
        process.post("bank")
        process.kill()
        process = start()
        process.post("dice", dice=dice)
        with process.steps(found[-1]["id"]) as stream:
            found += next_steps(stream, n_missed)

    assert [event["kind"] for event in found] == [
        "rolled", "read", "wanted", "kept", "banked", "wanted",
        "rolled", "read", "wanted", "kept", "banked", "wanted",
        "rolled", "read", "wanted",
    ]  # fmt: skip
    assert len({event["id"] for event in found}) == len(found)
    assert [event["seq"] for event in found] == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5]
