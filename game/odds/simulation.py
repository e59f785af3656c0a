"""A check of a solved match: two players who both use the best play are simulated with random dice.

The simulation does not rely on the arithmetic of the solution: it throws dice, looks up their keeps
in the table of keeps, adds points, and detects the end of the match. Only the choices between
keeps, and between banking and throwing again, come from the solution. All matches with the same sum of
scores are played at once.

The simulated players take over points although the solution ignores that rule: a player takes over
if throwing these dice is worth more than throwing all dice, minus the cost of a farkle. This shows
how large the error of the solution is. A farkle after taking over leads to a lower sum of scores,
so the simulation goes through all sums again until every match has ended.
"""

from dataclasses import dataclass
from itertools import product
from math import sqrt

import numpy as np

from game.errors import OddsError
from game.odds.compiled_rules import Floats, Indices, compile_rules
from game.odds.match_odds import MatchOdds
from game.odds.turn_odds import REFUSED, solve_turn, values_to_reach
from game.rules import scoring
from game.rules.ruleset import LastRound, Piggyback, Ruleset, Win

_NO_KEEP = -1


@dataclass(frozen=True, slots=True)
class SimulatedShare:
    """How many matches the first player won, and the share that was expected.

    Attributes:
        matches: Number of matches.
        first_won: Matches that the first player won.
        expected: Share of the matches that the first player was expected to win.
    """

    matches: int
    first_won: int
    expected: float

    @property
    def share(self) -> float:
        """Share of the matches that the first player won."""
        return self.first_won / self.matches

    @property
    def error(self) -> float:
        """Standard error of the share of matches that the first player won."""
        return sqrt(self.expected * (1 - self.expected) / self.matches)

    @property
    def off(self) -> float:
        """Difference between `share` and the expected share, in standard errors."""
        return (self.share - self.expected) / self.error


@dataclass(frozen=True, slots=True)
class _Keeps:
    """The keeps of all throws of n dice.

    Attributes:
        row: Row of the throw in `steps` and `left`, for each of the 6^n throws.
        steps: Points in steps, indexed by [row, keep].
        left: Number of dice left, indexed by [row, keep]; `_NO_KEEP` where there are fewer keeps.
    """

    row: Indices
    steps: Indices
    left: Indices


@dataclass(frozen=True, slots=True)
class _Policy:
    """The chances of winning that decide how turns are played.

    Attributes:
        bank: Chance after banking, indexed by [steps at risk, position].
        kept: Chance after a keep, indexed by [steps at risk, dice left, position].
        thrown: Chance before a throw, indexed by [steps at risk, number of dice, position].
        price: How much a farkle after taking over lowers the chance of winning, in each position.
    """

    bank: Floats
    kept: Floats
    thrown: Floats
    price: Floats

    def throwing(self, at: Indices, n: Indices, column: Indices, farkle: Floats) -> Floats:
        """Return the value of a throw in each of many turns.

        Where best play is to bank, the throw is banked if it scores.

        Args:
            at: Row of `thrown` for the points at risk, for each turn.
            n: Number of dice, for each turn.
            column: Index of the position, for each turn.
            farkle: Chance of a farkle, indexed by the number of dice.
        """
        thrown: Floats = self.thrown[at, n, column]
        return np.where(thrown > 0, thrown, (1 - farkle[n]) * np.maximum(self.bank[at, column], 0))


@dataclass(frozen=True, slots=True)
class Offered:
    """The points and dice that players may take over.

    Attributes:
        steps: Points for each player, in steps (usually 50 points each).
        dice: Number of dice, for each player; 0 if there is nothing to take over.
    """

    steps: Indices
    dice: Indices

    def at(self, which: Indices) -> "Offered":
        """Return the offers at these indices."""
        return Offered(self.steps[which], self.dice[which])


class RandomDice:
    """A source of random throws under a rule set."""

    def __init__(self, rules: Ruleset, seed: int) -> None:
        self.rules = rules
        self.random = np.random.default_rng(seed)
        self._keeps = {n: _keeps(rules, n) for n in range(1, rules.n_dice + 1)}
        self._bonus = rules.last_die_twice // scoring.points_step(rules)

    def throw(self, n: int, times: int) -> tuple[Indices, Indices]:
        """Throw dice at random, and return the points of each keep in steps and the number of dice left after it.

        Both arrays are indexed by [throw, keep]. If a throw has fewer keeps than others, the number of
        dice left is `_NO_KEEP` for the missing ones.

        Args:
            n: Number of dice.
            times: Number of throws.
        """
        keeps = self._keeps[n]
        row = keeps.row[self.random.integers(6**n, size=times)]
        if n == 1 and self._bonus:
            again = keeps.row[self.random.integers(6, size=times)]
            row = np.where(keeps.left[row, 0] == _NO_KEEP, again, row)
        return keeps.steps[row] + (self._bonus if n == 1 else 0), keeps.left[row]


