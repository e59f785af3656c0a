"""An exact solution of a match of three players, written from the rules alone.

The solution shares no code with the race model, whose error it measures: it takes the keeps of every throw from the
rules, and finds the best play of all three players by value iteration. Only short matches and the ends of long ones can
be solved in this way, because the work grows with the third power of the points to go.

All scores are in steps of points, usually 50. A position has the scores of the player to throw, of the next player and
of the player after that. Values have three columns: the chances of these three players in the same order.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from game.odds.compiled_rules import compile_rules
from game.odds.match_odds import MatchOdds, left_out_of_match
from game.odds.race import RaceTurn, play_turn
from game.odds.turn_odds import n_rows
from game.rules import scoring
from game.rules.ruleset import LastRound, Ruleset, Win
from game.rules.scoring import count_orders, must_throw_reason

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

PLAYERS = 3

MAX_POSITIONS, MAX_POSITIONS_LAST_ROUND = 2_000, 400
"""Largest number of combinations of three scores for which a question is answered exactly, without and with a last
round. They take about 15 s of processor time on a desktop computer. A Pi 4, which has not been measured, should take
about a minute."""

MOST_STEPS = 20
"""Longest match, in steps of points, that is solved as a whole while it is played: usually 1,000 points."""

_MARGIN = 40
"""Scores are distinguished up to this many steps above the target."""

_ACCURACY = 1e-6
_MAX_ROUNDS = 40
_PAIR_WORK = 10
"""A last round of two players takes about as long as this many positions."""

_CHUNK = 128
"""Positions that are solved at once. More would be faster, but the companion would have to wait longer for other answers."""


class _Values(NamedTuple):
    """What a stage of a turn leads to, for many positions.

    Attributes:
        own: Chance of the player to throw, with the value of a farkle as last estimated.
        farkle: Chance that the turn scores nothing.
        after: Chances of the three players if it scores, indexed by [position, player].
    """

    own: Floats
    farkle: Floats
    after: Floats


def unsupported(rules: Ruleset) -> bool:
    """Return whether rules have an option that this solver does not know."""
    return bool(
        rules.win is Win.EXACTLY
        or rules.rounds
        or rules.must_bank_after_triple
        or rules.four_twos_reset
        or rules.three_farkles
        or rules.all_alike_wins
        or rules.all_ones_win
        or rules.all_sixes_win
        or rules.straight_wins
        or rules.last_round is LastRound.UNTIL_UNBEATEN
        or rules.hot_dice_multiply
        or rules.scoreless_start
    )


class Turns:
    """The throws of a rule set, grouped by the choices that they offer."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules, self.step = rules, scoring.points_step(rules)
        self.n_dice = rules.n_dice
        self.must_throw = {n for n in range(rules.n_dice) if must_throw_reason(n, rules)}
        found: defaultdict[tuple[tuple[int, int], ...], Counter[int]] = defaultdict(Counter)
        farkles = np.zeros(rules.n_dice + 1)
        for dice, keeps in scoring.keep_table(rules).items():
            bonus = rules.last_die_twice if len(dice) == 1 else 0
            choices = {((k.score + bonus) // self.step, k.dice_left) for k in keeps}
            if rules.last_round is LastRound.NONE:
                most = {left: max(s for s, n in choices if n == left) for _, left in choices}
                choices = {(steps, left) for left, steps in most.items()}
            if choices:
                found[tuple(sorted(choices))][len(dice)] += count_orders(dice)
            else:
                farkles[len(dice)] += count_orders(dice) / 6 ** len(dice)
        lists = sorted(found, key=len, reverse=True)
        self.weights = np.array(
            [[found[c][n] / 6**n for c in lists] for n in range(rules.n_dice + 1)]
        )
        if rules.last_die_twice:
            self.weights[1] *= 1 + farkles[1]
            farkles[1] **= 2
        self.farkle = farkles
        self.largest = max(steps for choices in lists for steps, _ in choices)
        self.places = [
            np.array([choices[i] for choices in lists if len(choices) > i], np.intp).T
            for i in range(len(lists[0]))
        ]

    def needed(self, score: Indices) -> Indices:
        """Return the smallest bank, in steps, of players with these scores."""
        least = max(1, -(-self.rules.minimum_bank // self.step))
        found: Indices = np.where(score > 0, least, max(least, -(-self.rules.opening // self.step)))
        return found

    def play(self, bank: Floats, lost: Floats, needed: Indices, top: int) -> _Values:
        """Return what a whole turn leads to if the player makes the best choices.

        Args:
            bank: Chances of the players after a bank, indexed by [steps, position, player], for `top + largest` steps
                at least.
            lost: Chance of the player to throw after a farkle, by position.
            needed: Smallest bank, by position.
            top: Steps with which everybody banks.
        """
        n_rows, n_boards = top + self.largest + 1, len(lost)
        bank = bank[np.minimum(np.arange(n_rows), len(bank) - 1)]
        kept = np.full((n_rows, self.n_dice, n_boards, 5), -1.0)
        may = np.arange(n_rows)[:, None] >= needed
        for left in range(self.n_dice):
            kept[:, left, :, 1] = 0
            kept[:, left, :, 2:] = bank
            kept[:, left, :, 0] = np.where(may, bank[..., 0], -1)
            if left in self.must_throw:
                kept[:top, left, :, 0] = -1
        thrown = np.zeros((self.n_dice + 1, n_boards, 5))
        for t in range(top - 1, -1, -1):
            best = np.empty((self.weights.shape[1], n_boards, 5))
            for i, (steps, left) in enumerate(self.places):
                found = kept[t + steps, left]
                if i == 0:
                    best[:] = found
                    continue
                better = found[..., 0] > best[: len(steps), :, 0]
                best[: len(steps)][better] = found[better]
            thrown = np.tensordot(self.weights, best, axes=1)
            thrown[..., 0] += self.farkle[:, None] * lost
            thrown[..., 1] += self.farkle[:, None]
            for left in range(self.n_dice):
                on = thrown[left or self.n_dice]
                better = on[:, 0] > kept[t, left, :, 0]
                kept[t, left][better] = on[better]
        start = thrown[self.n_dice]
        return _Values(start[:, 0], start[:, 1], start[:, 2:])

    def reaching(self, most: int) -> Floats:
        """Return the chance that a last turn banks at least n steps, indexed by [whether on the board, n]."""
        found = np.zeros((2, most + 1))
        for opened in (0, 1):
            for at in range(0, most + 1, _CHUNK):
                n = np.arange(at, min(at + _CHUNK, most + 1))
                needed = np.maximum(n, self.needed(np.full(len(n), opened)))
                top = int(needed.max())
                bank = np.zeros((top + 1, len(n), 3))
                bank[..., 0] = np.arange(top + 1)[:, None] >= needed
                found[opened, n] = self.play(bank, np.zeros(len(n)), needed, top).own
        return found

    def one_throw(self, most: int) -> Floats:
        """Return the chance that one throw scores at least n steps, indexed by [whether on the board, n]."""
        best = np.zeros(self.weights.shape[1], np.intp)
        for steps, _ in self.places:
            best[: len(steps)] = np.maximum(best[: len(steps)], steps)
        chance = np.array([self.weights[-1] @ (best >= n) for n in range(most + 1)])
        needed = self.needed(np.array([0, 1]))
        return np.array([chance[np.maximum(np.arange(most + 1), least)] for least in needed])


class ThreePlayers:
    """The chances of three players in all positions from some scores up to the target.

    Args:
        rules: The rules.
        target: Points to play for.
        lowest: Scores in steps from which positions are solved, by seat.

    Attributes:
        wins: For each seat that is to throw, the chances indexed by the scores of that seat and of the two that follow,
            each minus the lowest one, and by player. If it does not matter who began, one array serves all seats.
    """

    def __init__(
        self, rules: Ruleset, target: int, lowest: tuple[int, int, int] = (0, 0, 0)
    ) -> None:
        self.turns, self.rules, self.lowest = Turns(rules), rules, lowest
        self.goal = (
            -(-target // self.turns.step)
            if rules.win is Win.AT_LEAST
            else target // self.turns.step + 1
        )
        self.margin = 0 if rules.last_round is LastRound.NONE else _MARGIN
        most = self.goal + self.margin + 1
        if rules.last_round is LastRound.CHARITY_ROLL:
            self.reaching = self.turns.one_throw(most)
        elif self.margin:
            self.reaching = self.turns.reaching(most)
        sizes = [self.goal - low for low in lowest]
        self._is_symmetric = (
            len(set(lowest)) == 1 and rules.last_round is not LastRound.LATER_IN_ROUND
        )
        wins = [
            np.full((*(sizes[(seat + i) % PLAYERS] for i in range(PLAYERS)), PLAYERS), np.nan)
            for seat in range(1 if self._is_symmetric else PLAYERS)
        ]
        self.wins = tuple(wins) * (PLAYERS // len(wins))
        self.last_rounds: dict[tuple[int, int], Floats] = {}

    def solve(self) -> Iterator[float]:
        """Solve the match, and yield the share of the positions that are solved, from 0 to 1."""
        by_sum = defaultdict(list)
        for scores in product(*(range(low, self.goal) for low in self.lowest)):
            turned = (scores[1:] + scores[:1], scores[2:] + scores[:2])
            if not self._is_symmetric or scores <= min(turned):
                by_sum[sum(scores)].append(scores)
        pairs = self._last_turns()
        solved, n = 0, _PAIR_WORK * len(pairs) + sum(map(len, by_sum.values()))
        for second, third in pairs:
            self._last_round(second, third)
            solved += _PAIR_WORK
            yield solved / n
        for total in sorted(by_sum, reverse=True):
            boards = np.array(by_sum[total])
            for at in range(0, len(boards), _CHUNK):
                self._solve(boards[at : at + _CHUNK])
                solved += len(boards[at : at + _CHUNK])
                yield solved / n

    def _last_turns(self) -> set[tuple[int, int]]:
        """Return the scores of two players who may both have a last turn, in the order of their turns."""
        seats = {0} if self.rules.last_round is LastRound.LATER_IN_ROUND else {0, 1, 2}
        left = [range(low, self.goal) for low in self.lowest]
        return {
            pair
            for seat in (seats if self.margin else ())
            for pair in product(left[(seat + 1) % PLAYERS], left[(seat + 2) % PLAYERS])
        }

    def at(self, scores: tuple[int, int, int], seat: int) -> Floats:
        """Return the chances of the three players in a position.

        Args:
            scores: Scores in steps, that of the player to throw first.
            seat: Seat of the player to throw, 0 for the player who began the match.
        """
        at = tuple(scores[i] - self.lowest[(seat + i) % PLAYERS] for i in range(PLAYERS))
        found: Floats = self.wins[seat][at]
        return found

    def turn(self, scores: tuple[int, int, int], seat: int, *, most: int = 0) -> RaceTurn:
        """Return the values of the current turn.

        Args:
            scores: Scores in steps, that of the player to throw first.
            seat: Seat of the player to throw, 0 for the player who began the match.
            most: Highest number of steps at risk for which values are needed.
        """
        throws = compile_rules(self.rules)
        after = self.at((scores[1], scores[2], scores[0]), (seat + 1) % PLAYERS)
        bank = self.bank(np.array([scores]), seat)[:, 0, 0]
        rows = np.minimum(np.arange(n_rows(throws, max(len(bank) - 1, most))), len(bank) - 1)
        lost, needed = float(after[PLAYERS - 1]), throws.needed(opened=scores[0] > 0)
        return play_turn(throws, bank[rows], (lost, lost), max(len(bank) - 1, most), needed)

    def _solve(self, boards: Indices) -> None:
        """Solve positions that differ from each other in more than the player to throw.

        Args:
            boards: Scores of the three seats, indexed by [position, seat].
        """
        banks = [self.bank(np.roll(boards, -seat, axis=1), seat) for seat in range(PLAYERS)]
        lost = np.full((PLAYERS, len(boards)), 1 / 3)
        for _ in range(_MAX_ROUNDS):
            played = [
                self.turns.play(
                    banks[seat],
                    lost[seat],
                    self.turns.needed(boards[:, seat]),
                    self.goal + self.margin - int(boards[:, seat].min()),
                )
                for seat in range(PLAYERS)
            ]
            values = self._around(played)
            before, lost = (
                lost,
                np.array([values[(seat + 1) % PLAYERS][:, PLAYERS - 1] for seat in range(PLAYERS)]),
            )
            if np.abs(lost - before).max() < _ACCURACY:
                break
        for seat in range(PLAYERS):
            at = tuple(
                boards[:, (seat + i) % PLAYERS] - self.lowest[(seat + i) % PLAYERS]
                for i in range(PLAYERS)
            )
            self.wins[seat][at] = values[seat]

    @staticmethod
    def _around(played: list[_Values]) -> list[Floats]:
        """Return the chances in the positions in which each seat throws, which lead to each other by farkles."""
        farkle = [one.farkle[:, None] for one in played]
        start = np.zeros_like(played[0].after)
        share = np.ones((len(start), 1))
        for turn in range(PLAYERS):
            start = start + share * np.roll(played[turn].after, turn, axis=1)
            share = share * farkle[turn]
        first = start / (1 - share)
        third = played[2].after + farkle[2] * np.roll(first, 1, axis=1)
        second = played[1].after + farkle[1] * np.roll(third, 1, axis=1)
        return [first, second, third]

    def bank(self, boards: Indices, seat: int) -> Floats:
        """Return the chances after a bank, indexed by [steps, position, player].

        The scores in `boards` begin with that of the player to throw.
        """
        goal, n = self.goal, len(boards)
        n_rows = goal + self.margin - int(boards[:, 0].min()) + 1
        found = np.zeros((n_rows, n, PLAYERS))
        next_wins = self.wins[(seat + 1) % PLAYERS]
        low = [self.lowest[(seat + i) % PLAYERS] for i in range(PLAYERS)]
        for t in range(1, n_rows):
            score = boards[:, 0] + t
            short = score < goal
            after = next_wins[
                boards[short, 1] - low[1], boards[short, 2] - low[2], score[short] - low[0]
            ]
            found[t, short] = np.roll(after, 1, axis=1)
            there = ~short
            if there.any():
                found[t, there] = self._reached(boards[there], score[there], seat)
        return found

    def _reached(self, boards: Indices, score: Indices, seat: int) -> Floats:
        match self.rules.last_round:
            case LastRound.NONE:
                following = 0
            case LastRound.LATER_IN_ROUND:
                following = PLAYERS - 1 - seat
            case _:
                following = PLAYERS - 1
        found = np.zeros((len(boards), PLAYERS))
        score = np.minimum(score, self.goal + self.margin)
        if following == 0:
            found[:, 0] = 1
        elif following == 1:
            found[:, 1] = self._overtakes(boards[:, 1], score)
            found[:, 0] = 1 - found[:, 1]
        else:
            for i, (_, second, third) in enumerate(boards.tolist()):
                found[i] = self._last_round(second, third)[score[i] - self.goal]
        return found

    def _overtakes(self, own: Indices, best: Indices) -> Floats:
        """Return the chance that a last turn takes a player from one score above another one."""
        more = np.minimum(best + 1 - own, self.reaching.shape[1] - 1)
        found: Floats = np.where(more > 0, self.reaching[(own > 0).astype(int), more], 0.0)
        return found

    def _last_round(self, second: int, third: int) -> Floats:
        """Return the chances if two players have last turns, indexed by [best score above the target, player]."""
        if (second, third) not in self.last_rounds:
            self.last_rounds[second, third] = self._solve_last_round(second, third)
        return self.last_rounds[second, third]

    def _solve_last_round(self, second: int, third: int) -> Floats:
        best = np.arange(self.goal, self.goal + self.margin + 1)
        n, last = len(best), self._overtakes(np.full(len(best), third), best)
        top = self.goal + 2 * self.margin - second
        steps = np.arange(top + 1)[:, None]
        score = second + steps
        bank = np.zeros((top + 1, n, PLAYERS))
        ahead = score > best
        answered = np.broadcast_to(
            self._overtakes(np.full_like(score, third), np.maximum(score, self.goal)), ahead.shape
        )
        # The columns are the player of this turn, the last player and the leader.
        bank[..., 0] = np.where(ahead, 1 - answered, 0)
        bank[..., 1] = np.where(ahead, answered, last)
        bank[..., 2] = np.where(ahead, 0, 1 - last)
        if self.rules.last_round is LastRound.CHARITY_ROLL:
            return self._charity(bank, second)
        needed = self.turns.needed(np.full(n, second))
        played = self.turns.play(bank, np.zeros(n), needed, top)
        lost = np.array([np.zeros(n), last, 1 - last]).T
        values = played.after + played.farkle[:, None] * lost
        found: Floats = values[:, [2, 0, 1]]
        return found

    def _charity(self, bank: Floats, second: int) -> Floats:
        at_least = self.reaching[int(second > 0)]
        exactly = at_least - np.append(at_least[1:], 0)
        exactly[0] = 1 - at_least[1:2].sum() if len(at_least) > 1 else 1
        rows = min(len(bank), len(exactly))
        values: Floats = np.tensordot(exactly[:rows], bank[:rows], axes=1)
        values[:, 0] += exactly[rows:].sum()
        found: Floats = values[:, [2, 0, 1]]
        return found


def solve_three(
    rules: Ruleset, target: int, lowest: tuple[int, int, int] = (0, 0, 0)
) -> ThreePlayers:
    """Return the exact chances of three players under best play.

    Args:
        rules: The rules.
        target: Points to play for.
        lowest: Scores in steps from which positions are solved, by seat.
    """
    found = ThreePlayers(rules, target, lowest)
    for _ in found.solve():
        pass
    return found


def remember_three(wins: MatchOdds, solved: ThreePlayers) -> None:
    """Attach the exact solution for three players to the solution for two, which every question uses."""
    wins.__dict__["three"] = solved


def exact_three(wins: MatchOdds) -> ThreePlayers | None:
    """Return the exact solution for three players, or None if `remember_three` was not called."""
    found: ThreePlayers | None = wins.__dict__.get("three")
    return found


def can_solve(rules: Ruleset) -> bool:
    """Return whether a whole match of three players is short enough to be solved while it is played."""
    if rules.rounds or unsupported(rules) or left_out_of_match(rules):
        return False
    return rules.target <= MOST_STEPS * scoring.points_step(rules)


def end_game(
    rules: Ruleset, target: int, scores: Sequence[int], place: int
) -> tuple[list[float], RaceTurn] | None:
    """Return the exact chances of three players near the end of a match, and the current turn.

    The result is None if the solution would take too long or does not cover the rules.

    Args:
        rules: The rules.
        target: Points to play for.
        scores: Scores in points, that of the player to throw first.
        place: Place of the player to throw in the round, 0 for the player who began the match.
    """
    if len(scores) != PLAYERS or unsupported(rules) or left_out_of_match(rules):
        return None
    step = compile_rules(rules).step
    a, b, c = (max(score // step, 0) for score in scores)
    at = a, b, c
    lowest = at[-place % PLAYERS], at[(1 - place) % PLAYERS], at[(2 - place) % PLAYERS]
    match = ThreePlayers(rules, target, lowest)
    most = MAX_POSITIONS_LAST_ROUND if match.margin else MAX_POSITIONS
    if prod(match.goal - low for low in lowest) > most:
        return None
    for _ in match.solve():
        pass
    return [float(chance) for chance in match.at(at, place)], match.turn(at, place)
