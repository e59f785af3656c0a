"""`traykeeper backup`, `restore` and `compare`: save, restore and compare files with matches."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

import click

from device.coach.notes_file import NOTES_FILE, NotesFile
from device.commands.options import state_option
from device.errors import UsageError
from device.files import as_owner_of, is_service, print_line, printable, state_folder
from device.settings import Settings, find, load
from device.storage import backup as backups
from device.storage.daily_backup import Backups
from device.storage.recovery import open_journal
from device.storage.restore import restore_backup, restore_settings
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

INSTALLED = ("port", "voice", "shut_down")
"""Settings for which the installer gives permissions to the service. `state` is one as well, but is never restored."""


@click.command()
@click.argument("file", required=False)
@state_option
@click.option("--settings", "settings_file", metavar="FILE", help="Settings file to use.")
def backup(file: str | None, state: str | None, settings_file: str | None) -> None:
    """Save matches, calibration and settings in one file. This also works during a match.

    \b
    traykeeper backup
    traykeeper backup evening.zip
    """
    settings, settings_path = _settings(settings_file)
    now = datetime.now(UTC).astimezone()
    path = Path(file or f"traykeeper-{now:%Y-%m-%d}.zip")
    if path.is_file() and not backups.is_backup(path):
        raise UsageError(f"{path}: this file exists and is not a backup: choose another name")
    folder = state_folder(state or settings.state)
    with as_owner_of(folder):
        made = Backups(folder, settings_path).collect()
    backups.write(made, path)
    print_line(f"{path}: {made}")


@click.command()
@click.argument("file")
@state_option
@click.option("--settings", "settings_file", metavar="FILE", help="Settings file to use.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def restore(file: str, state: str | None, settings_file: str | None, yes: bool) -> None:  # noqa: FBT001
    """Restore a backup. The current matches are saved as another backup first.

    \b
    traykeeper restore evening.zip
    """
    good = backups.read(Path(file))
    settings, settings_path = _settings(settings_file)
    folder = state_folder(state or settings.state)
    kept = Backups(folder, settings_path)
    with as_owner_of(folder), closing(open_journal(folder, kept)[0]) as journal:
        print_line(f"{file}: {good}")
        if not yes:
            click.confirm(f"Replace the matches in {printable(folder)}?", abort=True)
        before = restore_backup(good, journal, folder, kept)
        NotesFile(folder / NOTES_FILE).change(lambda notes: notes.rewind(good.position))
    print_line(f"Restored. The previous matches are in {before}")
    if path := restore_settings(good, settings_path, settings.state):
        print_line(f"The settings are in {path}; the previous ones are in {path.name}.bak")
        new = load(path)
        changed = [name for name in INSTALLED if getattr(new, name) != getattr(settings, name)]
        if changed and is_service():
            print_line(
                f"These settings have changed: {', '.join(changed)}. "
                "Run the installer again, so that the service gets the permissions for them: sudo ./systemd/install"
            )


@click.command()
@click.argument("file")
@click.argument("other")
@click.option("--match", "key", default="", metavar="ID", help="Id of the match to compare.")
def compare(file: str, other: str, key: str) -> int:
    """Compare a match that was played at two trays. Exit 1 if the two files differ.

    Each file is a journal, the folder that contains one, a backup, or a match saved as text. If both are journals
    or backups, the latest match that both contain is compared step by step. A text contains one match, which is
    compared with the latest match in the other file.

    \b
    traykeeper compare anna.zip ben.zip
    traykeeper compare ~/.local/state/traykeeper ben.txt
    """
    with TemporaryDirectory() as one, TemporaryDirectory() as two:
        ours, theirs = read_matches(file, Path(one)), read_matches(other, Path(two))
        is_same, sentence = compare_matches(ours, theirs, key)
    print_line(sentence)
    return 0 if is_same else 1


def _settings(file: str | None) -> tuple[Settings, Path | None]:
    """Return the settings in use, and the path of their file (None if there is none)."""
    path = find(file)
    return load(path), path


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
        return comparable_entries(key, self.history.match_entries(self.numbers[key]))

    def timeline(self, key: str) -> tuple[WireEntry, ...]:
        """Return the steps of a match, without steps that were undone or corrected.

        An empty `key` takes the match that was played last.
        """
        match = self.text or last_state(self.entries(key or next(iter(self.numbers), "")))
        # A text does not distinguish an assumed keep from a chosen one, so both copies are written as text.
        return entries_of_match(from_text(to_text(match), self.name)) if match else ()


def read_matches(file: str, unpack_to: Path) -> MatchFile:
    """Open a file that contains matches.

    Args:
        file: Path of a journal, of a folder that contains one, of a backup or of a text.
        unpack_to: Folder to which the journal in a backup is written.

    Raises:
        UsageError, GameError: If the file cannot be read.
    """
    path = Path(file)
    name = printable(path)
    if path.suffix == ".txt":
        return MatchFile(name, text=from_text(read_text(path), name))
    if path.is_dir():
        path = path / JOURNAL_FILE
    if not path.is_file():
        raise UsageError(f"{printable(path)}: there is no such file: {KINDS}")
    if path.suffix == ".zip":
        copy = unpack_to / f"{path.stem}.db"
        copy.write_bytes(backups.read(path).journal)
        path = copy
    try:
        return MatchFile.of_journal(name, path)
    except GameError:
        raise UsageError(f"{name} cannot be read as a journal: {KINDS}") from None


def compare_matches(ours: MatchFile, theirs: MatchFile, key: str = "") -> tuple[bool, str]:
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
