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
from game.odds.match_model import Positions
from game.odds.match_odds import MatchOdds
from game.odds.throw_odds import last_turns
from game.odds.turn_solver import REFUSED, Stakes, TurnValues, n_rows, solve_turn, turn_outcomes
from game.rules.ruleset import LastRound

_NEVER = 1e-4
"""Chance that nobody is there yet, from where on it is not followed."""

_NEARLY_NONE = 1e-12

_MOST_TURNS = 300

_KNOTS = 14
"""Scores of each of two for which the race is compared with what is exact; the others lie between."""

_LEAST_PUT_RIGHT, _MOST_PUT_RIGHT = 0.5, 1.1
"""What is exact, as a part of what the race says: other is said only where both are next to nothing."""

_BROUGHT = 0, 12, 36
"""Steps that a turn may bring, for which what the others do then is worked out; between, it lies between."""

_HIGHEST = 80
"""Steps of a turn that hardly ever comes: more are taken to be banked."""

_MORE = 60
"""Steps beyond the target up to which one may throw on for a safer lead: 3,000 points in most sets."""


_ABOVE = 40
"""Steps above the target that are told apart; who gets further counts as there."""

_AHEAD = (0.0, 0.3, 0.5, 0.6, 0.7, 0.78, 0.85, 0.9, 0.94, 0.97, 0.99)
"""Where the best of the others may be on the way to the target, told apart so finely."""


@dataclass(frozen=True)
class Race:
    """What becomes of a player who throws turn after turn; scores in steps.

    Attributes:
        throws: the rules.
        follows: who throws after the target is reached.
        ahead: scores of the best of the others that are told apart.
        step: the chance to stand at another score after a turn, at [seat, ahead, from, to].
        reach: the chance that a turn gets so far above the target, at [seat, ahead, from, above].
        wins: the chance of a turn to throw what wins at once, at [seat, ahead, from].
        catching: the chance of a last turn to bring so many steps, at [on the board, steps].
        topping: the chance of a last turn to get from each score past so much above the target, and
            where to, at [from, above, above].
        exact: the chance of two, when a turn has ended, at [the other's seat, score, the other's].
        of_two: the same as a part of what the race says; nothing known is 1.

    The seat is 1 for whoever throws last in a round, where that makes a difference.
    """

    throws: CompiledRules
    follows: LastRound
    ahead: Indices
    step: Floats
    reach: Floats
    wins: Floats
    catching: Floats
    topping: Floats
    exact: Floats
    of_two: Floats

    @property
    def goal(self) -> int:
        return int(self.step.shape[2])

    @property
    def seats(self) -> int:
        return len(self.step)

    def seat(self, *, last: bool) -> int:
        """Of a player who throws last in a round, or before others."""
        return int(last) * (self.seats - 1)

    def against(self, best: float) -> int:
        """The number of the score told apart that is nearest."""
        return int(np.abs(self.ahead - best).argmin())

    @cached_property
    def caught(self) -> Floats:
        """The chance of a last turn from each score to get past each above, at [score, above]."""
        found: Floats = self.topping.sum(axis=2)
        return found

    def passing(self, score: int, others: Indices) -> Floats:
        """The chance of a last turn from this score to get past these."""
        short = np.clip(others - score + 1, 0, self.catching.shape[1] - 1)
        found: Floats = self.catching[int(score > 0), short]
        return found

    def places(self, scores: Sequence[int], seats: Sequence[int]) -> tuple[Floats, Indices]:
        """Where all are after 0, 1, 2... turns and short of the target, at [turns, player, score].

        And what each throws against in each turn, as a number of `ahead`: the best of the others.
        """
        at, against = [np.eye(self.goal)[list(scores)]], []
        while at[-1].sum(axis=1).prod() > _NEVER and len(at) < _MOST_TURNS:
            against.append(np.array([self.against(best) for best in _best_of_others(at[-1])]))
            turns = zip(at[-1], seats, against[-1], strict=True)
            at.append(np.array([one @ self.step[seat, level] for one, seat, level in turns]))
        return np.array([*at, np.zeros_like(at[0])]), np.array([*against, against[-1], against[-1]])


