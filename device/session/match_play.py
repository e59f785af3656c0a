"""The actions of people in a match: throw, keep, bank, correct and undo."""

from collections.abc import Iterable

from device.session import judge, messages
from device.session.decisions import Decisions
from device.session.table_state import TableState
from device.session.tray_reader import TrayReading
from device.session.verdict import Answer, Ask, Verdict
from game.commands import (
    Bank,
    CorrectThrow,
    DropEvents,
    FollowStep,
    InsertTurn,
    KeepDice,
    RecordEvent,
    Redo,
    Undo,
)
from game.errors import GameError, IllegalMove, LaterStepError
from game.match.events import (
    Action,
    Banked,
    Corrected,
    Event,
    Joined,
    Kept,
    Renamed,
    ScoreSet,
    Spliced,
)
from game.match.match import Match
from game.match.match_text import inserted_turn
from game.match.repair import check_same_players, repairs
from game.message import Message, Paragraph
from game.names import check_distinct
from game.practice.bot_steps import corrected_for_bot, redo_actions, undo_actions
from game.rules import scoring
from game.rules.ruleset import Dice
from game.situation import Situation, TableError

MatchCommand = KeepDice | Bank | RecordEvent | InsertTurn | DropEvents | Redo
"""A command that makes sense only in a match."""


