"""The rules of the table: pure Python, no I/O but journal.py, feed.py, textfile.py and odds/shelf.py."""

from game.errors import (
    FileError,
    GameError,
    IllegalMove,
    JournalError,
    LaterStepError,
    NotationError,
    OddsError,
    RulesetError,
    ThrowError,
)
from game.match import Match
from game.ruleset import Ruleset
from game.scoring import Combo, Keep

__all__ = [
    "Combo",
    "FileError",
    "GameError",
    "IllegalMove",
    "JournalError",
    "Keep",
    "LaterStepError",
    "Match",
    "NotationError",
    "OddsError",
    "Ruleset",
    "RulesetError",
    "ThrowError",
]
