"""The entry point for everything that happens at the table.

A session runs on one thread and does not depend on hardware. The companion passes it one input after another and
publishes a snapshot after each. Functions of the state return a `Change`; the session carries it out and is the only
object that assigns the state. The table of states is in docs/play.md: `TableState.situation` names the
row; a press and a hold are the columns.
"""

import secrets
from collections.abc import Callable
from dataclasses import replace

from device.session import dice_play, match_play, match_starts, messages, readings, rolloff_play
from device.session.indicator import BANK_S, SHUTDOWN_S, UNDO_S
from device.session.live_match import LiveMatch, throws_elsewhere
from device.session.match_play import MatchCommand
from device.session.match_starts import StartCommand
from device.session.readings import play_of
from device.session.table_state import (
    NOT_BANKED_YET,
    WELCOME,
    AwaitThrow,
    Change,
    NeedsAttention,
    OpenQuestion,
    ReadThrow,
    ReadUnprompted,
    TableState,
    TrayNote,
    Waiting,
)
from device.session.tray_reader import TrayReader, TrayReading
from device.session.verdict import Answer, AnswerCall, BankAlone, CountDice
from game.commands import (
    AimedCommand,
    AnswerQuestion,
    Bank,
    BeginSharedMatch,
    CallPlayers,
    Command,
    CorrectThrow,
    EnterThrow,
    FollowStep,
    FollowWish,
    KeepDice,
    PlayOnAlone,
    ReadAgain,
    RecordEvent,
    Rematch,
    ReopenMatch,
    SetJustDice,
    StartMatch,
    Undo,
)
from game.errors import JournalError
from game.match.apply_event import find_bank_keep
from game.match.events import Event, TookOver
from game.message import Message, Paragraph
from game.practice.strategy import is_untouched
from game.rules.ruleset import Ruleset
from game.situation import HoldEffect, Situation, TableError

WITHOUT_MATCH = (
    AnswerQuestion, CorrectThrow, EnterThrow, FollowStep, FollowWish, StartCommand, Undo,
)  # fmt: skip
"""The commands that are accepted while "just dice" is on."""

OFFER_BITS = 32
"""Size of the random number from which offers are counted, so that a tap on a page from before a restart answers none."""

AT_CURRENT_PLAYERS_TRAY = (EnterThrow, FollowWish, ReadAgain, MatchCommand)
"""The commands that only the tray of the current player carries out."""


