"""A solved two-player match: the chance of winning in every position at the start of a turn.

Only these chances are stored. The chances within a turn are worked out when they are needed. A
position at the start of a turn is called a board.

A board is the position when a turn begins: the standings of both players. Banking leads to a board
with a higher sum of scores, so boards are solved from the highest sum down. A turn that scores
nothing leads to the same board with the other player to throw, so these two boards depend on each
other: the chance on each is F(1 - the chance on the other), where F(x) is the value of a whole turn
if losing that turn is worth x. F is convex, rising and piecewise linear. Newton's method solves all
such pairs with the same sum of scores at once. The slope of F comes from its last two values, which
is exact as long as both lie on the same piece.

Where the rules count farkles in a row, a farkle never leads back to the same board. The boards with
the most farkles are then solved first, and Newton's method is not needed. A penalty or a reset
leads to a lower sum, which is not solved yet. In that case all boards are solved repeatedly,
starting from the solution without penalties or resets, until no chance changes. Such turns are
rare, so a few rounds are enough.
"""

import hashlib
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cached_property

import numpy as np

from game.errors import OddsError
from game.message import Message
from game.odds.compiled_rules import CompiledRules, Floats, Indices, compile_rules, count_scoreless
from game.odds.match_model import (
    MatchEnding,
    MatchModel,
    Positions,
    Standings,
    goal_steps,
    match_ending,
    match_standings,
    unsolvable_reason,
)
from game.odds.turn_odds import (
    REFUSED,
    Stakes,
    TurnValues,
    asymptote,
    chances_to_reach,
    dice_after_keep,
    n_rows,
    solve_turn,
    values_to_reach,
)
from game.rules.ruleset import PENALTY_STREAK, LastRound, Piggyback, Ruleset, Ties

_NEGLIGIBLE = 1e-10
"""Largest gain in the chance of winning that may be missed by assuming that a player banks."""

UNLIMITED = 10**9
"""A number of steps at risk that no turn can reach."""

_MAX_PAIR_ERROR = 1e-8
"""Largest error of the chances on a pair of boards before the last Newton step, which squares the error."""

_MAX_ROUNDS = 60

_START_SLOPE = 0.4
"""First guess at the slope of F, the function described above."""

_MAX_CHANGE = 1e-6
"""Largest change in the last round over all boards. Another round would change the chances by only
a tenth of this."""

_NEARLY_DONE = 0.99

_CORES, _MIN_SHARED_BOARDS = 2, 64
"""Number of cores that share the boards with one sum of scores, and smallest number of boards for
which sharing is faster."""

METHOD_VERSION = 2
"""Version of the calculation, which is increased whenever the calculation gives other chances for the same rules."""

_IGNORED_OPTIONS = {
    "name", "title", "source", "assumed", "target", "piggyback", "take_over_farkle",
    "take_over_on_board", "nothing_first_throw", "knock_back", "scoreless_start",
    "three_scoreless_starts", "triple_threes", "hot_dice_multiply", "ties", "must_beat_turn",
    "most_throws", "farkles_keep_costing", "opening_at_zero", "target_ends_rounds",
}  # fmt: skip
"""Rule options that are only text, or that the odds do not take into account."""

_FIRST_PLAYER_WITH_PIGGYBACK = {
    ("12bd597d76731d85", Piggyback.NOT_HEAVY, 0): 0.5228,
    ("beb2ba4508c724fd", Piggyback.NOT_HEAVY, 0): 0.5344,
    ("03d8cb2128a9b55b", Piggyback.YES, 0): 0.5320,
    ("c3c047ec9a69b396", Piggyback.YES, 0): 0.5249,
    ("b6af39b9ab680913", Piggyback.YES, 500): 0.5334,
}
"""Chances of winning for the first player in colorado-dice, stirler, high-stakes, table-10000 and
risky-greed. They were worked out once, as described in docs/decisions/exact-match.md."""

_GUESS_SHARE = 0.1
"""Share of the work that goes into the first guess, which ignores penalties and resets."""


