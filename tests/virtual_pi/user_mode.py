"""A system on an ext4 disk, with a kernel of its own but without an emulator: User Mode Linux.

The disk is a file, and everything that the kernel writes to it is recorded. So it can be set to what a power cut at any
moment would have left, and started again.
"""

import hashlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Self

from tests.campaigns.power import deeds, witness
from tests.virtual_pi.appliance import sh

KERNEL = "linux.uml"
PROGRAMS = (KERNEL, "e2fsck", "e2undo", "mkfs.ext4", "ps")
MEGABYTES = 4096
MASKED = (
    *("systemd-udevd", "systemd-udevd-control.socket", "systemd-udevd-kernel.socket"),
    *("systemd-udev-trigger", "e2scrub_reap", "apt-daily.timer", "apt-daily-upgrade.timer"),
)
"""Units that make the start slow, and are not needed."""

SCRIPT_UNIT = """[Unit]
After=multi-user.target
[Service]
Type=exec
ExecStartPre=mkdir -p /run/host
ExecStart=/bin/sh -c 'eval $$(tr " " "\\\\n" </proc/cmdline | grep ^host=); \
mount -t hostfs none /run/host -o $$host && exec /bin/sh /run/host/do'
"""


def disk_of(layers: list[Path], work: Path, prepare: Callable[[Path], object]) -> Path:
    """Make a disk with a system that runs a script of the host after its start.

    Args:
        layers: Folders with the system, the topmost first.
        work: Folder for the disk.
        prepare: Called with the folder of the whole system before the disk is made.
    """
    top, merged, image = work / "top", work / "merged", work / "disk.img"
    units = top / "etc/systemd/system"
    for folder in (units / "multi-user.target.wants", merged, work / "work"):
        folder.mkdir(parents=True)
    (units / "script.service").write_text(SCRIPT_UNIT)
    (units / "multi-user.target.wants/script.service").symlink_to("../script.service")
    (top / "etc/fstab").write_text("/dev/ubda / ext4 rw,noatime 0 1\n")
    stack = ":".join(map(str, layers))
    options = f"lowerdir={stack},upperdir={top},workdir={work / 'work'}"
    sh("mount", "-t", "overlay", "overlay", "-o", options, merged)
    try:
        prepare(merged)
        with image.open("wb") as file:
            file.truncate(MEGABYTES << 20)
        sh("mkfs.ext4", "-q", "-E", "lazy_itable_init=0", "-d", merged, image)
    finally:
        sh("umount", merged)
    return image


class Guest:
    """A running system.

    Args:
        disk: The disk, as the parameter of the kernel: an image, or a file for the changes and an image.
        script: Script that the system runs after its start. It sees the folder `host` as `/run/host`.
        host: That folder.
        variables: Environment of the kernel.
    """

    def __init__(self, disk: str, script: str, host: Path, **variables: str) -> None:
        host.mkdir(exist_ok=True)
        (host / "do").write_text(script)
        self.host = host
        words = [f"ubda={disk}", "root=/dev/ubda", "rw", "mem=1200M", "con=null", "con0=fd:0,fd:1"]
        words += ["quiet", "selinux=0", "init=/usr/lib/systemd/systemd", f"host={host}"]
        words += [f"systemd.mask={unit}" for unit in MASKED]
        with (host / "console").open("ab") as console:
            self._process = subprocess.Popen(
                [KERNEL, *words],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                start_new_session=True,
                env=os.environ | variables,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Cut the power."""
        listed = ("ps", "-o", "pid=", "-s", str(self._process.pid))
        done = subprocess.run(listed, capture_output=True, text=True, check=False)
        for pid in done.stdout.split():
            with suppress(ProcessLookupError):  # it ended with another one
                os.kill(int(pid), signal.SIGKILL)
        self._process.wait()

    def ticks(self, name: str, seconds: float) -> Iterator[None]:
        """Yield each second until a file appears in the host's folder."""
        began_s = monotonic()
        for second in range(1, round(seconds)):
            if (self.host / name).exists():
                return
            ended = self._process.poll()
            assert ended is None, f"{ended}: {(self.host / 'console').read_text()}"
            sleep(max(0.0, began_s + second - monotonic()))
            yield
        raise AssertionError(f"{name} did not appear: {(self.host / 'console').read_text()}")

    def wait_for(self, name: str, seconds: float) -> None:
        """Wait for a file in the host's folder."""
        for _ in self.ticks(name, seconds):
            pass


@dataclass
class Recording:
    """What a system has written to its disk.

    Attributes:
        base: Image of the disk before.
        work: Folder for the recording.
        moments: How much had been recorded at each second.
    """

    base: Path
    work: Path
    moments: list[int]

    @classmethod
    def of(cls, base: Path, work: Path, script: str, seconds: float) -> "Recording":
        """Run a script, and record what is written from the time at which it makes the file `begun`, until `over`.

        Args:
            base: Image of the disk.
            work: Folder for the recording.
            script: The script.
            seconds: How long it may take.
        """
        disk, log = work / "recorded.img", work / "writes"
        sh("cp", "--sparse=always", base, disk)
        variables = {
            "LD_PRELOAD": str(witness(work)),
            "WITNESS_ROOT": str(disk),
            "WITNESS_LOG": str(log),
        }
        with Guest(str(disk), script, work / "host", **variables) as guest:
            guest.wait_for("begun", seconds)
            moments = [log.stat().st_size for _ in guest.ticks("over", seconds)]
        disk.unlink()
        return cls(base, work, moments)

    def disks(self) -> Iterator[Path]:
        """Yield the image of the disk after a power cut at each second. It is valid until the next one."""
        image, at = self.work / "cut.img", 0
        sh("cp", "--sparse=always", self.base, image)
        writes = deeds(self.work / "writes")
        with image.open("r+b", buffering=0) as file:
            for moment in self.moments:
                while at < moment:
                    deed = next(writes)
                    at += deed.size
                    if deed.kind == "w":
                        os.pwrite(file.fileno(), deed.data, deed.offset)
                yield image


@contextmanager
def recovered(image: Path, at: Path) -> Iterator[Path]:
    """Within the block, mount what a disk has after its journal was replayed. The image stays as it was."""
    undo = image.with_suffix(".undo")
    undo.unlink(missing_ok=True)
    at.mkdir(exist_ok=True)
    command = ("e2fsck", "-E", "journal_only", "-y", "-z", undo, image)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    try:
        sh("mount", "-o", "loop,ro,noload", image, at)
        try:
            yield at
        finally:
            sh("umount", at)
    finally:
        if undo.exists():
            sh("e2undo", undo, image)


def digest_of(root: Path, paths: Iterable[Path]) -> str:
    """Return a digest of these files, and of all files in these folders."""
    digest = hashlib.sha256()
    for path in sorted(each for top in paths for each in (top, *top.rglob("*"))):
        digest.update(f"{path.relative_to(root)} ".encode())
        if path.is_symlink():
            digest.update(str(path.readlink()).encode())
        elif path.is_file():
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
