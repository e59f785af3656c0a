"""Where the table stands around the match, and what it refuses or asks."""

from dataclasses import dataclass
from enum import StrEnum

from game.errors import TraykeeperError
from game.message import Message


class Situation(StrEnum):
    """The states of the table, as docs/play.md lists them: what a press and a hold would do."""

    NO_MATCH = "no match"
    TURN_BEGINS = "turn begins"
    WAITING = "waiting for stillness"
    ACCEPTED = "throw accepted"
    QUESTION = "a question is open"
    ATTENTION = "needs attention"
    TURN_OVER = "turn over"
    WON = "won"
    JUST_DICE = "just dice"


READY_FOR_MATCH = (Situation.NO_MATCH, Situation.WON)
"""At which a match may be called to the table."""


class TableError(TraykeeperError, ValueError):
    """The table cannot do that now; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer to the open question, or a repair that is offered."""

    id: str
    label: Message
