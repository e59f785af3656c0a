"""Learns a person's style of play from that person's decisions in earlier matches.

Only free decisions count: those in which the rules allowed the person either to bank or to throw
again, before anybody had reached the target.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from math import log, tanh
from typing import NamedTuple

from game.errors import OddsError
from game.match.bot import PlayerStyle
from game.match.events import Banked, Event, Thrown, TookOver
from game.match.match import Match, replay
from game.match.state import State, reaches_target
from game.odds.turn_odds import points_table
from game.practice.strategy import preferred_keep
from game.rules.ruleset import Ruleset

LEAST_DECISIONS = 30
"""Number of free decisions that are needed to learn a style: about ten matches to 10,000 points."""

_THRESHOLDS = range(0, 3001, 50)
_SPREADS = (5, 25, 50, 100, 150, 200, 300, 450)
_LAPSES = (0.01, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3)
_WORTHS = (0, 25, 50, 75, 100, 150, 200, 300)

_PRIOR_SPREAD = 400.0
"""The typical distance, in points, between people's thresholds and those that score the most points
on average. With few decisions for a number of dice, this keeps the threshold plausible."""


class FreeDecision(NamedTuple):
    """A decision in which a person was free to bank or to throw again.

    Attributes:
        points: Points that could be banked.
        dice: Number of dice that could be thrown.
        banked: Whether the person banked. If it is False, the person threw again.
    """

    points: int
    dice: int
    banked: bool


@dataclass(slots=True)
class Observations:
    """The decisions of one person.

    Attributes:
        choices: Number of times that each free decision was made.
        worths: Points that one more die may be worth to the person -> number of keeps that are
            consistent with that worth.
        offers: How often the person could take over another player's dice and points.
        taken: How often the person took them over.
    """

    choices: Counter[FreeDecision] = field(default_factory=Counter)
    worths: Counter[int] = field(default_factory=Counter)
    offers: int = 0
    taken: int = 0

    def add(self, match: Match, name: str) -> None:
        """Add the decisions that the person made in a match.

        Args:
            match: The match.
            name: Name of the person. Upper and lower case count as the same.
        """
        for state, event in _own_events(match, name):
            match event:
                case Thrown() if state.turn.last and state.turn.last.keep:
                    self._threw_on(state)
                case Banked():
                    self._choice(state, banked=True)
                case Thrown() | TookOver() if state.left_over and not state.turn.throws:
                    self.offers += 1
                    self.taken += isinstance(event, TookOver)

    def _threw_on(self, state: State) -> None:
        self._choice(state, banked=False)
        last = state.turn.last
        if last is None or len({keep.dice_left for keep in state.keeps}) == 1:
            return
        agreeing = (worth for worth in _WORTHS if preferred_keep(state, worth) == last.keep)
        self.worths.update(agreeing)

    def _choice(self, state: State, *, banked: bool) -> None:
        keep = state.best_bank_keep
        if keep is None or state.bank_refusal(keep) or state.closer is not None:
            return
        if reaches_target(state.rules, state.bank_total(keep)):
            return
        dice = keep.dice_left or state.rules.n_dice
        self.choices[FreeDecision(state.locked_points + keep.score, dice, banked)] += 1


def _own_events(match: Match, name: str) -> Iterator[tuple[State, Event]]:
    """Yield the events of a person's turns, each with the state of the match before it."""
    for state, event, _ in replay(match):
        player = state.player
        if player.name.casefold() == name.casefold() and player.bot is None:
            yield state, event


def learn(matches: Iterable[Match], name: str, rules: Ruleset) -> PlayerStyle:
    """Return the style of a person under a rule set.

    Args:
        matches: Matches of the person. Those with a different number of dice are left out.
        name: Name of the person. Upper and lower case count as the same.
        rules: Rules of the match in which the style is played.

    Raises:
        OddsError: If the person has made too few decisions.
    """
    seen = Observations()
    for match in matches:
        if match.rules.n_dice == rules.n_dice:
            seen.add(match, name)
    n = seen.choices.total()
    if n < LEAST_DECISIONS:
        raise OddsError(
            "%(name)s has chosen %(n)s times between banking and throwing again: a bot needs "
            "%(least)s decisions to imitate a person",
            name=name,
            n=n,
            least=LEAST_DECISIONS,
        )
    worth = max(_WORTHS, key=lambda each: (seen.worths[each], -each))
    thresholds, spread, lapse = _fit(seen.choices, rules)
    takes_over = 2 * seen.taken > seen.offers
    return PlayerStyle(name, thresholds, spread, worth, takes_over=takes_over, lapse=lapse)


def _fit(choices: Counter[FreeDecision], rules: Ruleset) -> tuple[tuple[int, ...], int, float]:
    """Return the thresholds, spread and lapse (see `PlayerStyle`) that make the choices most likely."""
    fits = []
    for spread, lapse in product(_SPREADS, _LAPSES):
        best = [
            _best_threshold(choices, rules, dice + 1, Curve(spread, lapse))
            for dice in range(rules.n_dice)
        ]
        fits.append((sum(fit for fit, _ in best), tuple(at for _, at in best), spread, lapse))
    _, thresholds, spread, lapse = max(fits)
    return thresholds, spread, lapse


class Curve(NamedTuple):
    """How the chance of banking rises with the points at risk: a logistic curve, apart from lapses.

    Attributes:
        spread: Width of the curve, in points.
        lapse: Share of the decisions that do not depend on the points.
    """

    spread: int
    lapse: float

    def log_chance(self, choice: FreeDecision, threshold: int) -> float:
        """Return the logarithm of the chance of a choice.

        Args:
            choice: The choice.
            threshold: The points at which banking is as likely as throwing again.
        """
        x = (choice.points - threshold) / self.spread
        logistic = (1 + tanh(x / 2)) / 2
        chance = self.lapse / 2 + (1 - self.lapse) * logistic
        return log(chance if choice.banked else 1 - chance)


def _best_threshold(
    choices: Counter[FreeDecision], rules: Ruleset, dice: int, curve: Curve
) -> tuple[float, int]:
    """Return the log likelihood of the best threshold for a number of dice, and that threshold."""
    mine = [(choice, n) for choice, n in choices.items() if choice.dice == dice]
    usual = _threshold_of_points(rules, dice)

    def fit(threshold: int) -> float:
        far = (threshold - usual) / _PRIOR_SPREAD
        likely = sum(n * curve.log_chance(choice, threshold) for choice, n in mine)
        return likely - far * far / 2

    return max((fit(threshold), threshold) for threshold in _THRESHOLDS)


def _threshold_of_points(rules: Ruleset, dice: int) -> int:
    """Return the points from which banking scores more on average than throwing this many dice."""
    table = points_table(rules, opened=True)
    return next((at for at in _THRESHOLDS if table.throwing(at, dice) <= at), _THRESHOLDS[-1])
