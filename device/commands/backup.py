"""`traykeeper backup`, `restore` and `compare`: save, restore and compare files with matches."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from device.coach.notes_file import NOTES_FILE, NotesFile
from device.commands.options import state_option
from device.errors import UsageError
from device.files import as_owner_of, print_line, printable, state_folder
from device.settings import Settings, find, load
from device.storage import backup as backups
from device.storage import match_files
from device.storage.daily_backup import Backups
from device.storage.recovery import open_journal
from device.storage.restore import restore_backup, restore_settings


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
    if path := restore_settings(good, settings_path):
        print_line(f"The settings are in {path}; the previous ones are in {path.name}.bak")


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
        ours, theirs = match_files.read(file, Path(one)), match_files.read(other, Path(two))
        is_same, sentence = match_files.compare(ours, theirs, key)
    print_line(sentence)
    return 0 if is_same else 1


def _settings(file: str | None) -> tuple[Settings, Path | None]:
    """Return the settings in use, and the path of their file (None if there is none)."""
    path = find(file)
    return load(path), path
