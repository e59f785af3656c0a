"""The client of the coach's worker process, which has a low priority so that it never delays a reading.

    >>> worker = WorkerClient(journal, folder)
    >>> worker.ask("figures", match).result().solved
    True

The process starts with the first question, and ends with the process that started it.
"""

import os
import pickle
import subprocess
import sys
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from logging import LogRecord, getLogger
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""Environment variables that keep numpy from using every core for a few small matrices."""

CLOSE_TIMEOUT_S = 3.0
"""How long the process may take to finish its last answer, in seconds, before it is killed and unsaved work is lost."""


class WorkerLostError(Exception):
    """Raised when the worker process ends before it has answered. The next question starts a new process."""


class WorkerClient:
    """A `device.coach.worker` process. Any thread may ask; questions are answered one after another.

    Args:
        journal: Path of the journal, which is only read.
        tables: Path of the folder with the tables of chances.
    """

    def __init__(self, journal: Path, tables: Path) -> None:
        self._journal, self._tables = journal, tables
        self._lock = Lock()
        self._numbers = count()
        self._open: dict[int, Future[Any]] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection[Any, Any] | None = None
        self._outgoing = SimpleQueue[bytes]()
        self._closed = False

    def __repr__(self) -> str:
        return f"<WorkerClient running={self._connection is not None}, open={len(self._open)}>"

    def ask(self, question: str, *args: object) -> Future[Any]:
        """Send a question to the process, and return the future that receives the answer.

        A separate thread sends it, because a long match does not fit into the pipe while the process is busy.

        Args:
            question: Name of a method of `device.coach.worker.Worker`.
            args: Arguments of that method.
        """
        future: Future[Any] = Future()
        with self._lock:
            number = next(self._numbers)
            self._open[number] = future
            try:
                self._connected().put(pickle.dumps((number, question, args)))
            except (OSError, WorkerLostError) as error:
                del self._open[number]
                future.set_exception(WorkerLostError(str(error)))
        return future

    def close(self) -> None:
        """End the process after it has saved the table that it is computing."""
        with self._lock:
            self._closed = True
            process = self._process
            self._outgoing.put(pickle.dumps(None))
        if process is None:
            return
        try:
            process.wait(CLOSE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _connected(self) -> SimpleQueue[bytes]:
        """Return the queue of what is sent to the process, which is started first if necessary."""
        if self._closed:
            raise WorkerLostError("the companion is closing")
        if self._connection is None:
            ours, theirs = Pipe()
            with theirs:
                self._process = _start(theirs.fileno(), self._journal, self._tables)
            self._connection, self._outgoing = ours, SimpleQueue()
            for job in (_send, self._listen):
                Thread(target=job, args=(ours, self._outgoing), name="worker", daemon=True).start()
        return self._outgoing

    def _listen(self, connection: "Connection[Any, Any]", outgoing: SimpleQueue[bytes]) -> None:
        """Deliver the answers of the process to their futures, and log what it logs, until the process has ended."""
        try:
            while True:
                received = connection.recv()
                if isinstance(received, LogRecord):
                    getLogger(received.name).handle(received)
                    continue
                number, answer, error = received
                with self._lock:
                    future = self._open.pop(number)
                if error is None:
                    future.set_result(answer)
                else:
                    future.set_exception(error)
        except (EOFError, OSError, TypeError):
            outgoing.put(b"")
            self._on_lost(connection)

    def _on_lost(self, connection: "Connection[Any, Any]") -> None:
        """Answer all open questions with an error, because the process has ended."""
        with self._lock:
            if self._connection is connection:
                self._connection = None
            unanswered, process = list(self._open.values()), self._process
            self._open.clear()
        if process is not None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(CLOSE_TIMEOUT_S)  # leaves no zombie
        for future in unanswered:
            future.set_exception(WorkerLostError("the coach's process has ended"))


def _send(connection: "Connection[Any, Any]", outgoing: SimpleQueue[bytes]) -> None:
    """Send what is put into the queue until it is empty bytes, then close the connection."""
    with connection:
        while message := outgoing.get():
            with suppress(OSError):
                connection.send_bytes(message)


def _start(descriptor: int, journal: Path, tables: Path) -> "subprocess.Popen[bytes]":
    command = [
        sys.executable,
        "-m",
        "device.coach.worker",
        str(descriptor),
        str(journal),
        str(tables),
    ]
    return subprocess.Popen(  # noqa: S603 - a fixed command
        command,
        pass_fds=[descriptor],
        stdin=subprocess.DEVNULL,
        env=os.environ | ONE_THREAD,
    )
