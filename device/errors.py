"""What a person can do wrong at the command line."""


class UsageError(ValueError):
    """Wrong usage or bad input: one line that names what, where and the remedy."""