@dataclass(frozen=True, slots=True)
class MatchStakes:
    """The stakes of turns in one match: the values of banking, farkling and throwing again.

    Attributes:
        model: The match.
        escape: Chance that points at risk are banked in the end although the dice must be thrown,
            indexed by the number of dice.
        reaching: Chance that a whole turn banks at least n steps (usually 50 points each), indexed
            by whether the player is on the board (0 or 1) and by n.
        striving: Chance of banking at least n more steps, indexed by n and the number of dice in
            the next throw.
    """

    model: MatchModel
    escape: Floats
    reaching: Floats
    striving: Floats

    @classmethod
    def of(cls, throws: CompiledRules, ending: MatchEnding, standings: Standings) -> "MatchStakes":
        """Return the stakes of a match, from which the value of each of its turns can be calculated.

        Args:
            throws: The compiled rules.
            ending: How the match ends.
            standings: All standings that a player can have when a turn begins.
        """
        both = [
            chances_to_reach(throws, ending.goal, throws.needed(opened=opened))[: ending.goal + 1]
            for opened in (False, True)
        ]
        most = ending.goal - standings.floor
        striving = values_to_reach(throws, most, 1).thrown[: most + 1, :, 0][::-1]
        model = MatchModel(throws, ending, standings)
        return cls(model, asymptote(throws).slope, np.stack(both), striving)

    def on_solved(self, boards: Positions, wins: Floats, most: int = 0) -> Stakes:
        """Return the values of all ways in which a turn can end, in positions whose chances are known.

        Args:
            boards: The positions at the start of the turns, as `sorted_by_top` orders them.
            wins: Chance of winning for the current player, in all positions of the match.
            most: Highest number of steps at risk that the values must cover; they may cover more.
        """
        return self.stakes(boards, wins, self.model.value_of_farkle(boards, wins), most)

    def stakes(
        self,
        boards: Positions,
        wins: Floats,
        lost: Floats,
        most: int = 0,
        highest: int = UNLIMITED,
    ) -> Stakes:
        """Return the values of all ways in which a turn can end, given the value of a farkle.

        A player who is above a target that must be hit exactly may prefer a farkle, and can keep
        throwing until one comes.

        Args:
            boards: The positions at the start of the turns, as `sorted_by_top` orders them.
            wins: Chance of winning for the current player, in all positions of the match.
            lost: Chance of winning after a farkle, in each position.
            most: Highest number of steps at risk that the values must cover; they may cover more.
            highest: Steps at risk from which a player is assumed to bank or to go for the target.
        """
        model, ending = self.model, self.model.ending
        needed = model.needed(boards)
        top = np.maximum(self.top(boards, wins), most)
        is_capped = bool((top > np.maximum(highest, needed)).any())
        top = np.minimum(top, np.maximum(highest, needed))
        steps = np.arange(n_rows(model.throws, int(top.max())))[:, None]
        score = model.standings.score[boards.mine] + steps
        short_of_goal = np.minimum(score, ending.goal - 1)
        bank = model.value_after(boards, wins, model.standings.after_bank(short_of_goal))
        has_reached = score >= ending.goal
        nothing = lost if model.standings.is_static else model.value_of_nothing(boards, wins)
        bank[has_reached] = self._reached(boards, score, nothing)[has_reached]
        above = self._thrown_above(bank, lost)
        if is_capped and not ending.exactly:
            above = self._going_for_target(boards, score, lost, above)
        over = None
        if ending.exactly:
            over = score > ending.goal
            farkled = np.broadcast_to(lost, bank.shape)
            above = dict.fromkeys(range(model.throws.n_dice), farkled) | {
                left: np.maximum(value, lost) for left, value in above.items()
            }
        bank[steps < needed] = REFUSED
        if over is not None:
            bank = np.where(over, self._overshot(boards, wins, steps, nothing), bank)
        reset = np.zeros(len(boards))
        if model.throws.reset.any():
            reset = model.value_after(boards, wins, model.standings.reset[boards.mine])
        return Stakes(bank, lost, reset, top, above, over)

    def top(self, boards: Positions, wins: Floats) -> Indices:
        """Return, for each position, the number of steps at risk from which every player banks.

        With this many steps, the target is reached or, if the other player may follow, the lead is
        so large that one more throw risks more than further points can gain.

        Args:
            boards: The positions at the start of the turns.
            wins: Chance of winning for the current player, in all positions of the match. Some may
                be unknown.
        """
        ending = self.model.ending
        mine, theirs = self.model.scores(boards)
        to_goal = np.maximum(ending.goal - mine, self.model.needed(boards))
        if ending.exactly:
            most = ending.goal - mine
            past_both = np.maximum(most, ending.goal - theirs + 1)
            return past_both if ending.welfare else most
        followed = np.array(ending.followed)[boards.seat]
        if not followed.any():
            return to_goal
        safe = self._safe_lead(boards, wins) + theirs - mine
        return np.where(followed, np.maximum(to_goal, safe), to_goal)

    def sorted_by_top(self, boards: Positions, wins: Floats) -> Positions:
        """Return the positions in descending order of `top`, as `solve_turn` expects them.

        Args:
            boards: The positions at the start of the turns.
            wins: Chance of winning for the current player, in all positions of the match. Some may
                be unknown.
        """
        return boards.at(np.argsort(-self.top(boards, wins), kind="stable"))

    def _thrown_above(self, bank: Floats, lost: Floats) -> dict[int, Floats]:
        """Return, by dice left, the value of throwing only until banking is allowed again.

        Args:
            bank: Value of banking, indexed by [steps at risk, position].
            lost: Value of a farkle, in each position.
        """
        throws = self.model.throws
        escape = self.escape[dice_after_keep(throws)]
        return {
            left: escape[left] * bank + (1 - escape[left]) * lost
            for left in {0, *throws.must_throw}
        }

    def _going_for_target(
        self, boards: Positions, score: Indices, lost: Floats, above: dict[int, Floats]
    ) -> dict[int, Floats]:
        """Return, by dice left, the value of throwing until the target is reached, or `above` if higher.

        Args:
            boards: The positions at the start of the turns.
            score: Score after banking, indexed by [steps at risk, position].
            lost: Value of a farkle, in each position.
            above: Value of throwing until banking is allowed, by dice left.
        """
        goal = self.model.ending.goal
        won = self._reached(boards, np.full((1, len(boards)), goal), lost)
        to_go, gain = np.maximum(goal - score, 0), won - lost
        found = dict(above)
        for left, dice in enumerate(dice_after_keep(self.model.throws)):
            value = self.striving[to_go, dice]
            value *= gain
            value += lost
            found[left] = np.maximum(value, above[left]) if left in above else value
        return found

    def _reached(self, boards: Positions, score: Indices, nothing: Floats) -> Floats:
        """Return the value of banking a score that reaches the target.

        Args:
            boards: The positions at the start of the turns.
            score: Score after banking, indexed by [steps at risk, position].
            nothing: Value of a turn without points, in each position.
        """
        ending = self.model.ending
        if ending.exactly:
            return np.where(score == ending.goal, 1.0, nothing)
        followed = np.array(ending.followed)[boards.seat]
        lead = score - self.model.standings.score[boards.theirs]
        survives = ending.lead_survives(lead, self.model.opened(boards.theirs))
        return np.where(followed, survives, 1.0)

    def _overshot(self, boards: Positions, wins: Floats, steps: Indices, nothing: Floats) -> Floats:
        """Return the value of a turn that overshoots an exact target, indexed by [steps, position].

        Args:
            boards: The positions at the start of the turns.
            wins: Chance of winning for the current player, in all positions of the match.
            steps: Points of the turn, in steps.
            nothing: Value of a turn without points, in each position.
        """
        ending, standings = self.model.ending, self.model.standings
        given = standings.score[boards.theirs] + steps
        if not ending.welfare:
            return np.broadcast_to(nothing, given.shape)
        theirs = standings.after_gift(boards.theirs, np.minimum(given, ending.goal - 1))
        value = 1.0 - wins[self.model.swapped(boards).seat, theirs, standings.idle[boards.mine]]
        return np.where(given < ending.goal, value, np.where(given > ending.goal, nothing, 0))

    def _safe_lead(self, boards: Positions, wins: Floats) -> Indices:
        """Return, for each position, the lead from which any throw is a greater risk than banking.

        The risk of banking is that the other player's last turn overtakes the lead.
        """
        throws = self.model.throws
        least = 0.0 if throws.must_throw else float(throws.farkle[1:].min())
        risk = np.maximum(least * self._min_chance_of_other(boards, wins), _NEGLIGIBLE)
        catching = self.model.ending.catching[self.model.opened(boards.theirs)]
        lead: Indices = (catching > risk[:, None]).sum(axis=1)
        return lead

    def _min_chance_of_other(self, boards: Positions, wins: Floats) -> Floats:
        """Return a lower bound on the other player's chance of winning if this turn scores nothing.

        The bound is half the chance in the position where the current player has one more step. If
        there is no such position, it is the chance of reaching the target at once with a lead of
        one step.
        """
        ending, swapped = self.model.ending, self.model.swapped(boards)
        mine, theirs = self.model.scores(boards)
        above = self.model.standings.after_bank(np.minimum(mine + 1, ending.goal - 1))
        solved = wins[swapped.seat, boards.theirs, above]
        to_go = np.minimum(ending.goal - theirs, ending.goal)
        at_once = self.reaching[self.model.opened(boards.theirs), to_go]
        survives = ending.lead_survives(np.array([1]), [1])[0]
        return np.where(mine + 1 < ending.goal, np.nan_to_num(solved) / 2, at_once * survives)


