"""The pace of scoring: the average points of a turn, and the average points that it loses to penalties.

These averages assume a player who banks as soon as the rules allow. `game.rules.playability` uses
them to refuse rules under which penalties take more points than turns score, or hardly any turn can
be banked.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import inf

from game.rules import scoring
from game.rules.ruleset import PENALTY_STREAK, Ruleset, Win
from game.rules.scoring import Effect, count_orders, must_throw_reason

_MAX_BEST_THROWS = 2
"""A minimum bank that is more than this many times the best throw is treated as out of reach."""

MAX_SUMS = 2_000
"""Largest number of stages of a turn (points at risk and number of dice) that are worked out, at
half a millisecond each. No published game reaches 1,000."""

Offer = tuple[tuple[int, int], ...]
"""For each legal keep of a throw, best first: its points, and the number of dice that it leaves."""

ThrowOutcome = tuple[Offer, bool, bool]
"""The keeps of a throw, whether it incurs the penalty for three 3s, and whether it resets the
score."""


@dataclass(frozen=True, slots=True)
class TurnAverages:
    """The average result of a turn, or of the rest of a turn.

    Attributes:
        points: Average points banked.
        farkles: Chance of a farkle.
        penalties: Average number of throws that incur the penalty for three 3s.
        resets: Chance of a throw that resets the score.
    """

    points: float = 0.0
    farkles: float = 0.0
    penalties: float = 0.0
    resets: float = 0.0


class Pace:
    """How fast a player who is on the board scores under a rule set."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self._averages = cache(self._throw)

    @cached_property
    def turn(self) -> TurnAverages:
        """The averages of a whole turn. They are all 0 if the minimum bank is out of reach."""
        if not self._is_in_reach:
            return TurnAverages()
        for at_risk, n in sorted(self._reachable, key=lambda point: (-point[0], point[1])):
            self._averages(at_risk, n)  # highest first, so that the recursion stays shallow
        return self._averages(0, self.rules.n_dice)

    @property
    def takes_long(self) -> bool:
        """Whether a turn has so many possible stages that working out `turn` would take too long."""
        return self._is_in_reach and len(self._reachable) > MAX_SUMS

    @cached_property
    def to_open(self) -> "Pace":
        """The pace of a player who is not on the board yet."""
        least = max(self.rules.opening, self.rules.minimum_bank)
        return Pace(replace(self.rules, minimum_bank=least))

    @property
    def opening_chance(self) -> float:
        """An upper bound on the chance that a turn gets a player on the board."""
        to_open = self.to_open
        return min(1.0, to_open.turn.points / max(to_open.rules.minimum_bank, 1))

    @cached_property
    def costs(self) -> dict[str, float]:
        """Average number of points lost per turn to each penalty, by the rule option that imposes it.

        A reset is assumed to cost half the target. If scores cannot fall below zero, no penalty
        costs more than a reset.
        """
        rules, turn = self.rules, self.turn
        reset = rules.target / 2
        most = inf if rules.below_zero else reset
        return {
            "triple_threes": min(rules.triple_threes, most) * turn.penalties,
            "three_farkles": min(rules.three_farkles, most) * _streak_rate(turn.farkles),
            "scoreless_start": min(rules.scoreless_start, most) * self._scoreless_start,
            "three_scoreless_starts": min(rules.three_scoreless_starts, most)
            * _streak_rate(self._scoreless_start),
            "four_twos_reset": reset * turn.resets,
        }

    @property
    def _scoreless_start(self) -> float:
        """Chance that the first throw of a turn scores nothing."""
        outcomes = self._outcomes[self.rules.n_dice]
        return sum(chance for (offer, *_), chance in outcomes.items() if not offer)

    @cached_property
    def _outcomes(self) -> dict[int, dict[ThrowOutcome, float]]:
        """Number of dice -> outcome of a throw -> its chance."""
        found: dict[int, Counter[ThrowOutcome]] = {}
        for dice, keeps in scoring.keep_table(self.rules).items():
            effects = {event.effect for event in scoring.throw_events(dice, self.rules)}
            offer = tuple((keep.score, keep.dice_left) for keep in keeps)
            outcome = offer, Effect.PENALTY in effects, Effect.RESET_SCORE in effects
            found.setdefault(len(dice), Counter())[outcome] += count_orders(dice)
        return {n: {key: c / 6**n for key, c in of.items()} for n, of in found.items()}

    @cached_property
    def _best_score(self) -> int:
        return max(keep.score for keep in scoring.all_keeps(self.rules))

    @property
    def _is_in_reach(self) -> bool:
        return self.rules.minimum_bank <= _MAX_BEST_THROWS * self._best_score

    @cached_property
    def _reachable(self) -> set[tuple[int, int]]:
        """Every stage of a turn that can occur, as (points at risk, number of dice to throw).

        The search stops as soon as it has found more than `MAX_SUMS` stages.
        """
        found: set[tuple[int, int]] = set()
        new = [(0, self.rules.n_dice)]
        while new and len(found) <= MAX_SUMS:
            at_risk, n = point = new.pop()
            if point not in found:
                found.add(point)
                bonus = _last_die_bonus(n, self.rules)
                for offer, *_ in self._outcomes[n]:
                    if offer and self._banked_points(at_risk + bonus, offer) is None:
                        new += _throws_after(at_risk + bonus, offer, self.rules)
        return found

    def _throw(self, at_risk: int, n: int) -> TurnAverages:
        points = farkles = penalties = resets = 0.0
        bonus = _last_die_bonus(n, self.rules)
        for (offer, is_penalised, is_reset), chance in self._outcomes[n].items():
            if is_reset:
                rest = TurnAverages(resets=1.0)
            else:
                rest = self._keep(at_risk + bonus, offer) if offer else TurnAverages(farkles=1.0)
            points += chance * rest.points
            farkles += chance * rest.farkles
            penalties += chance * (rest.penalties + is_penalised)
            resets += chance * rest.resets
        return TurnAverages(points, farkles, penalties, resets)

    def _keep(self, at_risk: int, offer: Offer) -> TurnAverages:
        """Return the average results of the rest of a turn, after a throw.

        The player banks if the rules allow it, and otherwise throws again with the keep that scores
        the most points.
        """
        if (points := self._banked_points(at_risk, offer)) is not None:
            return TurnAverages(points)
        rests = (self._averages(*point) for point in _throws_after(at_risk, offer, self.rules))
        return max(rests, key=lambda rest: rest.points)

    def _banked_points(self, at_risk: int, offer: Offer) -> int | None:
        """Return the points at risk after the best keep that may be banked, or None if there is none.

        The result is 0 once the points at risk exceed a target that must be hit exactly.
        """
        if _overshoots(at_risk, self.rules):
            return 0
        for score, left in offer:
            points = at_risk + score
            is_plenty = at_risk > self.rules.minimum_bank + self._best_score
            if _may_bank(points, left, self.rules) or is_plenty:
                return points
        return None


def _last_die_bonus(n_dice: int, rules: Ruleset) -> int:
    return rules.last_die_twice if n_dice == 1 else 0


def _throws_after(at_risk: int, offer: Offer, rules: Ruleset) -> Iterator[tuple[int, int]]:
    return ((at_risk + score, left or rules.n_dice) for score, left in offer)


def _may_bank(points: int, dice_left: int, rules: Ruleset) -> bool:
    is_enough = points >= rules.minimum_bank and not _overshoots(points, rules)
    return is_enough and not must_throw_reason(dice_left, rules)


def _overshoots(points: int, rules: Ruleset) -> bool:
    return rules.win is Win.EXACTLY and points > rules.target


def _streak_rate(chance: float) -> float:
    """Return how often per turn a streak is completed, which incurs a penalty and restarts the count.

    `chance` is the chance that a turn adds to the streak.
    """
    return chance**PENALTY_STREAK / sum(chance**n for n in range(PENALTY_STREAK))
