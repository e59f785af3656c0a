"""Calculate the chances of winning under published rule sets, and write the tables into the package.

    .venv/bin/python scripts/odds_tables.py            # rule sets without a valid table
    .venv/bin/python scripts/odds_tables.py zilch      # these rule sets, even if they have a table

Run this script whenever a rule set or `METHOD_VERSION` in game/odds/match_odds.py changes. It takes about a minute for
each rule set.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from game.odds.match_odds import is_close, rules_digest
from game.odds.table_store import TableStore, pack, solution_type
from game.rules import rule_files

TABLES = Path(__file__).parents[1] / "game" / "odds" / "tables"


def make(name: str) -> None:
    """Calculate and write the table of the rule set with this name, and delete the table of its earlier version."""
    rules = rule_files.load(name)
    start_s = perf_counter()
    wins = solution_type(rules).unsolved(rules, rules.target)
    for _ in wins.solve():
        pass
    key = rules_digest(rules, rules.target)
    for old in TABLES.glob(f"{name}-{'?' * len(key)}.npz"):
        old.unlink()
    data = pack(wins.chances)
    (TABLES / f"{name}-{key}.npz").write_bytes(data)
    seconds = perf_counter() - start_s
    print(f"{name:<29}{wins.first_player:.9f}  {seconds:>6.0f} s  {len(data):>7,} bytes")


def missing() -> list[str]:
    """Return the names of the published rule sets that need a table and have none."""
    with TemporaryDirectory() as empty:
        store = TableStore(Path(empty))
        sets = [rule_files.load(name) for name in rule_files.names()]
        return [rules.name for rules in sets if is_close(rules) and store.find(rules) is None]


if __name__ == "__main__":
    TABLES.mkdir(exist_ok=True)
    for chosen in sys.argv[1:] or missing():
        make(chosen)
