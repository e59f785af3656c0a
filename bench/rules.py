"""`traykeeper bench rules`: measure how fast the table of all keeps is, compared with a simple brute-force search."""

from collections.abc import Mapping
from functools import cache
from itertools import product
from time import perf_counter

import click

from game.rules import rule_files, scoring
from game.rules.ruleset import Dice, Ruleset

THROW = (1, 1, 3, 3, 3, 5)
LOOKUPS = 200_000


@click.command("rules")
def command() -> None:
    """Measure how long it takes to build a table of keeps and to look up a throw, compared with brute force.

    \b
    traykeeper bench rules
    """
    scoring.keep_table(rule_files.load("standard"))  # fills the caches that all rule sets share
    click.echo(
        f"{'rule set':<29}{'table ms':>9}{'look-up ns':>12}{'brute force us':>16}{'ratio':>9}"
    )
    for name in rule_files.names():
        ruleset = rule_files.load(name)
        scoring.keep_table.cache_clear()
        scoring.combos.cache_clear()
        start_s = perf_counter()
        table = scoring.keep_table(ruleset)
        build_ms = (perf_counter() - start_s) * 1e3
        throw = THROW[: ruleset.n_dice]
        lookup_ns = _lookup_ns(table, throw)
        brute_us = _brute_force_us(ruleset, throw)
        ratio = brute_us * 1e3 / lookup_ns
        click.echo(f"{name:<29}{build_ms:>9.1f}{lookup_ns:>12.0f}{brute_us:>16.0f}{ratio:>9,.0f}")


def _lookup_ns(table: Mapping[Dice, object], throw: Dice) -> float:
    find = table.__getitem__
    start_s = perf_counter()
    for _ in range(LOOKUPS):
        find(throw)
    return (perf_counter() - start_s) / LOOKUPS * 1e9


def _brute_force_us(ruleset: Ruleset, throw: Dice) -> float:
    points = {combo.dice: combo.points for combo in scoring.combos(ruleset)}
    runs = 20
    start_s = perf_counter()
    for _ in range(runs):
        _all_keeps(throw, points)
    return (perf_counter() - start_s) / runs * 1e6


def _all_keeps(throw: Dice, points: dict[Dice, int]) -> dict[Dice, int]:
    """Return the keeps of a throw and their scores by brute force.

    Every choice of dice is tried, and for each choice every way to split it into combinations. `points` is the score
    of each combination.
    """

    @cache
    def best(dice: Dice) -> int | None:
        if not dice:
            return 0
        totals = []
        for chosen in product((0, 1), repeat=len(dice) - 1):
            group = (dice[0], *(die for die, c in zip(dice[1:], chosen, strict=True) if c))
            rest = best(tuple(die for die, c in zip(dice[1:], chosen, strict=True) if not c))
            if group in points and rest is not None:
                totals.append(points[group] + rest)
        return max(totals, default=None)

    found = {}
    for chosen in product((0, 1), repeat=len(throw)):
        kept = tuple(die for die, c in zip(throw, chosen, strict=True) if c)
        if kept and (total := best(kept)) is not None:
            found[kept] = total
    return found