@dataclass(frozen=True, slots=True)
class _Depth:
    """The precision with which turns are calculated in a round over all boards (positions).

    Attributes:
        highest: Steps at risk from which a player is assumed to bank or to go for the target.
        settled: Rounds are repeated until no chance changes by more than this.
        rounds: Expected number of such rounds in the whole work, for reporting progress.
        is_single_precision: Whether 32-bit floats are enough.
    """

    highest: int
    settled: float
    rounds: int
    is_single_precision: bool = False


_SHALLOW = _Depth(40, 1e-3, 16, is_single_precision=True)
"""For the first rounds. Few turns score more than 40 steps."""

_DEEP = _Depth(80, _MAX_CHANGE, 4)
_TO_THE_END = _Depth(UNLIMITED, _MAX_CHANGE, 5)
"""For rules under which throwing all dice never farkles, so that a player can always throw again."""


def solve(stakes: MatchStakes, wins: Floats) -> Iterator[float]:
    """Fill in every unknown chance of winning, and yield the share of the work that is done.

    The caller may stop at any time and continue later with the same `wins`.

    Args:
        stakes: The values of all ways in which turns of the match can end.
        wins: Chance of winning for the current player, in all positions. Unknown chances are NaN.

    Raises:
        OddsError: If there is a position from which neither player can ever win.
    """
    model = stakes.model
    work = _work(model)
    slopes = np.full((model.shape[0], model.ending.goal), _START_SLOPE)
    for i, total in enumerate(model.sums):
        boards = model.of_sum(total)
        if np.isnan(wins[boards.index()]).any():
            _solve_sum(stakes, stakes.sorted_by_top(boards, wins), wins, slopes)
        yield float(work[: i + 1].sum() / work.sum())


