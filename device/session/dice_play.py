"""The play "just dice": throws without a match, which are only listed and counted."""

from collections.abc import Iterable
from dataclasses import replace

from device.session import messages
from device.session.placement import Placement, compare, entered_places
from device.session.table_state import Change, TableState, TrayNote
from device.session.tray_reader import TrayReading
from device.session.verdict import Answer, Attention, CountDice, EmptyTray, NotThrown, Verdict
from game.dice_log import DiceLog
from game.errors import IllegalMove
from game.message import Message
from game.rules.ruleset import Dice
from game.situation import TableError


def read(state: TableState, tray_reading: TrayReading) -> Verdict | Change:
    """Implement `Play.read`: add the dice of a reading to the list of throws.

    A die that has not moved was not thrown. If it is possible that all dice were only pushed, a
    person can say that they were thrown.
    """
    reading = tray_reading.reading
    if not reading.is_sure:
        return Attention(messages.advice(reading))
    if not reading.dice_in_tray:
        return EmptyTray()
    before = state.last_places
    placement = compare(reading, before, n_dice=len(reading.dice_in_tray))
    if not placement.thrown:
        return NotThrown(Message("Not thrown yet: the dice have not moved."))
    if tray_reading.has_tumbled is not True and placement.could_have_slid(before):
        thrown = Message("They were thrown: %(dice)s", dice=placement.faces)
        return NotThrown(
            Message("The dice seem to have been moved, not thrown."),
            Answer(thrown, leads_to=CountDice(placement)),
        )
    return count(state, placement)


def count(state: TableState, placement: Placement) -> Change:
    """Add the dice in the tray to the list of throws."""
    in_tray = (*placement.thrown, *placement.stayed)
    faces = tuple(sorted(place.face for place in in_tray))
    counted = _log(state).add(faces, placement.faces, in_tray)
    return _with(state.offering(), counted).accepting(state.earlier_places)


def enter(state: TableState, dice: Iterable[int]) -> Change:
    """Implement `Play.enter`: add a throw that was entered on a phone to the list."""
    faces = tuple(sorted(dice))
    entered = _log(state).add(faces, faces, entered_places(faces))
    return _with(state.cleared(), entered).accepting(state.earlier_places)


def correct(state: TableState, dice: Dice, index: int | None) -> Change:
    """Implement `Play.correct`: replace the dice of the newest throw."""
    last = _log(state).last
    if last is None or index not in (None, last.index) or len(dice) != len(last.dice):
        raise TableError(Message("Only the latest throw can be corrected die by die."))
    return Change(_with(state.cleared(), _log(state).corrected(tuple(sorted(dice)))))


def undo(state: TableState) -> Change:
    """Implement `Play.undo`: remove the newest throw from the list."""
    if _log(state).last is None:
        raise IllegalMove(Message("there is nothing to undo"))
    undone = replace(state.cleared(), dice_log=_log(state).undone(), message=Message("Undone."))
    return Change(undone, tray_note=TrayNote.WRONG)


def _log(state: TableState) -> DiceLog:
    return state.dice_log or DiceLog()


def _with(state: TableState, log: DiceLog) -> TableState:
    return replace(state, dice_log=log, message=messages.just_thrown(log.last))
