"""One entry of the journal, the same entry as it is published, and the comparison of two copies of a match.

They contain the steps of the journal, in the same order, as JSON. Each entry has a chain: a digest
of the match up to that entry. If two programs have the same chain for the same entry number, their
matches are the same, step by step. An undo is an entry like any other.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import Enum, auto
from hashlib import blake2s
from itertools import zip_longest
from typing import Any, Self

from game.errors import DamagedJournal, GameError, JournalError, reason
from game.match.events import Action, Bot, Corrected, Redone, Spliced, Undone, from_json, to_json
from game.match.match import Match, describe_event
from game.match.state import Series, State
from game.message import Message
from game.rules import rule_files
from game.rules.ruleset import Ruleset
from game.typed_json import MALFORMED, typed

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

CHAIN_BYTES = 6
"""Length of a chain in bytes: enough to tell two histories apart, but no protection against
forgery."""

MAX_SEQ = 100_000
"""Highest step number. Real matches have a few hundred steps."""

OTHER_TRAY = "other tray"
"""The request id of a step that was taken at another tray."""

MAX_DICE = 6
"""Largest number of dice of any rules. Many more would take hours to score."""

_MAX_TIME_S = 32_503_680_000
"""The year 3000. A later time is not plausible."""

_MATCH_ID = frozenset("0123456789abcdef")

_REVISIONS: dict[type, Message] = {
    Undone: Message("an undone step"),
    Redone: Message("a redone step"),
    Spliced: Message("turns changed by hand"),
}


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


Keys = Mapping[int, str]
"""Number of a match -> unique id of the match."""

Requests = Mapping[int, str]
"""Position of an entry -> id of the request that caused it. Entries without a request are left out."""


@dataclass(frozen=True, slots=True)
class CopiedEntries:
    """The entries that could be read from a journal or from its trace.

    Attributes:
        identity: Id of the journal, or "" if it is lost.
        rows: The intact entries.
        keys: Unique ids of the matches that start in these entries, by match number.
        requests: Ids of the requests that caused these entries, by position.
        is_whole: Whether all lines of a trace are intact, apart from the last one, which a power cut may have
            left incomplete.
    """

    identity: str = ""
    rows: tuple[Row, ...] = ()
    keys: Keys = field(default_factory=dict)
    requests: Requests = field(default_factory=dict)
    is_whole: bool = True


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
    except MALFORMED as error:
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
        return typed(cls, json.loads(text))


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
    """Return the players of a match before its first event as JSON, with its bots and its series if it has any."""
    seats: dict[str, Any] = {
        "names": [player.name for player in start.players],
        "first": start.order[0],
        "teams": [player.team for player in start.players],
    }
    bots = [player.bot and player.bot.to_json() for player in start.players]
    series = {"series": start.series.to_json()} if start.series else {}
    return seats | ({"bots": bots} if any(bots) else {}) | series


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
    series = Series.from_json(data["series"]) if data.get("series") else None
    return Match.start(
        rules, data["names"], first=data["first"], teams=data["teams"], bots=bots, series=series
    )


def _rules(data: Any) -> Ruleset:
    """Return the rules as they were when the match began, whatever their file says today."""
    rules = typed(Ruleset, data)
    if unknown := data.keys() - {option.name for option in fields(Ruleset)}:
        raise KeyError(f"unknown rules: {', '.join(sorted(unknown))}")
    if not 1 <= rules.n_dice <= MAX_DICE:
        raise ValueError(f"{rules.n_dice} dice")
    for option in fields(Ruleset):
        if isinstance(option.default, tuple) and option.default:
            found = getattr(rules, option.name)
            if len(found) != len(option.default):
                raise ValueError(f"{option.name} has {len(found)} values")
    return rules


Body = Mapping[str, Any]


class EntryFit(Enum):
    """The relation between an entry that somebody sent and the copy of its match here."""

    NEW = auto()
    KNOWN = auto()
    GAP = auto()  # entries before it are missing
    DIFFERENT = auto()  # the copies differ, or the entry cannot be true
    ELSEWHERE = auto()  # at a club: another tray reported the match first, and may be playing it together with this one


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

    def fit(self, last: int, chain_at: Callable[[int], str | None]) -> EntryFit:
        """Return how the entry fits a copy of its match.

        Args:
            last: Number of the last entry of the copy; -1 if the copy is empty.
            chain_at: Returns the chain of an entry of the copy by its number.
        """
        if self.seq > last + 1:
            return EntryFit.GAP
        if self.seq <= last:
            return EntryFit.KNOWN if chain_at(self.seq) == self.chain else EntryFit.DIFFERENT
        before = chain_at(last) if last >= START_SEQ else ""
        return EntryFit.NEW if self.follows(before or "") else EntryFit.DIFFERENT

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions of the step; empty if the entry starts the match."""
        return tuple(map(from_json, self.body["actions"])) if self.seq else ()

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
            return match.push(*self.actions)
        except MALFORMED as error:
            if isinstance(error, GameError):
                raise
            raise JournalError("not an entry of a match (%(why)s)", why=repr(error)) from None

    @property
    def began_s(self) -> float:
        """When the match began, in seconds since 1970; 0 unless this is the first entry."""
        began = self.body.get("began", 0)
        return float(began) if isinstance(began, int) and 0 <= began < _MAX_TIME_S else 0.0


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
    """Return the digest of a match up to an entry.

    Two copies may differ in the time of the start, and in the entries that record that the match was reopened, which
    have no actions.
    """
    if body.get("actions") == []:
        return before
    compared = {key: value for key, value in body.items() if key != "began"}
    text = json.dumps(compared, sort_keys=True, separators=(",", ":"))
    return blake2s(f"{before}{text}".encode(), digest_size=CHAIN_BYTES).hexdigest()


