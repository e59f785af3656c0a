"""The queue of what the companion has to do, and the one thread that does it."""

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
"""Longer than any command takes. A phone that has waited this long is told that the table is busy."""

RESTORE_S = 120.0
"""The same for a restored backup: an SD card writes a few MB a second."""

TURN_S = 1.0
"""The longest time the loop waits for a note, so that the watchdog sees it run."""

BUSY = Message("Traykeeper is busy: check the scoreboard, then try again.")


@dataclass(frozen=True, slots=True)
class ButtonReleased:
    """The button was released.

    Attributes:
        held_s: How long it was down, in seconds.
        request: Id of the phone's request for it; "" if there is none.
        is_finger: Whether the button itself moved. A page can ask for the same without it.
    """

    held_s: float
    request: str = ""
    is_finger: bool = True


@dataclass(frozen=True, slots=True)
class ButtonDown:
    """The button has been down for so many seconds; None once it is released."""

    held_s: float | None


@dataclass(frozen=True, slots=True)
class Changed:
    """Something that the lamp or the page shows has changed outside the session."""


@dataclass(frozen=True, slots=True)
class RelockExposure:
    """The camera has to find its exposure again, because the light over the tray has changed."""


@dataclass(frozen=True, slots=True)
class JournalMended:
    """The journal was lost in use and mended; the notice is for the players."""

    notice: Message


@dataclass(frozen=True, slots=True)
class Announce:
    """The QR code leads to this address from now on."""

    join_url: str


@dataclass(frozen=True, slots=True, eq=False)
class Photographed:
    """A phone took a photo, and this was read from it.

    Attributes:
        captured: The reading.
        step: Number of the step that the phone showed when it sent the photo; None if it did not say.
    """

    captured: CapturedReading
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Refresh:
    """A task that only publishes what earlier notes have changed."""


Task = Command | Announce | Photographed | Refresh
"""What somebody can ask for and wait until it is done."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A task that somebody waits for.

    Attributes:
        task: What to do.
        request: Id of the phone's request; "" if there is none.
        done: Gets the snapshot, or the exception of a refusal.
    """

    task: Task
    request: str = ""
    done: Future[Snapshot] = field(default_factory=Future)


@dataclass(frozen=True, slots=True)
class Close:
    """The last note."""


Note = Report | ButtonReleased | ButtonDown | Changed | RelockExposure | JournalMended
"""What the companion is told by its parts."""


class Inbox:
    """A queue of notes. Any thread may post; only the loop takes."""

    def __init__(self) -> None:
        self._notes: SimpleQueue[Note | Asked | Close] = SimpleQueue()

    def post(self, note: Note | Asked | Close) -> None:
        """Add a note at the end of the queue."""
        self._notes.put(note)

    def changed(self) -> None:
        """Post `Changed`."""
        self.post(Changed())

    def pressed(self, request: str = "") -> None:
        """Post a press of the button."""
        self.post(ButtonReleased(0.0, request))

    def held(self, held_s: float, request: str = "") -> None:
        """Post the end of a hold.

        Args:
            held_s: How long the button was down, in seconds.
            request: Id of the phone's request for it; "" if there is none.
        """
        self.post(ButtonReleased(held_s, request))

    def holding(self, held_s: float | None) -> None:
        """Post that the button is down, for so many seconds so far, or None that it is not."""
        self.post(ButtonDown(held_s))

    def take(self, timeout_s: float) -> Note | Asked | Close | None:
        """Return the next note, or None if none comes within this many seconds."""
        try:
            return self._notes.get(block=timeout_s > 0, timeout=timeout_s or None)
        except Empty:
            return None

    def __len__(self) -> int:
        return self._notes.qsize()


class NoteWorker(Protocol):
    """Handles the notes of an inbox, always on the same thread."""

    def handle(self, note: Note) -> None:
        """Handle a note."""

    def perform(self, task: Task, request: str) -> None:
        """Do what somebody asked for.

        Args:
            task: What to do.
            request: Id of the phone's request.

        Raises:
            TableError, GameError: If it is refused. Nothing is changed then.
        """

    def publish(self) -> Snapshot:
        """Publish the state of the table, and return it."""

    def wait_s(self) -> float:
        """Return for how many seconds nothing has to be done without a note, at most `TURN_S`."""

    def act(self) -> None:
        """Do what is due now without a note."""

    def has_news(self) -> bool:
        """Return whether something changed although no note came."""

    def say(self, message: Message) -> None:
        """Make this the message of the table."""


class InboxLoop:
    """Processes the notes of an inbox, one after the other.

    Until its thread is started, the notes are processed on the thread that asks. So tests need no
    threads.

    Args:
        inbox: The notes.
        worker: Handles the notes.
        on_turn: Called at every turn of the loop, at least every `TURN_S` seconds.
    """

    def __init__(self, inbox: Inbox, worker: NoteWorker, on_turn: Callable[[], object]) -> None:
        self._inbox, self._worker, self._on_turn = inbox, worker, on_turn
        self._thread = Thread(target=self._run, name="companion", daemon=True)
        self._one_at_a_time = RLock()

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Finish what is queued, then stop."""
        self._inbox.post(Close())
        if self._thread.is_alive():
            self._thread.join()

    def ask(self, task: Task, request: str = "") -> Snapshot:
        """Have something done, and return the snapshot after it.

        Args:
            task: What to do.
            request: Id of the phone's request.

        Raises:
            TableError, GameError: If it is refused, or the table is busy. Then it is not done later.
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
        """Process all notes in the inbox."""
        while len(self._inbox):
            self.step(0)

    def step(self, timeout_s: float) -> bool:
        """Process the next note.

        Args:
            timeout_s: How long to wait for a note, in seconds.

        Returns:
            False after the last note.
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
        """Do a job that nobody waits for: a refusal becomes the message of the table."""
        try:
            job()
        except (GameError, TableError) as error:
            self._worker.say(Sentence(error.message))
        except Exception:
            log.exception("the companion failed to handle a note")
            wrong = Message("Something went wrong: see the log.")
            self._worker.say(Paragraph(wrong, Message("Press again.")))
