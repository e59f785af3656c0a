"""All odds for one moment of a match, as the page shows them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from game.match.match import Match
from game.match.state import State
from game.odds.advice import TurnOption
from game.odds.match_odds import MatchOdds
from game.odds.review import (
    ReviewedMoment,
    is_estimate,
    is_race,
    keep_options,
    review,
    turn_odds_of,
)
from game.rules.ruleset import Piggyback

_TWO = 2


class Caveat(StrEnum):
    """A rule or a circumstance that the chances of winning do not take into account."""

    LEADER = "leader"
    """With teams, the chance is calculated for a two-player match against the best opponent."""

    ESTIMATE = "estimate"
    """The match is not solved, so the chance is a rough estimate."""

    SEVERAL = "several"
    """With more than two players, the chance is an estimate, off by about one percentage point."""

    TAKING_OVER = "taking over"
    """The chances assume that nobody takes over what another player has banked."""

    PENALTIES = "penalties"
    """The chances assume that three 3s and three scoreless starts cost nothing."""

    MULTIPLIED = "multiplied"
    """The chances assume that hot dice do not multiply points."""

    OTHER = "other"
    """Other rules of the match, which `game.odds.match_odds` lists."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The odds of a match in its current state.

    Attributes:
        solved: Whether chances of winning are known.
        caveats: The rules and circumstances that the chances of winning leave out, and whether
            they are only estimated.
        keeps: The choice that each legal keep of the last throw leads to, best first.
        before: The choice before the first throw of a turn; None once the player has thrown.
        turn: Luck and decisions of the turn that ended last.
        decision: The newest decision of a person, in this turn or the previous one; None if there
            is none.
    """

    solved: bool
    caveats: tuple[Caveat, ...]
    keeps: tuple[TurnOption, ...] = ()
    before: TurnOption | None = None
    turn: tuple[ReviewedMoment, ...] = ()
    decision: ReviewedMoment | None = None

    @property
    def win(self) -> float | None:
        """The chance of winning for the current player, with best play; None if it is not known."""
        best = self.keeps[0] if self.keeps else self.before
        return best.win if best else None


def figures(match: Match, wins: MatchOdds | None) -> Figures:
    """Return the odds of a match.

    Args:
        match: The match.
        wins: The solved two-player match. If it is None, only average points are known.
    """
    state = match.state
    solved = wins is not None and wins.solved
    left_out = tuple(_caveats(state))
    newest = _newest_moments(match, wins)
    turn, decision = _last_turn(match, newest), _last_decision(match, newest)
    if state.winner is not None:
        return Figures(solved, left_out, turn=turn, decision=decision)
    found = Figures(
        solved,
        left_out,
        keeps=keep_options(state, wins) if state.keeps else (),
        before=None if state.turn.throws else _before(state, wins),
        turn=turn,
        decision=decision,
    )
    estimated = found.win is not None and is_estimate(state, wins)
    return replace(found, caveats=(Caveat.ESTIMATE,)) if estimated else found


def _before(state: State, wins: MatchOdds | None) -> TurnOption:
    at_risk = state.turn.at_risk
    odds = turn_odds_of(state, wins, most=at_risk, estimate=True)
    return odds.option(at_risk, state.dice_in_hand)


def _newest_moments(match: Match, wins: MatchOdds | None) -> tuple[ReviewedMoment, ...]:
    """Return the reviewed throws and decisions since the start of a person's last finished turn."""
    state = match.state
    own = (turn for turn in reversed(state.turns) if state.players[turn.seat].bot is None)
    newest = next(own, None)
    return review(match, wins, since=newest.start if newest else 0).moments


def _last_turn(match: Match, moments: tuple[ReviewedMoment, ...]) -> tuple[ReviewedMoment, ...]:
    return tuple(moment for moment in moments if moment.turn == len(match.state.turns) - 1)


def _last_decision(match: Match, moments: tuple[ReviewedMoment, ...]) -> ReviewedMoment | None:
    """Return the newest decision of a person, or None once a person has thrown in a later turn."""
    state = match.state
    own = (m for m in reversed(moments) if m.done and state.players[m.seat].bot is None)
    newest = next(own, None)
    has_thrown_since = state.player.bot is None and state.turn.throws
    is_old = newest is not None and newest.turn < len(state.turns)
    return None if has_thrown_since and is_old else newest


def caveats(match: Match) -> tuple[Caveat, ...]:
    """Return the rules and circumstances that the chances of winning a match leave out.

    A charity roll in progress makes no difference to the result.
    """
    return tuple(_caveats(replace(match.state, closer=None)))


def _caveats(state: State) -> Iterator[Caveat]:
    rules = state.rules
    if is_race(state):
        yield Caveat.SEVERAL
    elif len(state.order) > _TWO or any(player.team is not None for player in state.players):
        yield Caveat.LEADER
    if rules.piggyback is not Piggyback.NO:
        yield Caveat.TAKING_OVER
    if rules.three_scoreless_starts or rules.triple_threes:
        yield Caveat.PENALTIES
    if rules.hot_dice_multiply:
        yield Caveat.MULTIPLIED
    if rules.knock_back or rules.scoreless_start or rules.nothing_first_throw:
        yield Caveat.OTHER
