"""A player who sees only the dice and keeps a separate account of the match."""

from collections.abc import Callable
from time import sleep

from device.cameras.simulated.player import throw_like_a_player
from game.match.match import Match
from tests.handled_tray import HandledTray

IN_FLIGHT_S = 0.1
"""Time before the player presses, so that the dice have left the hand."""

ENOUGH = 400
"""Points at which this player banks. Matches end soon, with farkles, hot dice and refusals."""


def play_to_the_end(
    tray: HandledTray,
    account: Match,
    *,
    mark: Callable[[], object],
    bank: Callable[[], object],
    throw: Callable[[Match], object] | None = None,
    check: Callable[[Match], object] = lambda _: None,
    pause: Callable[[float], object] = sleep,
) -> Match:
    """Play until somebody has won, and return the player's account of the match.

    Args:
        tray: The tray that shows the true faces.
        account: The match as it begins.
        mark: Tells the companion that a throw was made.
        bank: Tells the companion that the turn is banked.
        throw: Throws the dice in hand; the default throws them in the tray.
        check: Called with the account after each throw.
        pause: Waits for a number of seconds.
    """
    throw = throw or (lambda account: throw_like_a_player(tray, account))
    while account.state.winner is None:
        throw(account)
        pause(IN_FLIGHT_S)
        if account.state.turn.last:
            account = account.keep(account.state.keeps[0].dice)
        account = account.throw(tray.truth)
        mark()
        check(account)
        if _has_enough(account):
            account = account.bank()
            bank()
            check(account)
    return account


def _has_enough(account: Match) -> bool:
    state = account.state
    if state.bank_refusal():
        return False
    return state.turn.locked_points + state.best_bank_keep.score >= ENOUGH
