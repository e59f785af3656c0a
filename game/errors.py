"""What can be wrong at the table. Every message says what, and what to do about it.

GameError (ValueError)
├── RulesetError    a rule set file does not hold
├── ThrowError      these are no dice: a 7, too many, none
├── IllegalMove     dice are fine, but the rules forbid it now
└── JournalError    the record of a match cannot be read or written
"""


class GameError(ValueError):
    """The root of all errors of this room."""


class RulesetError(GameError):
    """A rule set that does not hold: names the file, the key and what is allowed."""


class ThrowError(GameError):
    """Not a throw: a face that no die has, or a number of dice that the rules do not know."""


class IllegalMove(GameError):  # noqa: N818 - reads as what it is: python-chess says IllegalMoveError
    """A move that the rules forbid at this moment."""


class NotationError(GameError):
    """The text of a turn or a match that cannot be read; names the line and what is expected."""


class JournalError(GameError):
    """The record of a match cannot be read or written."""
