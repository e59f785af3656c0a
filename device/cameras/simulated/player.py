"""A player at the simulated tray, who sets the kept dice aside and throws the others."""

from collections import Counter
from itertools import islice

from device.cameras.simulated.tray import SimulatedTray
from game.match.match import Match
from game.match.state import Throw
from game.rules.ruleset import Dice


def throw_like_a_player(tray: SimulatedTray, match: Match | None) -> None:
    """Throw the dice that the match expects: one in a roll-off, and all of them or those taken over when a turn begins.

    During a turn, the dice of the chosen keep are set aside first or, if no keep was chosen, the dice of
    the best keep.

    Args:
        tray: The simulated tray.
        match: The match; None in a roll-off.
    """
    if match is None:
        tray.gather()
        tray.throw(1)
        return
    last = match.state.turn.last
    if last is None:
        _throw_all(tray, match.state.dice_in_hand)
    elif tray.truth and len(tray.truth) != len(last.dice):
        tray.throw(len(tray.truth))  # the dice have been thrown again since they were read
    else:
        _throw_again(tray, match, last)


def _throw_again(tray: SimulatedTray, match: Match, last: Throw) -> None:
    if match.state.may_rethrow_last_die:
        tray.throw(1)
        return
    keep = last.keep or match.state.keeps[0]
    if keep.hot:
        _throw_all(tray, match.rules.n_dice)
    else:
        tray.set_aside(_true_faces(keep.dice, last.dice, tray.truth))
        tray.throw(keep.dice_left)


def _true_faces(kept: Dice, read: Dice, truth: Dice) -> Dice:
    """Return the true faces of the kept dice.

    They differ from `kept` if a person corrected the reading wrongly.

    Args:
        kept: The faces of the kept dice according to the match.
        read: The faces of all dice in the throw according to the match.
        truth: The faces of the dice that lie in the tray.
    """
    right = Counter(kept) & Counter(truth)
    others = (Counter(truth) - Counter(read)).elements()
    return (*right.elements(), *islice(others, len(kept) - right.total()))


def _throw_all(tray: SimulatedTray, n_dice: int) -> None:
    """Throw this many dice; the others stay in the hand, such as the sixth in a game with five dice."""
    tray.gather(aside=True)
    tray.throw(n_dice)
