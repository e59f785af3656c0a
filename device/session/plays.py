"""The games at the table: a match, the roll-off before it, or "just dice" (throws without a match)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from device.session import judge, messages
from device.session.live_match import NO_MATCH
from device.session.match_play import MatchPlay
from device.session.match_starts import MatchStarts, from_rolloff
from device.session.placement import Placement, compare, entered_places
from device.session.table_state import TableState
from device.session.tray_reader import TrayReading
from device.session.verdict import Answer, Attention, EmptyTray, NotThrown, Verdict
from game.dice_log import DiceLog
from game.errors import IllegalMove
from game.match.roster import MIN_PLAYERS
from game.message import Message, Paragraph
from game.rules import scoring
from game.rules.ruleset import Dice
from game.situation import TableError


class Play(Protocol):
    """Something that can be played at the table: a match, the roll-off or "just dice"."""

    def read(self, tray_reading: TrayReading) -> Verdict | None:
        """Interpret a reading, and return the verdict on it, or None if it has been accepted as a throw."""

    def enter(self, dice: Iterable[int]) -> None:
        """Accept a throw that was entered on a phone.

        Raises:
            GameError: If these dice cannot be a throw now.
        """

    def correct(self, dice: Dice, index: int | None) -> None:
        """Replace the dice of a throw.

        Args:
            dice: The faces that the throw really showed.
            index: Index of the throw; None means the newest throw.

        Raises:
            TableError, GameError: If the throw cannot be corrected to these dice.
        """

    def undo(self) -> None:
        """Take back the last step.

        Raises:
            GameError: If there is no step to take back.
        """


class RollOffPlay:
    """The roll-off: each player throws one die, and the player with the highest face begins.

    Args:
        table: The state of the table.
        starts: Begins the match once the roll-off has decided who goes first.
    """

    def __init__(self, table: TableState, starts: MatchStarts) -> None:
        self._table, self._starts = table, starts

    def read(self, tray_reading: TrayReading) -> Verdict | None:
        """Implement `Play.read`: take the next player's die from a reading."""
        found = judge.rolloff_die(tray_reading, self._table.leftovers)
        if not isinstance(found, int):
            return found
        self._table.leftovers = judge.places_of(tray_reading.reading)
        self._table.tray_reader.mark_accepted(tray_reading.time_s)
        self._add(found)
        return None

    def enter(self, dice: Iterable[int]) -> None:
        """Implement `Play.enter`: accept a player's die that was entered on a phone."""
        table = self._table
        (face,) = scoring.checked_dice(dice, replace(table.rules, n_dice=1))
        table.clear()
        table.tray_reader.mark_accepted()
        table.leftovers = (*table.last_places, *entered_places((face,)))
        self._add(face)

    def correct(self, dice: Dice, index: int | None) -> None:  # noqa: ARG002 - there is no throw
        """Implement `Play.correct`: refuse, because a die of the roll-off can only be undone."""
        raise TableError(NO_MATCH)

    def undo(self) -> None:
        """Implement `Play.undo`: take back the die that was thrown last."""
        table = self._table
        if table.rolloff.before is None:
            raise IllegalMove(Message("there is nothing to undo"))
        table.clear()
        table.tray_reader.retract_accepted()
        table.leftovers = ()  # the die may still be in the tray, and has to be read again
        table.rolloff = table.rolloff.before
        throws = Message("%(name)s throws.", name=messages.rolloff_name(table.rolloff.seat or 0))
        table.message = Paragraph(Message("Undone."), throws)

    def end(self) -> None:
        """Stop accepting players and begin the match, or let the players who tied throw again.

        Raises:
            GameError: If fewer than two players have thrown.
        """
        if self._table.rolloff.open:
            self._table.rolloff = self._table.rolloff.close()
        self._begin_if_decided()

    def end_if_possible(self) -> bool:
        """End the roll-off if enough players have thrown, and return whether it has ended.

        Any open question is closed, and any wait for a reading is cancelled.
        """
        table = self._table
        can_end = (
            table.dice_log is None
            and not table.live_match
            and table.rolloff.open
            and len(table.rolloff.rolls) >= MIN_PLAYERS
        )
        if can_end:
            table.clear()
            self.end()
        return can_end

    def _add(self, face: int) -> None:
        table = self._table
        name = messages.rolloff_name(table.rolloff.seat or 0)
        table.rolloff = table.rolloff.add(face)
        table.message = Message("%(name)s threw a %(face)s.", name=name, face=face)
        if not table.rolloff.open:
            self._begin_if_decided()

    def _begin_if_decided(self) -> None:
        match = from_rolloff(self._table.rules, self._table.rolloff)
        if match is None:
            self._table.message = messages.rolloff_tie(self._table.rolloff)
        else:
            first = match.state.player.display_name
            message = Message("%(name)s threw the highest number and begins.", name=first)
            self._starts.begin(match, message)


