"""The log file in the state folder. On a Pi, systemd's journal is only in memory, so a power cut erases it."""

import faulthandler
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from logging.handlers import RotatingFileHandler
from pathlib import Path

FILE, CRASHES = "log.txt", "crashes.txt"
MAX_BYTES, N_OLD_FILES = 200_000, 1
"""Maximum size of the log file in bytes, and how many older log files are kept. The file of crashes may become a little larger."""

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"

log = logging.getLogger(__name__)


class SyncedFileHandler(RotatingFileHandler):
    """A handler that flushes each error to the disk at once, and ignores a full disk."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, and flush an error to the disk at once."""
        super().emit(record)
        if self.stream is not None and (record.exc_info or record.levelno >= logging.ERROR):
            with suppress(OSError):
                os.fsync(self.stream.fileno())

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's own name
        """Print nothing, because the program continues without the log."""

    def close(self) -> None:
        """Close the file, even if the disk is full."""
        with suppress(OSError):
            super().close()


@contextmanager
def keep_log(folder: Path) -> Iterator[None]:
    """Within the block, write starts, stops, warnings and crashes to a file in the state folder.

    Warnings are still printed on stderr.

    Args:
        folder: The state folder.
    """
    try:
        file = SyncedFileHandler(
            folder / FILE, maxBytes=MAX_BYTES, backupCount=N_OLD_FILES, encoding="utf-8"
        )
    except OSError as error:  # a full or read-only disk must not prevent a match
        log.warning("%s: the log cannot be written (%s)", folder / FILE, error.strerror)
        yield
        return
    with _added_to_root(file), _crashes_in(folder / CRASHES):
        log.info("started, version %s", version("traykeeper"))
        try:
            yield
        except BaseException as error:
            log.info("stopped by %r", error, exc_info=True)
            raise
        log.info("stopped")


def files(folder: Path) -> list[Path]:
    """Return the log files in the state folder, sorted by name."""
    return sorted(path for name in (FILE, CRASHES) for path in folder.glob(f"{name}*"))


@contextmanager
def _added_to_root(file: logging.FileHandler) -> Iterator[None]:
    shown, root = logging.StreamHandler(), logging.getLogger()
    file.setFormatter(logging.Formatter(FORMAT))
    shown.setLevel(logging.WARNING)
    log.setLevel(logging.INFO)
    for handler in (file, shown):
        root.addHandler(handler)
    try:
        yield
    finally:
        for handler in (file, shown):
            root.removeHandler(handler)
        file.close()


@contextmanager
def _crashes_in(path: Path) -> Iterator[None]:
    """Within the block, log errors that end a thread, and write the stack to a file if a library crashes."""
    with suppress(OSError):
        if path.stat().st_size > MAX_BYTES:
            path.replace(path.with_name(f"{path.name}.1"))
    before, threading.excepthook = threading.excepthook, _log_end_of_thread
    with path.open("a") as file:  # not into the log, which a new file may replace at any time
        faulthandler.enable(file)
        try:
            yield
        finally:
            faulthandler.disable()
            threading.excepthook = before


def _log_end_of_thread(end: threading.ExceptHookArgs) -> None:
    name = end.thread.name if end.thread else "?"
    error = end.exc_value or end.exc_type()
    log.error("the thread %s ended with an error", name, exc_info=error)
