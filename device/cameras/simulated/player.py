"""The hands of a player at the simulated tray: set aside what is kept, throw the rest."""

from device.cameras.simulated.tray import SimulatedTray
from game.match.match import Match
from game.match.state import Throw


def throw_as_a_person(tray: SimulatedTray, match: Match | None) -> None:
    """Throw the dice that the table expects now: one in a roll-off, all when a turn begins.

    In mid-turn the tapped keep is set aside first, or the best one where none was tapped.
    """
    if match is None:
        tray.gather()
        tray.throw(1)
        return
    last = match.state.turn.last
    if last is None:
        _throw_all(tray, match)
    elif tray.truth != last.dice:
        tray.throw(len(tray.truth) or match.state.dice_in_hand)
    else:
        _throw_on(tray, match, last)


def _throw_on(tray: SimulatedTray, match: Match, last: Throw) -> None:
    if match.state.once_more:
        tray.throw(1)
        return
    keep = last.keep or match.state.keeps[0]
    if keep.hot:
        _throw_all(tray, match)
    else:
        tray.set_aside(keep.dice)
        tray.throw(keep.dice_left)


def _throw_all(tray: SimulatedTray, match: Match) -> None:
    """All dice of the rules: a game with five leaves one in the hand."""
    tray.gather()
    tray.take_up_aside()
    tray.throw(match.rules.n_dice)
