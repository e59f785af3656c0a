"""A model of a two-player match for the solver: its positions, where turns lead, and how the match ends.

A position at the start of a turn is called a board. It consists of the standings of both players.
Points are counted in steps (see `game.odds.compiled_rules`).
"""

from dataclasses import dataclass

import numpy as np

from game.errors import OddsError
from game.message import Message
from game.odds.compiled_rules import CompiledRules, Floats, Indices, compile_rules
from game.odds.player_standings import Standings
from game.odds.throw_odds import chances_of_one_throw, chances_to_reach
from game.rules.ruleset import LastRound, Ruleset, Win

_NEGLIGIBLE = 1e-10
"""Chances below this are ignored."""

MAX_GOAL_STEPS = 1_000
"""Highest target for which matches are solved, in steps. A match to this target has a million boards."""


@dataclass(frozen=True, slots=True)
class MatchEnding:
    """How a two-player match ends. A step is the unit of points, usually 50.

    Attributes:
        goal: Number of steps needed to reach the target.
        exactly: Whether the target must be hit exactly.
        welfare: Whether the points of a turn that overshoots the target go to the other player.
        followed: Whether the other player gets a last turn after a player reaches the target,
            indexed by the seat of that player: 0 for the player who began the match, else 1.
        catching: Chance that this last turn banks at least n steps, indexed by whether the player
            is on the board (0 or 1) and by n.
    """

    goal: int
    exactly: bool
    welfare: bool
    followed: tuple[bool, bool]
    catching: Floats

    @property
    def seats(self) -> int:
        """Number of seats to distinguish: 1 if it makes no difference who began the match, else 2."""
        return 1 if self.followed[0] == self.followed[1] else 2

    def lead_survives(
        self, lead: "np.ndarray[tuple[int, ...], np.dtype[np.intp]]", opened: object
    ) -> Floats:
        """Return the chance that a lead survives the other player's last turn.

        The other player has to score more than the lead, because the player who was first to reach
        a score wins a tie.

        Args:
            lead: Leads, in steps.
            opened: Whether the other player is on the board, for each lead or for all.
        """
        more = np.clip(lead + 1, 0, self.catching.shape[1] - 1)
        chance: Floats = 1.0 - self.catching[np.asarray(opened, np.intp), more]
        return chance


def unsolvable_reason(rules: Ruleset) -> Message | None:
    """Return why no match under these rules can be solved, or None if matches can be solved."""
    if rules.rounds:
        return Message(
            "chances are only calculated for matches with a target, not for a fixed number of turns"
        )
    return None


def match_ending(rules: Ruleset, target: int) -> MatchEnding:
    """Return how a two-player match ends.

    Args:
        rules: The rules.
        target: Points to play for.

    Raises:
        OddsError: If the target is too far away or cannot be reached.
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
    """Return the target in steps of points, rounded up to a score that wins.

    Args:
        rules: The rules.
        target: Points to play for.
        step: Points of one step.

    Raises:
        OddsError: If the target is too far away or cannot be reached.
    """
    goal = target // step + 1 if rules.win is Win.OVER else -(-target // step)
    if not 1 <= goal <= MAX_GOAL_STEPS:
        raise OddsError(
            "scores go in steps of %(step)s, so the target can be 1 to %(most)s, not %(target)s",
            step=step,
            most=MAX_GOAL_STEPS * step,
            target=target,
        )
    if rules.win is Win.EXACTLY:
        _check_exact(rules, target, step)
    return goal


def _check_exact(rules: Ruleset, target: int, step: int) -> None:
    if target % step:
        raise OddsError(
            "scores go in steps of %(step)s, so nobody can reach exactly %(target)s",
            step=step,
            target=target,
        )
    if rules.minimum_bank > step:
        raise OddsError(
            "a player who is %(step)s short of exactly %(target)s can never bank that, "
            "because the smallest bank is %(least)s: the match may never end",
            step=step,
            target=target,
            least=rules.minimum_bank,
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
    """Return `MatchEnding.catching`, cut off where the chances hardly fall any further.

    The chances never reach 0 if a throw can win the match.
    """
    most = 2 * goal
    while True:
        both = [_to_catch(rules, compiled, most, opened=opened) for opened in (False, True)]
        catching = np.stack([chances[: most + 1] for chances in both])
        if (catching[:, most // 2] - catching[:, -1]).max() < _NEGLIGIBLE:
            return catching
        most *= 2


def _to_catch(rules: Ruleset, compiled: CompiledRules, most: int, *, opened: bool) -> Floats:
    least = compiled.needed(opened=opened)
    most = max(most, least)
    if rules.last_round is LastRound.CHARITY_ROLL:
        return chances_of_one_throw(rules, most, least)
    return chances_to_reach(compiled, most, least)


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions at the start of a turn (boards), as three arrays of equal length.

    Attributes:
        seat: 0 if the current player began the match, else 1. Always 0 if that makes no difference.
        mine: Number of the current player's standing (see `Standings`).
        theirs: Number of the other player's standing.
    """

    seat: Indices
    mine: Indices
    theirs: Indices

    def __len__(self) -> int:
        return len(self.mine)

    def at(self, order: Indices) -> "Positions":
        """Return the positions at these indices, in this order."""
        return Positions(self.seat[order], self.mine[order], self.theirs[order])

    def index(self) -> tuple[Indices, Indices, Indices]:
        """Return the positions as an index into an array of chances, as `MatchModel` describes it."""
        return self.seat, self.mine, self.theirs


