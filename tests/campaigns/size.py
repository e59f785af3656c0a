"""The length of a campaign: a seeded sample in `make test`, all of it in `make soak`."""

import os

SOAK = os.environ.get("TRAYKEEPER_SOAK") == "1"


def count(part: int, whole: int) -> int:
    """Return the number of rounds."""
    return whole if SOAK else part
