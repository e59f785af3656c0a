"""How long a campaign is: a seeded slice in `make test`, all of it in `make soak`."""

import os

SOAK = os.environ.get("TRAYKEEPER_SOAK") == "1"


def count(part: int, whole: int) -> int:
    """So many rounds."""
    return whole if SOAK else part
