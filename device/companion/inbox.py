"""The queue of notes and tasks for the companion, and the single thread that processes them."""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import RLock, Thread
from typing import Protocol

from device.watching.reports import CapturedReading, Report
from game.commands import Command, RestoreBackup
from game.errors import GameError
from game.message import Message, Paragraph, Sentence
from game.situation import TableError
from web.contracts.table import Snapshot

log = logging.getLogger(__name__)

ANSWER_S = 10.0
"""How long a phone waits for a command, in seconds, before the companion answers that the table is busy.

This is longer than any command takes."""

RESTORE_S = 120.0
"""How long a phone waits while a backup is restored, in seconds: an SD card writes a few MB per second."""

TURN_S = 1.0
"""The longest time that the loop waits for a note, in seconds, so that the watchdog sees that the loop is running."""

BUSY = Message("Traykeeper is busy: check the scoreboard, then try again.")


@dataclass(frozen=True, slots=True)
class ButtonReleased:
    """A note for the companion: the button was released.

    Attributes:
        held_s: How long the button was down, in seconds.
        request: Id of the request with which a phone pressed the button; "" if there is none.
        is_finger: True if the button itself was pressed, False if a page only asked for the same
            effect.
    """

    held_s: float
    request: str = ""
    is_finger: bool = True


@dataclass(frozen=True, slots=True)
class ButtonDown:
    """A note for the companion: the button is being held down, or has been released.

    Attributes:
        held_s: How long the button has been down, in seconds; None once it has been released.
    """

    held_s: float | None


@dataclass(frozen=True, slots=True)
class Changed:
    """A note for the companion: something that the lamp or the page shows has changed outside the session."""


@dataclass(frozen=True, slots=True)
class RelockExposure:
    """A note for the companion: the light over the tray has changed, so the camera has to adjust its exposure."""


@dataclass(frozen=True, slots=True)
class JournalMended:
    """A note for the companion: the journal was damaged while in use, and has been repaired.

    Attributes:
        notice: What the players have to know about the damage and the repair.
    """

    notice: Message


@dataclass(frozen=True, slots=True)
class Announce:
    """A task for the companion: set the address to which the QR code leads."""

    join_url: str


@dataclass(frozen=True, slots=True, eq=False)
class Photographed:
    """A task for the companion: use what was read from a phone's photo as the throw.

    Attributes:
        captured: The photo with its reading.
        step: Number of the step that the phone was showing when it sent the photo; None if the
            phone did not send it.
    """

    captured: CapturedReading
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Refresh:
    """A task for the companion: publish what earlier notes have changed, and nothing else."""


Task = Command | Announce | Photographed | Refresh
"""A task that another thread can give to the companion, and can wait for."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A task in the inbox, together with the future that another thread is waiting for.

    Attributes:
        task: The task to carry out.
        request: Id of the phone's request; "" if there is none.
        done: Receives the snapshot after the task, or the exception if the task is refused.
    """

    task: Task
    request: str = ""
    done: Future[Snapshot] = field(default_factory=Future)


@dataclass(frozen=True, slots=True)
class Close:
    """The last entry of the inbox, which ends the loop."""


Note = Report | ButtonReleased | ButtonDown | Changed | RelockExposure | JournalMended
"""A note: something that a part of the table reports to the companion."""


class Inbox:
    """A queue of notes and tasks for the companion. Any thread may post; only the loop takes entries out."""

    def __init__(self) -> None:
        self._notes: SimpleQueue[Note | Asked | Close] = SimpleQueue()

    def post(self, note: Note | Asked | Close) -> None:
        """Add a note or a task at the end of the queue."""
        self._notes.put(note)

    def changed(self) -> None:
        """Post that something shown by the lamp or the page has changed."""
        self.post(Changed())

    def released(self, held_s: float, request: str) -> None:
        """Post that the button was released.

        Args:
            held_s: How long the button was held, in seconds; 0 if it was only pressed.
            request: Id of the request with which a phone moved the button; "" if there is none.
        """
        self.post(ButtonReleased(held_s, request))

    def holding(self, held_s: float | None) -> None:
        """Post how many seconds the button has been down so far; None means that it is up."""
        self.post(ButtonDown(held_s))

    def take(self, timeout_s: float) -> Note | Asked | Close | None:
        """Return the next entry of the queue, or None if none arrives within this many seconds."""
        try:
            return self._notes.get(block=timeout_s > 0, timeout=timeout_s or None)
        except Empty:
            return None

    def __len__(self) -> int:
        return self._notes.qsize()


