"""Tasks that several threads share: repeating a function, following the table, and reporting a problem once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from web.contracts import Snapshot, Table


@contextmanager
def repeated(
    work: Callable[[], object], every_s: float, name: str, *, at_once: bool = False
) -> Iterator[None]:
    """Within the block, call a function again and again on a thread of its own.

    Args:
        work: The function. At the end of the block, a call that is in progress is waited for.
        every_s: Pause between two calls, in seconds.
        name: Name of the thread.
        at_once: Whether the first call is made at once, and not after a pause.
    """
    done = Event()

    def run() -> None:
        if at_once:
            work()
        while not done.wait(every_s):
            work()

    thread = Thread(target=run, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def new_snapshots(table: Table, closing: Event, wait_s: float) -> Iterator[Snapshot | None]:
    """Yield each new snapshot of the table until an event is set.

    Args:
        table: The table.
        closing: Ends the iteration once it is set.
        wait_s: How long to wait for a snapshot before None is yielded, in seconds.
    """
    version = -1
    while not closing.is_set():
        if snapshot := table.wait(version, wait_s):
            version = snapshot.version
        yield snapshot


class DistinctReports:
    """A callable that passes on a report unless it repeats the previous one.

    Args:
        report: Receives the reports.
    """

    def __init__(self, report: Callable[[str], object]) -> None:
        self._report = report
        self._last = ""

    def __call__(self, text: str) -> None:
        """Pass on the text unless it repeats the previous one."""
        if text != self._last:
            self._last = text
            self._report(text)