def _best_of_others(at: Floats) -> list[int]:
    """For each what the best of the others has as likely as not, if none is there yet."""
    among = np.maximum(at.sum(axis=1, keepdims=True), _NEARLY_NONE)
    below = (at / among).cumsum(axis=1)
    others = [np.delete(below, i, axis=0).prod(axis=0) for i in range(len(at))]
    return [int(np.searchsorted(each, 0.5)) for each in others]


def cached_race(wins: MatchOdds) -> Race:
    """The same, worked out once for a table."""
    found: Race = wins.__dict__.get("race") or build_race(wins)
    wins.__dict__["race"] = found
    return found


def build_race(wins: MatchOdds) -> Race:
    """That of a solved match."""
    model = wins.model
    goal = model.ending.goal
    ahead = np.unique((np.array(_AHEAD) * goal).astype(np.intp))
    seats = range(model.ending.seats)
    parts = [[_against(wins, int(other), seat) for other in ahead] for seat in seats]
    step, reach, won = (
        np.array([[against[i] for against in of_seat] for of_seat in parts]) for i in range(3)
    )
    last_round, catching = wins.rules.last_round, model.ending.catching
    exact = _exact(wins)
    topping = _topping(wins)
    found = Race(
        model.throws,
        last_round,
        ahead,
        step,
        reach,
        won,
        catching,
        topping,
        exact,
        np.ones_like(exact),
    )
    return replace(found, of_two=_of_two(found))


def _topping(wins: MatchOdds) -> Floats:
    """Where a last turn leads that is played to get past the best."""
    goal, followed = wins.model.ending.goal, wins.rules.last_round is not LastRound.NONE
    found = np.zeros((goal, _ABOVE, _ABOVE))
    if not followed:
        return found
    ended = [last_turns(wins.rules, goal + _ABOVE, opened=opened) for opened in (False, True)]
    for score in range(goal):
        banked = ended[score > 0]
        for above in range(_ABOVE):
            short = goal + above + 1 - score
            got = banked[short:, short]
            n = min(len(got), _ABOVE - 1 - above)
            found[score, above, above + 1 : above + 1 + n] = got[:n]
            found[score, above, -1] += got[n:].sum()
    return found


def _exact(wins: MatchOdds) -> Floats:
    """The chance of two when a turn has ended, at [the other's seat, score, the other's score]."""
    goal = wins.model.ending.goal
    numbers = np.array([wins.model.standings.find(n, opened=n > 0) for n in range(goal)])
    seats = [1 - np.array(of_seat[np.ix_(numbers, numbers)]).T for of_seat in wins.chances]
    return np.array(seats)


def _of_two(race: Race) -> Floats:
    """How the race is put right: who adapts to what the other has is better than who only races."""
    known = np.linspace(0, race.goal - 1, _KNOTS).astype(np.intp)
    found = np.ones_like(race.exact)
    for seat in range(race.seats):
        raced = [
            [Rivals(race, (theirs,), seat, mine).after_bank()[mine] for theirs in map(int, known)]
            for mine in map(int, known)
        ]
        exact = race.exact[seat][np.ix_(known, known)]
        found[seat] = _between(known, exact / np.maximum(raced, _NEARLY_NONE))
    return np.clip(found, _LEAST_PUT_RIGHT, _MOST_PUT_RIGHT)


def _between(known: Indices, values: Floats) -> Floats:
    """The values between those known, at [score, the other's]."""
    every = np.arange(known[-1] + 1)
    rows = np.array([np.interp(every, known, row) for row in values])
    return np.array([np.interp(every, known, column) for column in rows.T]).T


