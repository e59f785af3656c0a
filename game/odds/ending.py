"""How a match of two ends: what banking enough is worth, before and after the other follows."""

from dataclasses import dataclass

import numpy as np

from game.errors import OddsError
from game.message import Message
from game.odds.compiled_rules import CompiledRules, Floats, compile_rules
from game.odds.throw_odds import chances_of_one_throw, chances_to_reach
from game.rules.ruleset import LastRound, Ruleset, Win

_NEVER = 1e-10
"""A chance that is left out of account."""

MAX_GOAL_STEPS = 1_000
"""Steps of a target at most: a million boards."""


@dataclass(frozen=True, slots=True)
class MatchEnding:
    """Where a match of two ends.

    Attributes:
        goal: the steps that reach the target.
        exactly: whether more than that is worth nothing.
        welfare: whether a turn that brings more goes to the other.
        followed: whether the other has a last turn, for the seat that began and for the other.
        catching: chance of that last turn to bank n steps or more, at [on the board, n].
    """

    goal: int
    exactly: bool
    welfare: bool
    followed: tuple[bool, bool]
    catching: Floats

    @property
    def seats(self) -> int:
        """1 where it makes no difference who began the match, else 2."""
        return 1 if self.followed[0] == self.followed[1] else 2

    def held(
        self, lead: "np.ndarray[tuple[int, ...], np.dtype[np.intp]]", opened: object
    ) -> Floats:
        """Chance that a lead of so many steps survives the other's last turn.

        The other must have more: a tie stays with the one who was there first.
        """
        more = np.clip(lead + 1, 0, self.catching.shape[1] - 1)
        held: Floats = 1.0 - self.catching[np.asarray(opened, np.intp), more]
        return held


def unsolvable_reason(rules: Ruleset) -> Message | None:
    """Why no match of these rules is ever worked out; None where some are."""
    if rules.rounds:
        return Message("a match of so many turns each is not worked out, only one to a target")
    return None


def match_ending(rules: Ruleset, target: int) -> MatchEnding:
    """The ending under these rules when the target is so many points.

    Raises:
        OddsError: it has too many steps, or cannot be reached.
    """
    if refusal := unsolvable_reason(rules):
        raise OddsError(refusal)
    compiled = compile_rules(rules)
    goal = goal_steps(rules, target, compiled.step)
    return MatchEnding(
        goal=goal,
        exactly=rules.win is Win.EXACTLY,
        welfare=rules.welfare,
        followed=_followed(rules),
        catching=_catching(rules, compiled, goal),
    )


def goal_steps(rules: Ruleset, target: int, step: int) -> int:
    """The steps that reach the target.

    Raises:
        OddsError: they are too many, or it cannot be reached.
    """
    goal = target // step + 1 if rules.win is Win.OVER else -(-target // step)
    if not 1 <= goal <= MAX_GOAL_STEPS:
        raise OddsError(
            Message(
                "scores go by %(step)s, so a target can be 1 to %(most)s, not %(target)s",
                step=step,
                most=MAX_GOAL_STEPS * step,
                target=target,
            )
        )
    if rules.win is Win.EXACTLY:
        _check_exact(rules, target, step)
    return goal


def _check_exact(rules: Ruleset, target: int, step: int) -> None:
    if target % step:
        raise OddsError(
            Message(
                "scores go by %(step)s: exactly %(target)s is never reached",
                step=step,
                target=target,
            )
        )
    if rules.minimum_bank > step:
        raise OddsError(
            Message(
                "who is %(step)s short of exactly %(target)s can never bank it, since %(least)s is"
                " the least: such a match may have no end",
                step=step,
                target=target,
                least=rules.minimum_bank,
            )
        )


def _followed(rules: Ruleset) -> tuple[bool, bool]:
    match rules.last_round:
        case LastRound.NONE:
            return (False, False)
        case LastRound.LATER_IN_ROUND:
            return (rules.win is not Win.EXACTLY, False)
        case _:
            return (rules.win is not Win.EXACTLY,) * 2


def _catching(rules: Ruleset, compiled: CompiledRules, goal: int) -> Floats:
    """Up to where more hardly makes it less, and at least to the goal; a throw may win whatever it needs."""
    most = 2 * goal
    while True:
        both = [_to_catch(rules, compiled, most, opened=opened) for opened in (False, True)]
        catching = np.stack([chances[: most + 1] for chances in both])
        if (catching[:, most // 2] - catching[:, -1]).max() < _NEVER:
            return catching
        most *= 2


def _to_catch(rules: Ruleset, compiled: CompiledRules, most: int, *, opened: bool) -> Floats:
    least = compiled.needed(opened=opened)
    most = max(most, least)
    if rules.last_round is LastRound.CHARITY_ROLL:
        return chances_of_one_throw(rules, most, least)
    return chances_to_reach(compiled, most, least)
