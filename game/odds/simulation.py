"""Matches of the solved play against itself, thrown with random dice: does the figure hold?

The arithmetic of the solution is not trusted here: dice are thrown, their keeps looked up in the
table of keeps, points added and the end of the match found out. Only the choice between keeps, and
between banking and throwing on, is the solution's. All matches that have as many points
together are played at once.
"""

from dataclasses import dataclass
from itertools import product
from math import sqrt

import numpy as np

from game.errors import OddsError
from game.message import Message
from game.odds.compiled_rules import Floats, Indices, step_of, throws
from game.odds.match_odds import MatchOdds
from game.odds.throw_odds import reaching
from game.odds.turn_solver import REFUSED, play
from game.rules import scoring
from game.rules.ruleset import LastRound, Ruleset, Win

_NO_KEEP = -1


@dataclass(frozen=True, slots=True)
class SimulatedShare:
    """How many of some matches the player won who began, and how many were expected."""

    matches: int
    first_won: int
    expected: float

    @property
    def share(self) -> float:
        return self.first_won / self.matches

    @property
    def error(self) -> float:
        """The standard error of the share."""
        return sqrt(self.expected * (1 - self.expected) / self.matches)

    @property
    def off(self) -> float:
        """By how many standard errors the share is off."""
        return (self.share - self.expected) / self.error


@dataclass(frozen=True, slots=True)
class _Keeps:
    """All throws of n dice, as numbers in base six, and what may be kept of them."""

    row: Indices
    steps: Indices
    left: Indices


@dataclass(frozen=True, slots=True)
class _Policy:
    """What a turn goes by: worths at [steps, left or dice, board], and that of banking."""

    bank: Floats
    kept: Floats
    thrown: Floats


class Dice:
    """Random throws under a rule set."""

    def __init__(self, rules: Ruleset, seed: int) -> None:
        self.rules = rules
        self.random = np.random.default_rng(seed)
        self._keeps = {n: _keeps(rules, n) for n in range(1, rules.n_dice + 1)}
        self._bonus = rules.last_die_twice // step_of(rules)

    def throw(self, n: int, times: int) -> tuple[Indices, Indices]:
        """Steps of each keep, and the dice it leaves, at [throw, keep]; _NO_KEEP where is none."""
        keeps = self._keeps[n]
        row = keeps.row[self.random.integers(6**n, size=times)]
        if n == 1 and self._bonus:
            again = keeps.row[self.random.integers(6, size=times)]
            row = np.where(keeps.left[row, 0] == _NO_KEEP, again, row)
        return keeps.steps[row] + (self._bonus if n == 1 else 0), keeps.left[row]


def _keeps(rules: Ruleset, n: int) -> _Keeps:
    table, step = scoring.table(rules), step_of(rules)
    kinds = [dice for dice in table if len(dice) == n]
    number = {dice: i for i, dice in enumerate(kinds)}
    most = max(1, *(len(table[dice]) for dice in kinds))
    steps, left = np.zeros((len(kinds), most), np.intp), np.full((len(kinds), most), _NO_KEEP)
    for dice, i in number.items():
        for k, keep in enumerate(table[dice]):
            steps[i, k], left[i, k] = keep.score // step, keep.dice_left
    row = [number[tuple(sorted(faces))] for faces in product(range(1, 7), repeat=n)]
    return _Keeps(np.array(row), steps, left)


def play_out(wins: MatchOdds, matches: int, seed: int = 1) -> SimulatedShare:
    """Play so many matches.

    Raises:
        OddsError: the rules force a bank or want the target exactly, which is not played here.
    """
    ends = wins.duel.throws.win.any() or wins.duel.falls
    if wins.rules.must_bank_after_triple or wins.rules.win is Win.EXACTLY or ends:
        raise OddsError(
            Message("a forced bank, an exact target, penalties and resets are not played out here")
        )
    table = _Table(wins, matches, Dice(wins.rules, seed))
    for total in range(2 * wins.duel.ending.goal - 1):
        table.play_all_of(total)
    return SimulatedShare(matches, int((table.winner == 0).sum()), wins.first_player)


