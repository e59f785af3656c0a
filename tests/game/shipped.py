"""The solved matches that are installed with the program, each loaded once per process."""

from functools import cache
from pathlib import Path

from game.odds.match_odds import MatchOdds
from game.odds.table_store import TableStore
from game.rules.ruleset import Ruleset


@cache
def shipped(rules: Ruleset) -> MatchOdds | None:
    """Return an installed table, ignoring tables that were worked out on this computer."""
    return TableStore(Path("no such folder")).find(rules)
