"""The entries of a match as they are published: one for its start, one for each step.

They contain the steps of the journal, in the same order, as JSON. Each entry has a chain: a digest
of the match up to that entry. If two programs have the same chain for the same entry number, their
matches are the same, step by step. An undo is an entry like any other.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2s
from typing import Any, Self

from game.errors import GameError, JournalError
from game.journal.entry import match_from_seats, seats_json
from game.match.events import Action, from_json, to_json
from game.match.match import Match
from game.match.state import State
from game.rules import rule_files

CHAIN_BYTES = 6
"""Length of a chain in bytes: enough to tell two histories apart, but no protection against
forgery."""

MAX_SEQ = 100_000
"""Highest step number. Real matches have a few hundred steps."""

SIGNED = "signed:"
"""Prefix of the request id of a step that was taken at another tray. Its signature follows."""

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WireEntry:
    """The start of a match, or one of its steps, as it is published.

    Attributes:
        match: Id of the match.
        seq: Number of the step. 0 is the start of the match.
        chain: Digest of the match up to this entry.
        body: Rules and players, or the actions of the step, as JSON. Comparisons of entries use the
            chain, not the body.
    """

    match: str
    seq: int
    chain: str
    body: Body = field(compare=False)

    @classmethod
    def first(cls, match_id: str, match: Match, began_s: float) -> Self:
        """Return the entry that starts a match.

        Args:
            match_id: Id of the match.
            match: The match before its first event.
            began_s: When the match began according to the tray's clock, in seconds since 1970.
        """
        body = _setup(match.start_state) | {"began": round(began_s)}
        return cls(match_id, 0, _chain("", body), body)

    def then(self, *actions: Action) -> "WireEntry":
        """Return the next entry of the match, for a step that consists of these actions."""
        body = {"actions": [_without_places(to_json(action)) for action in actions]}
        return WireEntry(self.match, self.seq + 1, _chain(self.chain, body), body)

    def follows(self, chain: str) -> bool:
        """Return whether the entry comes directly after this chain, which is "" before a match starts."""
        return self.chain == _chain(chain, self.body)

    def to_json(self) -> dict[str, Any]:
        """Return the entry as JSON."""
        return {"match": self.match, "seq": self.seq, "chain": self.chain, **self.body}

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """Return the entry that `to_json` wrote. The body is only checked later, by `played`.

        Raises:
            JournalError: If the data is not an entry.
        """
        if not isinstance(data, dict):
            raise JournalError("an entry of a match must be a JSON object")
        body = {k: v for k, v in data.items() if k not in ("match", "seq", "chain")}
        match_id, seq, chain = (data.get(key) for key in ("match", "seq", "chain"))
        if not (isinstance(match_id, str) and isinstance(chain, str) and is_match_id(match_id)):
            raise JournalError("an entry must name its match and its chain")
        if not isinstance(seq, int) or isinstance(seq, bool) or not 0 <= seq <= MAX_SEQ:
            raise JournalError("an entry's number must be 0 to %(most)s", most=MAX_SEQ)
        return cls(match_id, seq, chain, body)

    def played(self, match: Match | None) -> Match:
        """Return the match as it is after this entry.

        Args:
            match: The match before this entry. None if this is the first entry.

        Raises:
            GameError: If the entry cannot be applied to the match.
        """
        try:
            if self.seq == 0:
                return _begun(self.body)
            if match is None:
                raise JournalError("a step must name the match that it belongs to")
            return match.push(*(from_json(action) for action in self.body["actions"]))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            if isinstance(error, GameError):
                raise
            raise JournalError("not an entry of a match (%(why)s)", why=repr(error)) from None

    @property
    def began_s(self) -> float:
        """When the match began, in seconds since 1970; 0 unless this is the first entry."""
        began = self.body.get("began", 0)
        return float(began) if isinstance(began, int) and 0 <= began < _MAX_TIME_S else 0.0


_MAX_TIME_S = 32_503_680_000
"""The year 3000. A later time is not plausible."""

_MATCH_ID = frozenset("0123456789abcdef")


def is_match_id(text: str) -> bool:
    """Return whether a text is the id of a match: sixteen hexadecimal digits."""
    return len(text) == 16 and set(text) <= _MATCH_ID  # noqa: PLR2004 - the docstring has the number


def _setup(start: State) -> dict[str, Any]:
    return {
        "rules": start.rules.name,
        "options": list(rule_files.differing_lines(start.rules)),
    } | seats_json(start)


def _begun(body: Body) -> Match:
    rules = rule_files.from_differing_lines(body["rules"], "\n".join(body["options"]), "rules")
    return match_from_seats(rules, body)


def _without_places(action: dict[str, Any]) -> dict[str, Any]:
    """Return an action without the positions of the dice, which matter only at their own tray."""
    if "events" in action:
        action["events"] = [_without_places(event) for event in action["events"]]
    return {key: value for key, value in action.items() if key != "places"}


def _chain(before: str, body: Body) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return blake2s(f"{before}{text}".encode(), digest_size=CHAIN_BYTES).hexdigest()