def solve_iteratively(stakes: MatchStakes, wins: Floats) -> Iterator[float]:
    """Solve all positions repeatedly until nothing changes; yield the approximate share of the work done.

    Args:
        stakes: The values of all ways in which turns of the match can end.
        wins: A guess at every chance of winning. The chance at the start of the match is NaN until
            all chances are right.

    Raises:
        OddsError: If the chances do not converge.
    """
    model = stakes.model
    work = _work(model)
    start = model.standings.find(0, opened=False)
    found = wins.copy()
    found[0, start, start] = np.nan_to_num(found[0, start, start], nan=0.5)
    depths, done = _depths(model), 0.0
    for _ in range(_MAX_ROUNDS):
        depth, before = depths[0], found.copy()
        slopes = np.full((model.shape[0], model.ending.goal), _START_SLOPE)
        for i, total in enumerate(model.sums):
            _sweep(stakes, model.of_sum(total), found, slopes, depth)
            part = float(work[: i + 1].sum() / work.sum())
            yield min(_NEARLY_DONE, done + part / depth.rounds)
        done += 1 / depth.rounds
        wins[:] = found
        if np.abs(found - before).max() < depth.settled:
            depths = depths[1:]
            if not depths:
                return
        wins[0, start, start] = np.nan
    raise OddsError("under these rules a match may never end: penalties take more than turns earn")