class DicePlay:
    """Throws without a match, which are only listed and counted.

    Args:
        table: The state of the table.
    """

    def __init__(self, table: TableState) -> None:
        self._table = table

    def read(self, tray_reading: TrayReading) -> Verdict | None:
        """Implement `Play.read`: add the dice of a reading to the list of throws.

        A die that has not moved was not thrown. If it is possible that all dice were only pushed, a
        person can say that they were thrown.
        """
        reading = tray_reading.reading
        if not reading.is_sure:
            return Attention(messages.advice(reading))
        if not reading.dice_in_tray:
            return EmptyTray()
        before = self._table.last_places
        placement = compare(reading, before, n_dice=len(reading.dice_in_tray))
        if not placement.thrown:
            return NotThrown(Message("Not thrown yet: the dice have not moved."))
        if tray_reading.has_tumbled is not True and placement.could_have_slid(before):
            thrown = Message("They were thrown: %(dice)s", dice=placement.faces)
            return NotThrown(
                Message("The dice seem to have been moved, not thrown."),
                Answer(thrown, chosen=lambda: self._count(placement)),
            )
        self._count(placement)
        return None

    def enter(self, dice: Iterable[int]) -> None:
        """Implement `Play.enter`: add a throw that was entered on a phone to the list."""
        self._table.clear()
        faces = tuple(sorted(dice))
        self._table.tray_reader.mark_accepted()
        self._keep(self._log.add(faces, faces, entered_places(faces)))

    def correct(self, dice: Dice, index: int | None) -> None:
        """Implement `Play.correct`: replace the dice of the newest throw."""
        last = self._log.last
        if last is None or index not in (None, last.index) or len(dice) != len(last.dice):
            raise TableError(Message("Only the latest throw can be corrected die by die."))
        self._table.clear()
        self._keep(self._log.corrected(tuple(sorted(dice))))

    def undo(self) -> None:
        """Implement `Play.undo`: remove the newest throw from the list."""
        if self._log.last is None:
            raise IllegalMove(Message("there is nothing to undo"))
        self._table.clear()
        self._table.tray_reader.discard_readings()
        self._table.dice_log = self._log.undone()
        self._table.message = Message("Undone.")

    @property
    def _log(self) -> DiceLog:
        return self._table.dice_log or DiceLog()

    def _count(self, placement: Placement) -> None:
        in_tray = (*placement.thrown, *placement.stayed)
        faces = tuple(sorted(place.face for place in in_tray))
        self._table.offer()
        self._keep(self._log.add(faces, placement.faces, in_tray))
        self._table.tray_reader.mark_accepted(self._table.read_s)

    def _keep(self, log: DiceLog) -> None:
        self._table.dice_log = log
        self._table.message = messages.just_thrown(log.last)


@dataclass(frozen=True, slots=True)
class Plays:
    """All games that can be played at one table.

    Attributes:
        table: The state of the table.
        match: A match, with everything that people do in it.
        rolloff: The roll-off before a match.
        dice: Throws without a match.
    """

    table: TableState
    match: MatchPlay
    rolloff: RollOffPlay
    dice: DicePlay

    @property
    def current(self) -> Play:
        """The game that is being played now."""
        if self.table.dice_log is not None:
            return self.dice
        return self.match if self.table.live_match else self.rolloff
