"""This tray's copy of a shared match, and the checks of entries that the other tray adds to it.

The entries so far determine which side may add the next one: the host until the match has started, then the side
whose player's turn it is. So the two sides never add different entries at the same place.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2s

from device.shared_match.links import Link, MatchKeys, MatchSide
from device.shared_match.sync import (
    MAX_ENTRIES,
    MAX_ENTRY_CHARS,
    NOTHING,
    OTHER_VERSION,
    NotSignedError,
    SharedMatchError,
    SignedEntry,
    Sync,
)
from game.errors import GameError
from game.journal.entry import SIGNED, Entry, WireEntry, comparable_entries
from game.journal.history import History
from game.match.events import Action, from_json
from game.match.match import Match
from game.message import Message
from game.rules.ruleset import Ruleset

OWN = "own:"
"""Beginning of the journal's mark for an entry that this tray made, lost, and got back from the other tray."""


def diverged(seq: int) -> SharedMatchError:
    """Return the error for two trays whose copies of a match differ from entry number `seq` onwards."""
    return SharedMatchError(
        Message(
            "The match differs between the two trays from step %(n)s on: run `traykeeper "
            "compare` to see where, and play on at one of them.",
            n=str(seq),
        )
    )


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry from the other tray that has been checked and can be written to the journal.

    Attributes:
        wire: The entry.
        mark: Text to store with the entry: its signature, with a prefix.
    """

    wire: WireEntry
    mark: str

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions of the step; empty if the entry starts the match."""
        return tuple(from_json(action) for action in self.wire.body.get("actions", ()))


MarkedEntry = tuple[WireEntry, Entry, str]
"""An entry in the form that trays exchange, the same entry in this tray's journal, and the mark stored with it."""


def entries_with_marks(history: History, number: int, key: str) -> list[MarkedEntry]:
    """Return the entries of a match, each in the form that trays exchange and as it is in the journal, with its mark.

    Entries that record that a match was reopened are left out, because only one tray may have them.

    Args:
        history: This tray's journal.
        number: Number of the match in the journal.
        key: Id of the match.
    """
    kept = [
        (entry, mark)
        for entry, mark in zip(history.steps(number), history.marks(number), strict=False)
        if entry.start_match or entry.actions
    ]
    wires = comparable_entries(key, (entry for entry, _ in kept))
    return [(wire, entry, mark) for wire, (entry, mark) in zip(wires, kept, strict=True)]


def first_unsigned(link: Link, entries: Sequence[MarkedEntry]) -> int | None:
    """Return the number of the first entry made by the other side that lacks its signature; None if all are signed.

    Args:
        link: The facts that this tray stores about the match.
        entries: The entries of the match, as returned by `entries_with_marks`.
    """
    replica = Replica(link.side, link.keys, link.guest_seats)
    for wire, _, mark in entries:
        author, signature = replica.may_add, mark.removeprefix(SIGNED)
        is_own = author is link.side
        if not is_own and not link.keys.is_signed(author, SignedEntry.text(wire), signature):
            return wire.seq
        replica.add(wire, mark)
    return None


def rules_digest(rules: Ruleset) -> str:
    """Return a digest of complete rules. It shows whether two versions of Traykeeper use one name for the same rules."""
    return blake2s(json.dumps(asdict(rules), sort_keys=True).encode(), digest_size=8).hexdigest()


