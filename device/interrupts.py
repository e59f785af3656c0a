"""Ctrl-C while modules are being imported or the companion is starting: one line and exit code 130, never a traceback.

`KeyboardInterrupt` does not reliably end an import. Libraries turn it into errors of their own, and Python ignores it
in a destructor, so that the program would start as if nothing had happened.
"""

import atexit
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import active_count, current_thread, main_thread

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 plus the number of the signal, as in every shell."""


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


def main() -> None:
    """Run the command line, with Ctrl-C handled before anything else is imported: the entry point of `traykeeper`."""
    code: object = 1

    def end() -> None:
        # Python has waited for all threads but those that may be waiting in a library, for example for a network
        # camera. If such a thread returned while Python shuts down, the C++ library would abort the process.
        if active_count() > 1 and isinstance(code, int):
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError):
                    stream.flush()
            os._exit(code)

    atexit.register(end)  # first, so it is called last
    with exit_at_ctrl_c():
        from device.cli import main as run  # noqa: PLC0415 - Ctrl-C is handled from here on
    try:
        run()
    except SystemExit as ending:
        code = ending.code
        raise