class _Table:
    """All matches: the scores in steps at [match, player], who throws, and who has won."""

    def __init__(self, wins: MatchOdds, matches: int, dice: Dice) -> None:
        self.wins, self.dice = wins, dice
        self.score = np.zeros((matches, 2), np.intp)
        self.player = np.zeros(matches, np.intp)
        self.winner = np.full(matches, -1)

    def play_all_of(self, total: int) -> None:
        """Play on until no match has so many steps together."""
        playing = self._playing(total)
        if not len(playing):
            return
        column, policy = self._policy(total)
        while len(playing):
            player = self.player[playing]
            mine = self.score[playing, player]
            seat = player if self.wins.duel.ending.seats > 1 else np.zeros_like(player)
            got = take_turns(self.dice, policy, column[seat, mine], np.zeros_like(mine))
            self.score[playing, player] += got
            self._end(playing, player)
            self.player[playing] = 1 - player
            playing = self._playing(total)

    def _playing(self, total: int) -> Indices:
        found: Indices = np.flatnonzero((self.winner < 0) & (self.score.sum(axis=1) == total))
        return found

    def _policy(self, total: int) -> tuple[Indices, _Policy]:
        duel = self.wins.duel
        boards = duel.sorted_by_top(duel.of_sum(total), self.wins.chances)
        stakes = duel.stakes_on_solved(boards, self.wins.chances)
        worth = play(duel.throws, stakes)
        column = np.zeros(duel.shape[:2], np.intp)
        column[boards.seat, boards.mine] = np.arange(len(boards))
        return column, _Policy(stakes.bank, worth.kept, worth.thrown)

    def _end(self, playing: Indices, player: Indices) -> None:
        """Whoever has reached the target has won, unless the other follows and gets more."""
        ending = self.wins.duel.ending
        there = self.score[playing, player] >= ending.goal
        closed, closer = playing[there], player[there]
        self.winner[closed] = closer
        follows = np.array(ending.followed)[closer]
        self._follow(closed[follows], 1 - closer[follows])

    def _follow(self, closed: Indices, follower: Indices) -> None:
        if not len(closed):
            return
        compiled = throws(self.wins.rules)
        own = self.score[closed, follower]
        short = self.score[closed, 1 - follower] - own + 1
        least = np.where(own > 0, compiled.needed(opened=True), compiled.needed(opened=False))
        needed = np.maximum(short, least)
        if self.wins.rules.last_round is LastRound.CHARITY_ROLL:
            steps, left = self.dice.throw(self.wins.rules.n_dice, len(closed))
            more = np.where(left[:, 0] == _NO_KEEP, 0, steps[:, 0]) >= needed
        else:
            more = self._last_turns(needed) >= needed
        self.winner[closed[more]] = follower[more]

    def _last_turns(self, needed: Indices) -> Indices:
        most = int(needed.max())
        worth = reaching(throws(self.wins.rules), most, 1)
        bank = np.where(np.arange(len(worth.kept)) >= most, 1.0, REFUSED)[:, None]
        policy = _Policy(bank, worth.kept, worth.thrown)
        return take_turns(self.dice, policy, np.zeros_like(needed), most - needed)


def take_turns(dice: Dice, policy: _Policy, column: Indices, start: Indices) -> Indices:
    """Steps that each turn banks, 0 where it farkles; `start` is where the policy has no steps."""
    turns = _Turns(dice, policy, column, start)
    while turns.alive.any():
        for n in range(1, dice.rules.n_dice + 1):
            who = np.flatnonzero(turns.alive & (turns.n_dice == n))
            if len(who):
                turns.throw(who, n)
    return turns.at - start


class _Turns:
    """Turns under way: steps at risk, dice in hand, and whether they go on."""

    def __init__(self, dice: Dice, policy: _Policy, column: Indices, start: Indices) -> None:
        self.dice, self.policy, self.column, self.start = dice, policy, column, start
        self.at = start.copy()
        self.n_dice = np.full(len(start), dice.rules.n_dice)
        self.alive = np.ones(len(start), np.bool_)

    def throw(self, who: Indices, n: int) -> None:
        """These turns throw n dice each, keep what is best, and bank or go on."""
        steps, left = self.dice.throw(n, len(who))
        farkles = left[:, 0] == _NO_KEEP
        self.at[who[farkles]] = self.start[who[farkles]]
        self.alive[who[farkles]] = False
        who, steps, left = who[~farkles], steps[~farkles], left[~farkles]
        to = self.at[who][:, None] + steps
        worth = self.policy.kept[to, np.maximum(left, 0), self.column[who][:, None]]
        best = np.where(left == _NO_KEEP, REFUSED, worth).argmax(axis=1)
        chosen = np.arange(len(who)), best
        self._keep(who, to[chosen], left[chosen])

    def _keep(self, who: Indices, at: Indices, left: Indices) -> None:
        in_hand = np.where(left == 0, self.dice.rules.n_dice, left)
        bank = self.policy.bank[at, self.column[who]]
        bank = np.where(np.isin(left, throws(self.dice.rules).must_throw), REFUSED, bank)
        goes_on = self.policy.thrown[at, in_hand, self.column[who]] > bank
        self.at[who], self.n_dice[who], self.alive[who] = at, in_hand, goes_on
