"""The state of the table: the match or other play in progress, the open question, and the last message."""

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

from device.session import messages
from device.session.live_match import LiveMatch
from device.session.tray_reader import TrayReader
from device.session.verdict import Answer
from game.dice_log import DiceLog, DiceThrow
from game.match.events import Place
from game.match.match import Match
from game.match.rolloff import RollOff
from game.match.state import State, Throw
from game.message import Message, Paragraph
from game.practice.bot_steps import is_bot_next
from game.rules.ruleset import Ruleset
from game.situation import Choice, Situation, TableError
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
    """The purpose of a reading: the tray is empty, so the next throw is to be read."""


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
        number: Number that the tray reader gave the request.
        purpose: The purpose of the reading.
        request: Id of the phone's request that led to the reading; it is written to the journal
            with the steps that follow. "" if there is none.
    """

    situation: ClassVar = Situation.WAITING

    number: int
    purpose: Purpose
    request: str = ""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """The state of the table while a question is open. Holding the button chooses the first option.

    Attributes:
        question: The question for the players.
        options: The possible answers.
    """

    situation: ClassVar = Situation.QUESTION

    question: Message
    options: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class NeedsAttention:
    """The state of the table while somebody has to fix something at the tray first.

    Attributes:
        advice: What to do, one sentence for each problem.
    """

    situation: ClassVar = Situation.ATTENTION

    advice: tuple[Message, ...]


Overlay = Waiting | OpenQuestion | NeedsAttention
"""What interrupts the match: a wait for a reading, an open question, or advice."""


class _Offer(NamedTuple):
    """The repairs (other interpretations of the last throw) on offer, with a number that distinguishes offers."""

    number: int = 0
    repairs: tuple[Answer, ...] = ()


class TableState:
    """The game that is being played at the table, the open question, and the last message.

    Args:
        live_match: The match and its journal.
        rules: Rules of a match that is started with the button.
        tray_reader: Reads the tray.

    Attributes:
        rolloff: The dice thrown so far to decide who begins.
        dice_log: The throws without a match; None unless "just dice" is on.
        overlay: What interrupts the match: a wait for a reading, an open question, or advice; None
            if nothing does.
        message: What just happened, in a sentence or two.
        leftovers: Where the dice in the tray lay when they were last read, if they do not belong to
            a throw of the current match.
        read_s: When the dice of the newest throw were seen, in seconds on the tray reader's clock;
            None if they were entered on a phone.
        last_reading_s: When the tray was last read without leaving a question open, in seconds on
            the same clock.
        has_simulated_throw: Whether simulated dice have been thrown since `last_reading_s`.
    """

    def __init__(self, live_match: LiveMatch, rules: Ruleset, tray_reader: TrayReader) -> None:
        self.live_match, self.rules, self.tray_reader = live_match, rules, tray_reader
        self.rolloff = RollOff()
        self.dice_log: DiceLog | None = None
        self.overlay: Overlay | None = None
        self.message = messages.resumed(live_match.match) if live_match else WELCOME
        self.leftovers = live_match.earlier_places
        self.read_s: float | None = None
        self.last_reading_s, self.has_simulated_throw = 0.0, False
        self._offer = _Offer()

    @property
    def match(self) -> Match | None:
        """The match in play; None before a match and while "just dice" is on."""
        return self.live_match.match if self.live_match and self.dice_log is None else None

    @property
    def is_elsewhere(self) -> bool:
        """Whether the current player throws at another tray, and not at this one."""
        return self.dice_log is None and self.live_match.is_elsewhere

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

    @property
    def unread_throw(self) -> Message | None:
        """Why nothing can be kept or banked until the throw in the tray has been read; None if no throw is unread.

        Without this refusal, a player who sees a farkle in the tray could still bank.
        """
        reader = self.tray_reader
        match self.overlay:
            case Waiting(purpose=ReadThrow() | ReadUnprompted() | ConfirmThrow()):
                return STILL_WAITING
            case OpenQuestion(question=reason) | NeedsAttention(advice=(reason, *_)):
                return Paragraph(NOT_BANKED_YET, reason)
        if self.match is None or self.match.state.winner is not None:
            return None
        has_rolled = bool(reader.has_tumbled) and reader.surely_tumbled_since(self.last_reading_s)
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

    def note_reading(self, time_s: float) -> None:
        """Record that there was no unread throw in the tray at this time, in seconds on the tray reader's clock."""
        self.last_reading_s, self.has_simulated_throw = time_s, False

    @property
    def last_places(self) -> tuple[Place, ...]:
        """The places of the dice when they were last read. Dice that are still there have not been thrown since."""
        if self.dice_log and self.dice_log.last:
            return self.dice_log.last.places
        return self.leftovers or (self.live_match.match.last_places if self.live_match else ())

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The answers on offer. Their ids change with each offer, so a late tap cannot answer a newer question."""
        return tuple(
            Choice(f"{self._offer.number}.{i}", option.label)
            for i, option in enumerate(self.options)
        )

    @property
    def options(self) -> tuple[Answer, ...]:
        """The answers to the open question or, if there is none, other interpretations of the last throw (repairs)."""
        return (
            self.overlay.options if isinstance(self.overlay, OpenQuestion) else self._offer.repairs
        )

    def offer(self, *repairs: Answer) -> None:
        """Replace the repairs (other interpretations of the last throw) on offer."""
        self._offer = _Offer(self._offer.number + 1, repairs)

    def clear(self, *, keep_unprompted: bool = False) -> None:
        """Close the open question, advice or wait for a reading, because a person did something else.

        Args:
            keep_unprompted: Whether to keep waiting for a reading that nobody asked for, because the
                action leaves the meaning of the throw as it is.
        """
        match self.overlay:
            case Waiting(purpose=ReadUnprompted()) if keep_unprompted:
                self.overlay = replace(self.overlay, purpose=ReadUnprompted())
            case Waiting():
                self.tray_reader.cancel_request()
                self.overlay = None
            case _:
                self.overlay = None
        self.offer()


def _situation_of(state: State) -> Situation:
    if state.winner is not None:
        return Situation.WON
    if is_bot_next(state):
        return Situation.BOT
    if state.turn.last:
        return Situation.ACCEPTED
    return Situation.TURN_OVER if state.turns else Situation.TURN_BEGINS