def comparable_entries(key: str, entries: Iterable[Entry]) -> tuple[WireEntry, ...]:
    """Return a match's entries without the details that may differ between two trays' journals.

    These details are the time of the start, the positions of the dice, and the entries that record
    that a match was reopened.

    Args:
        key: Id of the match.
        entries: Entries of the match in a journal, from its start.
    """
    found: list[WireEntry] = []
    for entry in entries:
        if entry.start_match:
            found.append(WireEntry.first(key, entry.start_match, 0.0))
        elif entry.actions:
            found.append(found[-1].then(*entry.actions))
    return tuple(found)


def entries_of_match(match: Match) -> tuple[WireEntry, ...]:
    """Return an entry for the start of a match and one for each event. Undone steps are left out."""
    entry = WireEntry.first("0" * 16, Match(match.start_state, (), match.start_state), 0.0)
    found = [entry]
    for event in match.timeline:
        found.append(found[-1].then(event))
    return tuple(found)


Difference = tuple[int, Message | None, Message | None]
"""The number of the first entry in which two copies of a match differ, and what each copy has there.

None stands for a copy that is shorter.
"""


def first_difference(ours: Sequence[WireEntry], theirs: Sequence[WireEntry]) -> Difference | None:
    """Return the first difference between two copies of a match, or None if they are the same.

    Args:
        ours: The entries of one copy, from the start of the match.
        theirs: The entries of the other copy, from the start of the match.

    Raises:
        GameError: If an entry before the difference cannot be applied to the match.
    """
    match: Match | None = None
    for seq, (one, other) in enumerate(zip_longest(ours, theirs)):
        if one is None or other is None or one.chain != other.chain:
            return seq, _described(match, one), _described(match, other)
        match = one.played(match)
    return None


def last_state(entries: Sequence[WireEntry]) -> Match | None:
    """Return the match as it is after these entries, or None if there are no entries.

    Raises:
        GameError: If an entry cannot be applied to the match before it.
    """
    match: Match | None = None
    for entry in entries:
        match = entry.played(match)
    return match


def _described(before: Match | None, entry: WireEntry | None) -> Message | None:
    if entry is None:
        return None
    if before is None:
        return Message("a match between %(names)s", names=", ".join(map(str, entry.body["names"])))
    match entry.actions[0]:
        case Corrected(dice=dice):
            return Message("a throw corrected to %(dice)s", dice=dice)
        case Undone() | Redone() | Spliced() as revision:
            return _REVISIONS[type(revision)]
        case event:
            return describe_event(before.state, event)