class Session:
    """The owner of the state of one table, which takes every input from the button, the phones and the tray.

    Args:
        live_match: The match and its journal.
        rules: Rules of a match that is started with the button.
        tray_reader: Reads the tray.
        shut_down: Shuts the machine down after a very long hold; None if that is not allowed.
        expects_camera: Whether there should be a camera.

    Attributes:
        live_match: The match and its journal.
        tray_reader: Reads the tray.
        table: The state of the table.
    """

    def __init__(
        self,
        live_match: LiveMatch,
        rules: Ruleset,
        tray_reader: TrayReader,
        *,
        shut_down: Callable[[], object] | None = None,
        expects_camera: bool = True,
    ) -> None:
        self.live_match, self.tray_reader, self._shut_down = live_match, tray_reader, shut_down
        match = live_match.in_play
        message = messages.resumed(match) if match else WELCOME
        self.table = TableState(
            rules,
            message,
            match,
            live_match.seats_elsewhere,
            is_camera_known=not expects_camera,
            offers=secrets.randbits(OFFER_BITS),
            message_before=message,
            earlier_places=live_match.earlier_places,
        )

    def __repr__(self) -> str:
        return f"<Session {self.table.situation}>"

    def _run(self, change: Change) -> None:
        """Carry out a change. Nothing changes if its step cannot be written or the other tray cannot be asked."""
        before, after, live_match = self.table, change.state, self.live_match
        try:
            if change.asks and live_match.other_tray:
                live_match.other_tray.ask(change.asks)
            if change.begins is not None:
                live_match.begin(after.current_match, change.begins)
            if change.actions:
                live_match.do(*change.actions, after=after.current_match)
        except Exception:
            self.table = self._with_written_match(before)
            raise
        self.table = self._with_written_match(after)
        self._tell_tray_reader(change.tray_note, before)
        if change.then:
            self._run(change.then(self.table))

    def _with_written_match(self, state: TableState) -> TableState:
        """Return the state with the match as it was written; a repair of the journal may have changed it."""
        live_match = self.live_match
        return replace(
            state, in_play=live_match.in_play, seats_elsewhere=live_match.seats_elsewhere
        )

    def _tell_tray_reader(self, note: TrayNote | None, before: TableState) -> None:
        """Tell the tray reader what it has to know, and request or cancel the reading for which the table waits."""
        table, reader = self.table, self.tray_reader
        match note:
            case TrayNote.ACCEPTED:
                reader.mark_accepted(table.read_s)
            case TrayNote.RETRACTED:
                reader.retract_accepted()
            case TrayNote.WRONG:
                reader.discard_readings()
            case TrayNote.NEWEST_WRONG:
                reader.discard_readings(table.read_s or 0.0)
        waiting = table.overlay
        if isinstance(waiting, Waiting) and not waiting.number:
            purpose = waiting.purpose
            number = reader.request_reading(
                needs_motion=isinstance(purpose, AwaitThrow),
                since_s=purpose.since_s if isinstance(purpose, AwaitThrow) else None,
                is_unprompted=isinstance(purpose, ReadUnprompted),
            )
            waiting = replace(waiting, number=number, request_id=self.live_match.request_id)
            self.table = replace(table, overlay=waiting)
        elif isinstance(before.overlay, Waiting) and not isinstance(waiting, Waiting):
            reader.cancel_request()

    # Facts about the table.

    @property
    def may_shut_down(self) -> bool:
        """Whether a very long hold shuts the machine down."""
        return self._shut_down is not None

    @property
    def hold_effect(self) -> HoldEffect:
        """What a hold of the button would do now. If it would only say why it does nothing, that is nothing."""
        table, effect = self.table, HoldEffect.NOTHING
        match table.overlay, table.situation:
            case _, Situation.WON:
                effect = HoldEffect.REMATCH
            case _ if table.is_elsewhere:
                pass
            case _ if rolloff_play.end_if_possible(table):
                effect = HoldEffect.BEGIN
            case OpenQuestion() | Waiting(interrupted=OpenQuestion()), _:
                effect = HoldEffect.YES
            case Waiting(interrupted=None, purpose=ReadUnprompted()), _ if table.match:
                effect = HoldEffect.BANK
            case Waiting(), _:
                effect = HoldEffect.STOP
            case _, Situation.ACCEPTED if (
                self._may_be_unread or not table.current_match.state.bank_refusal()
            ):
                effect = HoldEffect.BANK
        return effect

    @property
    def _may_be_unread(self) -> bool:
        """Whether dice may have been thrown since the last reading, so that a hold reads them before it banks."""
        reader = self.tray_reader
        return bool(reader.has_tumbled) or reader.is_moving or self.table.has_simulated_throw

    @property
    def unread_throw(self) -> Message | None:
        """Why nothing can be kept or banked until the throw in the tray has been read; None if no throw is unread."""
        reader = self.tray_reader
        since_s = self.table.last_reading_s
        has_rolled = bool(reader.has_tumbled) and reader.surely_tumbled_since(since_s)
        return self.table.unread_throw(has_rolled=has_rolled)

    @property
    def match_to_return_to(self) -> int:
        """Number of the earlier match to which undo returns, because no person has taken a step in this one; else 0."""
        match, live_match = self.table.match, self.live_match
        if match is None or self.table.overlay or live_match.seats_elsewhere:
            return 0
        return live_match.match_before if is_untouched(match) else 0

    @property
    def can_undo_more(self) -> bool:
        """Whether undo can take back something else than a step: an ignored object, or the start of the match."""
        return self.table.has_ignored_objects or bool(self.match_to_return_to)

    def check_step(self, step: int | None) -> None:
        """Check that the match is still at this step; if not, raise an error that gives its current state.

        Args:
            step: Number of the step that a phone was showing; None if the phone did not send it.
        """
        if step not in (None, self.live_match.change_count):
            raise TableError(messages.moved_on(self.table.match))

    # Inputs from phones and other programs.

    def do(self, command: Command) -> None:
        """Carry out what somebody asked for on a phone.

        Raises:
            TableError, GameError: If the command is refused. Nothing changes then.
        """
        self._check(command)
        table = self.table
        match command:
            case EnterThrow():
                entered = replace(table, read_s=None)
                self._run(play_of(table).enter(entered, command.dice))
            case CorrectThrow():
                self._run(play_of(table).correct(table, command.dice, command.index))
            case Undo():
                self._undo()
            case FollowStep() | FollowWish():
                self._follow(command)
            case AnswerQuestion():
                self._answer(command.choice)
            case ReadAgain():
                has_moved = bool(self.tray_reader.has_tumbled) or self.tray_reader.is_moving
                self._run(readings.read_again(table, has_moved=has_moved))
            case _ if isinstance(command, StartCommand):
                self._start(command)
            case _ if isinstance(command, MatchCommand):
                self._run(match_play.do(table, command))
            case _:
                raise TableError(
                    Message("This Traykeeper does not support that: reload the page and try again.")
                )

    def _check(self, command: Command) -> None:
        """Raise an error if a command cannot be carried out in this state of the table."""
        table = self.table
        if table.dice_log is not None and not isinstance(command, WITHOUT_MATCH):
            raise TableError(Message("No match is being played: these are just dice."))
        if table.is_elsewhere and isinstance(command, AT_CURRENT_PLAYERS_TRAY):
            raise TableError(throws_elsewhere(table.current_match))
        if isinstance(command, AimedCommand):
            self.check_step(command.step)
        if _is_late(table, command):
            raise TableError(messages.moved_on(table.match))
        takes_over = isinstance(command, RecordEvent) and isinstance(command.event, TookOver)
        if takes_over or isinstance(command, EnterThrow | ReadAgain):
            table.check_no_bot_plays()
        if (takes_over or isinstance(command, KeepDice | Bank)) and (reason := self.unread_throw):
            raise TableError(reason)
        if isinstance(command, Bank) and command.points is not None:
            now = table.current_match.state
            points = now.bank_points(find_bank_keep(now, command.dice))
            if command.points != points:
                raise TableError(
                    Message(
                        "The match has moved on: a bank is worth %(points)s points now, not %(shown)s.",
                        points=points,
                        shown=command.points,
                    )
                )

    def _start(self, command: StartCommand) -> None:
        """Carry out a command that changes what is being played."""
        table, live_match = self.table, self.live_match
        match command:
            case StartMatch():
                self._run(match_starts.start(table, command))
            case BeginSharedMatch():
                self._run(match_starts.begin_shared(table, command))
            case PlayOnAlone():
                live_match.update_seating()
                self.say(Message("The match continues at this tray only."))
            case Rematch():
                match = match_starts.next_match(table)
                other = live_match.other_tray if table.seats_elsewhere else None
                key = other.rematch(match) if other else ""
                self._run(match_starts.begin_rematch(table, match, key))
            case ReopenMatch():
                match = live_match.reopen(command.match)
                self._run(match_starts.show_match(table, match, messages.resumed(match)))
                is_won = match.state.winner is not None  # no longer true after a double tap
                if command.undo and is_won and match.can_undo:
                    self._undo()
            case CallPlayers():
                self._run(match_starts.call_players(table, command))
            case SetJustDice():
                self._run(match_starts.set_just_dice(table, on=command.on))

    def _answer(self, choice_id: str) -> None:
        ids = [choice.id for choice in self.table.choices]
        if choice_id not in ids:
            raise TableError(Message("That choice is no longer available: the match has moved on."))
        self._choose(self.table.options[ids.index(choice_id)])

    def _choose(self, option: Answer) -> None:
        """Act on an answer to the open question, or apply a repair (another interpretation of the last throw)."""
        match option.leads_to:
            case BankAlone() as bank:
                self._run(match_play.bank_alone(self.table, bank))
            case CountDice(placement):
                play = rolloff_play if self.table.dice_log is None else dice_play
                self._run(play.count(self.table.cleared(), placement))
            case AnswerCall() as answer:
                self._run(match_starts.answer_call(self.table, answer))
                answer.call.answered(answer.match is not None)
            case None:
                self._run(match_play.choose(self.table, option))

    def correct_die(self, slot: int, face: int) -> None:
        """Correct one die of the last throw.

        Args:
            slot: Index of the die in the throw, from 0.
            face: The face that the die really shows.
        """
        if last := self.table.last_throw:
            dice = tuple(face if i == slot else old for i, old in enumerate(last.dice))
            self._run(play_of(self.table).correct(self.table, dice, last.index))

    def _undo(self) -> None:
        """Take back the last step.

        If the open question ignores objects, take these into account again. At the start of a match,
        return to the match before.
        """
        if self.table.has_ignored_objects:
            self._run(readings.undo_ignoring(self.table))
        elif earlier := self.match_to_return_to:
            match = self.live_match.reopen(earlier)
            message = messages.returned(match)
            self._run(match_starts.show_match(self.table, match, message))
        else:
            self._run(play_of(self.table).undo(self.table))

    def _follow(self, command: FollowStep | FollowWish) -> None:
        """Carry out a step that was taken at the other tray, or make a change for which it asks."""
        if command.match != self.live_match.match_id:
            raise TableError(Message("Another match is now being played here."))
        table = self.table
        match command:
            case FollowStep():
                self._run(match_play.follow(table, command))
            case FollowWish() if table.dice_log is not None:
                self._run(match_play.follow_wish(table, command.change))
            case FollowWish(change=CorrectThrow() as change):
                self._run(match_play.correct(table, change.dice, change.index))
            case FollowWish():
                self._undo()

    # Inputs from the button.

    def release_button(self, held_s: float) -> None:
        """Carry out what releasing the button means, which depends on how long it was held.

        Args:
            held_s: How long the button was down, in seconds.
        """
        table = self.table
        if held_s >= SHUTDOWN_S:
            self._shut_down_if_allowed()
        elif held_s >= UNDO_S:
            self._undo()
        elif table.is_elsewhere and table.situation is not Situation.WON:
            self.say(throws_elsewhere(table.current_match))
        elif held_s >= BANK_S:
            self._hold()
        elif table.situation is Situation.WON:
            self.say(Message("The match is over: hold the button for a rematch."))
        else:
            self._run(readings.press(table, self.live_match.request_id))

    def _hold(self) -> None:
        table = self.table
        table.check_no_bot_plays()
        match table.situation:
            case Situation.NO_MATCH:
                self._run(rolloff_play.end(table))
            case Situation.TURN_BEGINS | Situation.TURN_OVER:
                self._run(match_play.say_throw_first(table))
            case Situation.WAITING:
                self._hold_while_waiting()
            case Situation.ACCEPTED if self._may_be_unread:
                self._run(readings.request_reading(table, ReadThrow(then_bank=True)))
            case Situation.ACCEPTED:
                self._run(match_play.bank(table))
            case Situation.QUESTION:
                self._choose(table.options[0])
            case Situation.ATTENTION:
                self._hold_at_attention()
            case Situation.WON:
                self._start(Rematch())
            case Situation.JUST_DICE:
                self.say(
                    Message("Just dice: there is nothing to bank. Press the button to read them.")
                )

    def _hold_while_waiting(self) -> None:
        match self.table.overlay:
            case Waiting(purpose=ReadUnprompted(interrupted=None)) if self.table.dice_log is None:
                self._run(readings.request_reading(self.table, ReadThrow(then_bank=True)))
                return
        self._run(readings.stop(self.table, Message("Stopped waiting.")))
        if not self._end_rolloff_if_possible() and self.table.overlay:
            self._hold()  # the hold was meant for the question that the unprompted reading interrupted

    def _hold_at_attention(self) -> None:
        """Handle a hold while something at the tray needs fixing.

        A hold ends the roll-off if one is being played; in a match, it repeats the advice.
        """
        overlay = self.table.overlay
        if not self._end_rolloff_if_possible() and isinstance(overlay, NeedsAttention):
            self.say(Paragraph(NOT_BANKED_YET, overlay.advice[0]))

    def _end_rolloff_if_possible(self) -> bool:
        change = rolloff_play.end_if_possible(self.table)
        if change:
            self._run(change)
        return change is not None

    def _shut_down_if_allowed(self) -> None:
        if self._shut_down is None:
            self.say(Message("Shutting down with the button is disabled."))
        else:
            self.say(
                Message("Shutting down: unplug the Pi when its green light has stopped blinking.")
            )
            self._shut_down()

    # Inputs from the camera, and photos from phones.

    def dice_settled(self) -> None:
        """Read dice that were seen rolling and now lie still, if a throw is expected."""
        self._run(readings.dice_settled(self.table))

    def timed_out(self, number: int) -> None:
        """Stop waiting for the reading with this request number, because the tray did not come to rest in time."""
        if waiting := self.table.waiting_for(number):
            has_tumbled = self.tray_reader.has_tumbled
            with self.live_match.for_request(waiting.request_id):
                self._run(readings.timed_out(self.table, waiting, has_tumbled=has_tumbled))

    def answered(
        self, number: int, tray_reading: TrayReading, earlier: TrayReading | None = None
    ) -> TrayReading | None:
        """Handle the reading that answers a request.

        Args:
            number: Number of the request.
            tray_reading: The current reading of the tray.
            earlier: The reading of the tray before it was emptied; None if that reading has already been
                used, or if the tray was not emptied.

        Returns:
            The reading that the table shows now, either `tray_reading` or `earlier`. None if this
            request is not the outstanding one, or if nobody asked for the reading and the tray is
            empty.
        """
        table, waiting = self.table, self.table.waiting_for(number)
        if waiting is None:
            return None
        if isinstance(waiting.purpose, ReadUnprompted) and tray_reading.is_empty:
            # The dice were picked up before anybody asked for a reading.
            before = replace(table, overlay=waiting.interrupted)
            self._run(Change(before.read_at(tray_reading.time_s)))
            return None
        self._run(Change(replace(table, overlay=None, read_s=tray_reading.time_s)))
        known = tray_reading.with_known_faces(waiting.known_places(table.last_places))
        with self.live_match.for_request(waiting.request_id):
            question = earlier and readings.offer_earlier(self.table, waiting, known, earlier)
            if question:
                self._run(question)
                return earlier
            self._run(readings.take(self.table, waiting, known))
        self._run(Change(readings.shown(self.table, tray_reading)))
        return tray_reading

    def photographed(self, tray_reading: TrayReading, step: int | None = None) -> None:
        """Use the reading of a phone's photo of the dice as the throw.

        Args:
            tray_reading: The reading.
            step: Number of the step that the phone was showing; None if the phone did not send it.

        Raises:
            TableError, GameError: If the photo is refused. Nothing changes then.
        """
        self.check_step(step)
        self._run(readings.photographed(self.table, tray_reading))

    def correct_reading(self, tray_reading: TrayReading) -> None:
        """Judge a reading again, after a person has named the face of one of its dice."""
        self._run(readings.correct(self.table, tray_reading))

    def ignore_object(self, tray_reading: TrayReading) -> None:
        """Judge a reading again, after a person has said that one of its objects is not a die."""
        self._run(readings.ignore(self.table, tray_reading))

    def camera_found(self) -> None:
        """Note that the camera works, for the first time or after a failure."""
        self._run(readings.camera_found(self.table))

    def camera_lost(self, reason: Message) -> None:
        """Note that no camera works, because of this reason."""
        self._run(readings.camera_lost(self.table, reason))

    # Other inputs.

    def say(self, message: Message) -> None:
        """Show this as the message of the table."""
        self._run(Change(self.table.saying(message)))

    def play_bot(self, event: Event) -> None:
        """Carry out the step of a bot.

        Raises:
            JournalError: If the step cannot be written.
        """
        self._run(match_play.bot_step(self.table, event))

    def note_simulated_throw(self) -> None:
        """Note that simulated dice were thrown, which have to be read."""
        self._run(Change(replace(self.table, has_simulated_throw=True)))

    def reload(self) -> None:
        """Continue with the most recent match in the journal, after a backup has been restored.

        Raises:
            JournalError: If that match cannot be read. There is no match then.
        """
        before = self.table
        try:
            self.live_match.reload()
        except JournalError:
            self.table = self._with_written_match(
                replace(before, earlier_places=before.last_places)
            )
            raise
        self._run(match_starts.reload(before, self.live_match.in_play))


def _is_late(table: TableState, command: Command) -> bool:
    """Return whether the phone that sent the command was showing an earlier state of the table."""
    match command:
        case KeepDice(throw=int(throw)) | Bank(throw=int(throw)):
            return table.last_throw is None or table.last_throw.index != throw
        case RecordEvent(seat=int(seat)):
            return table.current_match.state.turn.seat != seat
    return False