def _against(wins: MatchOdds, other: int, seat: int) -> tuple[Floats, Floats, Floats]:
    """Where a turn leads from each score against one who has so much."""
    model, goal = wins.model, wins.model.ending.goal
    numbers = np.array([model.standings.find(n, opened=n > 0) for n in range(goal)])
    nothing = np.zeros(goal, np.intp)
    boards = Positions(nothing + seat, numbers, nothing + numbers[other])
    boards = wins.stakes.sorted_by_top(boards, wins.chances)
    highest = min(goal, _HIGHEST) + _MORE
    lost = model.value_of_farkle(boards, wins.chances)
    stakes = wins.stakes.stakes(boards, wins.chances, lost, highest=highest)
    ended = turn_outcomes(model.throws, stakes, solve_turn(model.throws, stakes))
    order = np.argsort(model.standings.score[boards.mine])
    banked, won, reset = ended.banked[:, order].T, ended.won[order], ended.reset[order]
    step, reach = np.zeros((goal, goal)), np.zeros((goal, _ABOVE))
    for score in range(goal):
        to_go = goal - score
        few = min(to_go, banked.shape[1])
        step[score, score : score + few] = banked[score, :few]
        above = banked[score, to_go:][:_ABOVE]
        reach[score, : len(above)] = above
        reach[score, -1] += banked[score, to_go:][_ABOVE:].sum()
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
        mine: what the player has, as far as it matters to them.
    """

    race: Race
    scores: tuple[int, ...]
    later: int
    mine: int

    @cached_property
    def _places(self) -> tuple[Floats, Indices]:
        seats = [self._seat(i) for i in range(len(self.scores))]
        mine = self.race.seat(last=not self.later)
        return self.race.places((*self.scores, self.mine), [*seats, mine])

    def _seat(self, i: int) -> int:
        return self.race.seat(last=i == self.later - 1)

    @cached_property
    def _short(self) -> Floats:
        """The chance of each to be short of the target after so many turns, at [turns, player]."""
        found: Floats = self._places[0].sum(axis=2)
        return found

    @cached_property
    def _past(self) -> Floats:
        """And then to get past so much above it in a last turn, at [turns, player, above]."""
        found: Floats = self._places[0] @ self.race.caught
        return found

    def _against(self, i: int, turns: int) -> int:
        """What one throws against after so many turns; -1 is the player."""
        return int(self._places[1][turns, i])

    def _still(self, i: int, turns: int, *, follows: bool) -> Floats:
        """Chance that one is short after so many turns, and does not get past if it follows, at [above]."""
        short: Floats = self._short[turns, i] - follows * self._past[turns, i]
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
        found = np.ones(self.race.reach.shape[3])
        for i in range(len(self.scores)):
            found = found * self._still(i, turns, follows=self._follows(i))
        return found

    @cached_property
    def _topped(self) -> Floats:
        """Where a last turn of each rival leads after so many turns, at [turns, rival, above, above]."""
        places, race = self._places[0][:, :-1], self.race
        above = race.topping.shape[1]
        flat = places.reshape(-1, race.goal) @ race.topping.reshape(race.goal, -1)
        return flat.reshape(*places.shape[:2], above, above)

    def _passed(self, turns: int) -> Floats:
        """Chance that one of them gets there in this turn and the player has most in the end, at [score].

        Whoever follows wants to get past the best so far, whoever that is by then.
        """
        race = self.race
        if race.follows is LastRound.NONE:
            return np.zeros(race.goal)
        first = self.later if race.follows is LastRound.LATER_IN_ROUND else 0
        both = np.zeros(race.topping.shape[1:])
        for i in range(first, len(self.scores)):
            held = np.ones(len(both))
            for j in range(i):
                held = held * self._still(j, turns, follows=self._follows(j))
            both += np.outer(self._to_top(i, turns), held)
        found: Floats = race.topping.reshape(race.goal, -1) @ both.ravel()
        return found

    def _to_top(self, i: int, turns: int) -> Floats:
        """What the best has when the player follows one who got there in this turn, at [above]."""
        reach = self.race.reach[self._seat(i), self._against(i, turns - 1)]
        best: Floats = self._places[0][turns - 1, i] @ reach
        for j in range(i + 1, len(self.scores)):
            best = (
                best * self._still(j, turns - 1, follows=True) + best @ self._topped[turns - 1, j]
            )
        return best

    def after_bank(self) -> Floats:
        """The chance to win of who has just ended a turn with each score, at [score]."""
        race, seat = self.race, self.race.seat(last=not self.later)
        found = np.zeros(race.goal)
        for n in range(len(self._places[0]) - 1, 0, -1):
            alone = float(self._short[n, :-1].prod())
            at = seat, self._against(-1, n)
            mine = race.reach[at] @ self.holding(n) + race.wins[at] * alone
            found = mine + self._passed(n) + race.step[at] @ found
        return found

    def put_right(self) -> Floats:
        """What the race must be multiplied by, the more for each rival the more dangerous it is.

        Only who begins the round, and is followed by all, is better off than the race says.
        """
        race = self.race
        seats = [race.seat(last=i < self.later) for i in range(len(self.scores))]
        exact = np.array([race.exact[at][:, n] for at, n in zip(seats, self.scores, strict=True)])
        of_two = np.array([race.of_two[at][:, n] for at, n in zip(seats, self.scores, strict=True)])
        if race.seats == 1 or self.later < len(self.scores):
            of_two = np.minimum(of_two, 1.0)
        weight = (1 - exact) / np.maximum((1 - exact).max(axis=0), _NEARLY_NONE)
        found: Floats = np.prod(of_two**weight, axis=0)
        return found

    def after_target(self, score: Indices) -> Floats:
        """The same of who has just reached the target or, in a last round, leads with so much."""
        found = np.ones(len(score))
        for i, other in enumerate(self.scores):
            if self._follows(i):
                found = found * (1 - self.race.passing(other, score))
        return found


@dataclass(frozen=True, slots=True)
class RaceTurn:
    """A turn against several: what its ends are worth, and every point of it; one board."""

    stakes: Stakes
    worth: TurnValues

    @property
    def banked(self) -> Floats:
        """The chance to win by banking, at [steps]."""
        return self.stakes.bank[:, 0]


def race_turn(
    race: Race, mine: int, rivals: Sequence[int], later: int, *, opened: bool, most: int = 0
) -> RaceTurn:
    """The turn of a player against these, who throws next first; so many throw in this round still."""
    others = Rivals(race, tuple(rivals), later, mine)
    top = race.goal - mine + _MORE * (race.follows is not LastRound.NONE)
    most = max(most, race.throws.needed(opened=opened))
    score = mine + np.arange(n_rows(race.throws, max(top, most)))
    going_on = _after_turn(race, mine, others)
    reached = others.after_target(np.maximum(score, race.goal))
    bank = np.where(score < race.goal, going_on[np.minimum(score, race.goal - 1)], reached)
    return _played(race, bank, (going_on[mine], going_on[0]), max(top, most), opened=opened)


def _after_turn(race: Race, mine: int, others: Rivals) -> Floats:
    """The chance to win of who had so much and has ended a turn with each score, at [score]."""
    known = np.unique(np.minimum(mine + np.array(_BROUGHT), race.goal - 1))
    found = np.array([replace(others, mine=int(n)).after_bank() for n in known])
    every = np.arange(race.goal)
    above = np.clip(np.searchsorted(known, every), 1, len(known) - 1)
    share = np.clip(
        (every - known[above - 1]) / np.maximum(known[above] - known[above - 1], 1), 0, 1
    )
    between: Floats = (1 - share) * found[above - 1, every] + share * found[above, every]
    return between * others.put_right()


def last_race_turn(
    race: Race, mine: int, best: int, rivals: Sequence[int], *, opened: bool, most: int = 0
) -> RaceTurn:
    """The same of a last turn: to get past the best, and not to be caught by those who follow."""
    others = Rivals(race, tuple(rivals), len(rivals), mine)
    top = max(best + 1 - mine + _MORE, most, race.throws.needed(opened=opened))
    score = mine + np.arange(n_rows(race.throws, top))
    bank = np.where(score > best, others.after_target(score), 0.0)
    return _played(race, bank, (0.0, 0.0), top, opened=opened)


def _played(
    race: Race, bank: Floats, nothing: tuple[float, float], top: int, *, opened: bool
) -> RaceTurn:
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
    return RaceTurn(stakes, solve_turn(throws, stakes))
