"""The rules of the game in pure Python: scoring, matches, the journal, odds and statistics.

Only `file_io`, the modules in `journal` and `odds.table_store` read or write files.
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
