"""How fast points come in: what a turn brings that is banked as soon as it may be, and what it costs.

Penalties can take more than turns bring, and a bank can be asked for that hardly any turn reaches.
Such a match has an end on paper alone.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property

from game.rules import scoring
from game.rules.ruleset import PENALTY_STREAK, Ruleset, Win
from game.rules.scoring import Effect, count_orders, must_throw_reason

_MOST = 2
"""Times the best throw: where a bank asks for more than that, hardly any turn ever gets there."""

MAX_SUMS = 2_000
"""That may be at risk before a throw: each takes half a millisecond; no published game has a thousand."""

Offer = tuple[tuple[int, int], ...]
"""Points of each keep of a throw, best first, and the dice it leaves."""


@dataclass(frozen=True, slots=True)
class TurnAverages:
    """What throwing on brings on average: points; how often it farkles, pays for three 3s, and loses all."""

    points: float = 0.0
    farkles: float = 0.0
    paid: float = 0.0
    resets: float = 0.0


class Pace:
    """Of the turns of a player who is on the board."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self._throwing = cache(self._throw)

    @cached_property
    def turn(self) -> TurnAverages:
        """Of all dice, with nothing at risk; nothing at all where the least to bank is out of reach."""
        if not self._is_in_reach:
            return TurnAverages()
        for at_risk, n in sorted(self._ahead, key=lambda point: (-point[0], point[1])):
            self._throwing(at_risk, n)
        return self._throwing(0, self.rules.n_dice)

    @property
    def takes_long(self) -> bool:
        """Whether so many sums may be at risk that nobody wants to wait for what a turn brings."""
        return self._is_in_reach and len(self._ahead) > MAX_SUMS

    @cached_property
    def to_open(self) -> "Pace":
        """Of the turns of a player who is not on the board yet."""
        least = max(self.rules.opening, self.rules.minimum_bank)
        return Pace(replace(self.rules, minimum_bank=least))

    @property
    def opening(self) -> float:
        """At most how often a turn is banked by a player who is not on the board yet."""
        to_open = self.to_open
        return min(1.0, to_open.turn.points / max(to_open.rules.minimum_bank, 1))

    @cached_property
    def costs(self) -> dict[str, float]:
        """Points that a turn costs on average, by the option that asks for them; halfway to the target."""
        rules, scoreless = self.rules, self._scoreless
        return {
            "triple_threes": rules.triple_threes * self.turn.paid,
            "three_farkles": rules.three_farkles * _third_in_a_row(self.turn.farkles),
            "three_scoreless_starts": rules.three_scoreless_starts * _third_in_a_row(scoreless),
            "four_twos_reset": rules.target / 2 * self.turn.resets,
        }

    @property
    def _scoreless(self) -> float:
        """The chance that a first throw scores nothing."""
        offers = self._offers[self.rules.n_dice]
        return sum(share for (offer, *_), share in offers.items() if not offer)

    @cached_property
    def _offers(self) -> dict[int, dict[tuple[Offer, bool, bool], float]]:
        """What may be kept of a throw of n dice, whether it costs or loses all, and how often that is."""
        found: dict[int, Counter[tuple[Offer, bool, bool]]] = {}
        for dice, keeps in scoring.keep_table(self.rules).items():
            effects = {event.effect for event in scoring.throw_events(dice, self.rules)}
            offer = tuple((keep.score, keep.dice_left) for keep in keeps)
            thrown = offer, Effect.PENALTY in effects, Effect.RESET_SCORE in effects
            found.setdefault(len(dice), Counter())[thrown] += count_orders(dice)
        return {n: {key: c / 6**n for key, c in of.items()} for n, of in found.items()}

    @cached_property
    def _best(self) -> int:
        return max(
            keep.score for keeps in scoring.keep_table(self.rules).values() for keep in keeps
        )

    @property
    def _is_in_reach(self) -> bool:
        return self.rules.minimum_bank <= _MOST * self._best

    @cached_property
    def _ahead(self) -> set[tuple[int, int]]:
        """All that may be at risk before a throw of so many dice: what is ahead is worked out first.

        Where it is more than anybody waits for, the search for it ends.
        """
        found: set[tuple[int, int]] = set()
        new = [(0, self.rules.n_dice)]
        while new and len(found) <= MAX_SUMS:
            at_risk, n = point = new.pop()
            if point not in found:
                found.add(point)
                bonus = self.rules.last_die_twice if n == 1 else 0
                for offer, *_ in self._offers[n]:
                    if offer and self._banked(at_risk + bonus, offer) is None:
                        new += self._thrown_on(at_risk + bonus, offer)
        return found

    def _throw(self, at_risk: int, n: int) -> TurnAverages:
        points = farkles = paid = resets = 0.0
        bonus = self.rules.last_die_twice if n == 1 else 0
        for (offer, costs, loses_all), share in self._offers[n].items():
            if loses_all:
                then = TurnAverages(resets=1.0)
            else:
                then = self._kept(at_risk + bonus, offer) if offer else TurnAverages(farkles=1.0)
            points += share * then.points
            farkles += share * then.farkles
            paid += share * (then.paid + costs)
            resets += share * then.resets
        return TurnAverages(points, farkles, paid, resets)

    def _kept(self, at_risk: int, offer: Offer) -> TurnAverages:
        """Banked with the best keep that may be; else thrown on with what brings most."""
        if (points := self._banked(at_risk, offer)) is not None:
            return TurnAverages(points)
        ways = (self._throwing(*point) for point in self._thrown_on(at_risk, offer))
        return max(ways, key=lambda turn: turn.points)

    def _banked(self, at_risk: int, offer: Offer) -> int | None:
        """What is banked of this offer; 0 where all is lost, None where one must throw on."""
        if self._is_lost(at_risk):
            return 0
        for score, left in offer:
            points = at_risk + score
            if self._may_bank(points, left) or at_risk > self.rules.minimum_bank + self._best:
                return points
        return None

    def _thrown_on(self, at_risk: int, offer: Offer) -> Iterator[tuple[int, int]]:
        return ((at_risk + score, left or self.rules.n_dice) for score, left in offer)

    def _may_bank(self, points: int, left: int) -> bool:
        is_enough = points >= self.rules.minimum_bank and not self._is_lost(points)
        return is_enough and not must_throw_reason(left, self.rules)

    def _is_lost(self, points: int) -> bool:
        """Nobody banks more than a target that is to be hit exactly."""
        return self.rules.win is Win.EXACTLY and points > self.rules.target


def _third_in_a_row(chance: float) -> float:
    """How often a turn is the third in a row of this kind, counted anew after each third."""
    return chance**PENALTY_STREAK / sum(chance**n for n in range(PENALTY_STREAK))
