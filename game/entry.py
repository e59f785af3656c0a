"""One line of the journal: the beginning of a match, or one step of it."""

import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from game import setup
from game.errors import DamagedJournal, GameError
from game.events import Action, from_json, to_json
from game.match import Match

Row = tuple[int, int, int, float | None, str, int]
"""As it is stored: position, match, seq, time, body, seal."""

COLUMNS = "position, match, seq, time, body, seal"

BEGINNING = 0
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
    begun: Match | None
    actions: tuple[Action, ...]


def body_of(actions: Iterable[Action]) -> str:
    """One step as it is stored."""
    return json.dumps([to_json(action) for action in actions])


def seal(match_id: int, seq: int, time_s: float | None, body: str) -> int:
    """Tells a row that a worn card has changed: SQLite does not look inside its pages."""
    return zlib.crc32(f"{match_id}.{seq}.{time_s}.{body}".encode("utf-8", "replace"))


def holds(row: Row) -> bool:
    """Whether it is what was written."""
    _, match_id, seq, time_s, body, sealed = row
    return sealed == seal(match_id, seq, time_s, body)


def entry_of(row: Row) -> Entry:
    """The entry of this row.

    Raises:
        DamagedJournal: it is not what was written.
    """
    position, match_id, seq, time_s, body, _ = row
    if not holds(row):
        raise DamagedJournal(f"entry {position} has changed since it was written")
    try:
        if seq == BEGINNING:
            return Entry(position, match_id, seq, time_s, setup.from_text(body), ())
        actions = tuple(map(from_json, json.loads(body)))
    except (GameError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedJournal(f"entry {position} cannot be read ({error})") from None
    return Entry(position, match_id, seq, time_s, None, actions)


def known(clock_s: float) -> float | None:
    """The time, where a clock that says this knows it."""
    return float(clock_s) if clock_s >= EARLIEST_S else None
