"""The length of a campaign: a seeded sample in `make test`, all of it or a share of it in `make soak`."""

import os

SHARE = float(os.environ.get("TRAYKEEPER_SOAK") or 0)
"""1 for all of each campaign, 0.1 for a tenth."""

SOAK = SHARE >= 1


def count(part: int, whole: int) -> int:
    """Return the number of rounds."""
    return max(part, round(SHARE * whole))
