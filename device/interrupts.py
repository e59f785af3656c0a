"""Ctrl-C while modules load or the companion starts: one line and exit code 130, never a traceback.

An exception is no way out of an import. Libraries turn `KeyboardInterrupt` into errors of their own, and Python
ignores one that is raised in a destructor, after which the program would start as if nothing had happened.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 and the number of the signal, as in every shell."""


def exit_now(*_: object) -> None:
    """End the process at once with one line. The journal is safe, as it is after a power cut."""
    os.write(2, b"stopped\n")
    os._exit(INTERRUPTED)


@contextmanager
def exit_at_ctrl_c() -> Iterator[None]:
    """End the process at once if Ctrl-C is pressed within the block. A program that ignores Ctrl-C still does."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler or current_thread() is not main_thread():
        yield
        return
    signal.signal(signal.SIGINT, exit_now)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def main() -> None:
    """Run the command line, with Ctrl-C handled before anything else is loaded. `traykeeper` begins here."""
    with exit_at_ctrl_c():
        from device.cli import main as run  # noqa: PLC0415 - Ctrl-C is handled from here on
    run()
