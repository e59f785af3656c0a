"""`traykeeper odds`: chances under a rule set, solving a match, and questions about a turn."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import click

from device.commands.odds_tables import answer, show, simulate, solve, solved
from device.commands.options import rules_option, state_option
from device.files import as_owner_of, state_folder
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE
from game.practice.earlier_matches import MAX_MATCHES, earlier_matches, style_of
from game.practice.handicap import HeadStart, even_head_start, fair_head_starts
from game.practice.imitation import Imitation
from game.practice.matchup import win_share
from game.practice.strategy import StylePlay
from game.rules import rule_files
from game.rules.ruleset import Ruleset

_TWO = 2
Command = Callable[..., Any]

_target_option = click.option(
    "--target",
    type=click.IntRange(1, 1_000_000),
    help="Target score, instead of the one in the rule set.",
)


def _matches_option(
    default: int, *, most: int, text: str = "Number of matches to play."
) -> Callable[[Command], Command]:
    return click.option(
        "--matches",
        type=click.IntRange(100, most),
        default=default,
        show_default=True,
        help=text,
    )


@click.group(invoke_without_command=True)
@rules_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--from",
    "question",
    metavar="TEXT",
    help='Question about a turn, such as "3200 2950 turn 450 dice 3"; see docs/odds.md.',
)
@_target_option
@click.pass_context
def odds(
    context: click.Context,
    rules: str,
    as_json: bool,  # noqa: FBT001
    question: str | None,
    target: int | None,
) -> None:
    """Print exact chances and the best play under a rule set.

    \b
    traykeeper odds --rules zilch
    traykeeper odds --rules zilch --json
    traykeeper odds --rules zilch --from "3200 2950 turn 450 dice 3"
    traykeeper odds solve --rules house.toml --target 5000
    """
    if context.invoked_subcommand is not None:
        return
    ruleset = rule_files.load(rules)
    if question is None:
        show(ruleset, rules, target or ruleset.target, as_json=as_json)
    else:
        answer(ruleset, rules, target or ruleset.target, question, as_json=as_json)


@odds.command("solve")
@rules_option
@_target_option
def odds_solve(rules: str, target: int | None) -> None:
    """Compute the best play for winning a match. You can stop the command and continue later.

    \b
    traykeeper odds solve --rules house.toml --target 5000
    """
    ruleset = rule_files.load(rules)
    solve(ruleset, target or ruleset.target)


@odds.command("simulate")
@rules_option
@_target_option
@_matches_option(100_000, most=10_000_000)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="Seed for the random dice; a different seed gives different matches.",
)
def odds_simulate(rules: str, target: int | None, matches: int, seed: int) -> int:
    """Simulate matches between two players who both use the best play; exit 1 if they contradict the solution.

    \b
    traykeeper odds simulate --rules zilch --matches 100000
    """
    ruleset = rule_files.load(rules)
    return simulate(ruleset, rules, target or ruleset.target, matches, seed)


@contextmanager
def _history(state: str | None) -> Iterator[History]:
    folder = state_folder(state)
    with as_owner_of(folder):
        yield History(folder / JOURNAL_FILE)


@odds.command("like")
@click.argument("name")
@rules_option
@state_option
@_matches_option(10_000, most=1_000_000)
def odds_like(name: str, rules: str, state: str | None, matches: int) -> None:
    """Learn from the journal how a person plays, and how often a bot that plays the same way wins.

    The bot plays the person's matches again with simulated dice, against bots that play like the
    person's opponents.

    \b
    traykeeper odds like Anna --rules facebook
    """
    ruleset = rule_files.load(rules)
    with _history(state) as history:
        played = list(islice(earlier_matches(history, name, ruleset), MAX_MATCHES))
    imitation = Imitation.of(played, name)
    style, won = imitation.style, imitation.won
    click.echo(
        f"Points at which {name} banks half of the time, by the number of dice left to throw:"
    )
    for dice, points in enumerate(style.thresholds, 1):
        click.echo(f"  {dice} {points:>6,} points, give or take {style.spread}")
    click.echo(f"One more die for the next throw is worth {style.worth_of_die} points.")
    click.echo(f"{style.lapse:.0%} of the decisions do not depend on the points.")
    with click.progressbar(imitation.games(matches), length=matches, label="playing") as games:
        bot = win_share(games)
    click.echo(
        f"{won.share:7.1%}  won by {name}: {won.won} of {won.matches} matches,"
        f" give or take {won.error:.1%}"
    )
    click.echo(
        f"{bot.share:7.1%}  won by the bot: {bot.won:,} of {bot.matches:,},"
        f" give or take {bot.error:.1%}"
    )
    click.echo(f"{abs(bot.share - won.share):7.1%}  apart")


@odds.command("handicap")
@click.argument("names", nargs=-1)
@rules_option
@_target_option
@state_option
@_matches_option(
    2_000, most=100_000, text="Number of matches to play for each head start that is tried."
)
def odds_handicap(
    names: tuple[str, ...], rules: str, target: int | None, state: str | None, matches: int
) -> None:
    """Work out how many points of head start a player needs for both players to win equally often.

    Without names, the head start is for two equally good players and comes from the solved match.
    With two names, it is for those people and comes from how they played in the journal's matches.
    The player named first begins.

    \b
    traykeeper odds handicap --rules zilch
    traykeeper odds handicap Anna Ben --rules zilch
    """
    ruleset = rule_files.load(rules)
    if target is not None:
        ruleset = rule_files.with_options(ruleset, {"target": target})
    if not names:
        _echo_head_start(
            even_head_start(solved(ruleset, rules, ruleset.target)),
            ("the player who begins", "the player who throws second"),
        )
    elif len(names) == len({name.casefold() for name in names}) == _TWO:
        _echo_head_start(_fair(ruleset, names, state, matches), names)
    else:
        raise click.UsageError("Name two different people, or nobody.")


def _fair(ruleset: Ruleset, names: tuple[str, ...], state: str | None, matches: int) -> HeadStart:
    with _history(state) as history:
        styles = [style_of(history, name, ruleset) for name in names]
    tried = fair_head_starts(
        ruleset, lambda number: [StylePlay(style, number) for style in styles], matches
    )
    found = []
    for start in tried:
        click.echo(
            f"  {names[start.seat]} starts with {start.points:,}:"
            f" {names[0]} wins {start.first_wins:.1%}",
            err=True,
        )
        found.append(start)
    return min(found, key=lambda start: abs(start.first_wins - 1 / 2))


def _echo_head_start(start: HeadStart, names: tuple[str, ...]) -> None:
    name = names[start.seat]
    click.echo(
        f"{name[0].upper()}{name[1:]} starts with {start.points:,}: {names[0]} wins"
        f" {start.first_wins:.1%}, {names[1]} {1 - start.first_wins:.1%}"
    )
