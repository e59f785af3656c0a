"""Putting a backup back, and `traykeeper backup` and `restore`."""

import os
import shutil
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import click
import platformdirs

from calibration import profile
from device import backup
from device.backup import SETTINGS, Backup
from device.daily import Backups
from device.doctor.patient import SERVICE, SERVICE_STATE
from device.errors import UsageError
from device.rescue import open_journal
from device.settings import Settings
from game.errors import GameError
from game.journal import Journal

UNITS = Path("/etc/systemd/system")


def put_back(good: Backup, journal: Journal, folder: Path, backups: Backups) -> Path:
    """Matches and calibration as they were; gives where those of before are.

    Raises:
        OSError, GameError: there is no room for it. The matches are as before, or restored.
    """
    before = backups.make()
    journal.restore(good.journal)
    if profile.FILE in good.parts:
        _replace(folder / profile.FILE, good.parts[profile.FILE])
    with suppress(OSError, GameError):  # tried again by itself
        backups.make()
    return before


def save(target: str | None, settings: Settings, settings_file: Path | None) -> None:
    """`traykeeper backup`: the file, and what is in it."""
    folder = state_folder(settings)
    now = datetime.now(UTC).astimezone()
    path = Path(target or f"traykeeper-{now:%Y-%m-%d}.zip")
    made = Backups(folder, settings_file).now()
    backup.write(made, path)
    click.echo(f"{path}: {made}")


def restore(file: str, settings: Settings, settings_file: Path | None, *, yes: bool) -> None:
    """`traykeeper restore`: shows what is in it, asks, and puts it back."""
    good = backup.read(Path(file))
    folder = state_folder(settings)
    backups = Backups(folder, settings_file)
    with closing(open_journal(folder, backups)[0]) as journal:
        click.echo(f"{file}: {good}")
        if not yes:
            click.confirm(f"Put this in place of what is in {folder}?", abort=True)
        before = put_back(good, journal, folder, backups)
    click.echo(f"Restored. What was there before is in {before}")
    _restore_settings(good, settings_file)
    _hand_over(folder)


def state_folder(settings: Settings) -> Path:
    """Where this machine's companion keeps its matches: the service's, where there is one."""
    if settings.state:
        return Path(settings.state)
    if (UNITS / SERVICE).exists():
        return Path(SERVICE_STATE)
    return platformdirs.user_state_path("traykeeper")


def _restore_settings(good: Backup, settings_file: Path | None) -> None:
    if SETTINGS not in good.parts:
        return
    path = settings_file or platformdirs.user_config_path("traykeeper") / SETTINGS
    if path.exists() and path.read_bytes() == good.parts[SETTINGS]:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, good.parts[SETTINGS])
    except OSError as error:
        raise UsageError(
            f"{path}: the settings cannot be written ({error.strerror}): "
            "the matches are restored; do it again with sudo for the settings"
        ) from None
    click.echo(f"The settings are in {path}; those of before beside it, as {path.name}.bak")


def _replace(path: Path, data: bytes) -> None:
    """Write it whole; what was there is put beside it."""
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if path.exists():
        shutil.copymode(path, part)
        shutil.copy2(path, path.with_name(f"{path.name}.bak"))
    part.replace(path)


def _hand_over(folder: Path) -> None:
    """What root wrote belongs to whom the folder belongs."""
    if os.geteuid() != 0:
        return
    owner = folder.stat()
    for path in (folder, *folder.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
