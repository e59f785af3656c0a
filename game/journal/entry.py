"""One entry of the journal: the start of a match, or one of its steps."""

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from game.errors import DamagedJournal, GameError, reason
from game.match.bot import Bot
from game.match.events import Action, from_json, to_json
from game.match.match import Match
from game.match.state import State
from game.rules.ruleset import Ruleset

Row = tuple[int, int, int, float | None, str, int]
"""An entry as the database stores it.

The fields are the position in the journal, the number of the match, the number of the entry within
the match, the time, the content as JSON, and a checksum (the seal).
"""

START_SEQ = 0
"""The `seq` of a match's first entry, which contains its rules and players. All other entries
contain steps."""

EARLIEST_S = 1_735_689_600.0
"""The first second of 2025. A Raspberry Pi whose clock shows an earlier time does not know the time
yet."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the journal.

    Attributes:
        position: Number of the entry across all matches, from 1, without gaps.
        match_id: Number of its match.
        seq: Number of the entry within the match, from 0.
        time_s: When the entry was written, in seconds since 1970. None if the clock was not set.
            The time is only for people to read; the order of entries never depends on it.
        start_match: The match before its first step, in the entry with `seq` 0. Otherwise None.
        actions: The actions that make up the step. Empty in an entry that records that an older
            match was reopened.
    """

    position: int
    match_id: int
    seq: int
    time_s: float | None
    start_match: Match | None
    actions: tuple[Action, ...]


def step_text(actions: Iterable[Action]) -> str:
    """Return the actions of one step as JSON, for the body of a journal entry."""
    return json.dumps([to_json(action) for action in actions])


def checksum(match_id: int, seq: int, time_s: float | None, body: str) -> int:
    """Return the checksum of an entry, which reveals damage caused by a worn memory card.

    SQLite itself does not notice changes inside its pages.

    Args:
        match_id: Number of the match.
        seq: Number of the entry within the match.
        time_s: When the entry was written, in seconds since 1970, or None.
        body: Content of the entry, as JSON.
    """
    return zlib.crc32(f"{match_id}.{seq}.{time_s}.{body}".encode("utf-8", "replace"))


def is_intact(row: Row) -> bool:
    """Return whether a row of the database still matches its checksum."""
    _, match_id, seq, time_s, body, stored = row
    return stored == checksum(match_id, seq, time_s, body)


def entry_from_row(row: Row) -> Entry:
    """Return the journal entry that a row of the database contains.

    Raises:
        DamagedJournal: If the row has changed since it was written, or cannot be read.
    """
    position, match_id, seq, time_s, body, _ = row
    if not is_intact(row):
        raise DamagedJournal("entry %(n)s was changed after it was written", n=str(position))
    try:
        if seq == START_SEQ:
            return Entry(position, match_id, seq, time_s, match_from_start_text(body), ())
        actions = tuple(map(from_json, json.loads(body)))
    except (GameError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedJournal(
            "entry %(n)s cannot be read (%(why)s)", n=str(position), why=reason(error)
        ) from None
    return Entry(position, match_id, seq, time_s, None, actions)


def plausible_time(clock_s: float) -> float | None:
    """Return a clock's time in seconds since 1970, or None if the clock was evidently not set."""
    return float(clock_s) if clock_s >= EARLIEST_S else None


@dataclass(frozen=True, slots=True)
class Result:
    """The standings of a match.

    Attributes:
        names: Names of the players by seat.
        teams: Team number of each seat, or None for a seat without a team.
        scores: Score of each seat. A team shares one score.
        winner: The seat that has won, or None.
        turns: Number of finished turns.
    """

    names: tuple[str, ...]
    teams: tuple[int | None, ...]
    scores: tuple[int, ...]
    winner: int | None
    turns: int

    @classmethod
    def of(cls, match: Match) -> Self:
        """Return the current standings of a match."""
        state = match.state
        return cls(
            tuple(player.name for player in state.players),
            tuple(player.team for player in state.players),
            tuple(player.score for player in state.players),
            state.winner,
            len(state.turns),
        )

    def has_won(self, seat: int) -> bool:
        """Return whether this seat or its team has won."""
        if self.winner is None:
            return False
        team = self.teams[seat]
        return seat == self.winner or (team is not None and team == self.teams[self.winner])

    def to_text(self, match_id: int, seq: int) -> str:
        """Return the standings as JSON with a checksum.

        Args:
            match_id: Number of the match.
            seq: Number of the match's last step, which the standings include.
        """
        text = json.dumps(asdict(self) | {"seq": seq})
        return f"{checksum(match_id, seq, None, text)} {text}"

    @classmethod
    def from_text(cls, sealed_text: str | None, match_id: int, seq: int) -> Self | None:
        """Return the standings that `to_text` wrote, or None if the text is damaged or out of date.

        Args:
            sealed_text: The text, or None if there is none.
            match_id: Number of the match.
            seq: Number of the match's last step.
        """
        stored, _, text = (sealed_text or "").partition(" ")
        if stored != str(checksum(match_id, seq, None, text)):
            return None
        data: dict[str, Any] = json.loads(text)
        names, teams, scores = (tuple(data[key]) for key in ("names", "teams", "scores"))
        return cls(names, teams, scores, data["winner"], data["turns"])


def start_text(match: Match) -> str:
    """Return the rules and players of a match as JSON, for the body of its first journal entry."""
    return json.dumps({"rules": asdict(match.rules)} | seats_json(match.start_state))


def match_from_start_text(text: str) -> Match:
    """Return the match that `start_text` wrote, as it was before its first event.

    Raises:
        GameError: If the rules or players are not valid.
        ValueError: If the text is not JSON.
        KeyError: If a key is missing.
        TypeError: If a value has the wrong type.
    """
    data = json.loads(text)
    return match_from_seats(_rules(data["rules"]), data)


def seats_json(start: State) -> dict[str, Any]:
    """Return the players of a match before its first event as JSON, with its bots if it has any."""
    seats: dict[str, Any] = {
        "names": [player.name for player in start.players],
        "first": start.order[0],
        "teams": [player.team for player in start.players],
    }
    bots = [player.bot and player.bot.to_json() for player in start.players]
    return seats | ({"bots": bots} if any(bots) else {})


def match_from_seats(rules: Ruleset, data: Mapping[str, Any]) -> Match:
    """Return the match before its first event, with the players that `seats_json` wrote.

    Args:
        rules: The rules of the match.
        data: JSON that contains the players.

    Raises:
        GameError: If the players are not valid.
        KeyError: If a key is missing.
        TypeError: If a value has the wrong type.
        ValueError: If a value is not allowed.
    """
    bots = [bot and Bot.from_json(bot) for bot in data.get("bots") or ()]
    return Match.start(rules, data["names"], first=data["first"], teams=data["teams"], bots=bots)


def _rules(data: dict[str, Any]) -> Ruleset:
    """Return the rules as they were when the match began, whatever their file says today."""
    defaults = {f.name: f.default for f in fields(Ruleset)}
    typed = {key: _like(defaults[key], value) for key, value in data.items()}
    return Ruleset(**typed)


def _like(default: object, value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    return type(default)(value) if isinstance(default, str) else value
