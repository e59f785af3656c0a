"""Files that contain matches: journals, backups and texts.

`compare` compares the copies of a match in two such files.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from device.errors import UsageError
from device.files import printable
from device.storage import backup
from game.errors import GameError
from game.file_io import read_text
from game.journal.entry import (
    Difference,
    WireEntry,
    comparable_entries,
    entries_of_match,
    first_difference,
    last_state,
)
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE
from game.match.match import Match
from game.match.match_text import from_text, to_text

KINDS = "name a journal.db, its folder, a backup (.zip), or a match as text (.txt)"

MOST = 10_000
"""How many of the latest matches in a journal are searched for a match that another journal contains as well."""


@dataclass(frozen=True, slots=True)
class MatchFile:
    """A file that contains matches: a journal, or one match as text.

    Attributes:
        name: Name of the file in messages.
        history: The journal; None for a text.
        numbers: Number of each match in the journal by its id, latest match first.
        text: The match in a text; None for a journal.
    """

    name: str
    history: History | None = None
    numbers: Mapping[str, int] = field(default_factory=dict)
    text: Match | None = None

    @classmethod
    def of_journal(cls, name: str, path: Path) -> Self:
        """Open the journal in a database file.

        Args:
            name: Name of the file in messages.
            path: Path of the database.
        """
        history = History(path)
        numbers = {played.key: played.id for played in history.matches(limit=MOST)}
        return cls(name, history, numbers)

    def entries(self, key: str) -> tuple[WireEntry, ...]:
        """Return the journal entries of the match with this id.

        Raises:
            UsageError: If this is not a journal, or the journal does not contain the match.
        """
        if self.history is None or key not in self.numbers:
            raise UsageError(f"{self.name} has no such match: {KINDS}")
        return comparable_entries(key, self.history.steps(self.numbers[key]))

    def timeline(self, key: str) -> tuple[WireEntry, ...]:
        """Return the steps of a match, without steps that were undone or corrected.

        An empty `key` takes the match that was played last.
        """
        match = self.text or last_state(self.entries(key or next(iter(self.numbers), "")))
        # A text does not distinguish an assumed keep from a chosen one, so both copies are written as text.
        return entries_of_match(from_text(to_text(match), self.name)) if match else ()


def read(file: str, unpack_to: Path) -> MatchFile:
    """Open a file that contains matches.

    Args:
        file: Path of a journal, of a folder that contains one, of a backup or of a text.
        unpack_to: Folder to which the journal in a backup is written.

    Raises:
        UsageError, GameError: If the file cannot be read.
    """
    path = Path(file).expanduser()
    name = printable(path)
    if path.suffix == ".txt":
        return MatchFile(name, text=from_text(read_text(path), name))
    if path.is_dir():
        path = path / JOURNAL_FILE
    if not path.is_file():
        raise UsageError(f"{printable(path)}: there is no such file: {KINDS}")
    if path.suffix == ".zip":
        copy = unpack_to / f"{path.stem}.db"
        copy.write_bytes(backup.read(path).journal)
        path = copy
    try:
        return MatchFile.of_journal(name, path)
    except GameError:
        raise UsageError(f"{name} cannot be read as a journal: {KINDS}") from None


def compare(ours: MatchFile, theirs: MatchFile, key: str = "") -> tuple[bool, str]:
    """Compare the copies of a match in two files.

    Args:
        ours: One file.
        theirs: The other file.
        key: Id of the match; "" takes the latest match that both contain.

    Returns:
        Whether both files contain the same match, and a sentence with the result.

    Raises:
        UsageError: If the files have no match in common, or this version cannot play it.
    """
    mine, others = _copies(ours, theirs, key)
    try:
        found = first_difference(mine, others)
        last = last_state(mine)
    except GameError as error:
        raise UsageError(f"{ours.name}: {error}; update this Traykeeper") from None
    if found:
        return False, _difference(found, ours.name, theirs.name)
    scores = _scores(last) if last else ""
    return True, f"{ours.name} and {theirs.name} contain the same match: {scores}."


def _copies(
    ours: MatchFile, theirs: MatchFile, key: str
) -> tuple[Sequence[WireEntry], Sequence[WireEntry]]:
    """Return the two copies to compare; if one file is a text, leave out steps that were undone or corrected."""
    if ours.text or theirs.text:
        return ours.timeline(key), theirs.timeline(key)
    common = [each for each in ours.numbers if each in theirs.numbers and key in ("", each)]
    if not common:
        which = f"the match {key} is not in both" if key else "they have no match in common"
        raise UsageError(f"{ours.name} and {theirs.name}: {which}: compare the files of both trays")
    return ours.entries(common[0]), theirs.entries(common[0])


def _scores(match: Match) -> str:
    players = match.state.players
    return ", ".join(f"{player.name} {player.score:,}" for player in players)


def _difference(found: Difference, ours: str, theirs: str) -> str:
    seq, mine, others = found
    if others is None:
        return f"{theirs} lacks everything from step {seq} on, where {ours} has {mine}."
    if mine is None:
        return f"{ours} lacks everything from step {seq} on, where {theirs} has {others}."
    return f"They differ from step {seq} on: {ours} has {mine}, {theirs} has {others}."
