"""A drill: the positions of a person's own matches in which a decision cost the most.

The review of each match has found the cost of every decision (see `game.odds.review`).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from game.match.match import Match, replay
from game.match.state import State
from game.odds.review import Cause, KeepChoice, Review, ReviewedMoment, is_mistake

POSITIONS = 10
"""Number of positions in a drill."""


@dataclass(frozen=True, slots=True)
class DrillPosition:
    """A position in which a person has to decide again.

    Attributes:
        match: Number of the match in the list of matches that was given to `drill`.
        state: State of the match after the throw.
        moment: The decision that was made, and what it cost.
        choices: All choices, the keep with the most points first. Each has the points at risk and
            what it costs compared with the best one: a chance of winning, or average points if the
            review knows no chances.
    """

    match: int
    state: State
    moment: ReviewedMoment
    choices: tuple[tuple[KeepChoice, int, float], ...]


def drill(matches: Iterable[tuple[Match, Review]], name: str) -> tuple[DrillPosition, ...]:
    """Return the positions in which a person's decisions cost the most, the costliest first.

    Args:
        matches: Matches and their reviews.
        name: Name of the person. Upper and lower case count as the same.
    """
    found = []
    for number, (match, review) in enumerate(matches):
        mistakes = {
            moment.event: moment
            for moment in review.moments
            if moment.kind is Cause.DECISION and is_mistake(moment)
        }
        for state, _, _ in replay(match):
            player, moment = state.player, mistakes.get(state.n_events)
            if moment and player.bot is None and player.name.casefold() == name.casefold():
                found.append(DrillPosition(number, state, moment, _choices(state, moment)))
    found.sort(key=lambda each: (each.moment.win or 0.0, each.moment.points))
    return tuple(found[:POSITIONS])


def _choices(state: State, moment: ReviewedMoment) -> tuple[tuple[KeepChoice, int, float], ...]:
    values = []
    for option in sorted(moment.options, key=lambda option: -option.at_risk):
        dice = option.keep.dice if option.keep else ()
        if not option.refused:
            banked = float(option.at_risk) if option.win is None else option.win_banked
            values.append((KeepChoice(dice, bank=True), option.at_risk, banked or 0.0))
        if not state.is_last_throw:
            thrown = option.points if option.win is None else option.win_thrown
            values.append((KeepChoice(dice, bank=False), option.at_risk, thrown or 0.0))
    best = max(value for _, _, value in values)
    return tuple((choice, at_risk, best - value) for choice, at_risk, value in values)