class NoteWorker(Protocol):
    """Handles the notes and tasks in an inbox, always on the same thread."""

    def handle(self, note: Note) -> None:
        """Handle a note."""

    def perform(self, task: Task, request: str) -> None:
        """Carry out a task.

        Args:
            task: The task to carry out.
            request: Id of the phone's request; "" if there is none.

        Raises:
            TableError, GameError: If the task is refused. Nothing changes then.
        """

    def publish(self) -> Snapshot:
        """Publish the state of the table, and return it."""

    def wait_s(self) -> float:
        """Return how many seconds may pass before `act` must be called, at most `TURN_S`."""

    def act(self) -> None:
        """Do what is due now even though no note has arrived, such as the next step of a bot."""

    def has_news(self) -> bool:
        """Return whether something to be published has changed, even though no note has arrived."""

    def say(self, message: Message) -> None:
        """Show this as the message of the table."""


class InboxLoop:
    """Processes the notes and tasks in an inbox, one after another.

    Until the loop's thread is started, they are processed on the thread that calls `ask`, so that
    tests need no threads.

    Args:
        inbox: The queue of notes and tasks.
        worker: Handles the notes and tasks.
        on_turn: Called in every pass of the loop, at least every `TURN_S` seconds.
    """

    def __init__(self, inbox: Inbox, worker: NoteWorker, on_turn: Callable[[], object]) -> None:
        self._inbox, self._worker, self._on_turn = inbox, worker, on_turn
        self._thread = Thread(target=self._run, name="companion", daemon=True)
        self._one_at_a_time = RLock()

    def start(self) -> None:
        """Start the loop's thread."""
        self._thread.start()

    def close(self) -> None:
        """Finish the queued work, then stop the loop's thread."""
        self._inbox.post(Close())
        if self._thread.is_alive():
            self._thread.join()

    def ask(self, task: Task, request: str = "") -> Snapshot:
        """Have a task carried out, and return the resulting snapshot.

        Args:
            task: The task to carry out.
            request: Id of the phone's request; "" if there is none.

        Raises:
            TableError, GameError: If the task is refused, or the table is busy for too long. A task
                that has not begun by then is dropped.
        """
        asked = Asked(task, request)
        self._inbox.post(asked)
        if self._thread.ident is None:
            self.process_all()
        try:
            return asked.done.result(RESTORE_S if isinstance(task, RestoreBackup) else ANSWER_S)
        except TimeoutError:
            asked.done.cancel()
            raise TableError(BUSY) from None

    def process_all(self) -> None:
        """Process everything that is in the inbox now."""
        while len(self._inbox):
            self.step(0)

    def step(self, timeout_s: float) -> bool:
        """Process the next note or task in the inbox.

        Args:
            timeout_s: How long to wait for one, in seconds.

        Returns:
            False if the loop has to end, otherwise True.
        """
        with self._one_at_a_time:
            self._on_turn()
            note = self._inbox.take(min(timeout_s, self._worker.wait_s()))
            match note:
                case Asked():
                    self._answer(note)
                case Close() | None:
                    pass
                case _:
                    self._try(lambda: self._worker.handle(note))
            is_due = self._worker.wait_s() <= 0
            if is_due:
                self._try(self._worker.act)
            if note is not None or is_due or self._worker.has_news():
                self._try(self._worker.publish)
            return not isinstance(note, Close)

    def _run(self) -> None:
        while self.step(TURN_S):
            pass

    def _answer(self, asked: Asked) -> None:
        if not asked.done.set_running_or_notify_cancel():
            return
        try:
            self._worker.perform(asked.task, asked.request)
            asked.done.set_result(self._worker.publish())
        except Exception as error:  # noqa: BLE001 - raised in the thread that asked
            asked.done.set_exception(error)

    def _try(self, job: Callable[[], object]) -> None:
        """Run a job whose result no thread is waiting for; if it fails, the table's message says why."""
        try:
            job()
        except (GameError, TableError) as error:
            self._worker.say(Sentence(error.message))
        except Exception:
            log.exception("the companion failed to handle a note")
            wrong = Message("Something went wrong: see the log.")
            self._worker.say(Paragraph(wrong, Message("Press again.")))
