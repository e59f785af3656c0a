"""The commands that people give to the table: with the button, on a phone, or over the network.

Every command is a data object, so a request is handled the same way wherever it comes from.
`device.companion.Companion.do` carries out the commands.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from game.match.events import Action, Bot, Event
from game.match.match import Match
from game.message import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class AimedCommand:
    """A command for the step of the match that the phone was showing.

    Attributes:
        step: Number of that step. If the match has moved on since, the command is refused. None
            skips this check.
    """

    step: int | None = None


@dataclass(frozen=True, slots=True)
class Press:
    """Press the button at the tray."""


@dataclass(frozen=True, slots=True)
class Hold(AimedCommand):
    """Hold the button at the tray for the given number of seconds, then release it."""

    seconds: float


@dataclass(frozen=True, slots=True)
class MoveSimulatedButton:
    """Press the simulated button down, or release it.

    Attributes:
        down: True presses the button, False releases it.
        seconds: On release, how many seconds the button was held, as measured by the phone. If it
            is None, the companion measures the time itself.
    """

    down: bool
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """Read the current throw again. If the new reading shows other faces, it corrects the throw."""


@dataclass(frozen=True, slots=True)
class ThrowSimulatedDice:
    """Throw the simulated dice that are in hand."""


@dataclass(frozen=True, slots=True)
class EnterThrow(AimedCommand):
    """Accept a throw that was typed in on a phone instead of read by the camera.

    Attributes:
        dice: The faces that were thrown.
    """

    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SubmitPhoto(AimedCommand):
    """Read a photo that a phone took of the dice.

    Attributes:
        picture: A JPEG or PNG file. Its size in pixels has already been checked.
    """

    picture: bytes


@dataclass(frozen=True, slots=True)
class KeepDice(AimedCommand):
    """Set aside dice from the last throw.

    Attributes:
        dice: The faces to keep.
        throw: Index of the throw that the phone was showing, in the list of the match's events. If
            it is not the last throw, the keep is refused. None skips this check.
    """

    dice: tuple[int, ...]
    throw: int | None = None


@dataclass(frozen=True, slots=True)
class Bank(AimedCommand):
    """Bank the turn.

    Attributes:
        dice: The faces to keep from the last throw. None chooses the best keep.
        throw: Index of the throw that the phone was showing, in the list of the match's events. If
            it is not the last throw, the bank is refused. None skips this check.
        points: The points that the phone was showing. If banking would add a different number, the
            bank is refused. None skips this check.
    """

    dice: tuple[int, ...] | None = None
    throw: int | None = None
    points: int | None = None


@dataclass(frozen=True, slots=True)
class CorrectThrow(AimedCommand):
    """Replace the dice of a throw.

    Attributes:
        dice: The faces that the throw really showed.
        index: Index of the throw in the list of the match's events. None means the newest throw.
    """

    dice: tuple[int, ...]
    index: int | None = None


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
    """Report that an object that is marked as a die in the newest photo is not a die.

    Attributes:
        photo: Id of the photo. The command is refused if the photo is not the newest.
        die: Index of the object among the dice of the photo, from 0.
    """

    photo: str
    die: int


@dataclass(frozen=True, slots=True)
class AnswerQuestion:
    """Answer the open question, or choose another interpretation of the last throw, by giving the id of the choice."""

    choice: str


@dataclass(frozen=True, slots=True)
class Undo(AimedCommand):
    """Take back the last step."""


@dataclass(frozen=True, slots=True)
class Redo(AimedCommand):
    """Restore the step that was taken back most recently."""


@dataclass(frozen=True, slots=True)
class StartMatch:
    """Start a match.

    Attributes:
        names: The players' names, by seat.
        rules: Name of a published rule set. None means the table's default rules.
        target: Points to play for. None means the target given in the rules.
        options: Rule options to change in the rule set, under the same keys as in a rule file.
        teams: Team number of each seat. None means a match without teams.
        bots: The bot that plays each seat, or None for a seat played by a person. None instead of a
            tuple means that people play all seats.
        head_starts: Points that each seat begins with. None means that all seats begin with 0.
        best_of: Number of matches of the series that begins, 3, 5, 7 or 9. None or 1 means a single match.
    """

    names: tuple[str, ...]
    rules: str | None = None
    target: int | None = None
    options: Mapping[str, Any] | None = None
    teams: tuple[int, ...] | None = None
    bots: tuple[Bot | None, ...] | None = None
    head_starts: tuple[int, ...] | None = None
    best_of: int | None = None


@dataclass(frozen=True, slots=True)
class Rematch:
    """Start the next match with the players, teams and head starts of the match that was just won.

    It continues their series.
    """


@dataclass(frozen=True, slots=True)
class ReopenMatch:
    """Continue an older match.

    Attributes:
        match: Number of the match in the journal.
        undo: Whether to take back its last step if it is won, so that it can be played on.
    """

    match: int
    undo: bool = False


@dataclass(frozen=True, slots=True)
class CallPlayers:
    """Ask the people at the table whether a match may begin to which a club board has called the players.

    Attributes:
        question: The question to show.
        match: The match that begins if the people agree.
        answered: Called with True if they agree, otherwise with False.
    """

    question: Message
    match: StartMatch
    answered: Callable[[bool], object]


@dataclass(frozen=True, slots=True)
class BeginSharedMatch:
    """Begin a match whose players sit at two trays.

    Attributes:
        match: The match before its first event.
        key: Id of the match, the same in the journals of both trays.
        is_guest: Whether this tray has joined the match of the other tray.
        sets_aside: Whether a match that is being played here may be set aside. It stays in the list of matches.
    """

    match: Match
    key: str
    is_guest: bool = False
    sets_aside: bool = False


@dataclass(frozen=True, slots=True)
class FollowStep:
    """Carry out a step that was taken at the other tray.

    Attributes:
        match: Number of the match in the journal. If another match is being played now, the step is
            refused.
        actions: The actions that make up the step.
        chain: Digest of the match up to the step, by which the step is recognised if it is sent again.
    """

    match: int
    actions: tuple[Action, ...]
    chain: str


@dataclass(frozen=True, slots=True)
class FollowWish:
    """Make a change to the match for which the other tray asks, because only this tray may make it.

    Attributes:
        match: Number of the match in the journal. If another match is being played now, the change is
            refused.
        change: The change.
    """

    match: int
    change: Undo | CorrectThrow


@dataclass(frozen=True, slots=True)
class ShowOtherPhoto:
    """Show the picture of a throw that was made at the other tray.

    Attributes:
        index: Index of the throw in the list of the match's events.
        picture: A JPEG file. Its size in pixels has already been checked.
        clip: A recording of the dice coming to rest, as Motion JPEG; None if there is none.
    """

    index: int
    picture: bytes
    clip: bytes | None = None


@dataclass(frozen=True, slots=True)
class PlayOnAlone:
    """Continue a shared match at this tray alone, without the other tray."""


@dataclass(frozen=True, slots=True)
class SetJustDice:
    """Switch "just dice" on or off: while it is on, throws are read but no match is played."""

    on: bool


@dataclass(frozen=True, slots=True)
class RecordEvent(AimedCommand):
    """Record an event that a person entered, such as a new player or a corrected score.

    Attributes:
        event: The event to record.
        seat: The seat whose turn the phone was showing. If it is another seat's turn, the event
            is refused. None skips this check.
    """

    event: Event
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class InsertTurn(AimedCommand):
    """Add a turn that was not recorded because nobody pressed the button.

    Attributes:
        turn: The turn in the notation of `game.match.match_text`.
        before: Index of the event that the turn precedes, in the list of the match's events. None
            adds the turn at the end.
    """

    turn: str
    before: int | None = None


@dataclass(frozen=True, slots=True)
class DropEvents(AimedCommand):
    """Remove the events from `start` up to, but not including, `stop` from a match.

    Attributes:
        start: Index of the first event to remove, in the list of the match's events.
        stop: Index after the last event to remove.
    """

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class AcknowledgeDamage:
    """Confirm that a person has read the warning about a damaged journal."""


@dataclass(frozen=True, slots=True)
class LeaveSafeMode:
    """Restart the companion normally after several failed starts have put it into safe mode."""


@dataclass(frozen=True, slots=True)
class SetCoachMode:
    """Set how much the coach says: "off", "after" (each turn), "why" (each decision) or "live"."""

    mode: str


@dataclass(frozen=True, slots=True)
class RestoreBackup:
    """Replace the journal and the calibration profile with those from a backup.

    Attributes:
        restore: Called on the companion's thread to replace the files.
    """

    restore: Callable[[], object]


Command = (
    Press | Hold | MoveSimulatedButton | ReadAgain | ThrowSimulatedDice | EnterThrow | SubmitPhoto
    | KeepDice | Bank | CorrectThrow | CorrectDie | MarkForeignObject | AnswerQuestion | Undo | Redo
    | StartMatch | Rematch | ReopenMatch | CallPlayers | SetJustDice | RecordEvent | InsertTurn
    | DropEvents | AcknowledgeDamage | LeaveSafeMode | SetCoachMode | RestoreBackup
    | BeginSharedMatch | FollowStep | FollowWish | ShowOtherPhoto | PlayOnAlone
)  # fmt: skip
"""Every command that people can give to the table."""
