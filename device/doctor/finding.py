"""What a check found: one line, and the remedy where there is something to do."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from device.doctor.troubles import Trouble


class Level(StrEnum):
    """How bad it is. Only `FAILED` makes the doctor's exit code 1."""

    OK = "ok"
    SKIPPED = "skipped"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check has to say."""

    level: Level
    line: str
    trouble: Trouble | None = None

    def to_json(self, check: str) -> dict[str, Any]:
        """The public form."""
        remedy = self.trouble.remedy if self.trouble else None
        return {"check": check, "level": str(self.level), "line": self.line, "remedy": remedy}


def ok(line: str) -> Finding:
    """All is well."""
    return Finding(Level.OK, line)


def skipped(why: str) -> Finding:
    """It cannot be told on this machine."""
    return Finding(Level.SKIPPED, why)


def warning(trouble: Trouble, detail: str = "") -> Finding:
    """Something that a person should know of; the table can be played at."""
    return Finding(Level.WARNING, _line(trouble, detail), trouble)


def failed(trouble: Trouble, detail: str = "") -> Finding:
    """Something that has to be mended."""
    return Finding(Level.FAILED, _line(trouble, detail), trouble)


def _line(trouble: Trouble, detail: str) -> str:
    return f"{trouble.says} ({detail})" if detail else trouble.says
