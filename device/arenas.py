"""Memory that many threads share: glibc gives each some of its own, and keeps what they let go."""

from contextlib import suppress
from ctypes import CDLL

M_ARENA_MAX = -8
"""Of glibc's malloc.h."""

ARENAS = 2
"""Of the reader and of the page; as many as usual, eight for each core, held 200 MB more beside 500 streams."""


def share_memory() -> None:
    """For this process, best before it starts threads; where the C library is another, nothing changes."""
    with suppress(OSError, AttributeError, TypeError):
        CDLL(None).mallopt(M_ARENA_MAX, ARENAS)
