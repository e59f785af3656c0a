"""What lies over the state of the match for a while: a wait, a question, or something to heed."""

from dataclasses import dataclass
from typing import ClassVar

from device.verdict import Answer
from vision.reading import Reading
from web.table import Situation


@dataclass(frozen=True, slots=True)
class WaitingForStillness:
    """A look was asked for. `then_bank` where a hold asked, `confirming` a costly reading.

    `again` is the index of the throw that is read once more.
    """

    situation: ClassVar = Situation.WAITING

    look: int
    then_bank: bool = False
    confirming: Reading | None = None
    again: int | None = None


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question is open; the first option is what a hold says."""

    situation: ClassVar = Situation.QUESTION

    question: str
    options: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class NeedsAttention:
    """Something must be set right at the tray."""

    situation: ClassVar = Situation.ATTENTION

    advice: tuple[str, ...]


Overlay = WaitingForStillness | OpenQuestion | NeedsAttention
