"""How long a test waits for something that has to happen, on however slow a machine."""

import time
from collections.abc import Callable

PATIENCE_S = 60
CHECK_S = 0.05


def wait_until(is_true: Callable[[], object]) -> None:
    """Wait until a condition is true, which has to happen."""
    end_s = time.monotonic() + PATIENCE_S
    while not is_true():
        assert time.monotonic() < end_s, "the condition never became true"
        time.sleep(CHECK_S)
