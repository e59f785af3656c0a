"""How a match begins: from a form, from a roll-off, or from the match before."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from device.session import messages
from game.match.match import Match
from game.match.rolloff import RollOff
from game.rules import rule_files
from game.rules.ruleset import Ruleset


def from_form(
    usual: Ruleset,
    names: Sequence[str],
    *,
    rules: str | None = None,
    target: int | None = None,
    options: Mapping[str, Any] | None = None,
    teams: Sequence[int] | None = None,
) -> Match:
    """Rules without a name, or by the name of the usual ones, are the usual ones.

    `options` are those that are played otherwise in this match, as a house file has them.

    Raises:
        RulesetError: there is no such rule set, or an option does not hold.
    """
    chosen = usual if rules in (None, usual.name) else rule_files.published(str(rules))
    if target is not None:
        chosen = replace(chosen, target=target)
    chosen = rule_files.changed(chosen, options or {})
    return Match.start(chosen, names, teams=teams)


def from_rolloff(rules: Ruleset, rolloff: RollOff) -> Match | None:
    """None while the highest tie."""
    if rolloff.first is None:
        return None
    names = [messages.default_name(seat) for seat in range(len(rolloff.rolls))]
    return Match.start(rules, names, first=rolloff.first)


def rematch(old: Match) -> Match:
    """Seats stay in the order in which they throw; whoever threw second then begins now."""
    here = old.state.order
    lowest = here.index(min(here))
    seats = (*here[lowest:], *here[:lowest])
    begins = next(seat for seat in (*old.start_state.order[1:], *here) if seat in here)
    return Match.start(
        old.rules,
        [old.state.players[seat].name for seat in seats],
        first=seats.index(begins),
        teams=[old.state.players[seat].team for seat in seats],
    )
