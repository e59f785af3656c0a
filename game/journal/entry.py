"""One line of the journal: the beginning of a match, or one step of it."""

import json
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from game.errors import DamagedJournal, GameError, reason
from game.match.events import Action, from_json, to_json
from game.match.match import Match
from game.message import Message
from game.rules.ruleset import Ruleset

Row = tuple[int, int, int, float | None, str, int]
"""As it is stored: position, match, seq, time, body, seal."""

COLUMNS = "position, match, seq, time, body, seal"

START_SEQ = 0
"""The `seq` of a match's first entry, whose body is its setup; all others hold steps."""

EARLIEST_S = 1_735_689_600.0
"""The first second of 2025. A Pi whose clock says less does not know the time yet."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What was accepted, and where it stands.

    Attributes:
        position: counts from 1 over all matches, without a gap: the order in which it happened.
        match_id: the match it belongs to.
        seq: counts from 0 within the match.
        time_s: the clock then, in seconds since 1970; None where it was not set. Only for people
            to read: order never depends on it.
        begun: the match before its first step; None but for `seq` 0.
        actions: done together, as one step; none where an older match was taken up again.
    """

    position: int
    match_id: int
    seq: int
    time_s: float | None
    start_match: Match | None
    actions: tuple[Action, ...]


def step_text(actions: Iterable[Action]) -> str:
    """One step as it is stored."""
    return json.dumps([to_json(action) for action in actions])


def checksum(match_id: int, seq: int, time_s: float | None, body: str) -> int:
    """Tells a row that a worn card has changed: SQLite does not look inside its pages."""
    return zlib.crc32(f"{match_id}.{seq}.{time_s}.{body}".encode("utf-8", "replace"))


def is_intact(row: Row) -> bool:
    """Whether it is what was written."""
    _, match_id, seq, time_s, body, sealed = row
    return sealed == checksum(match_id, seq, time_s, body)


def entry_from_row(row: Row) -> Entry:
    """The entry of this row.

    Raises:
        DamagedJournal: it is not what was written.
    """
    position, match_id, seq, time_s, body, _ = row
    if not is_intact(row):
        raise DamagedJournal(
            Message("entry %(n)s has changed since it was written", n=str(position))
        )
    try:
        if seq == START_SEQ:
            return Entry(position, match_id, seq, time_s, match_from_start_text(body), ())
        actions = tuple(map(from_json, json.loads(body)))
    except (GameError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedJournal(
            Message("entry %(n)s cannot be read (%(why)s)", n=str(position), why=reason(error))
        ) from None
    return Entry(position, match_id, seq, time_s, None, actions)


def plausible_time(clock_s: float) -> float | None:
    """The time, where a clock that says this knows it."""
    return float(clock_s) if clock_s >= EARLIEST_S else None


@dataclass(frozen=True, slots=True)
class Result:
    """The standings, by seat.

    Attributes:
        names, teams, scores: one for each seat; a team's members share its score.
        winner: the seat that has won; None while nobody has.
        turns: how many turns were finished.
    """

    names: tuple[str, ...]
    teams: tuple[int | None, ...]
    scores: tuple[int, ...]
    winner: int | None
    turns: int

    @classmethod
    def of(cls, match: Match) -> Self:
        state = match.state
        return cls(
            tuple(player.name for player in state.players),
            tuple(player.team for player in state.players),
            tuple(player.score for player in state.players),
            state.winner,
            len(state.turns),
        )

    def has_won(self, seat: int) -> bool:
        """Whether this seat has won, or its team."""
        if self.winner is None:
            return False
        team = self.teams[seat]
        return seat == self.winner or (team is not None and team == self.teams[self.winner])

    def to_text(self, match_id: int, seq: int) -> str:
        """A seal and JSON, with the number of the step after which it was so."""
        text = json.dumps(asdict(self) | {"seq": seq})
        return f"{checksum(match_id, seq, None, text)} {text}"

    @classmethod
    def from_text(cls, sealed_text: str | None, match_id: int, seq: int) -> Self | None:
        """What `to_text` wrote, if that is what it still says and nothing came after it."""
        sealed, _, text = (sealed_text or "").partition(" ")
        if sealed != str(checksum(match_id, seq, None, text)):
            return None
        data: dict[str, Any] = json.loads(text)
        names, teams, scores = (tuple(data[key]) for key in ("names", "teams", "scores"))
        return cls(names, teams, scores, data["winner"], data["turns"])


def start_text(match: Match) -> str:
    """The beginning of this match, as JSON."""
    start = match.start_state
    names = [player.name for player in start.players]
    teams = [player.team for player in start.players]
    setup = {"rules": asdict(match.rules), "names": names, "first": start.order[0], "teams": teams}
    return json.dumps(setup)


def match_from_start_text(text: str) -> Match:
    """The match before its first event.

    Raises:
        GameError, ValueError, KeyError, TypeError: `beginning_text` did not write this.
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
