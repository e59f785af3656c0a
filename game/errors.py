"""What can be wrong at the table. Every message says what, and what to do about it.

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


class GameError(ValueError):
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

    def __init__(self, step_name: str, why: str) -> None:
        super().__init__(f"then {step_name} would not hold: {why}")


class NotationError(GameError):
    """The text of a turn or a match that cannot be read; names the line and what is expected."""


class JournalError(GameError):
    """The record of a match cannot be read or written."""


class DamagedJournal(JournalError):  # noqa: N818 - reads as what it is
    """What the record holds is not what was written: a backup has to take its place."""


class OddsError(GameError):
    """Chances that cannot be worked out: the rules or the question have no answer; says why."""


_LONGEST = 60


def quoted(found: object) -> str:
    """What was found, as messages show it: in quotes, and cut where it is longer than a line."""
    shown = repr(found)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…{shown[-1]}"
