"""The rules of the table: pure Python.

No I/O but the journal's (journal.py, schema.py, history.py, feed.py), textfile.py and odds/table_store.py.
"""

from game.errors import (
    DamagedJournal,
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
from game.match.match import Match
from game.rules.ruleset import Ruleset
from game.rules.scoring import Combo, Keep

__all__ = [
    "Combo",
    "DamagedJournal",
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