class MatchPlay:
    """Carries out what people do in a match.

    Args:
        table: The state of the table.
        decisions: Carries out the steps of the match.
    """

    def __init__(self, table: TableState, decisions: Decisions) -> None:
        self._table, self._decisions = table, decisions
        self._last_followed: tuple[str, Match | None] = ("", None)

    def do(self, command: MatchCommand) -> None:
        """Carry out a command that makes sense only in a match.

        Raises:
            TableError, GameError: If the command is refused. Nothing changes then.
        """
        match command:
            case KeepDice():
                self._play(Kept(command.dice))
            case Bank():
                self.bank(command.dice)
            case RecordEvent():
                self._record(command.event)
            case InsertTurn():
                turn = inserted_turn(self._table.live_match.match, command.turn, command.before)
                self._revise(Message("Added by hand."), turn)
            case DropEvents():
                dropped = Spliced(command.start, command.stop, ())
                self._revise(Message("Removed by hand."), dropped)
            case Redo():
                actions = redo_actions(self._table.live_match.match)
                self._revise(Message("Redone."), *actions)

    def read(self, tray_reading: TrayReading) -> Verdict:
        """Implement `Play.read`: return what a reading of the tray means for the match."""
        return judge.judge(self._table.live_match.match, tray_reading, self._table.leftovers)

    def enter(self, dice: Iterable[int]) -> None:
        """Implement `Play.enter`: accept a throw in the match, as entered on a phone."""
        match = self._table.live_match.match
        verdict = judge.judge_entered(match, scoring.checked_dice(dice, match.rules))
        self._table.clear()
        self._decisions.apply(verdict)

    def correct(self, dice: Dice, index: int | None) -> None:
        """Implement `Play.correct`: replace the dice of a throw of the match."""
        match = self._table.live_match.match
        last = match.last_throw
        if index is None:
            if last is None:
                raise TableError(Message("There is no throw to correct yet."))
            index = last.index
        if self._has_asked_other_tray(CorrectThrow(dice, index)):
            return
        correction = Corrected(index, dice)
        corrected = Message("Corrected to %(dice)s.", dice=tuple(sorted(dice)))
        if without_decision := corrected_for_bot(match, correction):
            self._revise(corrected, without_decision)
            return
        try:
            check_same_players(match, match.push(correction), since=index)
        except LaterStepError as error:
            self._ask_for_repair(correction, error.message)
            return
        if question := judge.reset_question(match, correction):
            self._table.clear()
            self._decisions.apply(question)
        else:
            self._revise(corrected, correction)

    def undo(self) -> None:
        """Implement `Play.undo`: take back the last step of the match."""
        if self._has_asked_other_tray(Undo()):
            return
        actions = undo_actions(self._table.live_match.match)
        self._revise(Message("Undone."), *actions)

    def follow(self, command: FollowStep) -> None:
        """Carry out a step that was taken at the other tray.

        Raises:
            TableError: If another match is now being played here.
        """
        table, actions = self._table, command.actions
        if command.match != table.live_match.match_id:
            raise TableError(Message("Another match is now being played here."))
        before, (mark, after) = table.live_match.match, self._last_followed
        if table.live_match.request == mark and before is after:
            return  # the step was sent again while the table was busy
        after = self._decisions.follow(*actions)
        self._last_followed = (table.live_match.request, after)
        if table.dice_log is None:
            table.clear()
            table.message = messages.followed(actions, before, after)

    def bank(self, dice: Dice | None = None) -> None:
        """Bank the turn with this keep; None means the best keep of the last throw."""
        self._play(Banked(dice))

    def bank_points(self, dice: Dice | None) -> int:
        """Return the points that the turn scores if it is banked with this keep; None means the best keep."""
        state = self._table.live_match.match.state
        last, keep = state.turn.last, state.best_bank_keep
        if last and dice is not None:
            keep = scoring.find_keep(last.dice, dice, state.rules)
        return state.locked_points + (keep.score if keep else 0)

    def try_to_bank(self) -> None:
        """Bank the turn. If that is refused, show the reason and leave the throw as it was read."""
        if self._table.situation is not Situation.ACCEPTED:
            self.say_throw_first()
            return
        try:
            self.bank()
        except GameError as error:
            self._table.message = error.message

    def say_throw_first(self) -> None:
        """Show a message saying that nothing can be banked before the current player has thrown."""
        name = self._table.live_match.match.state.player.display_name
        self._table.message = Message("Throw first: it is %(name)s's turn.", name=name)

    def only_bank(self, tray_reading: TrayReading) -> Answer:
        """Return the answer that the player banked and that nobody threw the dice in this reading.

        Dice can fall back into the tray while the button is held.
        """
        table = self._table

        def bank() -> None:
            self.bank()
            table.leftovers = judge.places_of(tray_reading.reading)
            table.tray_reader.mark_accepted(tray_reading.time_s)

        name = table.live_match.match.state.player.display_name
        return Answer(
            Message("%(name)s banked, and nobody threw these dice", name=name), chosen=bank
        )

    def _has_asked_other_tray(self, command: Undo | CorrectThrow) -> bool:
        """Ask the other tray to make the change if the current player sits there, and return whether it was asked."""
        live_match = self._table.live_match
        if not live_match.is_elsewhere or live_match.other_tray is None:
            return False
        live_match.other_tray.ask(command)
        self._table.message = Message("The other tray is being asked to change that.")
        return True

    def _play(self, action: Kept | Banked) -> None:
        player = self._table.live_match.match.state.player
        if player.bot:
            raise IllegalMove(
                Message("%(name)s is a bot and decides by itself", name=player.display_name)
            )
        after = self._decisions.execute(action)
        self._table.clear(keep_unprompted=isinstance(action, Kept))
        self._table.message = messages.outcome(after)

    def _record(self, event: Event) -> None:
        before = self._table.live_match.match
        if isinstance(event, Joined) and self._table.live_match.is_shared:
            raise TableError(Message("Nobody can join a match that is being played at two trays."))
        if isinstance(event, Joined | Renamed):
            check_distinct(player.name for player in before.push(event).state.players)
        after = self._decisions.execute(event)
        self._table.clear(keep_unprompted=isinstance(event, Joined | Renamed | ScoreSet))
        self._table.message = messages.recorded_event(event, before, after)

    def _revise(self, what: Message, *actions: Action) -> None:
        """Change earlier steps of the match, and show what was done (`what`) and what followed from it."""
        before = self._table.live_match.match
        after = self._decisions.execute(*actions)
        self._table.clear()
        self._table.message = Paragraph(what, messages.revision_outcome(before, after))

    def _ask_for_repair(self, correction: Corrected, why: Message) -> None:
        """Ask what happened, offering every change that makes later steps fit a correction.

        Args:
            correction: The correction of a throw, which conflicts with later steps.
            why: Why the correction conflicts with later steps.
        """
        ways = repairs(self._table.live_match.match, correction)
        if not ways:
            raise TableError(Message("That cannot be corrected: %(why)s", why=why))
        self._table.clear()
        options = tuple(Answer(way.label, (way.action,)) for way in ways)
        question = Paragraph(
            Message("With that correction, %(why)s.", why=why), Message("What happened?")
        )
        self._decisions.apply(Ask(question, options))
