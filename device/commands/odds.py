"""`traykeeper odds`: chances under a rule set, solving a match, and questions about a turn."""

import click

from device.commands.odds_tables import answer, show, simulate, solve
from device.commands.options import rules_option
from game.rules import rule_files

_target_option = click.option(
    "--target",
    type=click.IntRange(1, 1_000_000),
    help="Target score, instead of the one of the rule set.",
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
    """Compute the best play to win. You can stop it and continue later.

    \b
    traykeeper odds solve --rules house.toml --target 5000
    """
    ruleset = rule_files.load(rules)
    solve(ruleset, target or ruleset.target)


@odds.command("simulate")
@rules_option
@_target_option
@click.option(
    "--matches",
    type=click.IntRange(100, 10_000_000),
    default=100_000,
    show_default=True,
    help="Number of matches to play.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Seed of the dice, for other matches."
)
def odds_simulate(rules: str, target: int | None, matches: int, seed: int) -> int:
    """Play the best play against itself with random dice; exit 1 if the result contradicts the solution.

    \b
    traykeeper odds simulate --rules zilch --matches 100000
    """
    ruleset = rule_files.load(rules)
    return simulate(ruleset, rules, target or ruleset.target, matches, seed)
