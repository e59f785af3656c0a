"""A model of a two-player match for the solver: its positions, where turns lead, and how the match ends.

A position at the start of a turn is called a board. It consists of the standings of both players.
Points are counted in steps (see `game.odds.compiled_rules`).

A standing is a score, whether the player is on the board, and the number of farkles in a row, as
far as they matter under the rules.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from game.errors import OddsError
from game.message import Message
from game.odds.compiled_rules import CompiledRules, Floats, Indices, compile_rules
from game.odds.turn_odds import chances_of_one_throw, chances_to_reach
from game.rules.ruleset import PENALTY_STREAK, LastRound, Piggyback, Ruleset, Ties, Win

Flags = npt.NDArray[np.bool_]

_MAX_STEPS_BELOW_ZERO = 40
"""Scores are distinguished down to this many steps below zero. A lower score counts as the lowest one."""

_MAX_PENALTIES = 2
"""Scores below zero are distinguished down to this many penalties. A third one in a row, from zero,
happens once in thousands of matches."""

_NEGLIGIBLE = 1e-10
"""Chances below this are ignored."""

MAX_GOAL_STEPS = 1_000
"""Highest target for which matches are solved, in steps. A match to this target has a million boards."""


@dataclass(frozen=True, slots=True)
class Standings:
    """All standings that a player can have in a match. A step is the unit of points, usually 50.

    Attributes:
        score: Score of each standing, in steps.
        opened: Whether the player is on the board, for each standing.
        lost: Number of the standing after a farkle, for each standing.
        idle: Number of the standing after a turn without points that was not a farkle, for each
            standing.
        reset: Number of the standing after the score was reset, for each standing.
        floor: Lowest score, in steps.
        numbers: Number of each standing, indexed by whether the player is on the board (0 or 1),
            farkles in a row, and score - floor. An impossible combination has the number of a
            player who is on the board.
    """

    score: Indices
    opened: Flags
    lost: Indices
    idle: Indices
    reset: Indices
    floor: int
    numbers: Indices

    def __len__(self) -> int:
        return len(self.score)

    @property
    def n_streaks(self) -> int:
        """How many different counts of farkles in a row are distinguished."""
        return int(self.numbers.shape[1])

    @property
    def is_static(self) -> bool:
        """Whether a turn without points leaves the player's standing unchanged."""
        return self.n_streaks == 1

    def farkles(self) -> Indices:
        """Return the number of farkles in a row for each standing."""
        found = np.zeros(len(self), np.intp)
        for n in range(self.n_streaks):
            found[self.numbers[:, n]] = n
        return found

    def find(self, score: int, *, opened: bool = True, farkles: int = 0) -> int:
        """Return the number of a standing. A score below the lowest score counts as the lowest.

        Args:
            score: Score in steps.
            opened: Whether the player is on the board.
            farkles: Number of farkles in a row. A count above those that are distinguished counts
                as the highest one: where each further farkle costs points too, the next one does.
        """
        at = max(score, self.floor) - self.floor
        row = min(farkles, self.n_streaks - 1)
        return int(self.numbers[int(opened), row, at])

    def after_gift(self, standing: Indices, score: Indices) -> Indices:
        """Return the standings of players after a gift of points.

        Args:
            standing: Numbers of the players' standings before the gift.
            score: Scores of the players after the gift, in steps.
        """
        found: Indices = self.numbers[1, self.farkles()[standing], score - self.floor]
        return found

    def after_bank(self, score: Indices) -> Indices:
        """Return the standings of players who have just reached these scores, in steps, by banking."""
        found: Indices = self.numbers[1, 0, score - self.floor]
        return found


def match_standings(rules: Ruleset, goal: int) -> Standings:
    """Return all standings that a player can have in a match.

    Args:
        rules: The rules.
        goal: Target of the match, in steps.
    """
    compiled = compile_rules(rules)
    rows = PENALTY_STREAK if compiled.three_farkles else 1
    floor = _floor(rules, compiled)
    numbers = _numbers(rules, compiled, goal, floor, rows)
    n, apart = int(numbers.max()) + 1, not np.array_equal(numbers[0], numbers[1])
    score, opened = np.zeros(n, np.intp), np.zeros(n, np.bool_)
    lost, idle, reset = (np.zeros(n, np.intp) for _ in range(3))
    for on_board in (0, 1):
        for row in range(rows):
            of = numbers[on_board, row]
            score[of] = np.arange(floor, goal)
            opened[of] = on_board if apart else score[of] > 0
            fallen = np.maximum(score[of] - compiled.three_farkles, floor) - floor
            lost[of] = (
                numbers[on_board, row + 1] if row + 1 < rows else numbers[on_board, 0, fallen]
            )
            idle[of] = numbers[on_board, 0]
            reset[of] = numbers[on_board, 0, -floor]
    return Standings(score, opened, lost, idle, reset, floor, numbers)


def _floor(rules: Ruleset, compiled: CompiledRules) -> int:
    if not compiled.three_farkles or not rules.below_zero:
        return 0
    return -min(_MAX_PENALTIES * compiled.three_farkles, _MAX_STEPS_BELOW_ZERO)


def _numbers(rules: Ruleset, compiled: CompiledRules, goal: int, floor: int, rows: int) -> Indices:
    """Return the number of each standing. Scores rise with the numbers, so neighbours are similar.

    A player who is not on the board has no points. If that matters and points can be lost again, a
    player on the board with equally few points is a different standing.

    Args:
        rules: The rules.
        compiled: The compiled rules.
        goal: Target of the match, in steps.
        floor: Lowest score, in steps.
        rows: How many different counts of farkles in a row are distinguished.
    """
    found = np.zeros((2, rows, goal - floor), np.intp)
    matters = compiled.needed(opened=False) > compiled.needed(opened=True)
    can_fall = rows > 1 or rules.four_twos_reset
    n = 0
    for row in range(rows):
        found[:, row] = n + np.arange(goal - floor)
        n += goal - floor
        if matters and can_fall:
            found[1, row, : 1 - floor] = n + np.arange(1 - floor)
            n += 1 - floor
    return found


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
    """Return why no match with a fixed number of turns can be solved under these rules, or None if it can.

    Only the difference of the scores is part of the solution, so no other rule may depend on a score.
    """
    if not rules.rounds:
        return None
    depends = (
        rules.target_ends_rounds,
        rules.ties is not Ties.NOBODY,
        rules.piggyback is not Piggyback.NO,
        rules.hot_dice_multiply or rules.must_beat_turn or rules.most_throws,
        rules.three_farkles or rules.scoreless_start or rules.three_scoreless_starts,
        rules.triple_threes or rules.four_twos_reset or rules.knock_back,
        rules.opening_at_zero or rules.nothing_first_throw,
    )
    if any(depends):
        return Message(
            "with a fixed number of turns, chances are only calculated if the match has no target and "
            "nothing but the points of a turn changes a score"
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
