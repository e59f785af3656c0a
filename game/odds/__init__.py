"""Exact chances and best play, for a throw, a turn, and a match.

The calculations use numpy, and only `table_store` reads or writes files. `docs/odds.md` explains
each figure, and docs/decisions/exact-match.md how a match is solved.
"""
