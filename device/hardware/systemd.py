"""Notifications to systemd (ready, alive, status), and shutting down the machine.

Notifications are datagrams to the socket that systemd names in the environment; see sd_notify(3). If there is no
socket, for example because the program was started by hand, nothing is sent.
"""

import logging
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Timer
from time import monotonic

from device.threads import repeated

BEAT_S = 2.0
"""Pause between notifications during a slow task, in seconds: less than a quarter of any sensible watchdog timeout."""


def notify(*words: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Send assignments such as `READY=1` or `STATUS=...` to systemd.

    Args:
        words: The assignments.
        environ: The environment variables, with NOTIFY_SOCKET if systemd listens.

    Returns:
        Whether the datagram was sent.

    >>> notify("READY=1", environ={})
    False
    """
    address = environ.get("NOTIFY_SOCKET", "")
    if address[:1] not in ("/", "@"):
        return False
    if address.startswith("@"):  # the abstract namespace of Linux, see unix(7)
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
    """Return the watchdog timeout of this process in seconds, or None if there is no watchdog.

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
    """A callable that notifies systemd's watchdog, at most four times per timeout, however often it is called.

    Args:
        environ: The environment variables, with WATCHDOG_USEC if there is a watchdog.
        clock: Monotonic clock, in seconds.
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
        return (
            "<Heartbeat without a watchdog>"
            if self._every_s is None
            else f"<Heartbeat {self._every_s} s>"
        )

    def __call__(self) -> None:
        """Notify the watchdog if a notification is due."""
        if self._every_s is None or self._clock() < self._next_s:
            return
        self._next_s = self._clock() + self._every_s
        notify("WATCHDOG=1", environ=self._environ)


@contextmanager
def keep_alive(alive: Callable[[], object], max_s: float) -> Iterator[None]:
    """Notify the watchdog from a separate thread while the block carries out a slow task.

    Args:
        alive: Notifies the watchdog.
        max_s: Seconds after which the notifications stop, so that the watchdog ends a process that hangs.
    """
    end_s = monotonic() + max_s
    with repeated(lambda: monotonic() < end_s and alive(), BEAT_S, "beat"):
        yield


class SelfRestart:
    """A callable that ends this process so that systemd restarts it, at most once in `MIN_UPTIME_S` seconds.

    If a driver does not release its camera, only a new process can open the camera again. Without systemd, nothing
    happens.

    Args:
        environ: The environment variables, with NOTIFY_SOCKET under systemd.
        clock: Monotonic clock, in seconds.
        end: Ends the process; None uses `end_process`.
    """

    def __init__(
        self,
        environ: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = monotonic,
        end: "Callable[[], object] | None" = None,
    ) -> None:
        self._has_systemd, self._clock = "NOTIFY_SOCKET" in environ, clock
        self._end, self._is_ending = end or end_process, False
        # A restart makes a new process, so its age limits how often it restarts.
        self._began_s = clock()

    def __call__(self) -> None:
        """End the process if it has been running long enough and systemd will restart it."""
        is_old = self._clock() - self._began_s >= MIN_UPTIME_S
        if self._has_systemd and is_old and not self._is_ending:
            self._is_ending = True
            log.error("a camera hangs and cannot be closed: systemd will restart this process")
            self._end()


def end_process() -> None:
    """Ask this process to end, as systemd does; if a hanging camera prevents that, kill it after `END_S` seconds."""
    timer = Timer(END_S, os._exit, [1])
    timer.daemon = True
    timer.start()
    os.kill(os.getpid(), signal.SIGTERM)


log = logging.getLogger(__name__)

MIN_UPTIME_S = 300.0
"""Age in seconds below which a process does not restart itself, because the camera may hang at every start."""

END_S = 12.0
"""Time for an orderly end, in seconds: longer than the companion needs to stop."""

LOGIND_TIMEOUT_S = 5
_LOGIND = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")


def power_off_action() -> Callable[[], object] | None:
    """Return a function that shuts this machine down, or None if that needs a password."""
    return _power_off if _can_power_off() else None


def _can_power_off() -> bool:
    busctl = shutil.which("busctl")
    if busctl is None:
        return False
    command = [busctl, "--system", "call", *_LOGIND, "CanPowerOff"]
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command
            command, capture_output=True, text=True, timeout=LOGIND_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.split() == ["s", '"yes"']


def _power_off() -> None:
    """Ask systemd to shut down the machine, and return at once; systemd then stops this service."""
    command = ["systemctl", "--no-ask-password", "--no-wall", "poweroff"]
    try:
        subprocess.Popen(command, stdin=subprocess.DEVNULL)  # noqa: S603 - a fixed command
    except OSError:
        log.exception("failed to shut down the machine")