def _keeps(rules: Ruleset, n: int) -> _Keeps:
    table, step = scoring.keep_table(rules), scoring.points_step(rules)
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
    """Play matches and count how many the first player wins.

    Args:
        wins: The solved match.
        matches: Number of matches.
        seed: Seed for the random dice.

    Raises:
        OddsError: If the rules force a bank, require an exact target, fix the number of turns, or have penalties
            or resets.
    """
    if wins.rules.rounds:
        raise OddsError("this simulation does not support a fixed number of turns")
    ends = wins.model.throws.win.any() or wins.model.can_fall
    if wins.rules.must_bank_after_triple or wins.rules.win is Win.EXACTLY or ends:
        raise OddsError(
            "this simulation does not support forced banks, exact targets, penalties or resets"
        )
    table = _Table(wins, matches, RandomDice(wins.rules, seed))
    while (table.winner < 0).any():
        for total in range(2 * wins.model.ending.goal - 1):
            table.play_all_of(total)
    return SimulatedShare(matches, int((table.winner == 0).sum()), wins.first_player)


class _Table:
    """All simulated matches: the scores in steps, the current player, and the winner of each match."""

    def __init__(self, wins: MatchOdds, matches: int, dice: RandomDice) -> None:
        self.wins, self.dice = wins, dice
        self.score = np.zeros((matches, 2), np.intp)
        self.player = np.zeros(matches, np.intp)
        self.winner = np.full(matches, -1)
        self.left = Offered(np.zeros(matches, np.intp), np.zeros(matches, np.intp))

    def play_all_of(self, total: int) -> None:
        """Play turns until no match in progress has this sum of scores, in steps."""
        playing = self._playing(total)
        if not len(playing):
            return
        column, policy = self._policy(total)
        while len(playing):
            player = self.player[playing]
            mine = np.maximum(self.score[playing, player], 0)
            seat = player if self.wins.model.ending.seats > 1 else np.zeros_like(player)
            turns = take_turns(
                self.dice, policy, column[seat, mine], np.zeros_like(mine), self._offered(playing)
            )
            self.score[playing, player] += turns.got - turns.paid
            if not self.wins.rules.below_zero:
                self.score = np.maximum(self.score, 0)
            self.left.steps[playing], self.left.dice[playing] = turns.got, turns.left_over
            self._end(playing, player)
            self.player[playing] = 1 - player
            playing = self._playing(total)

    def _playing(self, total: int) -> Indices:
        together = np.maximum(self.score, 0).sum(axis=1)
        found: Indices = np.flatnonzero((self.winner < 0) & (together == total))
        return found

    def _offered(self, playing: Indices) -> Offered:
        """Return what the next player of each match may take over.

        `playing` contains the numbers of the matches.
        """
        left = self.left.at(playing)
        if not self.wins.rules.take_over_on_board:
            return left
        on_board = self.score[playing].min(axis=1) > 0
        return Offered(left.steps, np.where(on_board, left.dice, 0))

    def _policy(self, total: int) -> tuple[Indices, _Policy]:
        model = self.wins.model
        boards = self.wins.stakes.sorted_by_top(model.of_sum(total), self.wins.chances)
        stakes = self.wins.stakes.on_solved(boards, self.wins.chances)
        worth = solve_turn(model.throws, stakes)
        column = np.zeros(model.shape[:2], np.intp)
        column[boards.seat, boards.mine] = np.arange(len(boards))
        fallen = np.maximum(boards.mine - _cost(self.wins.rules), 0)
        price = stakes.lost - model.value_after(boards, self.wins.chances, fallen)
        return column, _Policy(stakes.bank, worth.kept, worth.thrown, price)

    def _end(self, playing: Indices, player: Indices) -> None:
        """End matches in which the target was reached, after the last turn of the other player.

        Args:
            playing: Numbers of the matches in which a turn has just been played.
            player: The player of that turn, 0 or 1, for each of these matches.
        """
        ending = self.wins.model.ending
        there = self.score[playing, player] >= ending.goal
        closed, closer = playing[there], player[there]
        self.winner[closed] = closer
        follows = np.array(ending.followed)[closer]
        self._follow(closed[follows], 1 - closer[follows])

    def _follow(self, closed: Indices, follower: Indices) -> None:
        if not len(closed):
            return
        compiled = compile_rules(self.wins.rules)
        own = self.score[closed, follower]
        short = self.score[closed, 1 - follower] - own + 1
        least = np.where(own > 0, compiled.needed(opened=True), compiled.needed(opened=False))
        needed = np.maximum(short, least)
        if self.wins.rules.last_round is LastRound.CHARITY_ROLL:
            steps, left = self.dice.throw(self.wins.rules.n_dice, len(closed))
            more = np.where(left[:, 0] == _NO_KEEP, 0, steps[:, 0]) >= needed
        else:
            more = self._last_turns(needed, self._offered(closed)) >= needed
        self.winner[closed[more]] = follower[more]

    def _last_turns(self, needed: Indices, left: Offered) -> Indices:
        most = int(needed.max())
        worth = values_to_reach(compile_rules(self.wins.rules), most, 1)
        bank = np.where(np.arange(len(worth.kept)) >= most, 1.0, REFUSED)[:, None]
        policy = _Policy(bank, worth.kept, worth.thrown, np.zeros(1))
        return take_turns(self.dice, policy, np.zeros_like(needed), most - needed, left).got


