"""Matches that play themselves, entry by entry: for benches, pictures and tests."""

from random import Random

from game.journal.wire import WireEntry
from game.match.events import Action, Banked, Kept, Thrown
from game.match.match import Match
from game.match.state import State
from game.rules.ruleset import Ruleset

BANKS_AT = 500
"""As many points as a careful player is content with."""


class SelfPlay:
    """A match that is played on, and every entry of it so far.

    Attributes:
        match: as it stands.
        entries: what happened, from the beginning.
    """

    def __init__(self, match: Match, match_id: str, began_s: float) -> None:
        self.match = match
        self.entries = [WireEntry.first(match_id, match, began_s)]

    def do(self, *actions: Action) -> WireEntry:
        """These actions as one step."""
        self.match = self.match.push(*actions)
        self.entries.append(self.entries[-1].then(*actions))
        return self.entries[-1]

    def play(self, random: Random) -> WireEntry:
        """One more step: a throw of what is to be thrown, or a bank once it is worth it."""
        state = self.match.state
        if _is_content(state):
            return self.do(Banked())
        best = state.bank_keep if state.turn.last and not state.turn.last.keep else None
        kept = (Kept(best.dice, assumed=True),) if best else ()
        n = self.match.push(*kept).state.dice_in_hand
        return self.do(*kept, Thrown(tuple(random.randint(1, 6) for _ in range(n))))


def _is_content(state: State) -> bool:
    best = state.bank_keep if state.turn.last else None
    if best is None or best.hot or state.bank_refusal():
        return False
    return state.locked_points + best.score >= BANKS_AT


def whole_match(
    rules: Ruleset,
    names: list[str],
    seed: int,
    began_s: float,
    teams: list[int] | None = None,
) -> SelfPlay:
    """Played to its end; the same for the same seed."""
    random = Random(seed)
    tape = SelfPlay(Match.start(rules, names, teams=teams), f"{seed:016x}", began_s)
    while tape.match.state.winner is None:
        tape.play(random)
    return tape
