"""Work done aside: a process of its own at low priority, so that nothing of it delays a reading.

    >>> aside = Aside(journal, folder)
    >>> aside.ask("figures", match).result().solved
    True

The process is started when it is first needed, and ends by itself when this one does.
"""

import os
import subprocess
import sys
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock, Thread
from typing import Any, Protocol

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""It must not take every core for a few small matrices."""


PATIENCE_S = 3.0
"""For the answer it is at; what it has solved in the last seconds is then lost."""


class QuestionWorker(Protocol):
    """Answers the questions of `device.coach.worker.Worker`, some time later."""

    def ask(self, question: str, *args: object) -> Future[Any]: ...

    def close(self) -> None: ...


class WorkerLostError(Exception):
    """The process ended before it answered; the next question starts another."""


class WorkerClient:
    """One `device.coach.worker` process, asked from any thread; it answers one after the other.

    Args:
        journal: the file of all matches; it is only read.
        tables: the folder of solved matches.
    """

    def __init__(self, journal: Path, tables: Path) -> None:
        self._journal, self._tables = journal, tables
        self._lock = Lock()
        self._numbers = count()
        self._open: dict[int, Future[Any]] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection[Any, Any] | None = None
        self._closed = False

    def __repr__(self) -> str:
        return f"<WorkerClient running={self._connection is not None}, open={len(self._open)}>"

    def ask(self, question: str, *args: object) -> Future[Any]:
        """What the method of that name of `device.coach.worker.Worker` answers, once it does."""
        future: Future[Any] = Future()
        with self._lock:
            number = next(self._numbers)
            self._open[number] = future
            try:
                self._running().send((number, question, args))
            except (OSError, WorkerLostError) as error:
                del self._open[number]
                future.set_exception(WorkerLostError(str(error)))
        return future

    def close(self) -> None:
        """End the process: it keeps what it has solved so far."""
        with self._lock:
            self._closed = True
            connection, process = self._connection, self._process
        if process is None:
            return
        if connection is not None:
            with suppress(OSError):
                connection.send(None)
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _running(self) -> "Connection[Any, Any]":
        if self._closed:
            raise WorkerLostError("the companion is closing")
        if self._connection is None:
            ours, theirs = Pipe()
            with theirs:
                self._process = _start(theirs.fileno(), self._journal, self._tables)
            self._connection = ours
            Thread(target=self._listen, args=(ours,), name="aside", daemon=True).start()
        return self._connection

    def _listen(self, connection: "Connection[Any, Any]") -> None:
        """Hand out answers until the process has ended."""
        try:
            while True:
                number, answer, error = connection.recv()
                with self._lock:
                    future = self._open.pop(number)
                if error is None:
                    future.set_result(answer)
                else:
                    future.set_exception(error)
        except (EOFError, OSError, TypeError):
            self._lost(connection)

    def _lost(self, connection: "Connection[Any, Any]") -> None:
        with self._lock:
            if self._connection is connection:
                self._connection = None
                connection.close()
            left, process = list(self._open.values()), self._process
            self._open.clear()
        if process is not None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE_S)  # it has ended: nothing of it is left behind
        for future in left:
            future.set_exception(WorkerLostError("the coach's process has ended"))


def _start(descriptor: int, journal: Path, tables: Path) -> "subprocess.Popen[bytes]":
    command = [
        sys.executable,
        "-m",
        "device.coach.worker",
        str(descriptor),
        str(journal),
        str(tables),
    ]
    return subprocess.Popen(  # noqa: S603 - our own module
        command,
        pass_fds=[descriptor],
        stdin=subprocess.DEVNULL,
        env=os.environ | ONE_THREAD,
    )
