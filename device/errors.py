"""How a command ends: its exit codes, the error of bad input, and Ctrl-C.

Ctrl-C while modules are being imported or the companion is starting prints one line and ends with exit code 130, never
with a traceback. `KeyboardInterrupt` does not reliably end an import. Libraries turn it into errors of their own, and
Python ignores it in a destructor, so that the program would start as if nothing had happened.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread

BAD_INPUT = 2
"""Exit code after wrong usage or bad input."""

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 plus the number of the signal, as in every shell."""


class UsageError(ValueError):
    """Wrong usage or bad input, described in one line: what is wrong, where, and what to do."""


def exit_now(*_: object) -> None:
    """Print one line and end the process at once. The journal survives this, as it survives a power cut."""
    os.write(2, b"stopped\n")
    os._exit(INTERRUPTED)


@contextmanager
def exit_at_ctrl_c() -> Iterator[None]:
    """End the process at once if Ctrl-C is pressed within the block. If the process ignores Ctrl-C, change nothing."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler or current_thread() is not main_thread():
        yield
        return
    signal.signal(signal.SIGINT, exit_now)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