def _depths(model: MatchModel) -> tuple[_Depth, ...]:
    if model.standings.is_static:
        return (_DEEP,)
    never_farkles = model.throws.farkle[model.throws.n_dice] == 0
    return _SHALLOW, _TO_THE_END if never_farkles else _DEEP


def _sweep(
    stakes: MatchStakes, boards: Positions, wins: Floats, slopes: Floats, depth: _Depth
) -> None:
    """Solve positions with the same sum of scores.

    The chances in positions with lower sums come from the previous round over all positions.

    Args:
        stakes: The values of all ways in which turns of the match can end.
        boards: The positions to solve.
        wins: Chance of winning for the current player, in all positions. It is updated in place.
        slopes: Latest slope of F, the value of a turn as a function of the value of losing it,
            indexed by [seat, score]. It is updated in place.
        depth: How precisely turns are calculated.
    """
    standings = stakes.model.standings
    if standings.is_static:
        _solve_sum(stakes, stakes.sorted_by_top(boards, wins), wins, slopes)
        return
    farkles = standings.farkles()
    counted = farkles[boards.mine] + farkles[boards.theirs]
    for n in range(int(counted.max()), -1, -1):
        some = stakes.sorted_by_top(boards.at(np.flatnonzero(counted == n)), wins)
        lost = stakes.model.value_of_farkle(some, wins)
        found = stakes.stakes(some, wins, lost, highest=depth.highest)
        wins[some.index()] = _turn_values(
            stakes.model, found.in_single_precision() if depth.is_single_precision else found
        )


def _work(model: MatchModel) -> Floats:
    """Estimate the work for the positions with each sum of scores, from the highest sum down.

    The work in a position is assumed to grow with the number of steps that the current player still
    needs.
    """
    score = model.standings.score
    n = np.bincount(score - score.min())
    to_go = (model.ending.goal - score.min()) - np.arange(len(n))
    work: Floats = np.convolve(n * to_go, n)[::-1].astype(np.float64)
    return work


def _solve_sum(stakes: MatchStakes, boards: Positions, wins: Floats, slopes: Floats) -> None:
    model = stakes.model
    pairs = _pairs(model, boards)
    guess = _guess(model, boards, wins)
    mine, _ = model.scores(boards)
    slope = slopes[boards.seat, mine]
    lost_before, value_before = np.zeros(0), np.zeros(0)
    lost = 1.0 - guess[pairs]
    for _ in range(_MAX_ROUNDS):
        value = _turn_values(model, stakes.stakes(boards, wins, lost))
        if len(value_before):
            slope = _slope(slope, value - value_before, lost - lost_before)
        missed = np.abs(value - (1.0 - lost[pairs])).max()
        solved = _newton(value, slope, lost, pairs)
        if missed < _MAX_PAIR_ERROR:
            wins[boards.index()] = solved
            slopes[boards.seat, mine] = slope
            return
        lost_before, value_before, lost = lost, value, 1.0 - solved[pairs]
    raise OddsError("under these rules a match may never end: from some scores nobody can win")


