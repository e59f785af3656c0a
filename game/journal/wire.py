"""What a match looks like to those who listen: one entry for its beginning, one for each step.

Entries say the same as the journal, in the same order, as JSON that leaves the house. Each
carries a chain: a digest over everything up to it. Who holds the same chain at the same number
holds the same match, step by step; an undo is an entry like any other.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2s
from typing import Any, Self

from game.errors import GameError, JournalError
from game.match.events import Action, from_json, to_json
from game.match.match import Match
from game.match.state import State
from game.message import Message
from game.rules import rule_files

CHAIN_BYTES = 6
"""Enough to tell two histories apart; it is no proof against forgery."""

MAX_SEQ = 100_000
"""Steps of a match; the longest at any table has some hundreds."""

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WireEntry:
    """The beginning of a match (`seq` 0), or its step number `seq`.

    `body` holds the set-up of the match, or the actions of the step, as JSON; the chain speaks
    for it where entries are compared.
    """

    match: str
    seq: int
    chain: str
    body: Body = field(compare=False)

    @classmethod
    def first(cls, match_id: str, match: Match, began_s: float) -> Self:
        """The match begins; `began_s` in seconds since 1970, as the tray's clock had it."""
        body = _setup(match.start_state) | {"began": round(began_s)}
        return cls(match_id, 0, _chain("", body), body)

    def then(self, *actions: Action) -> "WireEntry":
        """The next step: actions that were done together."""
        body = {"actions": [_without_places(to_json(action)) for action in actions]}
        return WireEntry(self.match, self.seq + 1, _chain(self.chain, body), body)

    def follows(self, chain: str) -> bool:
        """Whether this is what comes after a history with that chain; "" is none yet."""
        return self.chain == _chain(chain, self.body)

    def to_json(self) -> dict[str, Any]:
        return {"match": self.match, "seq": self.seq, "chain": self.chain, **self.body}

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """The entry that `to_json` wrote.

        Raises:
            JournalError: it is not one. What its body says is checked by `played`.
        """
        if not isinstance(data, dict):
            raise JournalError(Message("an entry of a match is a JSON object"))
        body = {k: v for k, v in data.items() if k not in ("match", "seq", "chain")}
        match_id, seq, chain = (data.get(key) for key in ("match", "seq", "chain"))
        if not (isinstance(match_id, str) and isinstance(chain, str) and is_match_id(match_id)):
            raise JournalError(Message("an entry names its match and its chain"))
        if not isinstance(seq, int) or isinstance(seq, bool) or not 0 <= seq <= MAX_SEQ:
            raise JournalError(Message("the number of an entry is 0 to %(most)s", most=MAX_SEQ))
        return cls(match_id, seq, chain, body)

    def played(self, match: Match | None) -> Match:
        """The match after this entry; the first one needs none before it.

        Raises:
            GameError: this cannot have happened.
        """
        try:
            if self.seq == 0:
                return _begun(self.body)
            if match is None:
                raise JournalError(Message("a step needs the match before it"))
            return match.push(*(from_json(action) for action in self.body["actions"]))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            if isinstance(error, GameError):
                raise
            raise JournalError(
                Message("not an entry of a match (%(why)s)", why=repr(error))
            ) from None

    @property
    def began_s(self) -> float:
        """When the match began; only the first entry knows."""
        began = self.body.get("began", 0)
        return float(began) if isinstance(began, int) and 0 <= began < _FAR_S else 0.0


_FAR_S = 32_503_680_000
"""The year 3000: what lies beyond is no time of a match."""

_MATCH_ID = frozenset("0123456789abcdef")


def is_match_id(text: str) -> bool:
    """Sixteen hexadecimal digits."""
    return len(text) == 16 and set(text) <= _MATCH_ID  # noqa: PLR2004 - as the line above says


def _setup(start: State) -> dict[str, Any]:
    return {
        "rules": start.rules.name,
        "options": list(rule_files.differing_lines(start.rules)),
        "names": [player.name for player in start.players],
        "first": start.order[0],
        "teams": [player.team for player in start.players],
    }


def _begun(body: Body) -> Match:
    rules = rule_files.from_differing_lines(body["rules"], "\n".join(body["options"]), "rules")
    return Match.start(rules, body["names"], first=body["first"], teams=body["teams"])


def _without_places(action: dict[str, Any]) -> dict[str, Any]:
    """Where the dice lay concerns nobody but the tray."""
    if "events" in action:
        action["events"] = [_without_places(event) for event in action["events"]]
    return {key: value for key, value in action.items() if key != "places"}


def _chain(before: str, body: Body) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return blake2s(f"{before}{text}".encode(), digest_size=CHAIN_BYTES).hexdigest()
