"""`traykeeper backup` and `restore`: all that is worth keeping in one file, and back again."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import click

from device.coach.notes_file import FILE as NOTES
from device.coach.notes_file import NotesFile
from device.commands.options import state_option
from device.errors import UsageError
from device.files import as_owner_of, print_line, printable, state_folder
from device.settings import Settings, find, load
from device.storage import backup as backups
from device.storage.daily_backup import Backups
from device.storage.recovery import open_journal
from device.storage.restore import restore_backup, restore_settings


@click.command()
@click.argument("file", required=False)
@state_option
@click.option("--settings", "settings_file", metavar="FILE", help="The settings to go by.")
def backup(file: str | None, state: str | None, settings_file: str | None) -> None:
    """Put matches, calibration and settings into one file, also while it is played.

    \b
    traykeeper backup
    traykeeper backup evening.zip
    """
    settings, settings_path = _settings(settings_file)
    now = datetime.now(UTC).astimezone()
    path = Path(file or f"traykeeper-{now:%Y-%m-%d}.zip")
    if path.is_file() and not backups.is_backup(path):
        raise UsageError(f"{path}: there is a file, and no backup: name another")
    folder = state_folder(state or settings.state)
    with as_owner_of(folder):
        made = Backups(folder, settings_path).collect()
    backups.write(made, path)
    print_line(f"{path}: {made}")


@click.command()
@click.argument("file")
@state_option
@click.option("--settings", "settings_file", metavar="FILE", help="The settings to go by.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
def restore(file: str, state: str | None, settings_file: str | None, yes: bool) -> None:  # noqa: FBT001
    """Put a backup in place of what is here; what was here is kept as a backup, too.

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
            click.confirm(f"Put this in place of what is in {printable(folder)}?", abort=True)
        before = restore_backup(good, journal, folder, kept)
        NotesFile(folder / NOTES).change(lambda notes: notes.rewind(good.position))
    print_line(f"Restored. What was there before is in {before}")
    if path := restore_settings(good, settings_path):
        print_line(f"The settings are in {path}; those of before beside it, as {path.name}.bak")


def _settings(file: str | None) -> tuple[Settings, Path | None]:
    """Those in force, and the file they are from."""
    path = find(file)
    return load(path), path
