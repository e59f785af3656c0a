"""An exact solution of a match of three to six players, written from the rules alone.

The solution shares no code with the race model, whose error it measures: it takes the keeps of every throw from the
rules, and finds the best play of all players by value iteration. Only short matches and the ends of long ones can be
solved in this way, because every further player multiplies the work by the steps to go.

All scores are in steps of points, usually 50. A position has the scores of all players, in the order of their turns,
that of the player to throw first. Values have a column for each of these players, in the same order.
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
"""Number of players for whom the page solves a short match as a whole."""

MAX_POSITIONS, MAX_POSITIONS_LAST_ROUND = 20_000, 1_000
"""Largest number of combinations of scores for which a question is answered exactly, without and with a last
round. They take up to 5 s of processor time on a desktop computer. A Pi 4, which has not been measured, should take
about half a minute."""

MOST_STEPS = 20
"""Longest match, in steps of points, that is solved as a whole while it is played: usually 1,000 points."""

_MARGIN = 40
"""Scores are distinguished up to this many steps above the target: usually 2,000 points."""

_ACCURACY = 1e-6
"""A position is solved once a round of value iteration changes no chance by more than this."""

_MAX_ROUNDS = 60
"""Most rounds of value iteration for a position. Where ways to play are in balance, the chances may never settle."""

_ROUNDS_AT_ONCE = 8
"""After this many rounds, the seats are solved one after the other. If all of them change their play at once, they may do
so for ever, each in answer to the last play of the others."""

_PAIR_WORK = 10
"""A last round of two players takes about as long as this many positions."""

_CHUNK = 128
"""Positions that are solved at once. More would be faster, but the companion would have to wait longer for other answers."""


class _Values(NamedTuple):
    """What a stage of a turn leads to, for many positions.

    Attributes:
        own: Chance of the player to throw, with the value of a farkle as last estimated.
        farkle: Chance that the turn scores nothing.
        after: Chances of the players if it scores, indexed by [position, player].
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


