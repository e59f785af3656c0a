"""What people ask of the table: at the button, on a phone, or over the network.

Each is a value, so that whoever asks, asks alike; `device.companion.Companion.do` is the one door.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from game.match.events import Event
from game.message import Message


@dataclass(frozen=True, slots=True)
class Press:
    """As a press of the button at the tray."""


@dataclass(frozen=True, slots=True)
class Hold:
    """As a hold of the button at the tray, let go after so long."""

    seconds: float


@dataclass(frozen=True, slots=True)
class MoveButton:
    """The simulated button goes down, or up: after so long, where the finger knows that better."""

    down: bool
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """Look once more at the throw in view: other dice take its place, as a correction."""


@dataclass(frozen=True, slots=True)
class ThrowDice:
    """Throw the simulated dice that are to be thrown."""


@dataclass(frozen=True, slots=True)
class TapIn:
    """A throw tapped in on a phone, where no camera read it.

    Refused where the match has gone on since this `step`; without one it is taken as it comes.
    """

    dice: tuple[int, ...]
    step: int | None = None


@dataclass(frozen=True, slots=True)
class ShowPicture:
    """A phone took this picture of the dice: a JPEG or PNG, of a size that was looked at."""

    picture: bytes


@dataclass(frozen=True, slots=True)
class KeepDice:
    """These dice of the last throw are set aside; refused where `throw` is another one's index."""

    dice: tuple[int, ...]
    throw: int | None = None


@dataclass(frozen=True, slots=True)
class Bank:
    """The turn is banked with this keep; without one with the best.

    Refused where `throw` is not the index of the last one.
    """

    dice: tuple[int, ...] | None = None
    throw: int | None = None


@dataclass(frozen=True, slots=True)
class CorrectThrow:
    """The throw at this index of the timeline (the newest without) showed these dice."""

    dice: tuple[int, ...]
    index: int | None = None


@dataclass(frozen=True, slots=True)
class NameFace:
    """A die of the newest photo, counted from 0, shows that face."""

    photo: str
    die: int
    face: int


@dataclass(frozen=True, slots=True)
class NotADie:
    """What was ringed there on the newest photo, counted from 0 as its dice are, is nothing."""

    photo: str
    die: int


@dataclass(frozen=True, slots=True)
class AnswerQuestion:
    """One of the choices that the table offers, by its id."""

    choice: str


@dataclass(frozen=True, slots=True)
class Undo:
    """A step back; refused where the match has gone on since this `step`."""

    step: int | None = None


@dataclass(frozen=True, slots=True)
class Redo:
    """A step forth again."""


@dataclass(frozen=True, slots=True)
class StartMatch:
    """A match of these players.

    Attributes:
        rules: the name of a published set; None is the usual one of this table.
        target: points to play for, where they differ from those of the rules.
        options: those played otherwise than the rules say, as a house file has them.
        teams: the team of each, where there are teams.
    """

    names: tuple[str, ...]
    rules: str | None = None
    target: int | None = None
    options: Mapping[str, Any] | None = None
    teams: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Rematch:
    """Once a match is won: the same players and teams again, and the next one begins."""


@dataclass(frozen=True, slots=True)
class Reopen:
    """Go on with an older match, by its number in the journal."""

    match: int


@dataclass(frozen=True, slots=True)
class Invite:
    """Ask at the table whether this match may begin; `answered` hears what was chosen."""

    question: Message
    match: StartMatch
    answered: Callable[[bool], object]


@dataclass(frozen=True, slots=True)
class JustDice:
    """From now on no match is played, and throws are only read; or no longer so."""

    on: bool


@dataclass(frozen=True, slots=True)
class ByHand:
    """Who plays, whose turn it is, points: whatever a person says has happened.

    Refused where somebody else than this `seat` is on turn.
    """

    event: Event
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class InsertTurn:
    """A turn that nobody pressed for, as a line of `game.match.notation`.

    It happens now, or `before` the event of this index.
    """

    turn: str
    before: int | None = None


@dataclass(frozen=True, slots=True)
class DropEvents:
    """The events from `start` up to `stop` never happened."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Heed:
    """A person has read that the journal was damaged."""


@dataclass(frozen=True, slots=True)
class Advise:
    """From now on the coach says so much: "off", "after" or "live"."""

    mode: str


@dataclass(frozen=True, slots=True)
class PutBack:
    """Let a backup be put in place of journal and profile, and go on with what is there then."""

    restore: Callable[[], object]


Command = (
    Press | Hold | MoveButton | ReadAgain | ThrowDice | TapIn | ShowPicture | KeepDice | Bank
    | CorrectThrow | NameFace | NotADie | AnswerQuestion | Undo | Redo | StartMatch | Rematch
    | Reopen | Invite | JustDice | ByHand | InsertTurn | DropEvents | Heed | Advise | PutBack
)  # fmt: skip
