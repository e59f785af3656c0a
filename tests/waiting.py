"""Waiting until something happens. Only a failing test waits for long, so the limits suit a machine that is very busy."""

from time import monotonic, sleep

PATIENCE_S = 60
"""Long enough for a busy machine."""

COACH_PATIENCE_S = 120
"""The same for what the coach computes. Its process has a low priority, so a busy machine delays it more."""

POLL_S = 0.02


def until(true, patience_s: float = PATIENCE_S):
    """Wait until a function returns something true, and return that."""
    end_s = monotonic() + patience_s
    while not (found := true()):
        assert monotonic() < end_s, "the condition never became true"
        sleep(POLL_S)
    return found
