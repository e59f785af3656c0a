"""Measure the peak memory of each kind of work during an evening with 512 MB of memory, for docs/hardware.md.

Run this as root.

    .venv/bin/python scripts/memory.py [--throws 200] [--mb 512] [--log FILE] [--settings FILE]

The companion and its worker run in a control group with this memory limit and no swap, as on a Zero 2 W. The camera is
simulated. The script prints the memory that the processes themselves use, and the memory including the files that the
kernel caches for them.
"""

import argparse
import http.cookiejar
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

CGROUPS = Path("/sys/fs/cgroup")
PROGRAM = Path(sys.executable).with_name("traykeeper")
SAMPLE_INTERVAL_S = 0.1
MB = 1024**2
ROLLED_S = 1.0
"""Time after a throw until the dice are at rest."""


@dataclass
class Group:
    """A control group of the Linux kernel, which limits and measures the memory of processes.

    Attributes:
        folder: The folder of the group in /sys/fs/cgroup.
        second: Whether the group uses version 2 of control groups.
    """

    folder: Path
    second: bool

    @classmethod
    def make(cls, limit_mb: int) -> "Group":
        """Create a control group with a memory limit, and without swap in version 2."""
        second = "memory" in _text(CGROUPS / "cgroup.controllers").split()
        group = cls((CGROUPS if second else CGROUPS / "memory") / "traykeeper-evening", second)
        group.folder.mkdir(exist_ok=True)
        limit = group.folder / ("memory.max" if second else "memory.limit_in_bytes")
        limit.write_text(str(limit_mb * MB))
        if second:
            (group.folder / "memory.swap.max").write_text("0")
        return group

    def enter(self) -> None:
        """Move this process into the control group."""
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def held_mb(self) -> tuple[float, float]:
        """Return the memory of the processes in the group, without and with cached files, in MB."""
        stat = dict(line.split() for line in _text(self.folder / "memory.stat").splitlines())
        now = _text(self.folder / ("memory.current" if self.second else "memory.usage_in_bytes"))
        return int(stat["anon" if self.second else "rss"]) / MB, int(now) / MB

    def killed(self) -> int:
        """Return how many processes in the group have been killed because memory ran out."""
        events = _text(self.folder / ("memory.events" if self.second else "memory.oom_control"))
        return int(dict(line.split() for line in events.splitlines())["oom_kill"])


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii")
    except FileNotFoundError:
        return ""


@dataclass
class PeakRecorder:
    """A recorder of the peak memory during each kind of work.

    Attributes:
        group: The control group that is measured.
        log: File for all samples, or None if they are not written.
        work: The current kind of work.
        peaks: Peak memory of the processes without and with cached files, in MB, by kind of work.
        done: Event that ends the recording when it is set.
    """

    group: Group
    log: Path | None
    work: str = "starting"
    peaks: dict[str, tuple[float, float]] = field(default_factory=dict)
    done: Event = field(default_factory=Event)

    def run(self) -> None:
        """Sample the memory of the group until `done` is set, and then write the log."""
        began_s = time.monotonic()
        lines = []
        while not self.done.wait(SAMPLE_INTERVAL_S):
            own, with_files = self.group.held_mb()
            before = self.peaks.get(self.work, (0.0, 0.0))
            self.peaks[self.work] = (max(own, before[0]), max(with_files, before[1]))
            lines.append(f"{time.monotonic() - began_s:.1f},{self.work},{own:.1f},{with_files:.1f}")
        if self.log:
            self.log.write_text("\n".join(["seconds,work,own_mb,with_files_mb", *lines]) + "\n")


