"""What players did over many matches: sums that add up, beside what chance would expect."""

from collections.abc import Iterable
from dataclasses import dataclass

from game.match.match import Match
from game.match.state import State, Turn, TurnEnding, count_hot_dice
from game.match.step import step
from game.odds.throw_odds import farkle_within
from game.rules.ruleset import Ruleset
from game.rules.scoring import keep_table


@dataclass(frozen=True, slots=True)
class Tally:
    """One player's part in one match, or in many.

    Attributes:
        matches, won: those that somebody has won, and those this player has.
        turns: finished, those passed over left out.
        banks, banked: how many of them were banked, and their points.
        throws, farkles: throws of the turns, both tries of a last die as one, and those that farkled.
        expected: farkles that exact chances expect of just these throws.
        hot: throws after which all dice had scored.
        best_turn: points of the best bank.
        comeback: by how many points this player was once behind in a match that was won.
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
        return Tally(
            self.matches + other.matches,
            self.won + other.won,
            self.turns + other.turns,
            self.banks + other.banks,
            self.banked + other.banked,
            self.throws + other.throws,
            self.farkles + other.farkles,
            self.expected + other.expected,
            self.hot + other.hot,
            max(self.best_turn, other.best_turn),
            max(self.comeback, other.comeback),
        )

    @property
    def average_bank(self) -> float:
        """Points of a bank; 0 where there was none."""
        return self.banked / self.banks if self.banks else 0.0

    @property
    def average_turn(self) -> float:
        """Points of a turn, farkles counted as 0."""
        return self.banked / self.turns if self.turns else 0.0

    @property
    def farkle_rate(self) -> float:
        return self.farkles / self.throws if self.throws else 0.0

    @property
    def expected_rate(self) -> float:
        """What exact chances make of the same throws."""
        return self.expected / self.throws if self.throws else 0.0


def tallies(match: Match) -> tuple[Tally, ...]:
    """One for each seat."""
    state = match.state
    sums = [_result(match, seat) for seat in range(len(state.players))]
    for turn in state.turns:
        sums[turn.seat] += _of_turn(turn, match.rules)
    return tuple(sums)


def _result(match: Match, seat: int) -> Tally:
    """Who has won, and from how far behind."""
    state = match.state
    if state.winner is None:
        return Tally()
    if seat not in state.team_seats(state.winner):
        return Tally(matches=1)
    return Tally(matches=1, won=1, comeback=max(_behind(match, seat)))


def _behind(match: Match, seat: int) -> Iterable[int]:
    """Points to the leader after every turn."""
    state: State = match.start_state
    yield 0
    for event in match.timeline:
        n_turns = len(state.turns)
        state = step(state, event)
        if len(state.turns) > n_turns and seat < len(state.players):
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
    """Whether its last throw had nothing to keep; that of a charity roll may have had too little."""
    last = turn.last
    lacked = last is None or last.keep is not None or not keep_table(rules)[last.dice]
    return turn.ending is TurnEnding.FARKLE and lacked


def _sizes(turn: Turn, rules: Ruleset) -> list[int]:
    """How many dice each throw had; that of a farkle told by hand is one that nobody read."""
    last = turn.last
    if last is None:
        return [turn.dice or rules.n_dice] if turn.ending is TurnEnding.FARKLE else []
    sizes = [len(throw.dice) for throw in turn.throws[:-1] if throw.keep] + [len(last.dice)]
    if turn.ending is TurnEnding.FARKLE and last.keep:
        sizes.append(last.keep.dice_left or rules.n_dice)
    return sizes
