"""Small, full, read-only and failing disks, made with the kernel; tests that use them need root."""

import fcntl
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

SHUT_DOWN = 0x8004587D
"""EXT4_IOC_SHUTDOWN: every write fails from now on, like on a dead SD card."""

AT_ONCE = (2).to_bytes(4, "little")
"""The mode that drops data which was not written yet."""


def _run(*command: object) -> None:
    subprocess.run([str(word) for word in command], check=True, capture_output=True)


@contextmanager
def mounted(folder: Path, *how: object) -> Iterator[Path]:
    """Mount something on a folder within the block, with these arguments of `mount`."""
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
    """Mount a disk in memory."""
    with mounted(folder, "-t", "tmpfs", "-o", f"size={size}", "tmpfs") as disk:
        yield disk


@contextmanager
def card(folder: Path, size_mb: int = 16) -> Iterator[Path]:
    """Mount a disk with its own file system, stored in a file next to the folder."""
    image = folder.with_suffix(".img")
    with image.open("wb") as file:
        file.truncate(size_mb << 20)
    with suppress(FileNotFoundError):
        _run("mkfs.ext4", "-q", "-F", image)
    with mounted(folder, "-o", "loop", image) as disk:
        yield disk


def fill(disk: Path) -> Path:
    """Fill a disk, and return the file that does so."""
    path = disk / "filler"
    with path.open("ab", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            with pytest.raises(OSError, match="No space left"):  # noqa: PT012
                while True:
                    file.write(b"x" * size)
    return path


def kill(disk: Path) -> None:
    """Let every write to the disk fail from now on."""
    folder = os.open(disk, os.O_RDONLY)
    try:
        fcntl.ioctl(folder, SHUT_DOWN, AT_ONCE)
    except OSError as error:
        pytest.skip(f"this kernel cannot let a disk die: {error}")
    finally:
        os.close(folder)


def remount_read_only(disk: Path) -> None:
    _run("mount", "-o", "remount,ro", disk)