class Replica:
    """The entries of a shared match that this tray has.

    Args:
        side: The side of this tray.
        keys: The keys that the two sides use to sign entries.
        guest_seats: The seats of the players at the guest's tray.

    Attributes:
        match: The match after the last entry; None before the first.
    """

    def __init__(self, side: MatchSide, keys: MatchKeys, guest_seats: Sequence[int]) -> None:
        self._side, self._keys, self._guest_seats = side, keys, frozenset(guest_seats)
        self._entries: list[SignedEntry] = []
        self.match: Match | None = None

    def __repr__(self) -> str:
        return f"<Replica of the {self._side} at {self.seq}>"

    @property
    def seq(self) -> int:
        """Number of the last entry, counted from 0; -1 if there is none."""
        return len(self._entries) + NOTHING

    @property
    def chain(self) -> str:
        """Digest of the match up to the last entry; "" before the first."""
        return self._entries[-1].wire.chain if self._entries else ""

    def wire(self, seq: int) -> WireEntry | None:
        """Return the entry with this number; None if this tray does not have it."""
        return self._entries[seq].wire if 0 <= seq <= self.seq else None

    def author(self, seq: int) -> MatchSide:
        """Return the side that made the entry with this number."""
        return self._entries[seq].author

    @property
    def may_add(self) -> MatchSide:
        """The side that may add the next entry."""
        return self._author_after(self.match)

    def add(self, wire: WireEntry, mark: str = "") -> None:
        """Add an entry from this tray's journal.

        Args:
            wire: The entry.
            mark: The entry's mark in the journal, which contains the other side's signature; "" if there is none.

        Raises:
            GameError: If this version cannot play the entry.
        """
        author = self.may_add
        is_own = author is self._side
        signature = (
            self._keys.sign(author, SignedEntry.text(wire)) if is_own else mark.removeprefix(SIGNED)
        )
        self.match = wire.played(self.match)
        self._entries.append(SignedEntry(wire, author, signature))

    def after(self, seq: int) -> tuple[SignedEntry, ...]:
        """Return the entries after the one with this number, as many as fit into one message."""
        found: list[SignedEntry] = []
        length = 0
        for entry in self._entries[seq + 1 : seq + 1 + MAX_ENTRIES]:
            length += len(SignedEntry.text(entry.wire))
            if found and length > MAX_ENTRY_CHARS:
                break
            found.append(entry)
        return tuple(found)

    def check(self, sync: Sync) -> tuple[NewEntry, ...]:
        """Check the entries in a message from the other tray, and return those that this tray lacks.

        Raises:
            SharedMatchError: If the two trays have different matches, a signature is wrong, or this version
                cannot play an entry.
        """
        self._check_head(sync)
        match, chain = self.match, self.chain
        found: list[NewEntry] = []
        for signed in sync.entries:
            wire, expected = signed.wire, self.seq + 1 + len(found)
            if wire.seq < expected:
                known = self.wire(wire.seq) or found[wire.seq - self.seq - 1].wire
                if known.chain != wire.chain:
                    raise diverged(wire.seq)
                continue
            if wire.seq > expected:
                break
            is_next = wire.match == sync.match and wire.follows(chain)
            if not is_next or signed.author is not self._author_after(match):
                raise diverged(wire.seq)
            if not self._keys.is_signed(signed.author, SignedEntry.text(wire), signed.signature):
                raise NotSignedError
            match, chain = _played(wire, match), wire.chain
            if wire.seq == 0 and rules_digest(match.rules) != sync.rules:
                raise SharedMatchError(OTHER_VERSION)
            prefix = OWN if signed.author is self._side else SIGNED
            found.append(NewEntry(wire, f"{prefix}{signed.signature}"))
        return tuple(found)

    def _check_head(self, sync: Sync) -> None:
        """If this tray has an entry with the number of the sender's last entry, check that both are the same."""
        ours = self.wire(sync.seq)
        if ours is not None and ours.chain != sync.chain:
            raise diverged(self._first_difference(sync))

    def _first_difference(self, sync: Sync) -> int:
        known = ((signed.wire, self.wire(signed.wire.seq)) for signed in sync.entries)
        return next((new.seq for new, old in known if old and old.chain != new.chain), sync.seq)

    def _author_after(self, match: Match | None) -> MatchSide:
        is_guest = match is not None and match.state.turn.seat in self._guest_seats
        return MatchSide.GUEST if is_guest else MatchSide.HOST


def _played(wire: WireEntry, match: Match | None) -> Match:
    try:
        return wire.played(match)
    except GameError:
        raise SharedMatchError(OTHER_VERSION) from None
