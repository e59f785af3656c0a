"""The mistakes in a reviewed match, added up by kind."""

from dataclasses import dataclass
from enum import StrEnum

from game.odds.advice import POINTS_TOLERANCE, WIN_TOLERANCE
from game.odds.review import KeepChoice, Review, ReviewedMoment


class MistakeKind(StrEnum):
    """The kinds of mistakes, by the action that would have been better."""

    BANKED = "banked"
    """Throw again instead of banking."""

    THREW = "threw"
    """Bank instead of throwing again."""

    KEPT = "kept"
    """Keep other dice."""


@dataclass(frozen=True, slots=True)
class MistakeSum:
    """All mistakes of one kind that a player made in a match.

    Attributes:
        kind: The kind.
        count: Number of mistakes.
        points: Change in average points that the mistakes caused, at most 0.
        win: Change in the chance of winning that the mistakes caused, at most 0; None if it is not
            known.
    """

    kind: MistakeKind
    count: int
    points: float
    win: float | None


def mistakes(review: Review, seat: int) -> tuple[MistakeSum, ...]:
    """Return the mistakes of a player by kind, the costliest first.

    Args:
        review: The review of the match.
        seat: Seat of the player.
    """
    found: dict[MistakeKind, list[ReviewedMoment]] = {}
    for moment in review.moments:
        if moment.seat == seat and moment.done and moment.best and _is_mistake(moment):
            found.setdefault(_kind(moment.done, moment.best), []).append(moment)
    sums = (_sum(kind, moments) for kind, moments in found.items())
    return tuple(sorted(sums, key=lambda each: (each.win or 0.0, each.points)))


def _is_mistake(moment: ReviewedMoment) -> bool:
    if moment.win is not None:
        return moment.win < -WIN_TOLERANCE
    return moment.points < -POINTS_TOLERANCE


def _kind(done: KeepChoice, best: KeepChoice) -> MistakeKind:
    if done.bank == best.bank:
        return MistakeKind.KEPT
    return MistakeKind.BANKED if done.bank else MistakeKind.THREW


def _sum(kind: MistakeKind, moments: list[ReviewedMoment]) -> MistakeSum:
    wins = [moment.win for moment in moments if moment.win is not None]
    points = sum(moment.points for moment in moments)
    return MistakeSum(kind, len(moments), points, sum(wins) if wins else None)
