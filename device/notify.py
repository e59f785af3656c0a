"""Words to systemd: ready, alive, and what the table is doing.

Each is a datagram to the socket that systemd names in the environment; without one (run by hand)
nothing is sent. See sd_notify(3).
"""

import os
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic


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
