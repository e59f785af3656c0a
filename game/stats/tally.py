"""The results of players over many matches, compared with the results that exact chances predict."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

from game.match.match import Match, replay
from game.match.state import Turn, TurnEnding, count_hot_dice, keeps_after
from game.odds.throw_odds import farkle_within
from game.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of what one player did in one or more matches.

    Attributes:
        matches: Number of matches that somebody has won.
        won: Number of matches that this player or the player's team has won.
        turns: Number of finished turns, not counting skipped turns.
        banks: Number of turns that were banked with points.
        banked: Points of these turns, added up.
        throws: Number of throws. Both tries of a last die count as one throw.
        farkles: Number of throws that farkled.
        expected: Number of farkles that exact chances predict for these throws.
        hot: Number of throws after which all dice had scored.
        best_turn: Points of the best bank.
        comeback: Largest deficit, in points, from which the player still won a match.
    """

    matches: int = 0
    won: int = 0
    turns: int = 0
    banks: int = 0
    banked: int = 0
    throws: int = 0
    farkles: int = 0
    expected: float = 0.0
    hot: int = 0
    best_turn: int = 0
    comeback: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        sums = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        sums["best_turn"] = max(self.best_turn, other.best_turn)
        sums["comeback"] = max(self.comeback, other.comeback)
        return Tally(**sums)

    @property
    def average_bank(self) -> float:
        """Average points per bank, or 0 if there was none."""
        return self.banked / self.banks if self.banks else 0.0

    @property
    def average_turn(self) -> float:
        """Average points per turn. Farkles count as 0."""
        return self.banked / self.turns if self.turns else 0.0

    @property
    def farkle_rate(self) -> float:
        """Share of throws that farkled."""
        return self.farkles / self.throws if self.throws else 0.0

    @property
    def expected_rate(self) -> float:
        """Expected share of throws that farkle, according to exact chances."""
        return self.expected / self.throws if self.throws else 0.0


def tallies(match: Match) -> tuple[Tally, ...]:
    """Return the tally of each seat in a match."""
    state = match.state
    sums = [_result(match, seat) for seat in range(len(state.players))]
    for turn in state.turns:
        sums[turn.seat] += _of_turn(turn, match.rules)
    return tuple(sums)


def _result(match: Match, seat: int) -> Tally:
    """Return the result of a match as a tally: whether a seat has won, and after what deficit."""
    state = match.state
    if state.winner is None:
        return Tally()
    if seat not in state.team_seats(state.winner):
        return Tally(matches=1)
    return Tally(matches=1, won=1, comeback=max(points_behind(match, seat)))


def points_behind(match: Match, seat: int) -> Iterator[int]:
    """Yield the points by which a seat is behind the leader, at the beginning and after every turn.

    Args:
        match: The match.
        seat: The seat, from 0.
    """
    yield 0
    for before, _, state in replay(match):
        if len(state.turns) > len(before.turns) and seat < len(state.players):
            yield max(player.score for player in state.players) - state.players[seat].score


def _of_turn(turn: Turn, rules: Ruleset) -> Tally:
    if turn.ending is TurnEnding.SKIP:
        return Tally()
    sizes = _sizes(turn, rules)
    return Tally(
        turns=1,
        banks=int(turn.points > 0),
        banked=max(turn.points, 0),
        throws=len(sizes),
        farkles=int(_farkled(turn, rules)),
        expected=float(sum(farkle_within(rules, n_dice, 1) for n_dice in sizes)),
        hot=count_hot_dice(turn.throws),
        best_turn=max(turn.points, 0),
    )


def _farkled(turn: Turn, rules: Ruleset) -> bool:
    """Return whether the last throw of a turn farkled.

    A charity roll with too few points did not.
    """
    last = turn.last
    lacked = (
        last is None or last.keep is not None or not keeps_after(turn.throws[:-1], last.dice, rules)
    )
    return turn.ending is TurnEnding.FARKLE and lacked


def _sizes(turn: Turn, rules: Ruleset) -> list[int]:
    """Return the number of dice in each throw of a turn.

    A farkle entered by hand counts as one unread throw.
    """
    last = turn.last
    if last is None:
        return [turn.dice or rules.n_dice] if turn.ending is TurnEnding.FARKLE else []
    sizes = [len(throw.dice) for throw in turn.throws[:-1] if throw.keep] + [len(last.dice)]
    if turn.ending is TurnEnding.FARKLE and last.keep:
        sizes.append(last.keep.dice_left or rules.n_dice)
    return sizes
