"""Where files are, how they are written, and whose they are; `game.plain_file` writes them whole or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click
import platformdirs

from device.errors import UsageError
from game.plain_file import UNFINISHED, read_bounded, whole_file, write_whole

__all__ = ("UNFINISHED", "read_bounded", "whole_file", "write_whole")  # of the game, found here too

SERVICE = "traykeeper.service"
UNIT = Path("etc/systemd/system") / SERVICE
SERVICE_STATE = Path("var/lib/traykeeper")
USER = "traykeeper"
"""Whom the service runs as."""


ROOT = Path("/")
WRITTEN_S = 60.0
"""Nobody writes one for so long."""


def state_folder(named: str | None = None, root: Path | None = None) -> Path:
    """Where this machine's companion keeps its matches and its profile.

    Args:
        named: by the settings or on the command line; empty or None is the usual one, which is the
            service's where that is installed.
        root: another system than this one, for the doctor and for tests.
    """
    if named:
        return Path(named)
    if is_service(root):
        return (root or ROOT) / SERVICE_STATE
    return platformdirs.user_state_path("traykeeper")


def is_service(root: Path | None = None) -> bool:
    """Whether it was set up to start with the machine."""
    return ((root or ROOT) / UNIT).exists()


def shown(text: Path | str) -> str:
    """A name or a sentence, on one line and without anything that a terminal would obey."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in str(text))


def clear_unfinished(folder: Path, now_s: float) -> None:
    """What was being written there, or in its folders, when the power was cut; seconds since 1970."""
    for path in folder.rglob(f".*{UNFINISHED}"):
        with suppress(OSError):  # one that cannot be taken away keeps no other
            if now_s - path.lstat().st_mtime > WRITTEN_S:
                path.unlink()


def replace_whole(path: Path, data: bytes) -> None:
    """The same, with the rights of the one that was there; that is put beside it as `.bak`.

    Raises:
        OSError: it cannot be written; the old one stands as it was.
    """
    with whole_file(path) as file:
        file.write(data)
        if path.exists():
            os.fchmod(file.fileno(), path.stat().st_mode)
            shutil.copy2(path, path.with_name(f"{path.name}.bak"))


def tell(line: object, *, err: bool = False) -> None:
    """A line for people, on the terminal: names in it may be anybody's."""
    click.echo(shown(str(line)), err=err)


@contextmanager
def as_owner_of(folder: Path) -> Iterator[None]:
    """What root does there it does as whom the folder belongs to: a link set there leads to nothing of root's."""
    owner = folder.stat() if folder.exists() else None
    if os.geteuid() != 0 or owner is None or owner.st_uid == 0:
        yield
        return
    groups = os.getgroups()
    os.setgroups([owner.st_gid])
    os.setegid(owner.st_gid)
    os.seteuid(owner.st_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


def refuse_as_root(folder: Path) -> None:
    """Who plays there writes all the time; what root writes, its owner could not go on with.

    Raises:
        UsageError: root is asked to, and the folder is another's.
    """
    if os.geteuid() == 0 and folder.exists() and (owner := folder.stat().st_uid):
        raise UsageError(
            f"{shown(folder)} belongs to user {owner}, not to root: start the service that plays there "
            "(sudo systemctl start traykeeper), or play without sudo"
        )


def make_folder(folder: Path) -> None:
    """Where matches are kept from now on, if it is not there yet.

    Raises:
        UsageError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{shown(folder)}: no folder can be made there ({error.strerror}): name another as state"
        ) from None


def hand_over(folder: Path) -> None:
    """What root wrote belongs to whom the folder belongs."""
    if os.geteuid() != 0:
        return
    owner = folder.stat()
    for path in (folder, *folder.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
