"""`traykeeper bench players`: compare the chances of winning for three to six players with simulated matches.

In the simulated matches, each player decides as in a solved two-player match against the best of the others. This
policy differs from the race model on which the computed chance is based. Half of the positions are drawn from all scores,
the others from scores that are close together. With --exact, the chances in short matches are compared with an exact
solution instead.
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
from game.odds.race import Race, RaceTurn, build_race, chances_of_others, race_turn
from game.odds.several_players import solve_exactly
from game.odds.table_store import TableStore
from game.odds.turn_odds import Outcomes, last_turns, solve_turn, turn_outcomes
from game.rules import rule_files
from game.rules.ruleset import LastRound, Ruleset

RULES = ("kcd", "rpdillon-zilch", "five-thousand", "party-zonk")
"""Rule sets that play to 5,000: one without a last round, one with a last round for all others, one that also has an
opening, and one in which only the current round is played to its end."""

EXACT_RULES = ("kcd", "five-thousand", "party-zonk", "everything2")
"""One rule set for each kind of last round."""

FEWEST, MOST = 3, 6

NEAR = 0.01

Draws = npt.NDArray[np.uint16]

N_DRAWS = 4096
"""Number of equally likely outcomes that approximate the distribution of a turn's points, so that drawing is fast."""


@dataclass(frozen=True, slots=True)
class Position:
    """A position in a match of several players, at the beginning of a turn.

    Attributes:
        scores: Scores in steps of 50 points. The player whose turn it is comes first.
        later: Number of players who still have a turn in this round, not counting the player whose turn it is.
    """

    scores: tuple[int, ...]
    later: int


@click.command("players")
@click.option(
    "--matches",
    type=click.IntRange(1_000, 1_000_000),
    default=100_000,
    help="Simulated matches for each position.",
)
@click.option(
    "--exact",
    type=click.IntRange(100, 5_000),
    help="Compare with exact matches to this target, which takes minutes, instead of simulations.",
)
@click.option(
    "--players",
    type=click.IntRange(FEWEST, MOST),
    default=FEWEST,
    help="Number of players for --exact.",
)
@click.option(
    "--rules",
    "names",
    multiple=True,
    default=EXACT_RULES,
    help="A rule set for --exact. The option may be given several times.",
)
@click.option(
    "--positions", type=click.IntRange(4, 1_000), default=200, help="Positions for each rule set."
)
def command(
    matches: int, positions: int, exact: int | None, players: int, names: tuple[str, ...]
) -> None:
    """Measure the error in the chances of winning for three to six players, by simulating matches.

    \b
    traykeeper bench players --matches 100000 --positions 200
    traykeeper bench players --exact 1000
    traykeeper bench players --exact 500 --players 4 --rules greed --rules zonk
    """
    if exact is not None:
        click.echo(
            f"{'to ' + format(exact, ','):<28}start  estimate   off by  within 1 %  at most  others at most"
        )
        for name in names:
            _print_exact(rule_files.load(name), exact, players, positions)
        return
    click.echo(f"{'':<18}players  positions    off by  within 1 %   at most   an answer")
    for name in RULES:
        rules = rule_files.load(name)
        wins = TableStore(Path(platformdirs.user_cache_dir("traykeeper")) / "odds").find(rules)
        if wins is None or not wins.solved:
            continue
        _print_errors(wins, matches, positions)
    click.echo(f"The simulation itself has a standard error of up to {0.5 / sqrt(matches):.2%}.")


def _print_exact(rules: Ruleset, target: int, players: int, positions: int) -> None:
    """Print the errors of the estimate in positions from all scores of a short match."""
    start_s = process_time()
    exact = solve_exactly(rules, target, players)
    took_s = process_time() - start_s
    wins = MatchOdds.unsolved(rules, target)
    for _ in wins.solve():
        pass
    model, rng = build_race(wins), np.random.default_rng(1)
    start = Position((0,) * players, players - 1)
    off, others = [], []
    for _ in range(positions):
        at = Position(
            tuple(map(int, rng.integers(0, model.goal, players))), int(rng.integers(players))
        )
        first, *rest = exact.at(at.scores, players - 1 - at.later).tolist()
        chance, _ended = _chance(model, _turn(model, at))
        off.append(abs(chance - first))
        found = chances_of_others(model, at.scores, at.later, chance)
        others.append(max(abs(a - b) for a, b in zip(found, rest, strict=True)))
    errors, most = np.array(off), max(others)
    click.echo(
        f"{rules.name:<22}{players}{exact.at(start.scores, 0)[0]:>10.1%}{_chance(model, _turn(model, start))[0]:>10.1%}"
        f"{errors.mean():>9.2%}{(errors < NEAR).mean():>12.0%}{errors.max():>9.2%}{most:>16.2%}   solved in {took_s:.0f} s"
    )


def _print_errors(wins: MatchOdds, matches: int, positions: int) -> None:
    model, simulation, rng = build_race(wins), SimulatedMatches(wins), np.random.default_rng(1)
    off, took_s = defaultdict[int, list[float]](list), 0.0
    for position in _positions(model.goal, positions, rng):
        start_s = process_time()
        turn = _turn(model, position)
        took_s += process_time() - start_s
        chance, first = _chance(model, turn)
        share = simulation.share(position, first, matches, rng)
        off[len(position.scores)].append(chance - share)
    for n, errors in sorted(off.items()):
        click.echo(
            f"{wins.rules.name:<18}{n:>7}{len(errors):>11}{np.abs(errors).mean():>10.2%}"
            f"{(np.abs(errors) < NEAR).mean():>12.0%}{np.abs(errors).max():>10.2%}"
            f"{1000 * took_s / positions:>9.0f} ms"
        )


