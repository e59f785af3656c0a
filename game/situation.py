"""The states of the table, the choices that it offers to people, and its refusals."""

from dataclasses import dataclass
from enum import StrEnum

from game.errors import TraykeeperError
from game.message import Message


class Situation(StrEnum):
    """A state of the table, which decides what pressing and holding the button do.

    See `docs/play.md`.
    """

    NO_MATCH = "no match"
    TURN_BEGINS = "turn begins"
    WAITING = "waiting for stillness"
    ACCEPTED = "throw accepted"
    QUESTION = "a question is open"
    ATTENTION = "needs attention"
    TURN_OVER = "turn over"
    BOT = "a bot plays"
    WON = "won"
    JUST_DICE = "just dice"


class HoldEffect(StrEnum):
    """What holding the button for a second would do now."""

    NOTHING = ""
    BANK = "bank"
    YES = "yes"
    REMATCH = "rematch"
    BEGIN = "begin the match"
    STOP = "stop waiting"


READY_FOR_MATCH = (Situation.NO_MATCH, Situation.WON)
"""Situations in which players may be called to the table."""


MATCH_IN_THE_WAY = Message(
    "Another match is being played here: finish it, or set it aside. It stays in the list of matches."
)
"""Why a match with another tray does not begin here, and what to do."""


class TableError(TraykeeperError, ValueError):
    """A request that the table cannot carry out now. The message says why and what to do."""


NO_MATCH_YET = Message("There is no match yet: set one up first.")


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer to the open question, or a repair that is offered.

    Attributes:
        id: Name of the choice in requests.
        label: Text on its button.
    """

    id: str
    label: Message
