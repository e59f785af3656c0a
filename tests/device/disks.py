"""Disks that are small, full, read-only or dead: real ones of the kernel's, for tests as root."""

import fcntl
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

SHUT_DOWN = 0x8004587D
"""EXT4_IOC_SHUTDOWN: from now on every write fails, as on a card that has died."""

AT_ONCE = (2).to_bytes(4, "little")
"""What was not written yet is lost."""


def _run(*command: object) -> None:
    subprocess.run([str(word) for word in command], check=True, capture_output=True)


@contextmanager
def mounted(folder: Path, *how: object) -> Iterator[Path]:
    """`mount` with these words, on this folder, until the end."""
    if os.geteuid() != 0:
        pytest.skip("mounts a disk: needs root")
    folder.mkdir(exist_ok=True)
    try:
        _run("mount", *how, folder)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"this machine mounts no such disk: {error}")
    try:
        yield folder
    finally:
        _run("umount", "--lazy", folder)


@contextmanager
def small_disk(folder: Path, size: str = "1m") -> Iterator[Path]:
    """A disk in memory."""
    with mounted(folder, "-t", "tmpfs", "-o", f"size={size}", "tmpfs") as disk:
        yield disk


@contextmanager
def card(folder: Path, size_mb: int = 16) -> Iterator[Path]:
    """A disk of its own file system, on a file beside the folder."""
    image = folder.with_suffix(".img")
    with image.open("wb") as file:
        file.truncate(size_mb << 20)
    with suppress(FileNotFoundError):
        _run("mkfs.ext4", "-q", "-F", image)
    with mounted(folder, "-o", "loop", image) as disk:
        yield disk


def fill(disk: Path) -> Path:
    """Take all the room there is; gives the file that does."""
    path = disk / "filler"
    with path.open("ab", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            with pytest.raises(OSError, match="No space left"):  # noqa: PT012
                while True:
                    file.write(b"x" * size)
    return path


def kill(disk: Path) -> None:
    """It answers every write with an error from here on."""
    folder = os.open(disk, os.O_RDONLY)
    try:
        fcntl.ioctl(folder, SHUT_DOWN, AT_ONCE)
    except OSError as error:
        pytest.skip(f"this kernel cannot let a disk die: {error}")
    finally:
        os.close(folder)


def remount_read_only(disk: Path) -> None:
    _run("mount", "-o", "remount,ro", disk)
