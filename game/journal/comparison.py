"""Functions that compare two copies of a match, such as those in the journals of two trays."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from game.journal.entry import Entry
from game.journal.wire import WireEntry
from game.match.events import Corrected, Redone, Spliced, Undone, from_json
from game.match.match import Match, describe_event
from game.message import Message


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


@dataclass(frozen=True, slots=True)
class Difference:
    """The first entry in which two copies of a match differ.

    Attributes:
        seq: Number of the entry within the match, from 0.
        ours: Description of the entry in the first copy; None if that copy is shorter.
        theirs: Description of the entry in the second copy; None if that copy is shorter.
    """

    seq: int
    ours: Message | None
    theirs: Message | None


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
            return Difference(seq, _described(match, one), _described(match, other))
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
    match from_json(entry.body["actions"][0]):
        case Corrected(dice=dice):
            return Message("a throw corrected to %(dice)s", dice=dice)
        case Undone() | Redone() | Spliced() as revision:
            return _REVISIONS[type(revision)]
        case event:
            return describe_event(before.state, event)


_REVISIONS: dict[type, Message] = {
    Undone: Message("an undone step"),
    Redone: Message("a redone step"),
    Spliced: Message("turns changed by hand"),
}
