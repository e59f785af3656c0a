"""Words to systemd: ready, alive, and what the table is doing.

Each is a datagram to the socket that systemd names in the environment; without one (run by hand)
nothing is sent. See sd_notify(3).
"""

import logging
import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Event, Thread
from time import monotonic

BEAT_S = 2.0
"""A watchdog that waits less is none."""


def notify(*words: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Send `READY=1`, `STATUS=...` or the like; gives whether anyone was there to hear.

    >>> notify("READY=1", environ={})
    False
    """
    address = environ.get("NOTIFY_SOCKET", "")
    if address[:1] not in ("/", "@"):
        return False
    if address.startswith("@"):  # a name of Linux's own, in no folder
        address = f"\0{address[1:]}"
    with (
        suppress(OSError),
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender,
    ):
        sender.connect(address)
        sender.sendall("\n".join(words).encode())
        return True
    return False


def watchdog_s(environ: Mapping[str, str] = os.environ) -> float | None:
    """After how long without a word systemd takes this process for hung; None where it does not.

    >>> watchdog_s({"WATCHDOG_USEC": "30000000"})
    30.0
    """
    if environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None
    try:
        return int(environ["WATCHDOG_USEC"]) / 1e6
    except (KeyError, ValueError):
        return None


class Heartbeat:
    """Called at every turn of a loop, tells the watchdog of it as often as it needs to know.

    Args:
        environ: where systemd says whether and how often it wants to hear.
        clock: seconds that never run backwards.
    """

    def __init__(
        self,
        environ: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        limit_s = watchdog_s(environ)
        self._environ, self._clock = environ, clock
        self._every_s = None if limit_s is None else limit_s / 4
        self._next_s = clock()

    def __repr__(self) -> str:
        return "<Heartbeat unheard>" if self._every_s is None else f"<Heartbeat {self._every_s} s>"

    def __call__(self) -> None:
        if self._every_s is None or self._clock() < self._next_s:
            return
        self._next_s = self._clock() + self._every_s
        notify("WATCHDOG=1", environ=self._environ)


@contextmanager
def keep_alive(alive: Callable[[], object], most_s: float) -> Iterator[None]:
    """Something that may take long, within a loop that is watched; longer than `most_s` it hangs."""
    done, end_s = Event(), monotonic() + most_s

    def beat() -> None:
        while not done.wait(BEAT_S) and monotonic() < end_s:
            alive()

    thread = Thread(target=beat, name="beat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


log = logging.getLogger(__name__)

PATIENCE_S = 5
_LOGIND = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")


def power_off_action() -> Callable[[], object] | None:
    """What shuts this machine down cleanly; None where that is not allowed without a password."""
    return _power_off if _may_power_off() else None


def _may_power_off() -> bool:
    busctl = shutil.which("busctl")
    if busctl is None:
        return False
    command = [busctl, "--system", "call", *_LOGIND, "CanPowerOff"]
    try:
        done = subprocess.run(  # noqa: S603 - our own words
            command, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.split() == ["s", '"yes"']


def _power_off() -> None:
    """Ask and go on: systemd then stops this service like any other."""
    command = ["systemctl", "--no-ask-password", "--no-wall", "poweroff"]
    try:
        subprocess.Popen(command, stdin=subprocess.DEVNULL)  # noqa: S603 - our own words
    except OSError:
        log.exception("the machine cannot be shut down")
