"""Shutting the Pi down, where whoever installed the service allowed it.

logind does it and asks polkit whether this user may: no sudo, no root.
"""

import logging
import shutil
import subprocess
from collections.abc import Callable

log = logging.getLogger(__name__)

PATIENCE_S = 5
_LOGIND = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")


def shut_down_where_allowed() -> Callable[[], object] | None:
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
