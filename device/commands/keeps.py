"""`traykeeper keeps`: the legal keeps of a throw, for people and for programs."""

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

MAX_LINE = 1000
"""Characters: twenty dice with a word between them are fewer; /dev/zero has no end."""


@click.command()
@click.argument("dice", nargs=-1, metavar="DIE...")
@rules_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each throw.")
def keeps(dice: tuple[str, ...], rules: str, as_json: bool) -> int:  # noqa: FBT001
    """List every legal keep of a throw, best first; with - the throws come from stdin.

    \b
    traykeeper keeps 1 1 3 3 3 5
    echo 113335 | traykeeper keeps --json -
    """
    if not dice:
        raise click.UsageError("name the dice: traykeeper keeps 1 1 3 3 3 5")
    return BAD_INPUT if list_keeps(dice, rules, as_json=as_json) else 0


def list_keeps(dice: tuple[str, ...], rules_name: str, *, as_json: bool) -> bool:
    """Print the keeps of one throw, or of each line on stdin; gives whether a line was bad."""
    rules = rule_files.load(rules_name)
    show = _show_json if as_json else _show
    if dice != ("-",):
        show(_parse("".join(dice), rules), rules)
        return False
    stdin = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", errors="replace")
    return _each_line(_bounded(stdin), rules, show)


def _bounded(lines: TextIO) -> Iterator[str]:
    """Each line; one that does not end is refused."""
    number = 0
    while line := lines.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise UsageError(
                f"stdin, line {number}: longer than {MAX_LINE} characters: write one throw a line"
            )
        yield line


def _each_line(lines: Iterable[str], rules: Ruleset, show: Any) -> bool:
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
        raise UsageError(f"{quoted(text.strip())} is no throw: write the faces, as in 1 1 3 3 3 5")
    return scoring.checked_dice(map(int, digits), rules)


def to_json(throw: Dice, rules: Ruleset) -> dict[str, Any]:
    """The public form of a throw and its keeps."""
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
        click.echo(f"  {_by_itself(event)}")
    if not keeps:
        click.echo("  farkle: nothing scores")
    for keep in keeps:
        left = "hot dice: throw all again" if keep.hot else f"throw {dice_count(keep.dice_left)}"
        click.echo(f"  {format_dice(keep.dice):<12}{keep.score:>6,}  {left:<26}{keep}")


def _by_itself(event: ThrowEvent) -> str:
    match event.effect:
        case Effect.WIN:
            return "wins the match at once"
        case Effect.RESET_SCORE:
            return "takes all points on the board, and the turn"
        case Effect.PENALTY:
            return f"costs {-event.points:,} at once"
        case Effect.MUST_BANK:
            return "must be banked, if that is allowed: three alike are in it"