def _cost(rules: Ruleset) -> int:
    """Return the points that a farkle after taking over costs, in steps."""
    return rules.take_over_farkle // scoring.points_step(rules)


def take_turns(
    dice: RandomDice, policy: _Policy, column: Indices, start: Indices, left: Offered
) -> "_Turns":
    """Play many turns to their end.

    Args:
        dice: The random dice.
        policy: The values that decide the choices.
        column: Index of each turn's position in the policy.
        start: Index of each turn's first row in the policy, at which no points are at risk.
        left: What each player may take over.
    """
    turns = _Turns(dice, policy, column, start)
    if dice.rules.piggyback is not Piggyback.NO:
        turns.take_over(left)
    while turns.alive.any():
        for n in range(1, dice.rules.n_dice + 1):
            who = np.flatnonzero(turns.alive & (turns.n_dice == n))
            if len(who):
                turns.throw(who, n)
    return turns


class _Turns:
    """Many turns in progress: the points at risk, the dice in hand, and whether each turn continues."""

    def __init__(self, dice: RandomDice, policy: _Policy, column: Indices, start: Indices) -> None:
        self.dice, self.policy, self.column, self.start = dice, policy, column, start
        self.at = start.copy()
        self.n_dice = np.full(len(start), dice.rules.n_dice)
        self.alive = np.ones(len(start), np.bool_)
        self.hot = np.zeros(len(start), np.bool_)
        self.taken = np.zeros(len(start), np.bool_)

    @property
    def got(self) -> Indices:
        """Steps that each turn banked, or 0 after a farkle."""
        return self.at - self.start

    @property
    def paid(self) -> Indices:
        """Steps that each turn lost through a farkle after taking over."""
        return np.where(self.taken & (self.got == 0), _cost(self.dice.rules), 0)

    @property
    def left_over(self) -> Indices:
        """Number of dice that the next player may take over after each turn, or 0."""
        may = self.got > 0
        if self.dice.rules.piggyback is Piggyback.NOT_HEAVY:
            may &= ~self.hot
        return np.where(may, self.n_dice, 0)

    def take_over(self, left: Offered) -> None:
        """Take over what is offered where that is worth more than beginning with all dice."""
        compiled = compile_rules(self.dice.rules)
        most = len(self.policy.bank) - compiled.largest - 1
        at = np.minimum(self.start + left.steps, most)
        n = np.maximum(left.dice, 1)
        over = self.policy.throwing(at, n, self.column, compiled.farkle)
        over = over - compiled.farkle[n] * self.policy.price[self.column]
        begun = self.policy.throwing(self.start, self.n_dice, self.column, compiled.farkle)
        self.taken = taken = (left.dice > 0) & (over > begun)
        self.at[taken], self.n_dice[taken] = at[taken], n[taken]

    def throw(self, who: Indices, n: int) -> None:
        """Throw n dice in the turns with the indices `who`, choose the best keep, and bank or continue."""
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
        bank = np.where(np.isin(left, compile_rules(self.dice.rules).must_throw), REFUSED, bank)
        goes_on = self.policy.thrown[at, in_hand, self.column[who]] > bank
        self.at[who], self.n_dice[who], self.alive[who] = at, in_hand, goes_on
        self.hot[who] |= left == 0
