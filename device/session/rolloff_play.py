"""The roll-off: each player throws one die, and the player with the highest face begins."""

from collections.abc import Iterable
from dataclasses import replace

from device.session import judge, messages
from device.session.match_starts import begin, from_rolloff
from device.session.placement import Placement, entered_places
from device.session.table_state import Change, TableState, TrayNote
from device.session.tray_reader import TrayReading
from device.session.verdict import Verdict
from game.errors import IllegalMove
from game.match.apply_event import MIN_PLAYERS
from game.match.events import Place
from game.message import Message, Paragraph
from game.rules import scoring
from game.rules.ruleset import Dice
from game.situation import NO_MATCH_YET, TableError


def read(state: TableState, tray_reading: TrayReading) -> Verdict | Change:
    """Implement `Play.read`: take the next player's die from a reading."""
    found = judge.rolloff_die(tray_reading, state.earlier_places)
    if not isinstance(found, int):
        return found
    return _add(state, found, judge.places_of(tray_reading.reading))


def count(state: TableState, placement: Placement) -> Change:
    """Take the next player's die, because a person said that it was thrown."""
    return _add(state, placement.faces[0], (*placement.thrown, *placement.stayed))


def enter(state: TableState, dice: Iterable[int]) -> Change:
    """Implement `Play.enter`: accept a player's die that was entered on a phone."""
    (face,) = scoring.checked_dice(dice, replace(state.rules, n_dice=1))
    places = (*state.last_places, *entered_places((face,)))
    return _add(state.cleared(), face, places)


def correct(state: TableState, dice: Dice, index: int | None) -> Change:  # noqa: ARG001 - there is no throw
    """Implement `Play.correct`: refuse, because a die of the roll-off can only be undone."""
    raise TableError(NO_MATCH_YET)


def undo(state: TableState) -> Change:
    """Implement `Play.undo`: take back the die that was thrown last."""
    before = state.rolloff.before
    if before is None:
        raise IllegalMove(Message("there is nothing to undo"))
    throws = Message("%(name)s throws.", name=messages.rolloff_name(before.seat or 0))
    undone = replace(
        state.cleared(),
        rolloff=before,
        rolloff_reading=0,
        earlier_places=(),  # the die may still be in the tray, and has to be read again
        message=Paragraph(Message("Undone."), throws),
    )
    return Change(undone, tray_note=TrayNote.RETRACTED)


def end(state: TableState) -> Change:
    """Stop accepting players and begin the match, or let the players who tied throw again.

    Raises:
        GameError: If fewer than two players have thrown.
    """
    if not state.rolloff.open:
        return _begin_if_decided(state)
    closed = replace(state, rolloff=state.rolloff.close(), rolloff_reading=0)
    return Change(closed, then=_begin_if_decided)


def end_if_possible(state: TableState) -> Change | None:
    """End the roll-off if enough players have thrown; otherwise return None.

    Any open question is closed, and any wait for a reading is cancelled.
    """
    is_played = state.dice_log is None and state.in_play is None and state.rolloff.open
    if is_played and len(state.rolloff.rolls) >= MIN_PLAYERS:
        return end(state.cleared())
    return None


def _add(state: TableState, face: int, places: tuple[Place, ...]) -> Change:
    name = messages.rolloff_name(state.rolloff.seat or 0)
    rolloff = state.rolloff.add(face)
    threw = Message("%(name)s threw a %(face)s.", name=name, face=face)
    added = replace(state.offering(), rolloff=rolloff, rolloff_reading=0, message=threw)
    change = added.accepting(places)
    return change if rolloff.open else replace(change, then=_begin_if_decided)


def _begin_if_decided(state: TableState) -> Change:
    match = from_rolloff(state.rules, state.rolloff)
    if match is None:
        return Change(state.saying(messages.rolloff_tie(state.rolloff)))
    first = match.state.player.display_name
    message = Message("%(name)s threw the highest number and begins.", name=first)
    return begin(state, match, message)
