"""The findings of checks."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from device.doctor.problems import Trouble
from game.message import Message, Value


class Level(StrEnum):
    """The severity of a finding. Only `FAILED` makes the exit code of the doctor 1."""

    OK = "ok"
    SKIPPED = "skipped"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    Attributes:
        level: The severity.
        line: The result of the check.
        trouble: The problem with its remedy; None unless this is a warning or a failure.
    """

    level: Level
    line: Message
    trouble: Trouble | None = None

    def to_json(self, check: str) -> dict[str, Any]:
        """Return the public JSON form of this finding, with `check` as the name of its check."""
        remedy = str(self.trouble.remedy) if self.trouble else None
        return {"check": check, "level": str(self.level), "line": str(self.line), "remedy": remedy}


def ok(line: Message) -> Finding:
    """Return the finding that everything is in order, with a line that describes it."""
    return Finding(Level.OK, line)


def skipped(why: Message) -> Finding:
    """Return the finding that a check does not apply or is not possible on this machine."""
    return Finding(Level.SKIPPED, why)


def not_readable(file: Path) -> Finding:
    """Return the finding that only the service or root may read a file."""
    return skipped(
        Message(
            "you do not have permission to read %(file)s: try sudo traykeeper doctor",
            file=str(file),
        )
    )


def warning(trouble: Trouble, detail: Value = "") -> Finding:
    """Return the finding of a problem that people should know about although the game works.

    Args:
        trouble: What is wrong.
        detail: What exactly was found; it is added in brackets.
    """
    return Finding(Level.WARNING, _line(trouble, detail), trouble)


def failed(trouble: Trouble, detail: Value = "") -> Finding:
    """Return the finding of a problem that has to be fixed.

    Args:
        trouble: What is wrong.
        detail: What exactly was found; it is added in brackets.
    """
    return Finding(Level.FAILED, _line(trouble, detail), trouble)


def _line(trouble: Trouble, detail: Value) -> Message:
    if not detail:
        return trouble.says
    return Message("%(trouble)s (%(detail)s)", trouble=trouble.says, detail=detail)