@dataclass(frozen=True, slots=True)
class MatchModel:
    """A two-player match under compiled rules: its positions (boards), and where turns lead from them.

    Arrays of chances are indexed by [seat, mine, theirs], as `Positions` describes them.
    """

    throws: CompiledRules
    ending: MatchEnding
    standings: Standings

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of an array with a chance for every position."""
        return self.ending.seats, len(self.standings), len(self.standings)

    @property
    def can_fall(self) -> bool:
        """Whether a turn may lower the sum of both scores."""
        return bool(self.throws.reset.any()) or not self.standings.is_static

    @property
    def sums(self) -> range:
        """Possible sums of both scores, in steps, from the highest down."""
        low, high = int(self.standings.score.min()), int(self.standings.score.max())
        return range(2 * high, 2 * low - 1, -1)

    def unsolved(self) -> Floats:
        """Return an array of chances that are all unknown (NaN)."""
        return np.full(self.shape, np.nan)

    def of_sum(self, total: int) -> Positions:
        """Return all positions in which both scores add up to this many steps."""
        score, seats = self.standings.score, self.ending.seats
        mine, theirs = np.nonzero(score[:, None] == total - score)
        return Positions(
            seat=np.repeat(np.arange(seats), len(mine)),
            mine=np.tile(mine, seats),
            theirs=np.tile(theirs, seats),
        )

    def swapped(self, boards: Positions) -> Positions:
        """Return the same positions with the other player to throw."""
        seat = 1 - boards.seat if self.ending.seats > 1 else boards.seat
        return Positions(seat, boards.theirs, boards.mine)

    def scores(self, boards: Positions) -> tuple[Indices, Indices]:
        """Return the scores of the current player and of the other player in each position, in steps."""
        return self.standings.score[boards.mine], self.standings.score[boards.theirs]

    def opened(self, standing: Indices) -> Indices:
        """Return 1 for each standing of a player who is on the board, else 0."""
        return self.standings.opened[standing].astype(np.intp)

    def needed(self, boards: Positions) -> Indices:
        """Return the fewest steps that the current player may bank, in each position."""
        both = [self.throws.needed(opened=False), self.throws.needed(opened=True)]
        needed: Indices = np.array(both, np.intp)[self.opened(boards.mine)]
        return needed

    def value_after(self, boards: Positions, wins: Floats, mine: Indices) -> Floats:
        """Return the chance of winning after a turn that leaves the player with the standings `mine`.

        Args:
            boards: The positions at the start of the turn.
            wins: Chance of winning for the current player, in all positions of the match.
            mine: Numbers of the player's standings after the turn, in a shape that broadcasts
                against the positions.
        """
        swapped = self.swapped(boards)
        value: Floats = 1.0 - wins[swapped.seat, swapped.mine, mine]
        return value

    def value_of_farkle(self, boards: Positions, wins: Floats) -> Floats:
        """Return the chance of winning after a turn that ends in a farkle.

        Args:
            boards: The positions at the start of the turn.
            wins: Chance of winning for the current player, in all positions of the match.
        """
        return self.value_after(boards, wins, self.standings.lost[boards.mine])

    def value_of_nothing(self, boards: Positions, wins: Floats) -> Floats:
        """Return the chance of winning after a turn that overshot the target and scored no points.

        Args:
            boards: The positions at the start of the turn.
            wins: Chance of winning for the current player, in all positions of the match.
        """
        return self.value_after(boards, wins, self.standings.idle[boards.mine])
