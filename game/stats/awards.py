"""Awards after a match, for luck, decisions, the longest run of banks and the most farkles."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from game.match.events import Thrown
from game.match.match import Match
from game.match.state import Turn, TurnEnding
from game.message import Message, Plural, Value
from game.odds.review import Cause, Review, ReviewedMoment
from game.rules.ruleset import Dice
from game.stats.counts import points_behind, tallies

MIN_RUN = 3
"""Smallest number of banks in a row that counts as a run."""

MIN_BOLD_POINTS = 300
"""Points at risk from which throwing again is bold. With fewer points, everybody throws again."""

MIN_COMEBACK = 0.1
"""Smallest deficit that makes a win a comeback, as a share of the winner's score."""

RIGHT_POINTS, RIGHT_WIN = 0.5, 0.0005
"""A decision counts as right if it loses at most this many points, and at most this much of the
chance of winning. Both losses round to 0."""


class AwardKind(StrEnum):
    """The kinds of awards."""

    LUCK = "luck"
    DECISION = "decision"
    HEAD = "head"
    RUN = "run"
    FARKLES = "farkles"


@dataclass(frozen=True, slots=True)
class Award:
    """An award for something that a player did in a match.

    Attributes:
        kind: Kind of the award.
        seat: Seat of the player who gets the award.
        words: Text of the award.
        event: Index, in the match's timeline, of the throw that the award is for; None if the award
            is not for a single throw.
        dice: The dice of that throw, or the dice kept by the decision.
        turn: Number of the turn, from 1; 0 if the award is not for a single turn.
    """

    kind: AwardKind
    seat: int
    words: Message
    event: int | None = None
    dice: Dice = ()
    turn: int = 0


def awards(match: Match, review: Review | None) -> tuple[Award, ...]:
    """Return the awards of a match.

    Args:
        match: The match.
        review: Review of the match, for the awards for luck and decisions. None leaves these awards
            out.
    """
    found = [_longest_run(match), _most_farkles(match)]
    if review:
        found = [_luckiest(match, review), _boldest(match, review), _coolest(match, review), *found]
    return tuple(award for award in found if award)


def closing_sentence(match: Match) -> Message | None:
    """Return a sentence about the winner's comeback, or about the best turn if there was no comeback.

    The result is None before somebody has won, or if nobody has banked any points.
    """
    state = match.state
    if state.winner is None:
        return None
    winner = state.players[state.winner]
    behind = max(points_behind(match, state.winner))
    if behind > 0 and behind >= MIN_COMEBACK * winner.score:
        return Message(
            "Comeback: %(name)s was %(points)s behind", name=winner.display_name, points=behind
        )
    best = max(state.turns, key=lambda turn: turn.points, default=None)
    if best is None or best.points <= 0:
        return None
    name = state.players[best.seat].display_name
    return Message("Best turn: %(name)s, %(points)s points", name=name, points=best.points)


def _worth(moment: ReviewedMoment) -> tuple[float, float]:
    return (moment.win or 0.0, moment.points)


def _luckiest(match: Match, review: Review) -> Award | None:
    lucky = [m for m in review.moments if m.kind is Cause.LUCK and _worth(m) > (0.0, 0.0)]
    if not lucky:
        return None
    moment = max(lucky, key=_worth)
    event = match.timeline[moment.event]
    if not isinstance(event, Thrown):
        return None
    name = match.state.players[moment.seat].display_name
    dice, turn = tuple(sorted(event.dice)), moment.turn + 1
    words = (
        Message("%(name)s's luckiest throw: %(points)s points more than average",
                name=name, points=round(moment.points))
        if moment.win is None
        else Message("%(name)s's lucky throw: chance of winning up by %(much)s points",
                     name=name, much=round(100 * moment.win, 1))
    )  # fmt: skip
    return Award(AwardKind.LUCK, moment.seat, words, moment.event, dice, turn)


def _boldest(match: Match, review: Review) -> Award | None:
    """Return the award for the right decision to throw again that put the most points at risk."""
    right = [m for m in review.moments if m.done and m.risked >= MIN_BOLD_POINTS and _was_right(m)]
    if not right:
        return None
    moment = max(right, key=lambda m: m.risked)
    words = Message(
        "%(name)s's best decision: threw again with %(points)s at risk",
        name=match.state.players[moment.seat].display_name,
        points=moment.risked,
    )
    kept = moment.done.dice if moment.done else ()
    return Award(AwardKind.DECISION, moment.seat, words, dice=kept, turn=moment.turn + 1)


def _was_right(moment: ReviewedMoment) -> bool:
    if moment.win is None:
        return moment.points > -RIGHT_POINTS
    return moment.win > -RIGHT_WIN


def _coolest(match: Match, review: Review) -> Award | None:
    """Return the award for the least costly decisions, if other players' decisions cost more."""
    deciders = sorted({moment.seat for moment in review.moments if moment.done})
    given = {seat: -review.total(seat, Cause.DECISION)[0] for seat in deciders}
    if not any(lost > min(given.values()) for lost in given.values()):
        return None
    seat = min(given, key=given.__getitem__)
    return Award(
        AwardKind.HEAD,
        seat,
        _decided_best(match.state.players[seat].display_name, round(given[seat])),
    )


def _decided_best(name: Value, given: int) -> Message:
    if not given:
        return Message("%(name)s made no mistakes", name=name)
    return Plural(
        "%(name)s made the fewest mistakes. Points given away: %(n)s",
        "%(name)s made the fewest mistakes. Points given away: %(n)s",
        n=given,
        name=name,
    )


def _longest_run(match: Match) -> Award | None:
    turns = [
        [turn for turn in match.state.turns if turn.seat == seat]
        for seat in range(len(match.state.players))
    ]
    best = _most([max((len(run) for run in _runs(own)), default=0) for own in turns])
    if best is None or best[1] < MIN_RUN:
        return None
    seat, n = best
    name = match.state.players[seat].display_name
    return Award(
        AwardKind.RUN, seat, Message("%(name)s banked %(n)s times in a row", name=name, n=n)
    )


def _runs(turns: list[Turn]) -> Iterator[list[Turn]]:
    for banked, run in groupby(turns, key=_has_points):
        if banked:
            yield list(run)


def _has_points(turn: Turn) -> bool:
    """Return whether a turn was banked with points.

    A turn that overshot an exact target has none.
    """
    return turn.ending is TurnEnding.BANK and turn.points > 0


def _most_farkles(match: Match) -> Award | None:
    best = _most([tally.farkles for tally in tallies(match)])
    if best is None or not best[1]:
        return None
    seat, n = best
    name = match.state.players[seat].display_name
    words = Plural("%(name)s had the most farkles: %(n)s", "%(name)s had the most farkles: %(n)s", n=n, name=name)  # fmt: skip
    return Award(AwardKind.FARKLES, seat, words)


def _most(counts: list[int]) -> tuple[int, int] | None:
    """Return the only seat with the highest count, and the count; None if several seats have that count.

    Args:
        counts: The count of each seat.
    """
    most = max(counts)
    return (counts.index(most), most) if counts.count(most) == 1 else None
