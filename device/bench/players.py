"""`traykeeper bench players`: the chance to win of three to six players, beside matches thrown out.

In these matches everybody decides as the solved play of two does against the best of the others: a
policy of its own, not the race that the answer is made of.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from time import process_time

import click
import numpy as np
import numpy.typing as npt
import platformdirs

from game.odds.compiled_rules import Floats, Indices
from game.odds.match_odds import MatchOdds
from game.odds.several import Race, TurnOfSeveral, race, turn_of_several
from game.odds.table_store import TableStore
from game.odds.throw_odds import last_turns
from game.odds.turn_solver import Outcomes, outcomes, play
from game.rules import rule_files
from game.rules.ruleset import LastRound

RULES = ("kcd", "rpdillon-zilch", "five-thousand", "party-zonk")
"""To 5,000: without and with a last round, with an opening, with the rest of the round."""

FEWEST, MOST = 3, 6

NEAR = 0.01

Draws = npt.NDArray[np.uint16]

_FINENESS = 4096
"""Equal parts into which the ways that a turn may end are divided, to draw one quickly."""


@dataclass(frozen=True, slots=True)
class Position:
    """Scores in steps, of the player on turn first, and how many throw in this round still."""

    scores: tuple[int, ...]
    later: int


def players(matches: int, positions: int) -> None:
    """Print how far the answers are off, for each rule set and number of players."""
    click.echo(f"{'':<18}players  positions    off by  within 1 %   at most   an answer")
    for name in RULES:
        rules = rule_files.load(name)
        wins = TableStore(Path(platformdirs.user_cache_dir("traykeeper")) / "odds").find(rules)
        if wins is None or not wins.solved:
            continue
        _one_set(wins, matches, positions)
    click.echo(f"So many matches are off by up to {0.5 / sqrt(matches):.2%} themselves.")


def _one_set(wins: MatchOdds, matches: int, positions: int) -> None:
    model, thrown, rng = race(wins), ThrownOut(wins), np.random.default_rng(1)
    off, took_s = defaultdict[int, list[float]](list), 0.0
    for position in _positions(model.goal, positions, rng):
        start_s = process_time()
        turn = _turn(model, position)
        took_s += process_time() - start_s
        told, first = _told(model, turn)
        off[len(position.scores)].append(told - thrown.share(position, first, matches, rng))
    for n, errors in sorted(off.items()):
        click.echo(
            f"{wins.rules.name:<18}{n:>7}{len(errors):>11}{np.abs(errors).mean():>10.2%}"
            f"{(np.abs(errors) < NEAR).mean():>12.0%}{np.abs(errors).max():>10.2%}"
            f"{1000 * took_s / positions:>9.0f} ms"
        )


def _positions(goal: int, n: int, rng: np.random.Generator) -> Iterator[Position]:
    for i in range(n):
        k = FEWEST + i % (MOST - FEWEST + 1)
        middle = rng.integers(0, goal)
        scores = np.clip(middle + rng.integers(-goal // 4, goal // 4, k), 0, goal - 1)
        yield Position(tuple(map(int, scores)), int(rng.integers(0, k)))


def _turn(model: Race, position: Position) -> TurnOfSeveral:
    mine, *others = position.scores
    return turn_of_several(model, mine, others, position.later, opened=mine > 0)


def _told(model: Race, turn: TurnOfSeveral) -> tuple[float, Outcomes]:
    """The chance to win, and how a turn ends that is played for it."""
    return float(turn.worth.thrown[0, -1, 0]), outcomes(model.throws, turn.stakes, turn.worth)


class ThrownOut:
    """Matches of several, a whole turn drawn at a time.

    Args:
        wins: the solved match of two: how everybody decides against the best of the others.
    """

    def __init__(self, wins: MatchOdds) -> None:
        self._wins, self._goal = wins, wins.duel.ending.goal
        self._turns = self._draws()
        most = wins.duel.ending.catching.shape[1]
        self._last = {
            opened: self._last_draws(min(most, 3 * self._goal), opened=opened) for opened in (0, 1)
        }

    def _draws(self) -> Draws:
        """Steps that a turn brings, at [seat, mine, theirs, draw]."""
        duel = self._wins.duel
        shape = duel.ending.seats, self._goal, self._goal, _FINENESS
        found: Draws = np.zeros(shape, np.uint16)
        for total in duel.sums:
            boards = duel.sorted_by_top(duel.of_sum(total), self._wins.chances)
            stakes = duel.stakes_on_solved(boards, self._wins.chances)
            ended = outcomes(duel.throws, stakes, play(duel.throws, stakes))
            mine, theirs = duel.scores(boards)
            for i in range(len(boards)):
                found[boards.seat[i], mine[i], theirs[i]] = _drawn(ended.banked[:, i])
        return found

    def _last_draws(self, most: int, *, opened: int) -> Draws:
        """The same of a last turn that needs so many steps, at [steps, draw]."""
        ended = last_turns(self._wins.rules, most, opened=bool(opened))
        return np.array([_drawn(ended[:, needed]) for needed in range(most + 1)])

    def share(
        self, position: Position, first: Outcomes, matches: int, rng: np.random.Generator
    ) -> float:
        """How many of so many matches the player on turn wins, whose first turn ends so."""
        k = len(position.scores)
        score = np.tile(np.array(position.scores), (matches, 1))
        closer, left = np.full(matches, -1), np.zeros(matches, np.intp)
        playing = np.ones(matches, np.bool_)
        score[:, 0] += _drawn(first.banked[:, 0])[rng.integers(_FINENESS, size=matches)]
        turn = 0
        while playing.any():
            seat, later = turn % k, (position.later - turn) % k
            if turn:
                self._open(score, np.flatnonzero(playing & (closer < 0)), seat, later, rng)
            there = playing & (closer < 0) & (score[:, seat] >= self._goal)
            follow = playing & (closer >= 0)
            self._follow(score, np.flatnonzero(follow), seat, rng)
            left[follow] -= 1
            closer[there] = seat
            left[there] = self._followers(k, later)
            playing &= (closer < 0) | (left > 0)
            turn += 1
        return float((self._winner(score, closer) == 0).mean())

    def _followers(self, k: int, later: int) -> int:
        match self._wins.rules.last_round:
            case LastRound.NONE:
                return 0
            case LastRound.LATER_IN_ROUND:
                return later
        return k - 1

    def _open(
        self, score: Indices, who: Indices, seat: int, later: int, rng: np.random.Generator
    ) -> None:
        others = np.delete(score[who], seat, axis=1).max(axis=1)
        began = int(later == 0 and self._turns.shape[0] > 1)
        draw = rng.integers(_FINENESS, size=len(who))
        score[who, seat] += self._turns[began, score[who, seat], others, draw]

    def _follow(self, score: Indices, who: Indices, seat: int, rng: np.random.Generator) -> None:
        best = score[who].max(axis=1)
        own = score[who, seat]
        needed = np.minimum(best - own + 1, len(self._last[1]) - 1)
        draw = rng.integers(_FINENESS, size=len(who))
        opened = own > 0
        score[who, seat] += np.where(
            opened, self._last[1][needed, draw], self._last[0][needed, draw]
        )

    @staticmethod
    def _winner(score: Indices, closer: Indices) -> Indices:
        """Who has most; a tie stays with the one who was there first."""
        best = score.max(axis=1)
        tied = score[np.arange(len(score)), closer] == best
        found: Indices = np.where(tied, closer, score.argmax(axis=1))
        return found


def _drawn(chances: Floats) -> Draws:
    """Each outcome as often as its chance says; what is left over is nothing at all."""
    reached = chances[::-1].cumsum()
    of_most = np.searchsorted(reached, (np.arange(_FINENESS) + 0.5) / _FINENESS)
    return np.maximum(len(chances) - 1 - of_most, 0).astype(np.uint16)
