"""The requests that people make at the table, with the button or on a phone.

A session runs on one thread and does not depend on hardware. The companion passes it one message
after another and publishes a snapshot after each. The table of states is in docs/play.md:
`TableState.situation` names the row; a press and a hold are the columns.
"""

from collections.abc import Callable

from device.session import messages
from device.session.decisions import Decisions
from device.session.indicator import BANK_S, SHUTDOWN_S, UNDO_S
from device.session.live_match import LiveMatch, throws_elsewhere
from device.session.match_play import MatchCommand, MatchPlay
from device.session.match_starts import MatchStarts, StartCommand
from device.session.plays import DicePlay, Plays, RollOffPlay
from device.session.reading_flow import CameraPresence, ReadingRequests, ReadingResults
from device.session.table_state import (
    NOT_BANKED_YET,
    NeedsAttention,
    ReadThrow,
    ReadUnprompted,
    TableState,
    Waiting,
)
from device.session.tray_reader import TrayReader
from game.commands import (
    AimedCommand,
    AnswerQuestion,
    Bank,
    Command,
    CorrectThrow,
    EnterThrow,
    FollowStep,
    KeepDice,
    ReadAgain,
    RecordEvent,
    Rematch,
    Undo,
)
from game.message import Message, Paragraph
from game.rules.ruleset import Ruleset
from game.situation import Situation, TableError

WITHOUT_MATCH = (
    AnswerQuestion, CorrectThrow, EnterThrow, FollowStep, StartCommand, Undo,
)  # fmt: skip
"""The commands that are accepted while "just dice" is on."""

AT_THE_TRAY_ON_TURN = (EnterThrow, ReadAgain, MatchCommand)
"""The commands that only the tray of the current player carries out."""