def steps_to_go(rules: Ruleset, target: int) -> int:
    """Return the smallest score, in steps, with which a player has reached the target."""
    step = scoring.points_step(rules)
    return -(-target // step) if rules.win is Win.AT_LEAST else target // step + 1


class _Choices(NamedTuple):
    """All throws, in groups that offer the same choices.

    Attributes:
        weights: Chance of each group, indexed by [number of dice, group].
        places: The steps and the dice left of the first choice of all groups, then of the second choice of those groups,
            from the first, that have one, and so on.
    """

    weights: Floats
    places: list[tuple[Indices, Indices]]


class Turns:
    """The throws of a rule set, grouped by the choices that they offer.

    Args:
        rules: The rules.

    Attributes:
        step: Points of a step.
        n_dice: Number of dice of a whole throw.
        must_throw: The numbers of dice left with which a player must throw again; 0 stands for hot dice.
        farkle: Chance of a farkle, indexed by the number of dice thrown.
        largest: Most steps that one throw can score.
    """

    def __init__(self, rules: Ruleset) -> None:
        self.rules, self.step = rules, scoring.points_step(rules)
        self.n_dice = rules.n_dice
        self.must_throw = {n for n in range(rules.n_dice) if must_throw_reason(n, rules)}
        found: defaultdict[tuple[tuple[int, int], ...], Counter[int]] = defaultdict(Counter)
        farkles = np.zeros(rules.n_dice + 1)
        for dice, keeps in scoring.keep_table(rules).items():
            bonus = rules.last_die_twice if len(dice) == 1 else 0
            choices = {((k.score + bonus) // self.step, k.dice_left) for k in keeps}
            if choices:
                found[tuple(sorted(choices))][len(dice)] += count_orders(dice)
            else:
                farkles[len(dice)] += count_orders(dice) / 6 ** len(dice)
        self._choices = {
            choices: np.array([counts[n] / 6**n for n in range(rules.n_dice + 1)])
            for choices, counts in found.items()
        }
        if rules.last_die_twice:
            for weights in self._choices.values():
                weights[1] *= 1 + farkles[1]
            farkles[1] **= 2
        self.farkle = farkles
        self.largest = max(steps for choices in found for steps, _ in choices)
        self._short_of: dict[int, _Choices] = {}

    def choices(self, short: int) -> _Choices:
        """Return the choices of a player who banks in any case after this many more steps."""
        short = min(short, self.largest)
        if short not in self._short_of:
            self._short_of[short] = self._chosen(short)
        return self._short_of[short]

    def _chosen(self, short: int) -> _Choices:
        found: defaultdict[tuple[tuple[int, int], ...], Floats] = defaultdict(
            lambda: np.zeros(self.n_dice + 1)
        )
        for choices, weights in self._choices.items():
            different = {(s, left) if s < short else (short, 0) for s, left in choices}
            if self.rules.last_round is LastRound.NONE:
                most = {left: max(s for s, n in different if n == left) for _, left in different}
                different = {(steps, left) for left, steps in most.items()}
            found[tuple(sorted(different))] += weights
        lists = sorted(found, key=len, reverse=True)
        places = (
            np.array([choices[i] for choices in lists if len(choices) > i], np.intp).T
            for i in range(len(lists[0]))
        )
        return _Choices(
            np.array([found[choices] for choices in lists]).T, [(at[0], at[1]) for at in places]
        )

    def needed(self, score: Indices) -> Indices:
        """Return the smallest bank, in steps, of players with these scores."""
        least = max(1, -(-self.rules.minimum_bank // self.step))
        found: Indices = np.where(score > 0, least, max(least, -(-self.rules.opening // self.step)))
        return found

    def play(self, bank: Floats, lost: Floats, needed: Indices) -> _Values:
        """Return what a whole turn leads to if the player makes the best choices.

        Args:
            bank: Chances of the players after a bank, indexed by [steps, position, player]. With the last of these steps,
                everybody banks.
            lost: Chance of the player to throw after a farkle, by position.
            needed: Smallest bank, by position.
        """
        n_boards, n_columns = len(lost), 2 + bank.shape[2]
        top = len(bank) - 1
        kept = np.zeros((top + 1, self.n_dice, n_boards, n_columns))
        kept[..., 2:] = bank[:, None]
        may = np.arange(top + 1)[:, None] >= needed
        kept[..., 0] = np.where(may, bank[..., 0], -1)[:, None]
        kept[:top, list(self.must_throw), :, 0] = -1
        own, board = np.ascontiguousarray(kept[..., 0]), np.arange(n_boards)
        thrown = np.zeros((self.n_dice + 1, n_boards, n_columns))
        order = [self.n_dice, *range(1, self.n_dice)]
        for t in range(top - 1, -1, -1):
            choices = self.choices(top - t)
            steps, left = choices.places[0]
            best = own[t + steps, left]
            row = np.repeat((steps * self.n_dice + left)[:, None], n_boards, axis=1)
            for steps, left in choices.places[1:]:
                found, n = own[t + steps, left], len(steps)
                better = found > best[:n]
                np.copyto(best[:n], found, where=better)
                np.copyto(row[:n], (steps * self.n_dice + left)[:, None], where=better)
            table = kept[t:].reshape(-1, n_columns)
            values = table.take(row * n_boards + board, axis=0)
            thrown = np.tensordot(choices.weights, values, axes=1)
            thrown[..., 0] += self.farkle[:, None] * lost
            thrown[..., 1] += self.farkle[:, None]
            on = thrown[order]
            better = on[..., 0] > own[t]
            np.copyto(kept[t], on, where=better[..., None])
            np.copyto(own[t], on[..., 0], where=better)
        start = thrown[self.n_dice]
        return _Values(start[:, 0], start[:, 1], start[:, 2:])

    def reaching(self, most: int) -> Floats:
        """Return the chance that a last turn banks at least n steps, indexed by [whether on the board, n]."""
        found = np.zeros((2, most + 1))
        for opened in (0, 1):
            for at in range(0, most + 1, _CHUNK):
                n = np.arange(at, min(at + _CHUNK, most + 1))
                needed = np.maximum(n, self.needed(np.full(len(n), opened)))
                bank = np.zeros((int(needed.max()) + 1, len(n), 1))
                bank[..., 0] = np.arange(len(bank))[:, None] >= needed
                found[opened, n] = self.play(bank, np.zeros(len(n)), needed).own
        return found

    def one_throw(self, most: int) -> Floats:
        """Return the chance that one throw scores at least n steps, indexed by [whether on the board, n]."""
        chance = np.zeros(most + 1)
        for choices, weights in self._choices.items():
            chance[: 1 + max(steps for steps, _ in choices)] += weights[-1]
        needed = self.needed(np.array([0, 1]))
        return np.array([chance[np.maximum(np.arange(most + 1), least)] for least in needed])


class ExactMatch:
    """The chances of several players in all positions from some scores up to the target.

    Args:
        rules: The rules.
        target: Points to play for.
        lowest: Scores in steps from which positions are solved, by seat, one for each player.

    Attributes:
        n: Number of players.
        wins: For each seat that is to throw, the chances indexed by the scores of that seat and of the seats that follow,
            each minus the lowest one, and by player. If it does not matter who began, one array serves all seats.
    """

    def __init__(self, rules: Ruleset, target: int, lowest: Sequence[int] = (0,) * PLAYERS) -> None:
        self.turns, self.rules = Turns(rules), rules
        self.lowest, self.n = tuple(lowest), len(lowest)
        self.goal = steps_to_go(rules, target)
        self.margin = 0 if rules.last_round is LastRound.NONE else _MARGIN
        most = self.goal + self.margin + 1
        if rules.last_round is LastRound.CHARITY_ROLL:
            self.reaching = self.turns.one_throw(most)
        elif self.margin:
            self.reaching = self.turns.reaching(most)
        self._is_symmetric = (
            len(set(lowest)) == 1 and rules.last_round is not LastRound.LATER_IN_ROUND
        )
        wins = [
            np.full((*(self.goal - low for low in self._from(seat)), self.n), np.nan)
            for seat in range(1 if self._is_symmetric else self.n)
        ]
        self.wins = tuple(wins) * (self.n // len(wins))
        self._endings: dict[tuple[int, ...], Floats] = {}

    def _from(self, seat: int) -> tuple[int, ...]:
        """Return the lowest scores in the order of the turns, from those of a seat."""
        return self.lowest[seat:] + self.lowest[:seat]

    def _n_following(self, seat: int) -> int:
        """Return how many players have a last turn after a seat reaches the target."""
        match self.rules.last_round:
            case LastRound.NONE:
                return 0
            case LastRound.LATER_IN_ROUND:
                return self.n - 1 - seat
        return self.n - 1

    def solve(self) -> Iterator[float]:
        """Solve the match, and yield the share of the positions that are solved, from 0 to 1."""
        by_sum = defaultdict(list)
        for scores in product(*(range(low, self.goal) for low in self.lowest)):
            turned = (scores[i:] + scores[:i] for i in range(1, self.n))
            if not self._is_symmetric or all(scores <= other for other in turned):
                by_sum[sum(scores)].append(scores)
        followers = (self._from(seat)[1 : 1 + self._n_following(seat)] for seat in range(self.n))
        endings = sorted({lows[i:] for lows in followers for i in range(len(lows))}, key=len)
        last = [list(product(*(range(low, self.goal) for low in lows))) for lows in endings]
        solved, n = 0, _PAIR_WORK * sum(map(len, last)) + sum(map(len, by_sum.values()))
        for lows, left in zip(endings, last, strict=True):
            sizes = (self.goal - low for low in lows)
            self._endings[lows] = np.zeros((*sizes, self.margin + 1, len(lows) + 1))
            few = max(_CHUNK // (self.margin + 1), 1)
            for at in range(0, len(left), few):
                self._solve_ending(lows, np.array(left[at : at + few]))
                solved += _PAIR_WORK * len(left[at : at + few])
                yield solved / n
        for total in sorted(by_sum, reverse=True):
            boards = np.array(by_sum[total])
            for at in range(0, len(boards), _CHUNK):
                self._solve(boards[at : at + _CHUNK])
                solved += len(boards[at : at + _CHUNK])
                yield solved / n

    def at(self, scores: Sequence[int], seat: int) -> Floats:
        """Return the chances of the players in a position.

        Args:
            scores: Scores in steps, that of the player to throw first.
            seat: Seat of the player to throw, 0 for the player who began the match.
        """
        found: Floats = self.wins[seat][tuple(np.array(scores) - self._from(seat))]
        return found

    def turn(self, scores: Sequence[int], seat: int, *, most: int = 0) -> RaceTurn:
        """Return the values of the current turn.

        Args:
            scores: Scores in steps, that of the player to throw first.
            seat: Seat of the player to throw, 0 for the player who began the match.
            most: Highest number of steps at risk for which values are needed.
        """
        throws = compile_rules(self.rules)
        after = self.at((*scores[1:], scores[0]), (seat + 1) % self.n)
        bank = self.bank(np.array([scores]), seat)[:, 0, 0]
        rows = np.minimum(np.arange(n_rows(throws, max(len(bank) - 1, most))), len(bank) - 1)
        lost, needed = float(after[-1]), throws.needed(opened=scores[0] > 0)
        return play_turn(throws, bank[rows], (lost, lost), max(len(bank) - 1, most), needed)

    def _solve(self, boards: Indices) -> None:
        """Solve positions that differ from each other in more than the player to throw.

        Args:
            boards: Scores of the seats, indexed by [position, seat].
        """
        seats = range(self.n)
        banks = [self.bank(np.roll(boards, -seat, axis=1), seat) for seat in seats]
        needed = [self.turns.needed(boards[:, seat]) for seat in seats]
        values = [np.full(boards.shape, 1 / self.n) for _ in seats]
        for n_round in range(_MAX_ROUNDS):
            before = np.array(values)
            played: list[_Values] = []
            for seat in reversed(seats):
                after = values[(seat + 1) % self.n]
                played.insert(0, self.turns.play(banks[seat], after[:, -1], needed[seat]))
                if n_round >= _ROUNDS_AT_ONCE:
                    on = played[0].farkle[:, None] * np.roll(after, 1, axis=1)
                    values[seat] = played[0].after + on
            if n_round < _ROUNDS_AT_ONCE:
                values = self._around(played)
            if np.abs(np.array(values) - before).max() < _ACCURACY:
                break
        for seat in seats:
            at = np.roll(boards, -seat, axis=1) - self._from(seat)
            self.wins[seat][tuple(at.T)] = values[seat]

    @staticmethod
    def _around(played: list[_Values]) -> list[Floats]:
        """Return the chances in the positions in which each seat throws, which lead to each other by farkles."""
        start = np.zeros_like(played[0].after)
        share = np.ones((len(start), 1))
        for turn, one in enumerate(played):
            start = start + share * np.roll(one.after, turn, axis=1)
            share = share * one.farkle[:, None]
        found = [start / (1 - share)]
        for one in played[:0:-1]:
            found.append(one.after + one.farkle[:, None] * np.roll(found[-1], 1, axis=1))
        return found[:1] + found[:0:-1]

    def bank(self, boards: Indices, seat: int) -> Floats:
        """Return the chances after a bank, indexed by [steps, position, player].

        Args:
            boards: Scores in steps, indexed by [position, player], that of the player to throw first.
            seat: Seat of the player to throw, 0 for the player who began the match.
        """
        least = int(boards[:, 0].min())
        opening = int(self.turns.needed(np.array([least]))[0])
        size = max(self.goal + self.margin - least, opening) + 1
        found = np.zeros((size, *boards.shape))
        after = (seat + 1) % self.n
        others = (boards[:, 1:] - self._from(after)[:-1]).T
        for t in range(1, size):
            score = boards[:, 0] + t
            short = score < self.goal
            last = score[short] - self.lowest[seat]
            found[t, short] = np.roll(self.wins[after][(*others[:, short], last)], 1, axis=1)
            if not short.all():
                found[t, ~short] = self._reached(boards[~short], score[~short], seat)
        return found

    def _reached(self, boards: Indices, score: Indices, seat: int) -> Floats:
        """Return the chances after a bank that reaches the target, indexed by [position, player].

        Args:
            boards: Scores before the bank in steps, indexed by [position, player], that of the player who banks first.
            score: Score of that player after the bank, by position.
            seat: Seat of that player.
        """
        following = self._n_following(seat)
        found = np.zeros(boards.shape)
        found[:, 0] = 1
        if following:
            lows = self._from(seat)[1 : 1 + following]
            above = np.minimum(score - self.goal, self.margin)
            values = self._endings[lows][(*(boards[:, 1 : 1 + following] - lows).T, above)]
            found[:, 0], found[:, 1 : 1 + following] = values[:, -1], values[:, :-1]
        return found

    def _overtakes(self, own: Indices, best: Indices) -> Floats:
        """Return the chance that a last turn takes a player from one score above another one."""
        more = np.minimum(best + 1 - own, self.reaching.shape[1] - 1)
        found: Floats = np.where(more > 0, self.reaching[(own > 0).astype(int), more], 0.0)
        return found

    def _solve_ending(self, lows: tuple[int, ...], scores: Indices) -> None:
        """Find the chances if only some players still have a last turn.

        The chances are indexed by the scores of these players, in the order of their turns, each minus the lowest one, by the
        steps of the best score above the target, and by player. The last column is the player with the best score.

        Args:
            lows: The lowest scores of these players.
            scores: Their scores, indexed by [position, player].
        """
        above = np.tile(np.arange(self.margin + 1), len(scores))
        at = np.repeat(scores, self.margin + 1, axis=0)
        own, best, n = at[:, 0], self.goal + above, len(at)
        index = (*(at - lows).T, above)
        if len(lows) == 1:
            overtakes = self._overtakes(own, best)
            self._endings[lows][index] = np.array([overtakes, 1 - overtakes]).T
            return
        rest, others = self._endings[lows[1:]], index[1:-1]
        top = self.goal + self.margin + 1 - int(own.min())
        score = own + np.arange(top + 1)[:, None]
        after = rest[(*others, np.clip(score - self.goal, 0, self.margin))]
        unbeaten = np.insert(rest[(*others, above)], 0, 0.0, axis=1)
        beaten = np.concatenate(
            [after[..., -1:], after[..., :-1], np.zeros_like(after[..., :1])], 2
        )
        bank = np.where((score > best)[..., None], beaten, unbeaten)
        if self.rules.last_round is LastRound.CHARITY_ROLL:
            at_least = self.reaching[(own > 0).astype(int), : top + 1]
            exactly = at_least - np.append(at_least[:, 1:], np.zeros((n, 1)), axis=1)
            exactly[:, 0] = 1 - at_least[:, 1]
            self._endings[lows][index] = np.einsum("br,rbc->bc", exactly, bank)
            return
        played = self.turns.play(bank, np.zeros(n), self.turns.needed(own))
        self._endings[lows][index] = played.after + played.farkle[:, None] * unbeaten


def solve_exactly(rules: Ruleset, target: int, n: int = PLAYERS) -> ExactMatch:
    """Return the exact chances of `n` players under best play, in all positions of a match to a target."""
    found = ExactMatch(rules, target, (0,) * n)
    for _ in found.solve():
        pass
    return found


def remember_three(wins: MatchOdds, solved: ExactMatch) -> None:
    """Attach the exact solution for three players to the solution for two, which every question uses."""
    wins.__dict__["three"] = solved


def exact_three(wins: MatchOdds) -> ExactMatch | None:
    """Return the exact solution for three players, or None if `remember_three` was not called."""
    found: ExactMatch | None = wins.__dict__.get("three")
    return found


def can_solve(rules: Ruleset) -> bool:
    """Return whether a whole match of three players is short enough to be solved while it is played."""
    if unsupported(rules) or left_out_of_match(rules):
        return False
    return rules.target <= MOST_STEPS * scoring.points_step(rules)


def end_game(
    rules: Ruleset, target: int, scores: Sequence[int], place: int
) -> tuple[list[float], RaceTurn] | None:
    """Return the exact chances of several players near the end of a match, and the current turn.

    The result is None if the solution would take too long or does not cover the rules.

    Args:
        rules: The rules.
        target: Points to play for.
        scores: Scores in points, that of the player to throw first.
        place: Place of the player to throw in the round, 0 for the player who began the match.
    """
    if unsupported(rules) or left_out_of_match(rules):
        return None
    step, n = compile_rules(rules).step, len(scores)
    at = [max(score // step, 0) for score in scores]
    most = MAX_POSITIONS if rules.last_round is LastRound.NONE else MAX_POSITIONS_LAST_ROUND
    if prod(steps_to_go(rules, target) - score for score in at) > most:
        return None
    match = ExactMatch(rules, target, [at[(seat - place) % n] for seat in range(n)])
    for _ in match.solve():
        pass
    return [float(chance) for chance in match.at(at, place)], match.turn(at, place)
