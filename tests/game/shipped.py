"""The solved matches that ship, each loaded once for all tests of a process."""

from functools import cache
from pathlib import Path

from game.odds.match_odds import MatchOdds
from game.odds.table_store import TableStore
from game.rules.ruleset import Ruleset


@cache
def shipped(rules: Ruleset) -> MatchOdds | None:
    """Nothing of one's own is looked for beside what ships."""
    return TableStore(Path("no such folder")).find(rules)
