"""The steps that were confirmed to a witness, and whether a journal agrees with them afterwards."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from device.storage.daily_backup import Backups
from device.storage.recovery import open_journal
from game.journal.entry import START_SEQ, Entry
from game.journal.history import History


@dataclass
class Account:
    """The number of entries told of each match, in the order of all, and what was tried last.

    A step may be in the journal although nobody was told of it: power went in between. Then it
    has to be the one that was tried last, and there is one at most.
    """

    order: list[int] = field(default_factory=list)
    trying: int | None = None

    def note(self, word: str, match_id: int) -> None:
        if word == "try":
            self.trying = match_id
        else:
            self.order.append(match_id)
            self.trying = None

    def check(self, entries: Iterable[Entry]) -> int:
        """How many entries there are more than told: 0 or 1.

        Raises:
            AssertionError: something told is not there, is there twice, or was never tried.
        """
        entries = tuple(entries)
        found = [entry.match_id for entry in entries]
        assert found[: len(self.order)] == self.order, f"told {len(self.order)}, {len(found)} there"
        more = found[len(self.order) :]
        assert len(more) <= 1, f"{len(more)} more than were told"
        if more:
            assert self.trying is not None, "invented"
            begins = entries[-1].seq == START_SEQ
            assert begins if self.trying == 0 else more == [self.trying], "not what was tried"
        _check_numbers(entries)
        return len(more)

    def follow(self, entries: Iterable[Entry]) -> None:
        """Take the steps of the journal as confirmed."""
        self.order = [entry.match_id for entry in entries]
        self.trying = None


def _check_numbers(entries: tuple[Entry, ...]) -> None:
    seqs: dict[int, int] = {}
    for number, entry in enumerate(entries, 1):
        assert entry.position == number
        assert entry.seq == seqs.get(entry.match_id, -1) + 1
        seqs[entry.match_id] = entry.seq


def read_again(folder: Path) -> tuple[Entry, ...]:
    """Return all entries after a start in this folder, which must find no damage."""
    journal, damage = open_journal(folder, Backups(folder))
    try:
        assert damage is None, f"there is damage: {damage}"
        journal.newest()
        return History(journal.path).entries(limit=-1)
    finally:
        journal.close()
