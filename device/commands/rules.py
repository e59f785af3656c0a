"""`traykeeper rules` and `traykeeper match`: rule sets, and matches written as text."""

import json
from pathlib import Path
from typing import Any

import click

from device.files import print_line
from device.session import messages
from game.errors import RulesetError
from game.file_io import read_stdin, read_text
from game.match.match import Match, timeline_rows
from game.match.match_text import from_text
from game.match.state import State, Turn, TurnEnding
from game.names import clean_names
from game.rules import rule_files, score_card
from game.rules.rule_options import sentences
from game.wording import format_dice, match_length


@click.group()
def rules() -> None:
    """List and check rule sets.

    \b
    traykeeper rules list
    traykeeper rules show stirler
    traykeeper rules check house.toml
    traykeeper rules sheet walnut-studiolo > card.svg
    """


@rules.command("list")
def rules_list() -> None:
    """Print the name and title of every published rule set.

    \b
    traykeeper rules list
    """
    for name in rule_files.names():
        click.echo(f"{name:<29}{rule_files.load(name).title}")


@rules.command("show")
@click.argument("name", metavar="NAME|FILE")
def rules_show(name: str) -> None:
    """Print a rule set in plain sentences, with its source and the assumptions made.

    \b
    traykeeper rules show stirler
    """
    ruleset = rule_files.load(name)
    click.echo(f"{ruleset.title}\n{ruleset.source}\n")
    for sentence in sentences(ruleset):
        click.echo(f"  {sentence}")
    if ruleset.assumed:
        click.echo("\nAssumed:")
    for line in ruleset.assumed:
        click.echo(f"  {line}")


@rules.command("check")
@click.argument("file")
def rules_check(file: str) -> int:
    """Check a rule set file. A mistake is reported with its line, its key and the allowed values.

    \b
    traykeeper rules check house.toml
    """
    try:
        ruleset = rule_files.from_file(file)
    except RulesetError as error:
        print_line(f"traykeeper: {' '.join(str(error).split())}", err=True)
        return 1
    print_line(f"{file} is valid. {ruleset.title}: {len(sentences(ruleset))} rules")
    return 0


@rules.command("sheet")
@click.argument("name", metavar="NAME|FILE")
@click.option("--pad", is_flag=True, help="Write a score pad (A6) instead of the scoring card.")
@click.option(
    "--player", "names", multiple=True, help="Name of a column on the pad; repeat for each player."
)
def rules_sheet(name: str, pad: bool, names: tuple[str, ...]) -> None:  # noqa: FBT001
    """Write the pocket scoring card, 85 by 55 mm, as SVG to standard output. Print it at 100 %.

    \b
    traykeeper rules sheet zilch > card.svg
    traykeeper rules sheet zilch --pad --player Anna --player Ben > pad.svg
    """
    ruleset = rule_files.load(name)
    svg = score_card.pad(ruleset, clean_names(names)) if pad else score_card.card(ruleset)
    click.echo(svg, nl=False)


@click.command()
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def match(file: str, as_json: bool) -> None:  # noqa: FBT001
    """Replay a match written as text, and print every turn, the standings and the outcome.

    \b
    traykeeper match evening.txt
    cat evening.txt | traykeeper match --json -
    traykeeper match --json evening.txt
    """
    is_stdin = file == "-"
    text = read_stdin() if is_stdin else read_text(Path(file))
    replayed = from_text(text, where="stdin" if is_stdin else file)
    if as_json:
        click.echo(json.dumps(_match_json(replayed)))
    else:
        _print_match(replayed)


def _print_match(match: Match) -> None:
    state = match.state
    rules = match.rules
    length = match_length(rules.rounds, rules.target, target_ends_rounds=rules.target_ends_rounds)
    click.echo(f"{rules.title}, {length}")
    for number, turn in enumerate(state.turns, 1):
        click.echo(f"{number:>3}  {state.players[turn.seat].name:<16}{_turn_line(turn)}")
    if state.turn.throws or state.turn.starting_points:
        click.echo(f"     {state.player.name:<16}{_turn_line(state.turn)}")
    click.echo()
    for player in sorted(state.players, key=lambda player: -player.score):
        click.echo(f"{player.score:>8,}  {player.name}")
    click.echo(f"\n{messages.outcome(match)}")


def _turn_line(turn: Turn) -> str:
    throws = ", ".join(
        f"{format_dice(throw.dice)} kept {format_dice(throw.keep.dice)}"
        if throw.keep
        else format_dice(throw.dice)
        for throw in turn.throws
    )
    end = f"{turn.ending} {turn.points:,}" if turn.points else str(turn.ending or "at risk")
    if turn.ending is TurnEnding.BANK and not turn.points:
        end = f"overshoots with {turn.at_risk:,}"
    penalty = turn.penalty + sum(throw.penalty for throw in turn.throws)
    return f"{throws or '-'}: {end}{f', penalty {penalty:,}' if penalty else ''}"


def _match_json(match: Match) -> dict[str, Any]:
    """Return the public JSON form of a replayed match."""
    state = match.state
    return {
        "rules": match.rules.name,
        "target": match.rules.target,
        "options": list(rule_files.differing_lines(match.rules)),
        "players": [
            {"name": p.name, "score": p.score, "opened": p.opened, "team": p.team, "here": p.here}
            for p in state.players
        ],
        "turns": [
            _turn_json(row.turn) | {"scores": list(row.scores)}
            for row in timeline_rows(match)
            if row.turn
        ],
        "turn": None
        if state.winner is not None
        else _turn_json(state.turn) | {"dice_to_throw": state.dice_in_hand},
        "winner": state.winner,
        "outcome": _outcome(state),
    }


def _turn_json(turn: Turn) -> dict[str, Any]:
    return {
        "seat": turn.seat,
        "brought": turn.starting_points,
        "bonus": turn.bonus,
        "throws": [
            {
                "dice": list(throw.dice),
                "kept": list(throw.keep.dice) if throw.keep else None,
                "score": throw.keep.score if throw.keep else 0,
                "assumed": throw.assumed,
                "penalty": throw.penalty,
            }
            for throw in turn.throws
        ],
        "ending": str(turn.ending) if turn.ending else None,
        "points": turn.points if turn.ending else turn.at_risk,
        "penalty": turn.penalty,
    }


def _outcome(state: State) -> dict[str, Any] | None:
    if state.winner is None:
        return None
    return {"winner": state.players[state.winner].name, "score": state.players[state.winner].score}
