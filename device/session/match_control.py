"""The match on the table, and all that people say about it: at a phone, or by saying yes.

The half of the table that needs no tray; `device.session.session` adds the button and the readings.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from device.session import judge, match_setup, messages
from device.session.live_match import LiveMatch
from device.session.placement import tapped
from device.session.tray_reader import TrayReader
from device.session.verdict import (
    Accept,
    Answer,
    Ask,
    Attention,
    NeedsAttention,
    NotThrown,
    OpenQuestion,
    Overlay,
    Verdict,
    WaitingForStillness,
)
from game.commands import (
    AnswerQuestion,
    Bank,
    Command,
    CorrectThrow,
    DropEvents,
    EnterThrow,
    InsertTurn,
    KeepDice,
    ProposeMatch,
    RecordEvent,
    Redo,
    Rematch,
    ReopenMatch,
    StartMatch,
    Undo,
)
from game.dice_log import DiceThrow
from game.errors import IllegalMove, LaterStepError
from game.match.events import (
    Action,
    Banked,
    Corrected,
    Event,
    Joined,
    Kept,
    Place,
    Redone,
    Renamed,
    ScoreSet,
    Spliced,
    Thrown,
    Undone,
)
from game.match.match import Match
from game.match.match_text import inserted_turn
from game.match.repair import check_same_players, repairs
from game.match.rolloff import RollOff
from game.match.roster import MIN_PLAYERS
from game.match.state import Throw
from game.message import Message, Paragraph
from game.names import check_distinct
from game.rules import scoring
from game.rules.ruleset import Ruleset
from game.situation import READY_FOR_MATCH, Choice, Situation, TableError

NO = Answer(Message("No: nothing is changed"))
"""To a question that has one answer."""

MOVED_ON = Message("The table has moved on: look at what it shows, then do it again.")


class MatchControl:
    """One match or roll-off, what lies over it, and the last sentence about it.

    Args:
        live_match: the match and its journal.
        rules: for a match that begins at the button.
        tray_reader: reads the tray; here it is only told what was accepted.
    """

    WELCOME: Message = Paragraph(
        Message("Throw one die each to see who starts."),
        Message("Or set up a match on a phone."),
    )

    def __init__(self, live_match: LiveMatch, rules: Ruleset, tray_reader: TrayReader) -> None:
        self.live_match, self.rules = live_match, rules
        self.rolloff = RollOff()
        self.overlay: Overlay | None = None
        self.message = self.WELCOME
        if live_match:
            self.message = messages.resumed(live_match.match)
        self._tray_reader = tray_reader
        self._seen_s: float | None = None
        self._repairs: tuple[Answer, ...] = ()
        self._offer_number = 0
        self._leftovers = live_match.left_lying

    @property
    def match(self) -> Match | None:
        """The match in play, if any."""
        return self.live_match.match if self.live_match else None

    @property
    def last_throw(self) -> Throw | DiceThrow | None:
        """What was thrown last, if anything."""
        return self.match.last_throw if self.match else None

    @property
    def situation(self) -> Situation:
        if self.overlay:
            return self.overlay.situation
        if not self.live_match:
            return Situation.NO_MATCH
        state = self.live_match.match.state
        if state.winner is not None:
            return Situation.WON
        if state.turn.last:
            return Situation.ACCEPTED
        return Situation.TURN_OVER if state.turns else Situation.TURN_BEGINS

    def do(self, command: Command) -> None:
        """What somebody asks for.

        Raises:
            TableError, GameError: it is refused; nothing is changed.
        """
        job = self._jobs.get(type(command))
        if job is None:
            raise TableError(Message("This table cannot do that."))
        if self._comes_late(command):
            raise TableError(MOVED_ON)
        job(command)

    def _comes_late(self, command: Command) -> bool:
        """Whether it was meant for what was shown before: a tap can be stuck in the Wi-Fi."""
        match command:
            case KeepDice(throw=int(throw)) | Bank(throw=int(throw)):
                return self.last_throw is None or self.last_throw.index != throw
            case EnterThrow(step=int(step)) | Undo(step=int(step)):
                return self.live_match.steps != step
            case RecordEvent(seat=int(seat)):
                return self.live_match.match.state.turn.seat != seat
        return False

    @property
    def _jobs(self) -> dict[type, Callable[[Any], object]]:
        """What each command does."""
        return {
            StartMatch: self._start,
            Rematch: lambda _: self._rematch(),
            ReopenMatch: lambda c: self._reopen(c.match),
            ProposeMatch: self._invite,
            EnterThrow: lambda c: self._tap_in(c.dice),
            KeepDice: lambda c: self._play(Kept(c.dice)),
            Bank: lambda c: self._play(Banked(c.dice)),
            CorrectThrow: lambda c: self._correct(c.dice, c.index),
            AnswerQuestion: lambda c: self._answer(c.choice),
            RecordEvent: lambda c: self._by_hand(c.event),
            InsertTurn: self._insert,
            DropEvents: lambda c: self._revise(
                Message("Taken out by hand."), Spliced(c.start, c.stop, ())
            ),
            Undo: lambda _: self._undo(),
            Redo: lambda _: self._revise(Message("Done again."), Redone()),
        }

    def say(self, message: Message) -> None:
        """Something happened that is no part of the match."""
        self.message = message

    # What is true, what is asked, and what is on offer

    def _do(self, *actions: Action) -> Match:
        lay, before = self._lay, self.live_match.match
        match = self.live_match.do(*actions)
        kinds = {type(action) for action in actions}
        if Thrown in kinds:
            self._tray_reader.mark_accepted(self._seen_s)
            self._leftovers = ()
        elif Spliced in kinds and _spots(match) != _spots(before):
            self._leftovers = lay  # whatever the past is now, these are no new throw
            self._tray_reader.discard_readings()
        elif kinds & {Undone, Redone} and _spots(match) != _spots(before):
            self._tray_reader.retract_accepted()
        return match

    def _apply(self, verdict: Verdict) -> None:
        """Do what it says; an empty tray says nothing here."""
        self._offer(())
        match verdict:
            case Accept():
                match = self._do(*verdict.events)
                self.message = Paragraph(verdict.note, messages.outcome(match))
                self._offer(verdict.repairs)
            case Ask():
                options = verdict.options if len(verdict.options) > 1 else (*verdict.options, NO)
                self.overlay = OpenQuestion(verdict.question, options)
                self.message = verdict.question
            case NotThrown():
                self.message = verdict.note
                self._offer((verdict.override,) if verdict.override else ())
            case Attention():
                self.overlay = NeedsAttention(verdict.advice)
                self.message = verdict.advice[0]

    def _offer(self, repairs: tuple[Answer, ...]) -> None:
        self._repairs = repairs
        self._offer_number += 1

    def _clear(self, *, but_look: bool = False) -> None:
        """A person did something: what was going on before is over.

        With `but_look` a throw that is being read by itself is, all the same: it means what it did.
        """
        waiting = self.overlay if isinstance(self.overlay, WaitingForStillness) else None
        if but_look and waiting and waiting.by_itself:
            self.overlay = replace(waiting, before=None)
        else:
            if waiting:
                self._tray_reader.cancel_request()
            self.overlay = None
        self._offer(())

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What can be answered now; the number keeps an old phone from answering something new."""
        return tuple(
            Choice(f"{self._offer_number}.{i}", option.label)
            for i, option in enumerate(self._options)
        )

    @property
    def _options(self) -> tuple[Answer, ...]:
        return self.overlay.options if isinstance(self.overlay, OpenQuestion) else self._repairs

    def _answer(self, choice_id: str) -> None:
        options = dict(zip((choice.id for choice in self.choices), self._options, strict=True))
        if choice_id not in options:
            raise TableError(Message("That choice is gone: the table has moved on."))
        self._choose(options[choice_id])

    def _choose(self, option: Answer) -> None:
        if option.chosen:
            self._clear()
            option.chosen()
            return
        if option is NO:
            self._clear()
            self.message = messages.standing(self.live_match.match)
            return
        match = self._do(*option.actions)
        self._clear()
        self.message = messages.outcome(match)

    # A match begins

    def _start(self, wanted: StartMatch) -> None:
        match = match_setup.wanted(self.rules, wanted)
        self._begin(
            match, Message("A new match: %(name)s begins.", name=match.state.player.display_name)
        )

    def _rematch(self) -> None:
        """The same rules, teams and players, but those who left; the next player begins."""
        old = self.live_match.match
        if old.state.winner is None:
            raise TableError(Message("The match is not over: play on, or set up a new match."))
        match = match_setup.rematch(old)
        self._begin(
            match, Message("A rematch: %(name)s begins.", name=match.state.player.display_name)
        )

    def _invite(self, call: ProposeMatch) -> None:
        """Ask whether a match of these players may begin here, where none is played."""
        if self.situation not in READY_FOR_MATCH or self.rolloff.rolls:
            raise TableError(Message("A match is played here: it is asked when that is over."))
        match = match_setup.wanted(self.rules, call.match)

        def begin() -> None:
            self._begin(match, Message("%(name)s begins.", name=match.state.player.display_name))
            call.answered(True)

        def decline() -> None:
            self.message = Message("The club is told that it cannot begin here.")
            call.answered(False)

        yes = Answer(Message("Yes, begin"), chosen=begin)
        no = Answer(Message("No, not here"), chosen=decline)
        self._apply(Ask(call.question, (yes, no)))

    def _reopen(self, match_id: int) -> None:
        """Go on with an older match that nobody has won; the one in play can be had back so, too."""
        lay = self._lay
        match = self.live_match.reopen(match_id)
        self._leftovers = lay
        self.rolloff = RollOff()
        self._clear()
        self.message = messages.resumed(match)

    def reload(self) -> None:
        """The journal is another one now: a backup was restored."""
        self._leftovers = self._lay
        self.live_match.reload()
        self.rolloff = RollOff()
        self._clear()
        stands = (
            messages.resumed(self.live_match.match)
            if self.live_match
            else Message("There is no match.")
        )
        self.message = Paragraph(Message("A backup was restored."), stands)

    @property
    def _lay(self) -> tuple[Place, ...]:
        """How the dice lay that were read last: they are no throw of what is played next."""
        return self._leftovers or (self.live_match.match.last_places if self.live_match else ())

    @property
    def _kept(self) -> tuple[Place, ...]:
        """Those among them that were no part of the last throw."""
        return tuple(place for place in self._lay if place.aside)

    def _begin(self, match: Match, message: Message) -> None:
        self._leftovers = self._lay
        self.live_match.begin(match)
        self.rolloff = RollOff()
        self._clear()
        self.message = message

    def _roll(self, face: int) -> None:
        name = messages.roller(self.rolloff.seat or 0)
        self.rolloff = self.rolloff.add(face)
        self.message = Message("%(name)s threw a %(face)s.", name=name, face=face)
        if not self.rolloff.open:
            self._begin_if_decided()

    def _undo_roll(self) -> None:
        if self.rolloff.before is None:
            raise IllegalMove(Message("there is nothing to take back"))
        self._clear()
        self._tray_reader.retract_accepted()
        self._leftovers = ()  # the die may still lie there, and be read again
        self.rolloff = self.rolloff.before
        throws = Message("%(name)s throws.", name=messages.roller(self.rolloff.seat or 0))
        self.message = Paragraph(Message("Taken back."), throws)

    def _end_rolloff(self) -> None:
        if self.rolloff.open:
            self.rolloff = self.rolloff.close()
        self._begin_if_decided()

    def _end_rolloff_if_possible(self) -> bool:
        """Whatever was pressed for meanwhile; says whether it was."""
        can = not self.live_match and self.rolloff.open and len(self.rolloff.rolls) >= MIN_PLAYERS
        if can:
            self._clear()
            self._end_rolloff()
        return can

    def _begin_if_decided(self) -> None:
        match = match_setup.from_rolloff(self.rules, self.rolloff)
        if match is None:
            self.message = messages.tie(self.rolloff)
        else:
            first = match.state.player.display_name
            self._begin(match, Message("%(name)s threw highest and begins.", name=first))

    # A match goes on

    def _tap_in(self, dice: Iterable[int]) -> None:
        self._seen_s = None
        if not self.live_match:
            (face,) = scoring.checked_dice(dice, replace(self.rules, n_dice=1))
            self._clear()
            self._tray_reader.mark_accepted()
            self._leftovers = (*self._lay, *tapped((face,)))
            self._roll(face)
            return
        match = self.live_match.match
        verdict = judge.judge_tapped(match, scoring.checked_dice(dice, match.rules))
        self._clear()
        self._apply(verdict)

    def _play(self, action: Kept | Banked) -> None:
        match = self._do(action)
        self._clear(but_look=isinstance(action, Kept))
        self.message = messages.outcome(match)

    def _correct(self, dice: tuple[int, ...], index: int | None = None) -> None:
        """The throw at this index of the timeline (the newest without) showed other dice."""
        last = self.live_match.match.last_throw
        if index is None:
            if last is None:
                raise TableError(Message("There is no throw to correct yet."))
            index = last.index
        correction = Corrected(index, dice)
        match = self.live_match.match
        try:
            check_same_players(match, match.push(correction), since=index)
        except LaterStepError as error:
            self._ask_for_repair(correction, error.message)
            return
        if question := judge.corrected_reset(match, correction):
            self._clear()
            self._apply(question)
        else:
            corrected = Message("Corrected to %(dice)s.", dice=tuple(sorted(dice)))
            self._revise(corrected, correction)

    def correct_die(self, slot: int, face: int) -> None:
        """One die of the last throw showed another face."""
        if last := self.last_throw:
            dice = [face if i == slot else old for i, old in enumerate(last.dice)]
            self._correct(tuple(dice), last.index)

    def _ask_for_repair(self, correction: Corrected, why: Message) -> None:
        """What came later does not fit: the ways in which a table would mend it are choices."""
        ways = repairs(self.live_match.match, correction)
        if not ways:
            raise TableError(Message("That cannot be corrected: %(why)s", why=why))
        self._clear()
        options = tuple(Answer(way.label, (way.action,)) for way in ways)
        question = Paragraph(Message("Corrected, %(why)s.", why=why), Message("What is true?"))
        self._apply(Ask(question, options))

    def _by_hand(self, event: Event) -> None:
        before = self.live_match.match
        if isinstance(event, Joined | Renamed):
            check_distinct(player.name for player in before.push(event).state.players)
        match = self._do(event)
        self._clear(but_look=isinstance(event, Joined | Renamed | ScoreSet))
        self.message = messages.by_hand(event, before, match)

    def _insert(self, command: InsertTurn) -> None:
        turn = inserted_turn(self.live_match.match, command.turn, command.before)
        self._revise(Message("Put in by hand."), turn)

    def _undo(self) -> None:
        if self.live_match:
            self._revise(Message("Taken back."), Undone())
        else:
            self._undo_roll()

    def _revise(self, said: Message, action: Action) -> None:
        before = self.live_match.match
        match = self._do(action)
        self._clear()
        self.message = Paragraph(said, messages.news(before, match))


def _spots(match: Match) -> set[tuple[float, float]]:
    """Where dice lay, whatever they showed."""
    return {(place.x, place.y) for place in match.last_places}
