"""Errors of the command line."""

BAD_INPUT = 2
"""Exit code after wrong usage or bad input."""


class UsageError(ValueError):
    """Wrong usage or bad input, described in one line: what is wrong, where, and what to do."""