def _turn_values(model: MatchModel, stakes: Stakes) -> Floats:
    """Return the value of a whole turn in each position.

    If there are many, two cores share the work.
    """
    if len(stakes.lost) < _MIN_SHARED_BOARDS:
        return solve_turn(model.throws, stakes).begin()
    halves = [stakes.at(slice(i, None, _CORES)) for i in range(_CORES)]
    value = np.empty_like(stakes.lost)
    with ThreadPoolExecutor(_CORES) as cores:
        found = cores.map(lambda half: solve_turn(model.throws, half).begin(), halves)
        for i, values in enumerate(found):
            value[i::_CORES] = values
    return value


def _pairs(model: MatchModel, boards: Positions) -> Indices:
    """Return, for each position, the index of the same position with the other player to throw."""
    column = {key: i for i, key in enumerate(zip(*map(list, boards.index()), strict=True))}
    swapped = model.swapped(boards)
    return np.array([column[key] for key in zip(*map(list, swapped.index()), strict=True)], np.intp)


def _guess(model: MatchModel, boards: Positions, wins: Floats) -> Floats:
    """Return a first guess at the chance in each position.

    A chance from an earlier round is used as it is. Unknown chances are extrapolated from those
    with higher sums of scores.
    """
    known = wins[boards.index()]
    mine, theirs = model.scores(boards)
    last = model.ending.goal - 1
    up = model.standings.after_bank(np.minimum(mine + 1, last))
    over = model.standings.after_bank(np.minimum(theirs + 1, last))
    plane = wins[boards.seat, up, boards.theirs] + wins[boards.seat, boards.mine, over]
    guess = np.where(np.isnan(known), plane - wins[boards.seat, up, over], known)
    return np.clip(np.where(np.isnan(guess), 0.5, guess), 0.0, 1.0)


def _slope(slope: Floats, rise: Floats, run: Floats) -> Floats:
    """Return rise / run, or the old slope where `run` is almost 0, limited to between 0 and 1."""
    moved = np.abs(run) > _NEGLIGIBLE
    found = np.where(moved, rise / np.where(moved, run, 1.0), slope)
    return np.clip(found, 0.0, 1.0)


def _newton(value: Floats, slope: Floats, lost: Floats, pairs: Indices) -> Floats:
    """Return the chance in each position at which the tangents of its pair of positions meet.

    Args:
        value: Value of a turn in each position.
        slope: Slope of the tangent in each position: the change of `value` with `lost`.
        lost: Value of a lost turn in each position, from which `value` was calculated.
        pairs: Index of the other position of each pair.
    """
    start = value + slope * (1.0 - lost)
    apart = np.maximum(1.0 - slope * slope[pairs], np.finfo(np.float64).eps)
    met: Floats = (start - slope * start[pairs]) / apart
    return np.clip(met, 0.0, 1.0)


