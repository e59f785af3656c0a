"""Exact chances and best play, for a throw, a turn, and a match.

The calculations use numpy, and only `table_store` touches files. `docs/odds.md` explains each
figure.
"""
