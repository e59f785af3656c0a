"""Waiting until something happens.

Only a failing test waits long, so the limits suit a very busy machine.
"""

from collections.abc import Callable
from time import monotonic, sleep

PATIENCE_S = 60
"""Long enough for a busy machine."""

COACH_PATIENCE_S = 120
"""The same for what the coach computes. Its process has a low priority, so a busy machine delays it more."""

POLL_S = 0.02


def until(true, patience_s: float = PATIENCE_S, said: Callable[[], object] | None = None):
    """Wait until a function returns something true, and return that.

    Args:
        true: The function.
        patience_s: How long to wait before the test fails.
        said: Returns what a failure shows.
    """
    end_s = monotonic() + patience_s
    while not (found := true()):
        assert monotonic() < end_s, said() if said else "the condition never became true"
        sleep(POLL_S)
    return found
