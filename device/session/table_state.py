"""The state of the table, which is never modified, and the changes from one state to the next.

Everything that happens at the table is an input of `device.session.session.Session`. A function takes the state and
the input, and returns a `Change`: the new state, and what has to be done outside the state. It does nothing itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import ClassVar

from device.session.verdict import Answer
from game.commands import CorrectThrow, Undo
from game.dice_log import DiceLog, DiceThrow
from game.match.events import Action, Place
from game.match.match import Match
from game.match.rolloff import RollOff
from game.match.state import State, Throw
from game.message import Message, Paragraph
from game.practice.strategy import is_bot_next
from game.rules.ruleset import Ruleset
from game.situation import NO_MATCH_YET, Choice, Situation, TableError
from vision.reading import Reading

WELCOME = Paragraph(
    Message("Each throw one die to see who begins."),
    Message("Or set up a match on a phone."),
)

STILL_WAITING = Message("The dice are still moving.")
NOT_BANKED_YET = Message("Nothing has been banked yet.")
THROWN_SINCE = Message("The dice have been thrown since: press the button to read them.")


@dataclass(frozen=True, slots=True)
class ReadThrow:
    """The purpose of a reading: somebody asked for the dice in the tray to be read.

    Attributes:
        then_bank: Whether to bank the turn after reading, because the button was held.
    """

    then_bank: bool = False


@dataclass(frozen=True, slots=True)
class AwaitThrow:
    """The purpose of a reading: the tray is empty, so the next throw is to be read.

    Attributes:
        since_s: Time after which the throw must happen, in seconds on the tray reader's clock; None
            means now.
    """

    since_s: float | None = None


@dataclass(frozen=True, slots=True)
class ReadUnprompted:
    """The purpose of a reading: dice were seen rolling, so they are read even though nobody asked.

    Attributes:
        interrupted: The question or advice that was open when the dice came to rest; None if there
            was none. If nothing is read, it is shown again.
    """

    interrupted: "OpenQuestion | NeedsAttention | None" = None


@dataclass(frozen=True, slots=True)
class ConfirmThrow:
    """The purpose of a reading: a costly throw is to be read a second time before it counts.

    Attributes:
        first: The first reading.
        then_bank: Whether to bank the turn after reading, because the button was held.
    """

    first: Reading
    then_bank: bool = False


@dataclass(frozen=True, slots=True)
class RereadThrow:
    """The purpose of a reading: an accepted throw is to be read again.

    Attributes:
        throw_index: Index of the throw in the timeline of the match.
        first: The first new reading, if it differed from the throw and a second one has to confirm
            it; otherwise None.
    """

    throw_index: int
    first: Reading | None = None


Purpose = ReadThrow | AwaitThrow | ReadUnprompted | ConfirmThrow | RereadThrow
"""What a reading is for."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The state of the table while a requested reading has not arrived yet.

    Attributes:
        purpose: The purpose of the reading.
        number: Number that the tray reader gave the request; 0 until it has been made.
        request_id: Id of the phone's request that led to the reading; it is written to the journal
            with the steps that follow. "" if there is none.
        ignores_objects: Whether an object in the previous reading was ignored, because a person said
            that it is not a die.
    """

    situation: ClassVar = Situation.WAITING

    purpose: Purpose
    number: int = 0
    request_id: str = ""
    ignores_objects: bool = False

    @property
    def interrupted(self) -> "OpenQuestion | NeedsAttention | None":
        """The question or advice to show again if nothing is read; None if there is none."""
        return self.purpose.interrupted if isinstance(self.purpose, ReadUnprompted) else None

    def known_places(self, places: tuple[Place, ...]) -> tuple[Place, ...]:
        """Return which of these places have faces that are still known; a throw that is read again has none."""
        if isinstance(self.purpose, RereadThrow):
            return tuple(place for place in places if place.aside)
        return places

    @property
    def then_bank(self) -> bool:
        """Whether to bank the turn after reading."""
        return isinstance(self.purpose, ReadThrow | ConfirmThrow) and self.purpose.then_bank


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """The state of the table while a question is open. Holding the button chooses the first option.

    Attributes:
        question: The question for the players.
        options: The possible answers.
        reading: Id of the reading that the question is about; 0 if it is about none.
        ignores_objects: Whether an object in that reading was ignored, because a person said that it
            is not a die.
        age_s: How long before the press the dice of that reading lay in the tray, in seconds, if they
            had been picked up; otherwise None.
    """

    situation: ClassVar = Situation.QUESTION

    question: Message
    options: tuple[Answer, ...]
    reading: int = 0
    ignores_objects: bool = False
    age_s: float | None = None


@dataclass(frozen=True, slots=True)
class NeedsAttention:
    """The state of the table while somebody has to fix something at the tray first.

    Attributes:
        advice: What to do, one sentence for each problem.
        reading: Id of the reading that the advice is about; 0 if it is about none.
        ignores_objects: Whether an object in that reading was ignored, because a person said that it
            is not a die.
    """

    situation: ClassVar = Situation.ATTENTION

    advice: tuple[Message, ...]
    reading: int = 0
    ignores_objects: bool = False


Overlay = Waiting | OpenQuestion | NeedsAttention
"""What interrupts the match: a wait for a reading, an open question, or advice."""


@dataclass(frozen=True, slots=True)
class TableState:
    """The state of the table: the match or other play in progress, the open question, and the last message.

    Attributes:
        rules: Rules of a match that is started with the button.
        message: What just happened, in a sentence or two.
        in_play: The match in play, which waits while "just dice" is on; None if there is none.
        seats_elsewhere: Returns whether a seat of the match is at another tray; None if the match is
            played at this tray only.
        rolloff: The dice thrown so far to decide who begins.
        rolloff_reading: Id of the reading of the last die of the roll-off; 0 if it was not read.
        dice_log: The throws without a match; None unless "just dice" is on.
        overlay: What interrupts the match: a wait for a reading, an open question, or advice; None
            if nothing does.
        offers: A number that grows when the answers on offer change, which tells a late tap from a new one.
        repairs: Other interpretations of the last throw that are on offer.
        has_camera: Whether there is a camera over the tray that works.
        is_camera_known: Whether the program has found a camera, or has found that there is none. Until then,
            a press of the button waits for the camera.
        lost_message: The message that said that there is no camera; None if there was none.
        message_before: The message to show again once the camera works.
        earlier_places: Where the dice in the tray lay when they were last read, if they do not belong to
            a throw of the current match.
        read_s: When the dice of the newest throw were seen, in seconds on the tray reader's clock;
            None if they were entered on a phone.
        last_reading_s: When the tray was last read without leaving a question open, in seconds on
            the same clock.
        has_simulated_throw: Whether simulated dice have been thrown since `last_reading_s`.
        last_followed: The chain of the newest step that was taken at another tray, and the match after
            it.
    """

    rules: Ruleset
    message: Message = WELCOME
    in_play: Match | None = None
    seats_elsewhere: Callable[[int], bool] | None = None
    rolloff: RollOff = field(default_factory=RollOff)
    rolloff_reading: int = 0
    dice_log: DiceLog | None = None
    overlay: Overlay | None = None
    offers: int = 0
    repairs: tuple[Answer, ...] = ()
    has_camera: bool = False
    is_camera_known: bool = False
    lost_message: Message | None = None
    message_before: Message = WELCOME
    earlier_places: tuple[Place, ...] = ()
    read_s: float | None = None
    last_reading_s: float = 0.0
    has_simulated_throw: bool = False
    last_followed: tuple[str, Match | None] = ("", None)

    @property
    def match(self) -> Match | None:
        """The match in play; None before a match and while "just dice" is on."""
        return self.in_play if self.dice_log is None else None

    @property
    def current_match(self) -> Match:
        """The match in play, which waits while "just dice" is on.

        Raises:
            TableError: If there is no match yet.
        """
        if self.in_play is None:
            raise TableError(NO_MATCH_YET)
        return self.in_play

    @property
    def is_elsewhere(self) -> bool:
        """Whether the current player throws at another tray, and not at this one."""
        match, elsewhere = self.match, self.seats_elsewhere
        return bool(match and elsewhere and elsewhere(match.state.turn.seat))

    @property
    def last_throw(self) -> Throw | DiceThrow | None:
        """The newest throw in the match or, while "just dice" is on, without a match.

        It is None if there has been no throw.
        """
        if self.dice_log is not None:
            return self.dice_log.last
        return self.match.last_throw if self.match else None

    @property
    def situation(self) -> Situation:
        """The row of the table in docs/play.md that applies now."""
        if self.overlay:
            return self.overlay.situation
        if self.dice_log is not None:
            return Situation.JUST_DICE
        return _situation_of(self.match.state) if self.match else Situation.NO_MATCH

    def unread_throw(self, *, has_rolled: bool) -> Message | None:
        """Return why nothing can be kept or banked until the throw in the tray has been read; None if none is unread.

        Without this refusal, a player who sees a farkle in the tray could still bank.

        Args:
            has_rolled: Whether dice have rolled since `last_reading_s`.
        """
        match self.overlay:
            case Waiting(purpose=ReadThrow() | ReadUnprompted() | ConfirmThrow()):
                return STILL_WAITING
            case OpenQuestion(question=reason) | NeedsAttention(advice=(reason, *_)):
                return Paragraph(NOT_BANKED_YET, reason)
        if self.match is None or self.match.state.winner is not None:
            return None
        return THROWN_SINCE if has_rolled or self.has_simulated_throw else None

    def check_no_bot_plays(self) -> None:
        """Check that no bot is about to throw or decide.

        Raises:
            TableError: If a bot is about to throw or decide.
        """
        if self.situation is Situation.BOT and self.match:
            name = self.match.state.player.display_name
            raise TableError(
                Message("%(name)s is a bot and is playing now: please wait.", name=name)
            )

    @property
    def throw_refusal(self) -> Message | None:
        """Why simulated dice cannot be thrown now; None if they can.

        They cannot be thrown while the tray is being read, or while a question is open.
        """
        match self.overlay:
            case Waiting(purpose=ReadThrow() | ReadUnprompted() | ConfirmThrow()):
                return STILL_WAITING
            case OpenQuestion(question=question):
                return question
        return None

    @property
    def last_places(self) -> tuple[Place, ...]:
        """The places of the dice when they were last read. Dice that are still there have not been thrown since."""
        if self.dice_log and self.dice_log.last:
            return self.dice_log.last.places
        return self.earlier_places or (self.in_play.last_places if self.in_play else ())

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The answers on offer. Their ids change with each offer, so a late tap cannot answer a newer question."""
        return tuple(
            Choice(f"{self.offers}.{i}", option.label) for i, option in enumerate(self.options)
        )

    @property
    def options(self) -> tuple[Answer, ...]:
        """The answers to the open question or, if there is none, other interpretations of the last throw (repairs)."""
        return self.overlay.options if isinstance(self.overlay, OpenQuestion) else self.repairs

    @property
    def has_ignored_objects(self) -> bool:
        """Whether an object was ignored in the reading that the open question or advice is about."""
        overlay = self.overlay
        return self.has_camera and overlay is not None and overlay.ignores_objects

    def waiting_for(self, number: int) -> Waiting | None:
        """Return what the table is waiting for if that is the answer to request `number`, otherwise None."""
        overlay = self.overlay
        return overlay if isinstance(overlay, Waiting) and overlay.number == number else None

    def saying(self, message: Message) -> "TableState":
        """Return this state with another message."""
        return replace(self, message=message)

    def offering(self, *repairs: Answer) -> "TableState":
        """Return this state with other repairs (interpretations of the last throw) on offer."""
        return replace(self, offers=self.offers + 1, repairs=repairs)

    def read_at(self, time_s: float) -> "TableState":
        """Return this state without an unread throw in the tray at this time, in seconds on the tray reader's clock."""
        return replace(self, last_reading_s=time_s, has_simulated_throw=False)

    def accepting(self, earlier_places: tuple[Place, ...] = ()) -> "Change":
        """Return the change that notes dice as accepted, so that they do not count again while they lie there.

        Args:
            earlier_places: Where the dice lie, if they do not belong to a throw of the current match.
        """
        accepted = replace(self, earlier_places=earlier_places, has_simulated_throw=False)
        return Change(accepted, tray_note=TrayNote.ACCEPTED)

    def cleared(self) -> "TableState":
        """Return this state without open question, advice or wait for a reading, because a person did something else."""
        return replace(self, overlay=None).offering()