def _positions(goal: int, n: int, rng: np.random.Generator) -> Iterator[Position]:
    for i in range(n):
        k = FEWEST + i % (MOST - FEWEST + 1)
        scores = rng.integers(0, goal, k)
        if i % 2:
            scores = np.clip(scores[0] + rng.integers(-goal // 4, goal // 4, k), 0, goal - 1)
        yield Position(tuple(map(int, scores)), int(rng.integers(0, k)))


def _turn(model: Race, position: Position) -> RaceTurn:
    mine, *others = position.scores
    return race_turn(model, mine, others, position.later, opened=mine > 0)


def _chance(model: Race, turn: RaceTurn) -> tuple[float, Outcomes]:
    """Return the computed chance of winning, and the distribution of the outcomes of the turn on which it is based."""
    return float(turn.worth.thrown[0, -1, 0]), turn_outcomes(model.throws, turn.stakes, turn.worth)


class SimulatedMatches:
    """Simulated matches of several players, in which the points of a whole turn are drawn at once.

    Args:
        wins: The solved two-player match. Each player decides as in this match, against the best of the others.
    """

    def __init__(self, wins: MatchOdds) -> None:
        self._wins, self._goal = wins, wins.model.ending.goal
        self._turns = self._draws()
        most = wins.model.ending.catching.shape[1]
        self._last = {
            opened: self._last_draws(min(most, 3 * self._goal), opened=opened) for opened in (0, 1)
        }

    def _draws(self) -> Draws:
        """Return the points, in units of 50, of N_DRAWS equally likely turns in each position.

        The array is indexed by seat, own score and the opponent's score (both also in units of 50), and draw.
        """
        model = self._wins.model
        shape = model.ending.seats, self._goal, self._goal, N_DRAWS
        found: Draws = np.zeros(shape, np.uint16)
        for total in model.sums:
            boards = self._wins.stakes.sorted_by_top(model.of_sum(total), self._wins.chances)
            stakes = self._wins.stakes.on_solved(boards, self._wins.chances)
            ended = turn_outcomes(model.throws, stakes, solve_turn(model.throws, stakes))
            mine, theirs = model.scores(boards)
            for i in range(len(boards)):
                found[boards.seat[i], mine[i], theirs[i]] = _drawn(ended.banked[:, i])
        return found

    def _last_draws(self, most: int, *, opened: int) -> Draws:
        """Return the points, in units of 50, of N_DRAWS equally likely turns in a last round.

        The array is indexed by the number of such units needed to win, from 0 to `most`, and by draw. `opened` is 1 for a
        player who is on the board, otherwise 0.
        """
        ended = last_turns(self._wins.rules, most, opened=bool(opened))
        return np.array([_drawn(ended[:, needed]) for needed in range(most + 1)])

    def share(
        self, position: Position, first: Outcomes, matches: int, rng: np.random.Generator
    ) -> float:
        """Return the share of simulated matches that the first player in the position wins.

        Args:
            position: The position in which the matches begin.
            first: Distribution of the outcomes of the first player's turn.
            matches: Number of matches to simulate.
            rng: Source of random numbers.
        """
        k = len(position.scores)
        score = np.tile(np.array(position.scores), (matches, 1))
        closer, left = np.full(matches, -1), np.zeros(matches, np.intp)
        playing = np.ones(matches, np.bool_)
        score[:, 0] += _drawn(first.banked[:, 0])[rng.integers(N_DRAWS, size=matches)]
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
        n = score.shape[1]
        others = np.delete(score[who], seat, axis=1).max(axis=1)
        behind = score[who][:, [(seat + 1 + i) % n for i in range(later)]].max(axis=1, initial=-1)
        began = ((behind < others) & (self._turns.shape[0] > 1)).astype(np.intp)
        draw = rng.integers(N_DRAWS, size=len(who))
        score[who, seat] += self._turns[began, score[who, seat], others, draw]

    def _follow(self, score: Indices, who: Indices, seat: int, rng: np.random.Generator) -> None:
        best = score[who].max(axis=1)
        own = score[who, seat]
        needed = np.minimum(best - own + 1, len(self._last[1]) - 1)
        draw = rng.integers(N_DRAWS, size=len(who))
        opened = own > 0
        score[who, seat] += np.where(
            opened, self._last[1][needed, draw], self._last[0][needed, draw]
        )

    @staticmethod
    def _winner(score: Indices, closer: Indices) -> Indices:
        """Return the seat that wins each match: the highest score, or in a tie the first to reach the goal.

        `score` contains the final score of each seat in each match, `closer` the first seat to reach the goal.
        """
        best = score.max(axis=1)
        tied = score[np.arange(len(score)), closer] == best
        found: Indices = np.where(tied, closer, score.argmax(axis=1))
        return found


def _drawn(chances: Floats) -> Draws:
    """Return N_DRAWS outcomes in which each outcome appears as often as its probability requires.

    Outcome 0 takes the remaining draws.
    """
    reached = chances[::-1].cumsum()
    of_most = np.searchsorted(reached, (np.arange(N_DRAWS) + 0.5) / N_DRAWS)
    return np.maximum(len(chances) - 1 - of_most, 0).astype(np.uint16)
