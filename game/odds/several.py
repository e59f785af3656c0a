"""The chance to win where more than two play: each races for the target, and the rest is multiplication.

Every player is taken to throw as the best player of two would against the best of the others, wherever
that one is likely to be by then. So where somebody stands after so many turns is a chance of its own; who
wins is who gets there first and, after a last round, is not caught. Only the turn that is played now is
played as well as can be, against all of them.

Exact would be the scores of all players, two hundred times as many boards for each of them. How far this
is off stands in docs/odds.md, measured by `traykeeper bench players`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from game.odds.compiled_rules import CompiledRules, Floats, Indices
from game.odds.match_odds import MatchOdds
from game.odds.match_solver import Positions
from game.odds.turn_solver import REFUSED, Stakes, Worth, outcomes, play, rows
from game.rules.ruleset import LastRound

_NEVER = 1e-6
"""Chance that somebody is still under way, from where on it is not followed."""

_MOST_TURNS = 300

_KNOTS = 30
"""Scores of the other for which the race is compared with what is exact; the others lie between."""

_HIGHEST = 80
"""Steps of a turn that hardly ever comes: more are taken to be banked."""

_MORE = 60
"""Steps beyond the target up to which one may throw on for a safer lead: 3,000 points in most sets."""


_AHEAD = (0.0, 0.3, 0.5, 0.6, 0.7, 0.78, 0.85, 0.9, 0.94, 0.97, 0.99)
"""Where the best of the others may be on the way to the target, told apart so finely."""


@dataclass(frozen=True)
class Race:
    """What becomes of a player who throws turn after turn; scores in steps.

    Attributes:
        throws: the rules.
        follows: who throws after the target is reached.
        ahead: scores of the best of the others that are told apart.
        step: the chance to stand at another score after a turn, at [ahead, from, to].
        reach: the chance that a turn gets so far above the target, at [ahead, from, above].
        wins: the chance of a turn to throw what wins at once, at [ahead, from].
        catching: the chance of a last turn to bring so many steps, at [on the board, steps].
        exact: the chance of two, when a turn has ended, at [score, the other's score].
        of_two: the same as a part of what the race says; nothing known is 1.
    """

    throws: CompiledRules
    follows: LastRound
    ahead: Indices
    step: Floats
    reach: Floats
    wins: Floats
    catching: Floats
    exact: Floats
    of_two: Floats

    @property
    def goal(self) -> int:
        return int(self.step.shape[1])

    def against(self, best: float) -> int:
        """The number of the score told apart that is nearest."""
        return int(np.abs(self.ahead - best).argmin())

    @cached_property
    def caught(self) -> Floats:
        """The chance of a last turn from each score to get past each above, at [score, above]."""
        above = np.arange(self.reach.shape[2])
        return np.array([self.passing(score, self.goal + above) for score in range(self.goal)])

    def passing(self, score: int, others: Indices) -> Floats:
        """The chance of a last turn from this score to get past these."""
        short = np.clip(others - score + 1, 0, self.catching.shape[1] - 1)
        found: Floats = self.catching[int(score > 0), short]
        return found

    def places(self, scores: Sequence[int]) -> tuple[Floats, Indices]:
        """Where all are after 0, 1, 2... turns and short of the target, at [turns, player, score].

        And what they throw against in each turn, as a number of `ahead`: the best of them all.
        """
        at, against = [np.eye(self.goal)[list(scores)]], []
        while at[-1].sum(axis=1).max() > _NEVER and len(at) < _MOST_TURNS:
            against.append(self.against(_best(at[-1])))
            at.append(at[-1] @ self.step[against[-1]])
        return np.array([*at, np.zeros_like(at[0])]), np.array([*against, against[-1], against[-1]])


def _best(at: Floats) -> int:
    """What the best of these has as likely as not, if none is there yet."""
    among = np.maximum(at.sum(axis=1, keepdims=True), _NEVER)
    return int(np.searchsorted((at / among).cumsum(axis=1).prod(axis=0), 0.5))


def race_of(wins: MatchOdds) -> Race:
    """The same, worked out once for a table."""
    found: Race = wins.__dict__.get("race") or race(wins)
    wins.__dict__["race"] = found
    return found


def race(wins: MatchOdds) -> Race:
    """That of a solved match."""
    goal, duel = wins.duel.ending.goal, wins.duel
    ahead = np.unique((np.array(_AHEAD) * goal).astype(np.intp))
    parts = [_against(wins, int(other)) for other in ahead]
    step, reach, won = (np.stack(each) for each in zip(*parts, strict=True))
    last_round, catching = wins.rules.last_round, duel.ending.catching
    exact = _exact(wins)
    found = Race(
        duel.throws, last_round, ahead, step, reach, won, catching, exact, np.ones_like(exact)
    )
    return replace(found, of_two=_of_two(found, duel.ending.seats - 1))


def _exact(wins: MatchOdds) -> Floats:
    """The chance of two when a turn has ended, at [score, the other's score]."""
    goal, seat = wins.duel.ending.goal, wins.duel.ending.seats - 1
    numbers = np.array([wins.duel.holdings.find(n, opened=n > 0) for n in range(goal)])
    return 1 - np.array(wins.chances[seat][np.ix_(numbers, numbers)]).T


def _of_two(race: Race, later: int) -> Floats:
    """How the race is put right: who adapts to what the other has is better than who only races."""
    known = np.linspace(0, race.goal - 1, _KNOTS).astype(np.intp)
    raced = np.array([Rivals(race, (int(n),), later).after_bank() for n in known]).T
    ratio = np.clip(race.exact[:, known] / np.maximum(raced, _NEVER), 0, 2)
    every = np.arange(race.goal)
    return np.array([np.interp(every, known, of_mine) for of_mine in ratio])


def _against(wins: MatchOdds, other: int) -> tuple[Floats, Floats, Floats]:
    """Where a turn leads from each score against one who has so much."""
    duel, goal = wins.duel, wins.duel.ending.goal
    numbers = np.array([duel.holdings.find(n, opened=n > 0) for n in range(goal)])
    nothing = np.zeros(goal, np.intp)
    boards = Positions(nothing, numbers, nothing + numbers[other])
    boards = duel.sorted_by_top(boards, wins.chances)
    highest = min(goal, _HIGHEST) + _MORE
    lost = duel.lost(boards, wins.chances)
    stakes = duel.stakes(boards, wins.chances, lost, highest=highest)
    ended = outcomes(duel.throws, stakes, play(duel.throws, stakes))
    order = np.argsort(duel.holdings.score[boards.mine])
    banked, won, reset = ended.banked[:, order].T, ended.won[order], ended.reset[order]
    step, reach = np.zeros((goal, goal)), np.zeros((goal, _MORE * 2))
    for score in range(goal):
        to_go = goal - score
        few = min(to_go, banked.shape[1])
        step[score, score : score + few] = banked[score, :few]
        above = banked[score, to_go:][: _MORE * 2]
        reach[score, : len(above)] = above
        reach[score, -1] += banked[score, to_go:][_MORE * 2 :].sum()
    step[:, 0] += reset
    step[np.diag_indices(goal)] += 1 - step.sum(axis=1) - reach.sum(axis=1) - won
    return step, reach, won


@dataclass(frozen=True)
class Rivals:
    """The others, as the player on turn sees them.

    Attributes:
        race: of the rules.
        scores: theirs, who throws next first.
        later: how many of them throw in this round still.
    """

    race: Race
    scores: tuple[int, ...]
    later: int

    @cached_property
    def _places(self) -> tuple[Floats, Indices]:
        return self.race.places(self.scores)

    def _after(self, i: int, turns: int) -> Floats:
        at: Floats = self._places[0][min(turns, len(self._places[0]) - 1), i]
        return at

    def _against(self, turns: int) -> int:
        """What all throw against after so many turns."""
        return int(self._places[1][min(turns, len(self._places[1]) - 1)])

    def _still(self, i: int, turns: int, *, follows: bool) -> Floats:
        """Chance that one is short after so many turns, and does not get past if it follows, at [above]."""
        at = self._after(i, turns)
        short: Floats = np.full(self.race.reach.shape[2], at.sum())
        if follows:
            short -= at @ self.race.caught
        return short

    def _follows(self, i: int) -> bool:
        """Whether one throws once more after the player."""
        match self.race.follows:
            case LastRound.NONE:
                return False
            case LastRound.LATER_IN_ROUND:
                return i < self.later
        return True

    def holding(self, turns: int) -> Floats:
        """Chance that all are short after so many turns and none gets past, at [above]."""
        found = np.ones(self.race.reach.shape[2])
        for i in range(len(self.scores)):
            found = found * self._still(i, turns, follows=self._follows(i))
        return found

    def _passed(self, turns: int) -> Floats:
        """Chance that one of them gets there in this turn and is caught by the player, at [score]."""
        race = self.race
        found = np.zeros(race.goal)
        first = self.later if race.follows is LastRound.LATER_IN_ROUND else 0
        if race.follows is LastRound.NONE:
            return found
        for i in range(first, len(self.scores)):
            level = self._against(turns - 1)
            there = self._after(i, turns - 1) @ race.reach[level]
            for j in range(len(self.scores)):
                if j > i:
                    there = there * self._still(j, turns - 1, follows=True)
                elif j < i:
                    there = there * self._still(j, turns, follows=self._follows(j) or not first)
            found += race.caught @ there
        return found

    def after_bank(self) -> Floats:
        """The chance to win of who has just ended a turn with each score, at [score]."""
        race = self.race
        found = np.zeros(race.goal)
        for n in range(len(self._places[0]) - 1, 0, -1):
            alone = float(np.prod([self._after(i, n).sum() for i in range(len(self.scores))]))
            level = self._against(n)
            mine = race.reach[level] @ self.holding(n) + race.wins[level] * alone
            found = mine + self._passed(n) + race.step[level] @ found
        return found * self._put_right(race.of_two, race.exact)

    def _put_right(self, of_two: Floats, exact: Floats) -> Floats:
        """What the race must be multiplied by, the more for each rival the more dangerous it is."""
        others = list(self.scores)
        danger = 1 - exact[:, others]
        weight = danger / np.maximum(danger.max(axis=1, keepdims=True), _NEVER)
        found: Floats = np.prod(of_two[:, others] ** weight, axis=1)
        return found

    def after_target(self, score: Indices) -> Floats:
        """The same of who has just reached the target or, in a last round, leads with so much."""
        found = np.ones(len(score))
        for i, other in enumerate(self.scores):
            if self._follows(i):
                found = found * (1 - self.race.passing(other, score))
        return found


@dataclass(frozen=True, slots=True)
class TurnOfSeveral:
    """A turn against several: what its ends are worth, and every point of it; one board."""

    stakes: Stakes
    worth: Worth

    @property
    def banked(self) -> Floats:
        """The chance to win by banking, at [steps]."""
        return self.stakes.bank[:, 0]


def turn_of_several(
    race: Race, mine: int, rivals: Sequence[int], later: int, *, opened: bool, most: int = 0
) -> TurnOfSeveral:
    """The turn of a player against these, who throws next first; so many throw in this round still."""
    others = Rivals(race, tuple(rivals), later)
    top = race.goal - mine + _MORE * (race.follows is not LastRound.NONE)
    most = max(most, race.throws.needed(opened=opened))
    score = mine + np.arange(rows(race.throws, max(top, most)))
    going_on = others.after_bank()
    reached = others.after_target(np.maximum(score, race.goal))
    bank = np.where(score < race.goal, going_on[np.minimum(score, race.goal - 1)], reached)
    return _played(race, bank, (going_on[mine], going_on[0]), max(top, most), opened=opened)


def last_turn_of_several(
    race: Race, mine: int, best: int, rivals: Sequence[int], *, opened: bool, most: int = 0
) -> TurnOfSeveral:
    """The same of a last turn: to get past the best, and not to be caught by those who follow."""
    others = Rivals(race, tuple(rivals), len(rivals))
    top = max(best + 1 - mine + _MORE, most, race.throws.needed(opened=opened))
    score = mine + np.arange(rows(race.throws, top))
    bank = np.where(score > best, others.after_target(score), 0.0)
    return _played(race, bank, (0.0, 0.0), top, opened=opened)


def _played(
    race: Race, bank: Floats, nothing: tuple[float, float], top: int, *, opened: bool
) -> TurnOfSeveral:
    """The best turn, where to bring nothing, and to lose all points, is worth so much."""
    throws = race.throws
    needed, steps = throws.needed(opened=opened), np.arange(len(bank))
    lost, reset = (np.array([worth]) for worth in nothing)
    stakes = Stakes(
        bank=np.where(steps < needed, REFUSED, bank)[:, None],
        lost=lost,
        reset=reset,
        top=np.array([top]),
        thrown_above={left: np.tile(lost, (len(bank), 1)) for left in {0, *throws.must_throw}},
    )
    return TurnOfSeveral(stakes, play(throws, stakes))
