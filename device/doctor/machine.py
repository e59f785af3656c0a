"""The machine as the checks see it: its files and its programs. `root` lets tests build one."""

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PATIENCE_S = 10


@dataclass(frozen=True, slots=True)
class Machine:
    """Files below `root`, and programs on the search path."""

    root: Path = Path("/")

    def path(self, path: str) -> Path:
        return self.root / path.lstrip("/")

    def read(self, path: str) -> str | None:
        """What stands in that file, or None where it cannot be read."""
        try:
            return self.path(path).read_text("utf-8", "replace").strip("\0\n ")
        except OSError:
            return None

    def glob(self, pattern: str) -> Iterator[Path]:
        """The files that match, in order."""
        yield from sorted(self.root.glob(pattern.lstrip("/")))

    def run(self, *command: str) -> str | None:
        """What that program prints, or None where it is missing, slow or fails."""
        program = shutil.which(command[0])
        if program is None:
            return None
        try:
            done = subprocess.run(  # noqa: S603 - our own words
                [program, *command[1:]],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=PATIENCE_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None
