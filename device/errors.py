"""What a person can do wrong at the command line."""

BAD_INPUT = 2
"""The exit code of it."""


class UsageError(ValueError):
    """Wrong usage or bad input: one line that names what, where and the remedy."""
