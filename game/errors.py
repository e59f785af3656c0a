"""What can be wrong at the table. Every message says what, and what to do about it.

TraykeeperError is the root of all that people at the table are told, in this room and in others.

GameError (ValueError)
├── FileError           a file cannot be read as text
├── RulesetError        a rule set does not hold
├── ThrowError          these are no dice: a 7, too many, none
├── IllegalMove         dice are fine, but the rules forbid it now
│   └── LaterStepError  a change of the past that a later step does not survive
├── NotationError       the text of a turn or a match cannot be read
├── JournalError        the record of a match cannot be read or written
│   └── DamagedJournal  what it holds is not what was written
└── OddsError           chances that cannot be worked out: rules or a question without an answer
"""

from game.message import Message, Verbatim


class TraykeeperError(Exception):
    """Something that people are told has gone wrong; `message` says what, and the remedy."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class GameError(TraykeeperError, ValueError):
    """The root of all errors of this room."""


class FileError(GameError):
    """A file that cannot be read as text; names it and why."""


class RulesetError(GameError):
    """A rule set that does not hold: names the file, the key and what is allowed."""


class ThrowError(GameError):
    """Not a throw: a face that no die has, or a number of dice that the rules do not know."""


class IllegalMove(GameError):  # noqa: N818 - reads as what it is: python-chess says IllegalMoveError
    """A move that the rules forbid at this moment."""


class LaterStepError(IllegalMove):
    """A change of the past that a later step does not survive; names the first such step."""

    def __init__(self, step: Message, why: Message) -> None:
        super().__init__(Message("then %(step)s would not hold: %(why)s", step=step, why=why))


class NotationError(GameError):
    """The text of a turn or a match that cannot be read; names the line and what is expected."""


class JournalError(GameError):
    """The record of a match cannot be read or written."""


class DamagedJournal(JournalError):  # noqa: N818 - reads as what it is
    """What the record holds is not what was written: a backup has to take its place."""


class OddsError(GameError):
    """Chances that cannot be worked out: the rules or the question have no answer; says why."""


_LONGEST_REASON = 200


def reason(error: Exception) -> Message:
    """What an error says, for the message of another; a library's own words in one short line."""
    if isinstance(error, TraykeeperError):
        return error.message
    return Verbatim(" ".join(str(error).split())[:_LONGEST_REASON])


_LONGEST = 60


def quoted(found: object) -> str:
    """What was found, as messages show it: in quotes, and cut where it is longer than a line."""
    shown = repr(found)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…{shown[-1]}"
