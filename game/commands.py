"""What people ask the table to do: with the button, on a phone, or over the network.

Every command is a value, so a request is handled the same way wherever it comes from.
`device.companion.Companion.do` carries commands out.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from game.match.bot import Bot
from game.match.events import Action, Event
from game.match.match import Match
from game.message import Message


@dataclass(frozen=True, slots=True)
class Press:
    """Press the button at the tray."""


@dataclass(frozen=True, slots=True)
class Hold:
    """Hold the button at the tray for a number of seconds, then release it."""

    seconds: float


@dataclass(frozen=True, slots=True)
class MoveSimulatedButton:
    """Push the simulated button down, or let it up.

    Attributes:
        down: Whether the button goes down.
        seconds: How long the button was held, measured by the phone. If it is None, the companion
            measures the time itself.
    """

    down: bool
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """Read the current throw again. If other dice are read, they correct the throw."""


@dataclass(frozen=True, slots=True)
class ThrowSimulatedDice:
    """Throw the simulated dice that are in hand."""


@dataclass(frozen=True, slots=True)
class EnterThrow:
    """Accept a throw that was typed in on a phone instead of read by the camera.

    Attributes:
        dice: The faces.
        step: Number of the step that the phone showed. If the match has moved on since, the throw
            is refused. None accepts the throw at any step.
    """

    dice: tuple[int, ...]
    step: int | None = None


@dataclass(frozen=True, slots=True)
class SubmitPhoto:
    """Read a photo that a phone took of the dice.

    Attributes:
        picture: A JPEG or PNG file whose size in pixels has been checked.
        step: Number of the step that the phone showed. If the match has moved on since, the photo is
            refused.
    """

    picture: bytes
    step: int | None = None


@dataclass(frozen=True, slots=True)
class KeepDice:
    """Set dice of the last throw aside.

    Attributes:
        dice: The faces to keep.
        throw: Timeline index of the throw that the phone showed. If it is not the last throw, the
            keep is refused.
        step: Number of the step that the phone showed. If the match has moved on since, the keep is
            refused.
    """

    dice: tuple[int, ...]
    throw: int | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Bank:
    """Bank the turn.

    Attributes:
        dice: The faces to keep from the last throw. None takes the best keep.
        throw: Timeline index of the throw that the phone showed. If it is not the last throw, the
            bank is refused.
        step: Number of the step that the phone showed. If the match has moved on since, the bank is
            refused.
        points: The points that the phone showed. If the bank would give others, it is refused.
    """

    dice: tuple[int, ...] | None = None
    throw: int | None = None
    step: int | None = None
    points: int | None = None


@dataclass(frozen=True, slots=True)
class CorrectThrow:
    """Replace the dice of a throw.

    Attributes:
        dice: The faces that the throw really showed.
        index: Timeline index of the throw. None is the newest throw.
        step: Number of the step that the phone showed. If the match has moved on since, the
            correction is refused.
    """

    dice: tuple[int, ...]
    index: int | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True)
class CorrectDie:
    """Set the face of one die in the newest photo.

    Attributes:
        photo: Id of the photo. The command is refused if the photo is not the newest.
        die: Index of the die in the photo, from 0.
        face: The face that the die really shows.
    """

    photo: str
    die: int
    face: int


@dataclass(frozen=True, slots=True)
class MarkForeignObject:
    """State that an object ringed in the newest photo is not a die.

    Attributes:
        photo: Id of the photo. The command is refused if the photo is not the newest.
        die: Index of the object among the dice of the photo, from 0.
    """

    photo: str
    die: int


@dataclass(frozen=True, slots=True)
class AnswerQuestion:
    """Answer the open question, or accept an offer, by the id of its choice."""

    choice: str


@dataclass(frozen=True, slots=True)
class Undo:
    """Take the last step back.

    Attributes:
        step: Number of the step that the phone showed. If the match has moved on since, the undo is
            refused.
    """

    step: int | None = None


@dataclass(frozen=True, slots=True)
class Redo:
    """Restore the step that was taken back last.

    Attributes:
        step: Number of the step that the phone showed. If the match has moved on since, the redo is
            refused.
    """

    step: int | None = None


@dataclass(frozen=True, slots=True)
class StartMatch:
    """Start a match.

    Attributes:
        names: The players' names, by seat.
        rules: Name of a published rule set. None is the default of this table.
        target: Points to play for. None is the target of the rules.
        options: Options that differ from the rule set, with the keys of a rule file.
        teams: Team number of each seat. None is a match without teams.
        bots: The bot that decides for each seat, or None for a person. None is a match of persons.
        head_starts: Points that each seat begins with. None is a match without.
    """

    names: tuple[str, ...]
    rules: str | None = None
    target: int | None = None
    options: Mapping[str, Any] | None = None
    teams: tuple[int, ...] | None = None
    bots: tuple[Bot | None, ...] | None = None
    head_starts: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Rematch:
    """Start the next match with the players and teams of the match that was just won."""


@dataclass(frozen=True, slots=True)
class ReopenMatch:
    """Continue an older match, given by its number in the journal."""

    match: int


@dataclass(frozen=True, slots=True)
class ProposeMatch:
    """Ask the people at the table whether a match may begin.

    Attributes:
        question: The question to show.
        match: The match that begins if they agree.
        answered: Called with their answer.
    """

    question: Message
    match: StartMatch
    answered: Callable[[bool], object]


@dataclass(frozen=True, slots=True)
class BeginSharedMatch:
    """Begin a match whose players sit at two trays.

    Attributes:
        match: The match before its first event.
        key: Id of the match in both journals.
    """

    match: Match
    key: str


@dataclass(frozen=True, slots=True)
class FollowStep:
    """Do a step that was made at the other tray.

    Attributes:
        match: Number of the match in the journal. If another match is played now, the step is refused.
        actions: What was done together.
    """

    match: int
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class ShowOtherPhoto:
    """Show the picture of a throw that was made at the other tray.

    Attributes:
        index: Timeline index of the throw.
        picture: A JPEG file whose size in pixels has been checked.
        clip: How the dice came to rest, as Motion JPEG; None if it was not recorded.
    """

    index: int
    picture: bytes
    clip: bytes | None = None


@dataclass(frozen=True, slots=True)
class PlayOnAlone:
    """Play on a shared match at this tray alone."""


@dataclass(frozen=True, slots=True)
class SetJustDice:
    """Switch "just dice" on or off: while it is on, throws are read but no match is played."""

    on: bool


@dataclass(frozen=True, slots=True)
class RecordEvent:
    """Record an event that a person entered, such as a new player or a corrected score.

    Attributes:
        event: What happened.
        seat: The seat that the phone showed as on turn. If another seat is on turn, the event is
            refused.
        step: Number of the step that the phone showed. If the match has moved on since, the event is
            refused.
    """

    event: Event
    seat: int | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True)
class InsertTurn:
    """Add a turn for which nobody pressed the button.

    Attributes:
        turn: The turn in the notation of `game.match.notation`.
        before: Timeline index of the event that the turn precedes. None adds it at the end.
        step: Number of the step that the phone showed. If the match has moved on since, the turn is
            refused.
    """

    turn: str
    before: int | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True)
class DropEvents:
    """Remove the events from `start` up to, but not including, `stop` from the timeline.

    Attributes:
        start: Timeline index of the first event to remove.
        stop: Timeline index after the last event to remove.
        step: Number of the step that the phone showed. If the match has moved on since, the removal is
            refused.
    """

    start: int
    stop: int
    step: int | None = None


@dataclass(frozen=True, slots=True)
class AcknowledgeDamage:
    """Confirm that a person has read the warning about a damaged journal."""


@dataclass(frozen=True, slots=True)
class LeaveSafeMode:
    """Start the companion again normally, after it went into safe mode because several starts failed."""


@dataclass(frozen=True, slots=True)
class SetCoachMode:
    """Set how much the coach says: "off", "after" or "live"."""

    mode: str


@dataclass(frozen=True, slots=True)
class RestoreBackup:
    """Replace the journal and the profile with those of a backup.

    Attributes:
        restore: Called on the companion's thread to replace the files.
    """

    restore: Callable[[], object]


Command = (
    Press | Hold | MoveSimulatedButton | ReadAgain | ThrowSimulatedDice | EnterThrow | SubmitPhoto
    | KeepDice | Bank | CorrectThrow | CorrectDie | MarkForeignObject | AnswerQuestion | Undo | Redo
    | StartMatch | Rematch | ReopenMatch | ProposeMatch | SetJustDice | RecordEvent | InsertTurn
    | DropEvents | AcknowledgeDamage | LeaveSafeMode | SetCoachMode | RestoreBackup
    | BeginSharedMatch | FollowStep | ShowOtherPhoto | PlayOnAlone
)  # fmt: skip
"""Everything that people can ask of the table."""
