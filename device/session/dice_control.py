"""A table that plays no match: throws are read, counted and told, and nothing else is made of them."""

from collections.abc import Callable, Iterable
from typing import Any

from device.session import messages
from device.session.match_control import MatchControl
from device.session.placement import Placement, compare, tapped
from device.session.tray_reader import TrayReading
from device.session.verdict import Answer, Attention, NotThrown
from game.commands import (
    AnswerQuestion,
    Command,
    CorrectThrow,
    EnterThrow,
    Hold,
    Press,
    Rematch,
    ReopenMatch,
    SetJustDice,
    StartMatch,
    Undo,
)
from game.dice_log import DiceLog, DiceThrow
from game.errors import IllegalMove
from game.match.events import Place
from game.match.match import Match
from game.match.state import Throw
from game.message import Message
from game.rules.ruleset import Dice
from game.situation import Situation, TableError

WITHOUT_A_MATCH = (
    AnswerQuestion, CorrectThrow, Hold, SetJustDice, Press, Rematch, ReopenMatch, StartMatch, EnterThrow,
    Undo,
)  # fmt: skip
"""What can be asked for while no match is played."""


class DiceControl(MatchControl):
    """The match, or just dice: then a match that is under way waits.

    Attributes:
        dice: the throws without a match; None where one is played, or set up.
    """

    dice: DiceLog | None = None

    @property
    def match(self) -> Match | None:
        return super().match if self.dice is None else None

    @property
    def last_throw(self) -> Throw | DiceThrow | None:
        """What was thrown last, of the match or without one."""
        if self.dice is not None:
            return self.dice.last
        return super().last_throw

    @property
    def situation(self) -> Situation:
        if self.dice is not None and self.overlay is None:
            return Situation.JUST_DICE
        return super().situation

    def do(self, command: Command) -> None:
        if self.dice is not None and not isinstance(command, WITHOUT_A_MATCH):
            raise TableError(Message("No match is played: these are just dice."))
        super().do(command)

    @property
    def _jobs(self) -> dict[type, Callable[[Any], object]]:
        return super()._jobs | {SetJustDice: lambda c: self._switch(on=c.on)}

    def _switch(self, *, on: bool) -> None:
        if on == (self.dice is not None):
            return
        if self.dice is not None and self.dice.last:
            self._leftovers = self._lay
        self._clear()
        self.dice = DiceLog() if on else None
        if on:
            self.message = Message("Just dice: throw, and press.")
        elif self.match:
            self.message = messages.resumed(self.match)
        else:
            self.message = self.WELCOME

    def _end_rolloff_if_possible(self) -> bool:
        return self.dice is None and super()._end_rolloff_if_possible()

    # A match takes its place

    @property
    def _lay(self) -> tuple[Place, ...]:
        return self.dice.last.places if self.dice and self.dice.last else super()._lay

    def _begin(self, match: Match, message: Message) -> None:
        super()._begin(match, message)
        self.dice = None

    def _reopen(self, match_id: int) -> None:
        super()._reopen(match_id)
        self.dice = None

    def reload(self) -> None:
        super().reload()
        self.dice = None

    # Throws

    def _read_dice(self, log: DiceLog, tray_reading: TrayReading) -> None:
        """As for a match: what lies where it lay was not thrown, and doubt is asked about."""
        if not tray_reading.reading.is_sure:
            self._apply(Attention(messages.advice(tray_reading.reading)))
            return
        before = self._lay
        lay = compare(tray_reading.reading, before, n_dice=len(tray_reading.reading.dice_in_tray))
        if not lay.thrown:
            lie = Message("Not thrown yet: the dice lie where they lay.")
            self._apply(NotThrown(lie))
        elif tray_reading.has_tumbled is not True and lay.could_have_slid(before):
            thrown = Message("They were thrown: %(dice)s", dice=lay.faces)
            self._apply(
                NotThrown(
                    Message("The dice seem to be moved, not thrown."),
                    Answer(thrown, chosen=lambda: self._count(log, lay)),
                )
            )
        else:
            self._count(log, lay)

    def _count(self, log: DiceLog, lay: Placement) -> None:
        there = (*lay.thrown, *lay.stayed)
        faces = tuple(sorted(place.face for place in there))
        self._offer(())
        self._keep_log(log.add(faces, lay.faces, there))
        self._tray_reader.mark_accepted(self._seen_s)

    def _keep_log(self, log: DiceLog) -> None:
        self.dice = log
        self.message = messages.just_thrown(log.last)

    def _tap_in(self, dice: Iterable[int]) -> None:
        if self.dice is None:
            super()._tap_in(dice)
            return
        self._clear()
        faces = tuple(sorted(dice))
        self._tray_reader.mark_accepted()
        self._keep_log(self.dice.add(faces, faces, tapped(faces)))

    def _correct(self, dice: Dice, index: int | None = None) -> None:
        if self.dice is None:
            super()._correct(dice, index)
            return
        last = self.dice.last
        if last is None or index not in (None, last.index) or len(dice) != len(last.dice):
            raise TableError(Message("Only the newest throw can be corrected, die by die."))
        self._clear()
        self._keep_log(self.dice.corrected(tuple(sorted(dice))))

    def _undo(self) -> None:
        if self.dice is None:
            super()._undo()
            return
        if self.dice.last is None:
            raise IllegalMove(Message("there is nothing to take back"))
        self._clear()
        self._tray_reader.discard_readings()
        self.dice = self.dice.undone()
        self.message = Message("Taken back.")
