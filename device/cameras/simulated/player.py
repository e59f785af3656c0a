"""The hands of a player at the simulated tray: set aside what is kept, throw the rest."""

from collections import Counter
from itertools import islice

from device.cameras.simulated.tray import SimulatedTray
from game.match.match import Match
from game.match.state import Throw
from game.rules.ruleset import Dice


def throw_like_a_player(tray: SimulatedTray, match: Match | None) -> None:
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
    elif len(tray.truth) != len(last.dice):  # another throw than the one that was read
        tray.throw(len(tray.truth) or match.state.dice_in_hand)
    else:
        _throw_on(tray, match, last)


def _throw_on(tray: SimulatedTray, match: Match, last: Throw) -> None:
    if match.state.may_rethrow_last_die:
        tray.throw(1)
        return
    keep = last.keep or match.state.keeps[0]
    if keep.hot:
        _throw_all(tray, match)
    else:
        tray.set_aside(_as_they_lie(keep.dice, last.dice, tray.truth))
        tray.throw(keep.dice_left)


def _as_they_lie(kept: Dice, read: Dice, truth: Dice) -> Dice:
    """What those dice show that were kept: a reading may have been corrected to what none of them does."""
    there = Counter(kept) & Counter(truth)
    others = (Counter(truth) - Counter(read)).elements()
    return (*there.elements(), *islice(others, len(kept) - there.total()))


def _throw_all(tray: SimulatedTray, match: Match) -> None:
    """All dice of the rules: a game with five leaves one in the hand."""
    tray.gather()
    tray.take_back_set_aside()
    tray.throw(match.rules.n_dice)