def rules_digest(rules: Ruleset, target: int) -> str:
    """Return a digest of everything in the rules that affects the chances.

    Only options that differ from their defaults count, so a new option leaves existing tables
    valid.

    Args:
        rules: The rules.
        target: Points to play for.
    """
    usual = asdict(Ruleset("", ""))
    options = {
        key: value
        for key, value in asdict(rules).items()
        if key not in _IGNORED_OPTIONS and value != usual[key]
    }
    if rules.last_round is LastRound.UNTIL_UNBEATEN:
        options["last_round"] = LastRound.EVERY_OTHER  # the odds see only the first of these turns
    if rules.triple_threes:
        options["triple_threes"] = True  # only the penalty is left out: three 3s score nothing
    if rules.rounds:
        options["target_ends_rounds"] = rules.target_ends_rounds
        target = target if rules.has_target else 0
    text = json.dumps([METHOD_VERSION, target, options], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class MatchOdds:
    """Chances of winning a two-player match against an equally good opponent.

    Attributes:
        rules: The rules.
        target: Points to play for.
        chances: Chance of winning for the current player, indexed by [seat, mine, theirs] as in
            `Positions`. NaN if unknown.
    """

    rules: Ruleset
    target: int
    chances: Floats

    @classmethod
    def unsolved(cls, rules: Ruleset, target: int) -> "MatchOdds":
        """Return the odds of a match before any chance has been worked out.

        Args:
            rules: The rules.
            target: Points to play for.

        Raises:
            OddsError: If the match cannot be solved.
        """
        stakes = _stakes(rules, target)
        wins = cls(rules, target, stakes.model.unsolved())
        wins.__dict__["stakes"] = stakes
        return wins

    @cached_property
    def stakes(self) -> MatchStakes:
        """The values of all ways in which a turn can end. Calculating these values takes a moment."""
        return _stakes(self.rules, self.target)

    @property
    def model(self) -> MatchModel:
        """The positions of the match, and where turns lead from them."""
        return self.stakes.model

    @property
    def step(self) -> int:
        """Points of one step, the unit in which points are counted."""
        return compile_rules(self.rules).step

    @property
    def solved(self) -> bool:
        """Whether all chances are known."""
        return not np.isnan(self.first_player)

    def solve(self) -> Iterator[float]:
        """Work out the unknown chances, and yield the share of the work that is done.

        The caller may stop at any time, store the chances, and continue later.
        """
        if not self.model.can_fall:
            yield from solve(self.stakes, self.chances)
        elif not self.solved:
            if np.isnan(self.chances).sum() > 1:
                yield from self._guess_without_falls()
            shares = solve_iteratively(self.stakes, self.chances)
            yield from (_GUESS_SHARE + (1 - _GUESS_SHARE) * share for share in shares)

    def _guess_without_falls(self) -> Iterator[float]:
        """Fill in a first guess at every chance, computed with the same rules but without penalties or resets.

        Yields:
            The share of the work that is done.
        """
        plain = MatchOdds.unsolved(
            replace(self.rules, three_farkles=0, four_twos_reset=False), self.target
        )
        yield from (_GUESS_SHARE * share for share in plain.solve())
        near = np.maximum(self.model.standings.score, 0)
        self.chances[:] = plain.chances[:, near[:, None], near]

    @property
    def has_right_shape(self) -> bool:
        """Whether the chances are those of as many standings as a player can have under the rules."""
        return self.chances.shape[1:] == (len(self.standings),) * 2

    @property
    def first_player(self) -> float:
        """Chance of winning for the player who begins the match."""
        return float(self.chances[0, self._start_standing, self._start_standing])

    @cached_property
    def standings(self) -> Standings:
        """All standings that a player can have when a turn begins.

        Finding them is faster than working out `stakes`.
        """
        return match_standings(self.rules, goal_steps(self.rules, self.target, self.step))

    @cached_property
    def _start_standing(self) -> int:
        return self.standings.find(0, opened=False)

    def begin(self, mine: int, theirs: int, *, second: bool = False) -> float:
        """Return the chance of winning for the player whose turn begins with these scores.

        Args:
            mine: Score of the current player.
            theirs: Score of the other player.
            second: Whether the other player began the match.

        Raises:
            OddsError: If somebody has reached the target.
        """
        return self.chance(self.board(self.number(mine), self.number(theirs), second=second))

    def chance(self, board: Positions) -> float:
        """Return the chance of winning for the player whose turn begins in this position."""
        return float(self.chances[board.index()][0])

    def number(self, points: int, *, opened: bool | None = None, farkles: int = 0) -> int:
        """Return the number of a player's standing in `standings`.

        Impossible scores are rounded down to possible ones.

        Args:
            points: Score of the player.
            opened: Whether the player is on the board. None means that the player counts as on
                the board when the score is above 0.
            farkles: Number of farkles in a row.

        Raises:
            OddsError: If the score reaches the target.
        """
        if points // self.step >= self.model.ending.goal:
            raise OddsError(
                "%(points)s points already reach the target of %(target)s",
                points=points,
                target=self.target,
            )
        on_board = points > 0 if opened is None else opened
        return self.model.standings.find(points // self.step, opened=on_board, farkles=farkles)

    def board(self, mine: int, theirs: int, *, second: bool = False) -> Positions:
        """Return a single position at the start of a turn.

        Args:
            mine: Number of the current player's standing.
            theirs: Number of the other player's standing.
            second: Whether the other player began the match.
        """
        seat = int(second and self.model.ending.seats > 1)
        return Positions(*(np.array([at], np.intp) for at in (seat, mine, theirs)))

    def turn(self, board: Positions, most: int = 0) -> tuple[Floats, TurnValues]:
        """Return the chance of winning by banking, and the chance at every stage of the turn.

        The chance of winning by banking is indexed by the points at risk, in steps.

        Args:
            board: The position at the start of the turn.
            most: Highest number of steps at risk that the chances must cover; they may cover more.
        """
        stakes = self.stakes.on_solved(board, self.chances, most)
        return stakes.bank[:, 0], solve_turn(self.model.throws, stakes)


def _stakes(rules: Ruleset, target: int) -> MatchStakes:
    end = match_ending(rules, target)
    return MatchStakes.of(compile_rules(rules), end, match_standings(rules, end.goal))


def is_close(rules: Ruleset) -> bool:
    """Return whether the odds cover enough of the rules to show the first player's chance."""
    unsolvable = unsolvable_reason(rules) is not None
    left_out = unsolvable or rules.hot_dice_multiply or rules.scoreless_start
    return not (left_out or rules.most_throws or rules.must_beat_turn or rules.farkles_keep_costing)


def is_exact(rules: Ruleset) -> bool:
    """Return whether the first player's chance is exact for these rules, apart from penalties."""
    return is_close(rules) and rules.piggyback is Piggyback.NO


def left_out_of_match(rules: Ruleset) -> tuple[Message, ...]:
    """Return a phrase for each of these rules that is left out of the exact solution of a match."""
    played = (
        (
            rules.nothing_first_throw,
            Message("that a throw without points pays only as the first throw of a turn"),
        ),
        (rules.scoreless_start, Message("the penalty for a first throw without points")),
        (rules.knock_back, Message("knocking other players back to zero")),
        (
            rules.piggyback is not Piggyback.NO,
            Message("taking over the points that another player has banked"),
        ),
        (
            rules.take_over_farkle,
            Message("the penalty for a farkle after taking over points"),
        ),
        (rules.hot_dice_multiply, Message("hot dice that multiply later points")),
        (rules.triple_threes, Message("the penalty for three 3s in one throw")),
        (rules.three_scoreless_starts, _three_scoreless_starts(rules)),
        (
            rules.must_beat_turn,
            Message("that a bank has to exceed the points of the turn before"),
        ),
        (rules.most_throws, Message("the limit on the number of throws in a turn")),
        (rules.ties is not Ties.NOBODY, Message("that a tie is played off")),
        (
            rules.last_round is LastRound.UNTIL_UNBEATEN,
            Message("last turns after the first one of each player"),
        ),
        (
            rules.farkles_keep_costing,
            Message("the penalty for the fourth and each further farkle in a row"),
        ),
        (
            rules.opening_at_zero,
            Message("that a player who falls to zero has to get on the board again"),
        ),
    )
    return tuple(what for is_played, what in played if is_played)


def _three_scoreless_starts(rules: Ruleset) -> Message:
    chance = (count_scoreless(rules.n_dice, rules) / 6**rules.n_dice) ** PENALTY_STREAK
    return Message(
        "the penalty for three first throws without points, once in %(turns)s turns",
        turns=round(1 / chance) if chance else 0,
    )


def first_player_with_piggyback(rules: Ruleset, target: int) -> float | None:
    """Return the first player's chance of winning if points may be taken over, or None if unknown.

    Args:
        rules: The rules.
        target: Points to play for.
    """
    if rules.take_over_on_board:
        return None
    key = rules_digest(rules, target), rules.piggyback, rules.take_over_farkle
    return _FIRST_PLAYER_WITH_PIGGYBACK.get(key)
