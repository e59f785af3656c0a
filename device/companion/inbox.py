"""The queue of notes and tasks for the companion."""

from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from device.watching.reports import CapturedReading, Report
from game.commands import Command
from game.message import Message
from web.contracts import Snapshot


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
