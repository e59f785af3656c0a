"""What the companion's one thread has yet to do: values on a queue, in the order in which they came."""

from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from device.watching.reports import CapturedReading, Report
from game.commands import Command
from game.message import Message
from web.contracts.table import Snapshot


@dataclass(frozen=True, slots=True)
class ButtonPressed:
    """The button at the tray was let go at once; for a request of a page, or for none."""

    request: str = ""


@dataclass(frozen=True, slots=True)
class ButtonHeld:
    """It was let go after so long; for a request, likewise."""

    seconds: float
    request: str = ""


@dataclass(frozen=True, slots=True)
class ButtonDown:
    """It is down for so long now; None when it was let go."""

    seconds: float | None


@dataclass(frozen=True, slots=True)
class Changed:
    """Something that lamp or page show has changed elsewhere."""


@dataclass(frozen=True, slots=True)
class Resettle:
    """The light over the tray has changed."""


@dataclass(frozen=True, slots=True)
class Announce:
    """The QR code leads here from now on."""

    join_url: str


@dataclass(frozen=True, slots=True)
class JournalMended:
    """The journal was lost while it was used; what people have to know."""

    notice: Message


@dataclass(frozen=True, slots=True, eq=False)
class Photographed:
    """A phone took a picture, and this was read from it."""

    seen: CapturedReading


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A command, whose asker waits for the snapshot after it; which request it came with."""

    command: Command | Announce | Photographed
    request: str = ""
    done: Future[Snapshot] = field(default_factory=Future)


@dataclass(frozen=True, slots=True)
class Close:
    """Nothing comes after this."""


Note = (
    Report | ButtonPressed | ButtonHeld | ButtonDown | Changed | Resettle
    | JournalMended | Asked | Close
)  # fmt: skip


class Inbox:
    """Any thread may post; the companion alone takes."""

    def __init__(self) -> None:
        self._notes: SimpleQueue[Note] = SimpleQueue()

    def post(self, note: Note) -> None:
        self._notes.put(note)

    def changed(self) -> None:
        self.post(Changed())

    def pressed(self, request: str = "") -> None:
        self.post(ButtonPressed(request))

    def held(self, seconds: float, request: str = "") -> None:
        self.post(ButtonHeld(seconds, request))

    def holding(self, seconds: float | None) -> None:
        self.post(ButtonDown(seconds))

    def take(self, timeout_s: float) -> Note | None:
        """The next note; None where none came in time, and at once where `timeout_s` is 0."""
        try:
            return self._notes.get(block=timeout_s > 0, timeout=timeout_s or None)
        except Empty:
            return None

    def __len__(self) -> int:
        return self._notes.qsize()