class TrayNote(Enum):
    """What the tray reader has to know about the dice in the tray."""

    ACCEPTED = "the dice were accepted as a throw"
    RETRACTED = "the last accepted throw was undone"
    WRONG = "earlier readings were wrong"
    NEWEST_WRONG = "the newest reading was wrong"


@dataclass(frozen=True, slots=True)
class Change:
    """A new state of the table, and what has to be done outside the state.

    Attributes:
        state: The new state.
        actions: The step of the match to write before the table is in the new state; empty if there is
            none.
        begins: The key with which to write the match of the new state as a new match, before the table
            is in that state: its id if it is played at two trays, otherwise ""; None if none begins.
        asks: What to ask the other tray; None if there is nothing to ask.
        tray_note: What to tell the tray reader; None if there is nothing to tell.
        then: Returns the next change from the new state, such as a bank after a throw; None if there
            is none.
    """

    state: TableState
    actions: tuple[Action, ...] = ()
    begins: str | None = None
    asks: Undo | CorrectThrow | None = None
    tray_note: TrayNote | None = None
    then: Callable[[TableState], "Change"] | None = None

    def ending(self, state: TableState) -> "Change":
        """Return this change with another new state."""
        return replace(self, state=state)


def _situation_of(state: State) -> Situation:
    if state.winner is not None:
        return Situation.WON
    if is_bot_next(state):
        return Situation.BOT
    if state.turn.last:
        return Situation.ACCEPTED
    return Situation.TURN_OVER if state.turns else Situation.TURN_BEGINS
