"""The rules of the table: pure Python, no I/O but journal.py."""

from game.errors import GameError, IllegalMove, JournalError, RulesetError, ThrowError
from game.match import Match
from game.ruleset import Ruleset
from game.scoring import Combo, Keep

__all__ = [
    "Combo",
    "GameError",
    "IllegalMove",
    "JournalError",
    "Keep",
    "Match",
    "Ruleset",
    "RulesetError",
    "ThrowError",
]
