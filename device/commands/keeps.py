"""`traykeeper keeps`: the legal keeps of a throw, as text or JSON."""

import io
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

import click

from device.commands.options import rules_option
from device.errors import BAD_INPUT, UsageError
from device.files import print_line
from game.errors import ThrowError, quoted
from game.rules import rule_files, scoring
from game.rules.ruleset import Dice, Ruleset
from game.rules.scoring import Effect, Keep, ThrowEvent
from game.wording import dice_count, format_dice

MAX_LINE_LENGTH = 1000
"""Longest accepted line, in characters: more than any throw needs. Input such as /dev/zero never ends a line."""


@click.command()
@click.argument("dice", nargs=-1, metavar="DIE...")
@rules_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each throw.")
def keeps(dice: tuple[str, ...], rules: str, as_json: bool) -> int:  # noqa: FBT001
    """List every legal keep of a throw, best first. With -, read throws from standard input.

    \b
    traykeeper keeps 1 1 3 3 3 5
    echo 113335 | traykeeper keeps --json -
    """
    if not dice:
        raise click.UsageError("name the dice: traykeeper keeps 1 1 3 3 3 5")
    ruleset = rule_files.load(rules)
    show = _show_json if as_json else _show
    if dice != ("-",):
        show(_parse("".join(dice), ruleset), ruleset)
        return 0
    stdin = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", errors="replace")
    return BAD_INPUT if _has_bad_line(_bounded(stdin), ruleset, show) else 0


def _bounded(lines: TextIO) -> Iterator[str]:
    """Yield each line of the input; raise UsageError if one is too long."""
    number = 0
    while line := lines.readline(MAX_LINE_LENGTH + 1):
        number += 1
        if len(line) > MAX_LINE_LENGTH:
            raise UsageError(
                f"stdin, line {number}: longer than {MAX_LINE_LENGTH} characters: "
                "write one throw per line"
            )
        yield line


def _has_bad_line(lines: Iterable[str], rules: Ruleset, show: Any) -> bool:
    """Print the keeps of the throw on each line, and return whether any line was not a throw.

    Args:
        lines: The lines, each with one throw; empty lines are skipped.
        rules: The rule set.
        show: Prints the keeps of a throw under a rule set.
    """
    bad = False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            show(_parse(line, rules), rules)
        except (ThrowError, UsageError) as error:
            print_line(f"traykeeper: stdin, line {number}: {error}", err=True)
            bad = True
    return bad


def _parse(text: str, rules: Ruleset) -> Dice:
    digits = "".join(text.split())
    if not (digits.isascii() and digits.isdigit()):
        raise UsageError(
            f"{quoted(text.strip())} is not a throw: write the faces, such as 1 1 3 3 3 5"
        )
    return scoring.checked_dice(map(int, digits), rules)


def to_json(throw: Dice, rules: Ruleset) -> dict[str, Any]:
    """Return the public JSON form of a throw and its keeps.

    Args:
        throw: The faces, sorted.
        rules: The rule set.
    """
    keeps = scoring.legal_keeps(throw, rules)
    return {
        "throw": list(throw),
        "farkle": not keeps,
        "events": [
            {"name": str(event.effect), "points": event.points}
            for event in scoring.throw_events(throw, rules)
        ],
        "keeps": [_keep_json(keep) for keep in keeps],
    }


def _keep_json(keep: Keep) -> dict[str, Any]:
    return {
        "dice": list(keep.dice),
        "score": keep.score,
        "combos": [str(combo) for combo in keep.combos],
        "dice_left": keep.dice_left,
        "hot": keep.hot,
    }


def _show_json(throw: Dice, rules: Ruleset) -> None:
    click.echo(json.dumps(to_json(throw, rules)))


def _show(throw: Dice, rules: Ruleset) -> None:
    keeps = scoring.legal_keeps(throw, rules)
    click.echo(f"{format_dice(throw)}  ({rules.title})")
    for event in scoring.throw_events(throw, rules):
        click.echo(f"  {_describe(event)}")
    if not keeps:
        click.echo("  farkle: nothing scores")
    for keep in keeps:
        left = "hot dice: throw all again" if keep.hot else f"throw {dice_count(keep.dice_left)}"
        click.echo(f"  {format_dice(keep.dice):<12}{keep.score:>6,}  {left:<26}{keep}")


def _describe(event: ThrowEvent) -> str:
    match event.effect:
        case Effect.WIN:
            return "wins the match at once"
        case Effect.RESET_SCORE:
            return "takes all points on the board, and the turn"
        case Effect.PENALTY:
            return f"costs {-event.points:,} at once"
        case Effect.MUST_BANK:
            return "must be banked if that is allowed, because it contains three of a kind"