class Phone:
    """The scorekeeper's phone, as a client of the page's HTTP API.

    Args:
        address: Address of the page.
        state: State folder of the companion, from which the PIN is read.
    """

    def __init__(self, address: str, state: str) -> None:
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._opener, self._address = urllib.request.build_opener(jar), address
        self._state = state
        self.must("scorekeeper/pin", pin=self._pin())

    def own(self) -> None:
        """Allow this phone to download backups for a while."""
        self.must("scorekeeper/owner", pin=self._pin())

    def _pin(self) -> str:
        words = [PROGRAM, "pin", "--state", self._state]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()

    def post(self, path: str, **body: object) -> dict:
        """Send a POST request, and return the JSON response.

        Args:
            path: Path below /api/v1/.
            body: Fields of the JSON body.
        """
        return self._ask(path, json.dumps(body).encode())

    def get(self, path: str) -> Any:
        """Return the JSON response to a GET request for a path below /api/v1/."""
        return self._ask(path, None)

    def _ask(self, path: str, body: bytes | None) -> Any:
        request = urllib.request.Request(  # noqa: S310 - our own page
            f"{self._address}api/v1/{path}", body, {"Content-Type": "application/json"}
        )
        with self._opener.open(request, timeout=120) as answer:
            data = answer.read()
        return json.loads(data) if data[:1] in b"[{" else {}

    def may(self, path: str, **body: object) -> None:
        """Post a request, and ignore a refusal by the rules of the game.

        Args:
            path: Path below /api/v1/.
            body: Fields of the JSON body.
        """
        with suppress(urllib.error.HTTPError):
            self.post(path, **body)

    def must(self, path: str, **body: object) -> None:
        """Post a request that the measurement needs, and exit the program if it is refused.

        Args:
            path: Path below /api/v1/.
            body: Fields of the JSON body.
        """
        try:
            self.post(path, **body)
        except urllib.error.HTTPError as error:
            sys.exit(f"{path} is refused ({error.code}): {_detail(error)}")

    def wait(self, path: str) -> None:
        """Wait until the answer for a path below /api/v1/ has been computed."""
        while True:
            try:
                self.get(path)
            except urllib.error.HTTPError as error:
                if error.code != 503:  # noqa: PLR2004 - not yet
                    raise
                time.sleep(2)
            else:
                return


def _detail(error: urllib.error.HTTPError) -> str:
    """Return the explanation in an error response."""
    text = error.read().decode(errors="replace")
    with suppress(ValueError):
        text = json.loads(text)["detail"]
    return text.strip()


def main() -> None:
    """Play an evening, and print the peak memory during each kind of work."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--throws", type=int, default=200)
    parser.add_argument("--mb", type=int, default=512)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--settings", type=Path, help="settings of the companion")
    options = parser.parse_args()
    recorder = PeakRecorder(Group.make(options.mb), options.log)
    thread = Thread(target=recorder.run)
    thread.start()
    try:
        with (
            TemporaryDirectory() as state,
            _playing(recorder.group, state, options.settings) as address,
        ):
            _evening(Phone(address, state), recorder, options.throws)
    finally:
        recorder.done.set()
        thread.join()
    print("| work | MB of its own | with files that the kernel caches |\n|---|---|---|")
    for work, (own, with_files) in recorder.peaks.items():
        print(f"| {work} | {own:.0f} | {with_files:.0f} |")
    print(f"killed because the memory was full: {recorder.group.killed()}")


def _evening(phone: Phone, recorder: PeakRecorder, throws: int) -> None:
    recorder.work = "calibrating"
    calibrate(phone)
    recorder.work = "playing and reading"
    phone.post("match", names=["Anna", "Ben"])
    for number in range(throws):
        _throw(phone)
        if number % 25 == 0:
            print(f"{number} throws", file=sys.stderr)
    recorder.work = "solving, for the coach"
    phone.must("coach", mode="live")
    newest = phone.get("matches")[0]["id"]
    phone.may("matches/solve", match=newest)
    phone.wait(f"matches/{newest}/review")
    recorder.work = "playing while the coach works"
    for _ in range(max(1, throws // 10)):
        _throw(phone)
    recorder.work = "backing up"
    phone.own()
    phone.get("backup")


def calibrate(phone: Phone) -> None:
    """Calibrate in the same steps as on the page, from finding the tray to saving the profile."""
    for step in ("find", "check", "throw", "learn", "throw", "learn", "throw", "test", "save"):
        phone.must(f"calibration/{step}")
        if step == "throw":
            time.sleep(ROLLED_S)


def _throw(phone: Phone) -> None:
    """Throw the dice, press the button, answer a question if there is one, and bank if the rules allow it."""
    before = phone.post("throw")["version"]
    phone.may("press")
    while True:
        state = phone.get("state")
        if state["version"] > before and state["situation"] != "waiting for stillness":
            break
        time.sleep(0.2)
    if state["choices"]:
        phone.may("answer", choice=state["choices"][0]["id"])
    phone.may("rematch" if state["situation"] == "won" else "bank")


@contextmanager
def _playing(group: Group, state: str, settings: Path | None) -> Iterator[str]:
    chosen = ["--settings", settings] if settings else []
    words = ["play", "--camera", "sim", "--host", "127.0.0.1", "--port", "8123", "--roll", "0.3"]
    process = subprocess.Popen(
        [PROGRAM, *words, "--seed", "1", "--state", state, *chosen],
        preexec_fn=group.enter,  # noqa: PLW1509 - no threads of ours hold a lock there
        stdout=subprocess.DEVNULL,
    )
    address = "http://127.0.0.1:8123/"
    try:
        while True:
            with suppress(OSError):
                urllib.request.urlopen(f"{address}healthz", timeout=5)  # noqa: S310 - our own page
                break
            if process.poll() is not None:
                sys.exit("the companion does not start")
            time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
