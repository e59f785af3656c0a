"""A clock that a test advances."""

from dataclasses import dataclass


@dataclass
class Clock:
    """Seconds since 1970, some day in 2027."""

    now_s: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now_s
