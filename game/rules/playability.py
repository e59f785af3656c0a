"""Checks that a match under a rule set can be played to its end.

A rule file may be valid and still not describe a playable game: nothing scores, nothing can ever be
banked, or two options contradict each other. The checks find such faults and name the option to
change.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import islice
from math import inf

from game.message import Message
from game.rules import scoring
from game.rules.rule_options import OPTIONS
from game.rules.ruleset import PENALTY_STREAK, LastRound, Piggyback, Ruleset, Ties, Win
from game.rules.scoring import STRAIGHT, Effect, count_orders, must_throw_reason

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

MAX_THROWS_TO_TARGET = 1_000
"""Highest allowed target, as a multiple of the best throw. No published game needs more than 100."""

MAX_TURNS = 1_000
"""Largest number of turns that a player may need on average to reach the target. No published game
needs more than 50."""

MAX_LOST_SHARE = 0.5
"""Largest share of the points scored by good play that penalties may take. If penalties took more, weaker
players would make no progress."""

MAX_TURNS_TO_OPEN = 100
"""Largest number of turns that a player may need on average to get on the board. No published game
needs more than 3."""


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


@dataclass(frozen=True, slots=True)
class RulesProblem:
    """A reason why a rule set cannot be played.

    Attributes:
        option: Name of the rule option to change.
        why: What is wrong with the option.
    """

    option: str
    why: Message


@lru_cache(64)
def find_problems(rules: Ruleset) -> tuple[RulesProblem, ...]:
    """Return the reasons why these rules cannot be played. There are none if the rules can be played.

    Only the first reason is returned, because later reasons often follow from it, unless options
    contradict each other.
    """
    return find_contradictions(rules) or tuple(islice(_faults(rules), 1))


def find_contradictions(rules: Ruleset) -> tuple[RulesProblem, ...]:
    """Return the options that contradict each other, or that another option makes pointless.

    If combinations need more dice than the rules have, one reason is returned for each of them.
    Otherwise only the first reason is returned.
    """
    needs_dice = tuple(_more_dice_than_there_are(rules))
    return needs_dice or tuple(islice((*_conflicts(rules), *_without_effect(rules)), 1))


def _faults(rules: Ruleset) -> Iterator[RulesProblem]:
    turns = PossibleTurns(rules)
    if not turns.gains:
        yield RulesProblem("singles", Message("and all other points are 0, so nothing can score"))
        return
    yield from _never_banked(rules, turns)
    yield from _too_far(rules, turns)
    pace = Pace(rules)
    yield from _too_fine(rules, pace)
    yield from _too_slow(rules, pace)
    if rules.win is Win.EXACTLY:
        yield from _never_hit(rules, turns)
    yield from _never_opened(rules, pace)


def _more_dice_than_there_are(rules: Ruleset) -> Iterator[RulesProblem]:
    for row in OPTIONS:
        if row.shape and getattr(rules, row.name) and len(row.shape.shown) > rules.n_dice:
            needed = len(row.shape.shown)
            yield RulesProblem(
                row.name,
                Message(
                    "needs %(needed)s dice, but `n_dice` is %(n)s: set `%(option)s = 0`",
                    needed=needed,
                    n=rules.n_dice,
                    option=row.name,
                ),
            )


def _conflicts(rules: Ruleset) -> Iterator[RulesProblem]:
    """Find options that contradict each other, or that need another option that is not set."""
    if rules.welfare and rules.win is not Win.EXACTLY:
        yield RulesProblem(
            "welfare", Message("only applies to an exact target: set `win = 'exactly'`")
        )
    if rules.take_over_farkle and rules.piggyback is Piggyback.NO:
        yield RulesProblem("take_over_farkle", Message("has no effect while `piggyback` is 'no'"))
    if rules.take_over_on_board and rules.piggyback is Piggyback.NO:
        yield RulesProblem("take_over_on_board", Message("has no effect while `piggyback` is 'no'"))
    if rules.nothing_first_throw and not rules.nothing:
        yield RulesProblem("nothing_first_throw", Message("has no effect while `nothing` is 0"))
    if rules.target_ends_rounds and not rules.rounds:
        yield RulesProblem("target_ends_rounds", Message("has no effect while `rounds` is 0"))
    if not rules.has_target and rules.win is not Win.AT_LEAST:
        why = Message("have no target: remove `win = %(win)s`", win=repr(str(rules.win)))
        yield RulesProblem("rounds", why)
    if not rules.has_target and rules.last_round is not LastRound.NONE:
        yield RulesProblem("rounds", Message("have no last round: set `last_round = 'none'`"))


def _without_effect(rules: Ruleset) -> Iterator[RulesProblem]:
    """Find options that another option makes pointless."""
    if rules.win is Win.EXACTLY and rules.last_round is not LastRound.NONE:
        yield RulesProblem(
            "last_round",
            Message(
                "is %(choice)s, but nobody can beat an exact target: use 'none'",
                choice=repr(str(rules.last_round)),
            ),
        )
    for option in ("all_ones_win", "all_sixes_win"):
        if getattr(rules, option) and rules.all_alike_wins:
            yield RulesProblem(option, Message("has no effect together with `all_alike_wins`"))
    never_ties = rules.win is Win.EXACTLY or rules.last_round is LastRound.NONE
    if rules.ties is not Ties.NOBODY and never_ties and not rules.rounds:
        yield RulesProblem("ties", Message("has no effect: this match never ends in a tie"))
    if rules.farkles_keep_costing and not rules.three_farkles:
        why = Message("has no effect while `three_farkles` is 0")
        yield RulesProblem("farkles_keep_costing", why)
    if rules.opening_at_zero and not rules.opening:
        yield RulesProblem("opening_at_zero", Message("has no effect while `opening` is 0"))
    if rules.straight_wins and rules.n_dice < len(STRAIGHT):
        yield RulesProblem("straight_wins", Message("needs six dice: set `n_dice = 6`"))


def _never_banked(rules: Ruleset, turns: "PossibleTurns") -> Iterator[RulesProblem]:
    if turns.least is None:
        option = "must_throw_from" if rules.must_throw_from else "hot_dice"
        yield RulesProblem(
            option, Message("never lets anybody bank: players must always throw again")
        )
        return
    for option in ("opening", "minimum_bank"):
        if turns.most is not None and getattr(rules, option) > turns.most:
            yield RulesProblem(
                option,
                Message(
                    "is more than a turn can earn: at most %(most)s, because there are never hot "
                    "dice",
                    most=turns.most,
                ),
            )


def _too_far(rules: Ruleset, turns: "PossibleTurns") -> Iterator[RulesProblem]:
    most = MAX_THROWS_TO_TARGET * turns.best
    if rules.target > most and not rules.rounds:
        yield RulesProblem(
            "target",
            Message(
                "takes more than %(throws)s perfect throws to reach: choose at most %(most)s",
                throws=MAX_THROWS_TO_TARGET,
                most=most,
            ),
        )


def _too_fine(rules: Ruleset, pace: Pace) -> Iterator[RulesProblem]:
    """Find a required bank that is reached in so many small steps that checking it takes too long."""
    why = Message("allows too many different scores: make all points multiples of 50 or 100")
    if pace.takes_long:
        yield RulesProblem("minimum_bank" if rules.minimum_bank else "hot_dice", why)
    elif rules.opening and pace.to_open.takes_long:
        yield RulesProblem("opening", why)


def _too_slow(rules: Ruleset, pace: Pace) -> Iterator[RulesProblem]:
    """Find penalties that cost most of what turns score, or a minimum bank that hardly any turn reaches."""
    gain, costs = pace.turn.points, pace.costs
    cost = sum(costs.values())
    costliest = max(costs, key=costs.__getitem__)
    if not rules.rounds and rules.target > MAX_TURNS * max(gain, _gain_without_minimum(rules)):
        why = Message(
            "is too high: a turn earns %(gain)s on average, so reaching it takes more than "
            "%(turns)s turns",
            gain=round(gain),
            turns=MAX_TURNS,
        )
        yield RulesProblem("target", why)
    elif not rules.rounds and rules.target > MAX_TURNS * (gain - cost):
        why = Message(
            "makes the match too long: a turn earns %(gain)s on average and costs %(cost)s, so "
            "%(target)s takes more than %(turns)s turns",
            gain=round(gain),
            cost=round(cost),
            target=rules.target,
            turns=MAX_TURNS,
        )
        option = costliest if rules.target <= MAX_TURNS * gain else "minimum_bank"
        yield RulesProblem(option, why)
    elif cost > MAX_LOST_SHARE * gain:
        why = Message(
            "takes away most of the points: a turn earns %(gain)s on average and costs %(cost)s",
            gain=round(gain),
            cost=round(cost),
        )
        yield RulesProblem(costliest, why)


def _gain_without_minimum(rules: Ruleset) -> float:
    """Return what a turn scores on average if any number of points may be banked."""
    return Pace(replace(rules, minimum_bank=0)).turn.points if rules.minimum_bank else 0.0


def _never_opened(rules: Ruleset, pace: Pace) -> Iterator[RulesProblem]:
    if rules.opening and pace.opening_chance * MAX_TURNS_TO_OPEN < 1:
        why = Message(
            "keeps everybody off the board: fewer than one turn in %(turns)s earns that much",
            turns=MAX_TURNS_TO_OPEN,
        )
        yield RulesProblem("opening", why)


def _never_hit(rules: Ruleset, turns: "PossibleTurns") -> Iterator[RulesProblem]:
    """Find exact targets that can become impossible to hit, so that a match might never end."""
    step, least = scoring.points_step(rules), turns.least or 0
    if rules.target % step:
        why = Message("can never be reached exactly: all scores go in steps of %(step)s", step=step)
        yield RulesProblem("target", why)
    if rules.opening > rules.target:
        yield RulesProblem(
            "opening", Message("is more than the target, which must be reached exactly")
        )
    if max(least, rules.minimum_bank) > step:
        option = "minimum_bank" if rules.minimum_bank > least else "win"
        why = Message(
            "may make a target of exactly %(target)s impossible: a player who is %(step)s "
            "short could never bank that",
            target=rules.target,
            step=step,
        )
        yield RulesProblem(option, why)


Gains = dict[tuple[int, int], tuple[int, int]]
"""(Number of dice thrown, number of dice left) -> the lowest and the highest score of such a keep."""


@dataclass(frozen=True)
class PossibleTurns:
    """The range of points that a turn can score under a rule set."""

    rules: Ruleset

    @cached_property
    def gains(self) -> Gains:
        """Lowest and highest score of a keep, by number of dice thrown and left, for possible throws."""
        found: Gains = {}
        for dice, keeps in scoring.keep_table(self.rules).items():
            bonus = self.rules.last_die_twice if len(dice) == 1 else 0
            for keep in keeps:
                way, points = (len(dice), keep.dice_left), keep.score + bonus
                low, high = found.get(way, (points, points))
                found[way] = min(low, points), max(high, points)
        return {way: found[way] for way in found if way[0] in _thrown(found, self.rules.n_dice)}

    @property
    def best(self) -> int:
        """Points of the best keep of any throw."""
        return max(high for _, high in self.gains.values())

    @property
    def least(self) -> int | None:
        """The fewest points that a turn could bank without a minimum bank; None if no turn can bank."""
        before = {self.rules.n_dice: 0}
        for _ in range(self.rules.n_dice):
            for (n, left), (low, _) in self.gains.items():
                if left and n in before:
                    before[left] = min(before[n] + low, before.get(left, before[n] + low))
        banked = (
            before[n] + low
            for (n, left), (low, _) in self.gains.items()
            if not must_throw_reason(left, self.rules)
        )
        return min(banked, default=None)

    @property
    def most(self) -> int | None:
        """The most points that a turn can bank, or None if hot dice make them unlimited."""
        if any(left == 0 for _, left in self.gains):
            return None
        before = {self.rules.n_dice: 0}
        for (n, left), (_, high) in sorted(self.gains.items(), reverse=True):
            before[left] = max(before[n] + high, before.get(left, 0))
        return max(
            points for left, points in before.items() if not must_throw_reason(left, self.rules)
        )


def _thrown(gains: Gains, n_dice: int) -> set[int]:
    """Return the numbers of dice that a throw in a turn can have."""
    found = {n_dice}
    for _ in range(n_dice):
        found |= {left for n, left in gains if n in found and left}
    return found
