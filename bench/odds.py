"""`traykeeper bench odds`: measure the time to solve a match and answer a question, compared with value iteration."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from time import perf_counter

import click

from device.bench import peak_mb
from game.odds.advice import MatchPosition, turn_odds
from game.odds.match_odds import MatchOdds
from game.rules import rule_files, scoring
from game.rules.ruleset import Ruleset
from game.rules.scoring import count_orders

RULES = "standard"
QUESTIONS = 20
_STEP = 50


@click.command("odds")
@click.option(
    "--target", type=click.IntRange(200, 20_000), default=5000, help="Points of the match to solve."
)
@click.option(
    "--small",
    type=click.IntRange(100, 2_000),
    default=500,
    help="Points of the match that is solved both ways.",
)
def command(target: int, small: int) -> None:
    """Measure the time and memory to solve a match, and the time for one answer, compared with simple value iteration.

    The time of simple value iteration grows with the fourth power of the target, so the two methods are compared on a
    smaller match.

    \b
    traykeeper bench odds --target 10000
    """
    rules = rule_files.load(RULES)
    seconds, wins = _solve(rules, target)
    click.echo(
        f"solve {RULES} to {target:,}: {seconds:.1f} s, peak {peak_mb():.0f} MB, "
        f"one answer {_answer_ms(rules, wins):.1f} ms"
    )
    fast_s, small_wins = _solve(rules, small)
    start_s = perf_counter()
    simple_result = simple_value_iteration(rules, small)
    simple_s = perf_counter() - start_s
    click.echo(
        f"to {small:,}: {fast_s:.2f} s, simple value iteration {simple_s:.1f} s, "
        f"{simple_s / fast_s:.0f} times as long; "
        f"they differ by {abs(simple_result - small_wins.first_player):.0e}"
    )


def _solve(rules: Ruleset, target: int) -> tuple[float, MatchOdds]:
    start_s = perf_counter()
    wins = MatchOdds.unsolved(rules, target)
    for _ in wins.solve():
        pass
    return perf_counter() - start_s, wins


def _answer_ms(rules: Ruleset, wins: MatchOdds) -> float:
    """Return the mean time, in milliseconds, to answer a question about scores that is asked for the first time."""
    boards = [MatchPosition(_STEP * i, wins.target // 2 - _STEP * i) for i in range(QUESTIONS)]
    boards = [board for board in boards if board.theirs >= 0]
    turn_odds(rules, boards[0], wins)  # fills the caches that all scores share
    start_s = perf_counter()
    for board in boards:
        turn_odds(rules, board, wins, most=450).option(450, 3)
    return (perf_counter() - start_s) / len(boards) * 1e3


def simple_value_iteration(rules: Ruleset, target: int) -> float:
    """Return the first player's chance of winning, calculated by simple value iteration.

    The first player to reach the target wins at once.

    Args:
        rules: A rule set without an opening, penalties or a last round.
        target: Points that win the match.
    """
    offers = {n: tuple(_offers(rules, n)) for n in range(1, rules.n_dice + 1)}
    farkle = {n: 1 - sum(chance for chance, _ in offers[n]) for n in offers}
    boards = [(i, j) for i in range(0, target, _STEP) for j in range(0, target, _STEP)]
    wins = dict.fromkeys(boards, 0.5)

    def turn(mine: int, theirs: int) -> float:
        lost = 1 - wins[theirs, mine]

        @cache
        def throw(at_risk: int, n: int) -> float:
            worth = sum(
                chance * max(kept(at_risk + s, left) for s, left in offer)
                for chance, offer in offers[n]
            )
            return worth + farkle[n] * lost

        def kept(at_risk: int, left: int) -> float:
            if mine + at_risk >= target:
                return 1.0
            return max(1 - wins[theirs, mine + at_risk], throw(at_risk, left or rules.n_dice))

        return throw(0, rules.n_dice)

    for total in sorted({i + j for i, j in boards}, reverse=True):
        same = [board for board in boards if sum(board) == total]
        change = 1.0
        while change > 1e-12:  # noqa: PLR2004 - converged to double precision
            before = [wins[board] for board in same]
            for board in same:
                wins[board] = turn(*board)
            change = max(abs(wins[b] - old) for b, old in zip(same, before, strict=True))
    return wins[0, 0]


def _offers(rules: Ruleset, n: int) -> Iterator[tuple[float, tuple[tuple[int, int], ...]]]:
    """Yield each set of keeps that a throw of n dice can offer, with its probability.

    A keep is given as its score and the number of dice left.
    """
    found: Counter[tuple[tuple[int, int], ...]] = Counter()
    for dice, keeps in scoring.keep_table(rules).items():
        if len(dice) == n and keeps:
            found[tuple((keep.score, keep.dice_left) for keep in keeps)] += count_orders(dice)
    return ((count / 6**n, offer) for offer, count in found.items())
