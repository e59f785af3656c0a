"""Plays all seats of a match by a simple strategy, step by step, for benchmarks, pictures and tests."""

from random import Random

from game.journal.entry import WireEntry
from game.match.events import Action, Banked, Kept, Thrown
from game.match.match import Match
from game.match.state import State
from game.rules.ruleset import Ruleset

BANKS_AT = 500
"""Points at risk from which the program banks, like a careful player."""


class SelfPlay:
    """A match in which a simple strategy plays all seats, with the journal entries so far.

    Args:
        match: The match before its first step.
        match_id: Identifier of the match in its journal entries.
        began_s: When the match began, in seconds since 1970.

    Attributes:
        match: The match after the last entry.
        entries: All journal entries, in order.
    """

    def __init__(self, match: Match, match_id: str, began_s: float) -> None:
        self.match = match
        self.entries = [WireEntry.first(match_id, match, began_s)]

    def do(self, *actions: Action) -> WireEntry:
        """Apply actions as one step, and return the journal entry of the step."""
        self.match = self.match.push(*actions)
        self.entries.append(self.entries[-1].then(*actions))
        return self.entries[-1]

    def play(self, random: Random) -> WireEntry:
        """Bank if `BANKS_AT` points are at risk and the rules allow it, otherwise throw; return the journal entry.

        After hot dice, the player always throws again.
        """
        state = self.match.state
        if _should_bank(state):
            return self.do(Banked())
        best = state.best_bank_keep if state.turn.last and not state.turn.last.keep else None
        kept = (Kept(best.dice, assumed=True),) if best else ()
        n = self.match.push(*kept).state.dice_in_hand
        return self.do(*kept, Thrown(tuple(random.randint(1, 6) for _ in range(n))))


def _should_bank(state: State) -> bool:
    best = state.best_bank_keep if state.turn.last else None
    if best is None or best.hot or state.bank_refusal():
        return False
    return state.bank_points(best) >= BANKS_AT


def whole_match(
    rules: Ruleset,
    names: list[str],
    seed: int,
    began_s: float,
    teams: list[int] | None = None,
) -> SelfPlay:
    """Play a whole match, with all seats played by a simple strategy.

    Args:
        rules: The rules of the match.
        names: Names of the players, in the order of their seats.
        seed: Seed for the dice. The same seed gives the same match.
        began_s: When the match began, in seconds since 1970.
        teams: Number of each player's team, or None if everybody plays alone.
    """
    random = Random(seed)
    played = SelfPlay(Match.start(rules, names, teams=teams), f"{seed:016x}", began_s)
    while played.match.state.winner is None:
        played.play(random)
    return played
