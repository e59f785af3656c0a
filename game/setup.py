"""How a match began, as the journal keeps it: rules in full, players, teams, who throws first."""

import json
from dataclasses import asdict, fields
from typing import Any

from game.match import Match
from game.ruleset import Ruleset


def to_text(match: Match) -> str:
    """The beginning of this match, as JSON."""
    start = match.start_state
    names = [player.name for player in start.players]
    teams = [player.team for player in start.players]
    setup = {"rules": asdict(match.rules), "names": names, "first": start.order[0], "teams": teams}
    return json.dumps(setup)


def from_text(text: str) -> Match:
    """The match before its first event.

    Raises:
        GameError, ValueError, KeyError, TypeError: `to_text` did not write this.
    """
    data = json.loads(text)
    rules = _rules(data["rules"])
    return Match.start(rules, data["names"], first=data["first"], teams=data["teams"])


def _rules(data: dict[str, Any]) -> Ruleset:
    """The rule set as the match was begun with, whatever its file says today."""
    defaults = {f.name: f.default for f in fields(Ruleset)}
    typed = {key: _like(defaults[key], value) for key, value in data.items()}
    return Ruleset(**typed)


def _like(default: object, value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    return type(default)(value) if isinstance(default, str) else value