class Session:
    """The entry point for every request from the button and the phones.

    Args:
        live_match: The match and its journal.
        rules: Rules of a match that is started with the button.
        tray_reader: Reads the tray.
        shut_down: Shuts the machine down after a very long hold; None if that is not allowed.

    Attributes:
        table: The state of the table.
        camera: Knows whether there is a camera.
        starts: Changes what is being played.
        requests: Requests readings of the tray.
        results: Receives readings as they arrive.
    """

    def __init__(
        self,
        live_match: LiveMatch,
        rules: Ruleset,
        tray_reader: TrayReader,
        *,
        shut_down: Callable[[], object] | None = None,
    ) -> None:
        self.table = table = TableState(live_match, rules, tray_reader)
        self._decisions = decisions = Decisions(table)
        self.starts = MatchStarts(table, decisions)
        self._plays = Plays(
            table, MatchPlay(table, decisions), RollOffPlay(table, self.starts), DicePlay(table)
        )
        self.camera = CameraPresence(table)
        self.requests = ReadingRequests(table, self.camera, self._plays)
        self.results = ReadingResults(table, decisions, self.requests, self._plays, self.camera)
        self._shut_down = shut_down

    @property
    def may_shut_down(self) -> bool:
        """Whether a very long hold shuts the machine down."""
        return self._shut_down is not None

    def do(self, command: Command) -> None:
        """Carry out what somebody asked for on a phone.

        Raises:
            TableError, GameError: If the command is refused. Nothing changes then.
        """
        self._check(command)
        match command:
            case EnterThrow():
                self.table.read_s = None
                self._plays.current.enter(command.dice)
            case CorrectThrow():
                self._plays.current.correct(command.dice, command.index)
            case Undo():
                self.undo()
            case FollowStep():
                self._plays.match.follow(command)
            case AnswerQuestion():
                self._decisions.answer(command.choice)
            case ReadAgain():
                self.requests.reread()
            case _ if isinstance(command, StartCommand):
                self.starts.do(command)
            case _ if isinstance(command, MatchCommand):
                self._plays.match.do(command)
            case _:
                raise TableError(
                    Message("This Traykeeper does not support that: reload the page and try again.")
                )

    def _check(self, command: Command) -> None:
        """Raise an error if a command cannot be carried out in this state of the table."""
        if self.table.dice_log is not None and not isinstance(command, WITHOUT_MATCH):
            raise TableError(Message("No match is being played: these are just dice."))
        if self.table.is_elsewhere and isinstance(command, AT_THE_TRAY_ON_TURN):
            raise TableError(throws_elsewhere(self.table.live_match.match))
        if isinstance(command, AimedCommand):
            self.check_step(command.step)
        if self._is_late(command):
            raise TableError(messages.moved_on(self.table.match))
        if isinstance(command, EnterThrow | ReadAgain):
            self.table.check_no_bot_plays()
        if isinstance(command, KeepDice | Bank) and (reason := self.table.unread_throw):
            raise TableError(reason)
        if isinstance(command, Bank) and command.points is not None:
            self._check_bank(command.points, self._plays.match.bank_points(command.dice))

    def check_step(self, step: int | None) -> None:
        """Check that the match is still at this step; if not, raise an error that gives its current state.

        Args:
            step: Number of the step that a phone was showing; None if the phone did not send it.
        """
        if step not in (None, self.table.live_match.steps):
            raise TableError(messages.moved_on(self.table.match))

    def _check_bank(self, shown: int, points: int) -> None:
        if shown != points:
            raise TableError(
                Message(
                    "The match has moved on: a bank is worth %(points)s points now, not %(shown)s.",
                    points=points,
                    shown=shown,
                )
            )

    def _is_late(self, command: Command) -> bool:
        """Return whether the phone that sent the command was showing an earlier state of the table."""
        table = self.table
        match command:
            case KeepDice(throw=int(throw)) | Bank(throw=int(throw)):
                return table.last_throw is None or table.last_throw.index != throw
            case RecordEvent(seat=int(seat)):
                return table.live_match.match.state.turn.seat != seat
        return False

    def correct_die(self, slot: int, face: int) -> None:
        """Correct one die of the last throw.

        Args:
            slot: Index of the die in the throw, from 0.
            face: The face that the die really shows.
        """
        if last := self.table.last_throw:
            dice = tuple(face if i == slot else old for i, old in enumerate(last.dice))
            self._plays.current.correct(dice, last.index)

    def undo(self) -> None:
        """Take back the last step or, if the open question ignores objects, take these into account again."""
        if self.results.has_ignored_objects:
            self.results.undo_ignoring()
        else:
            self._plays.current.undo()

    def release_button(self, held_s: float) -> None:
        """Carry out what releasing the button means, which depends on how long it was held.

        Args:
            held_s: How long the button was down, in seconds.
        """
        if held_s >= SHUTDOWN_S:
            self._shut_down_if_allowed()
        elif held_s >= UNDO_S:
            self.undo()
        elif self.table.is_elsewhere and self.table.situation is not Situation.WON:
            self.table.message = throws_elsewhere(self.table.live_match.match)
        elif held_s >= BANK_S:
            self._hold()
        elif self.table.situation is Situation.WON:
            self.table.message = Message("The match is over: hold the button for a rematch.")
        else:
            self.requests.press()

    def _hold(self) -> None:
        table, reader = self.table, self.table.tray_reader
        table.check_no_bot_plays()
        match table.situation:
            case Situation.NO_MATCH:
                self._plays.rolloff.end()
            case Situation.TURN_BEGINS | Situation.TURN_OVER:
                self._plays.match.say_throw_first()
            case Situation.WAITING:
                self._hold_while_waiting()
            case Situation.ACCEPTED if (
                reader.has_tumbled or reader.is_moving or table.has_simulated_throw
            ):
                self.requests.request(ReadThrow(then_bank=True))
            case Situation.ACCEPTED:
                self._plays.match.bank()
            case Situation.QUESTION:
                self._decisions.choose(table.options[0])
            case Situation.ATTENTION:
                self._hold_at_attention()
            case Situation.WON:
                self.starts.do(Rematch())
            case Situation.JUST_DICE:
                table.message = Message(
                    "Just dice: there is nothing to bank. Press the button to read them."
                )

    def _hold_while_waiting(self) -> None:
        match self.table.overlay:
            case Waiting(purpose=ReadUnprompted(interrupted=None)) if self.table.dice_log is None:
                self.requests.request(ReadThrow(then_bank=True))
                return
        self.requests.stop(Message("Stopped waiting."))
        if not self._plays.rolloff.end_if_possible() and self.table.overlay:
            self._hold()  # the hold was meant for the question that the unprompted reading interrupted

    def _hold_at_attention(self) -> None:
        """Handle a hold while something at the tray needs fixing.

        A hold ends the roll-off if one is being played; in a match, it repeats the advice.
        """
        overlay = self.table.overlay
        if not self._plays.rolloff.end_if_possible() and isinstance(overlay, NeedsAttention):
            self.table.message = Paragraph(NOT_BANKED_YET, overlay.advice[0])

    def _shut_down_if_allowed(self) -> None:
        if self._shut_down is None:
            self.table.message = Message("Shutting down with the button is disabled.")
        else:
            self.table.message = Message(
                "Shutting down: unplug the Pi when its green light has stopped blinking."
            )
            self._shut_down()
