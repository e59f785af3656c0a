"""Numbers as people write them, and the colours of seats."""

N_COLOURS = 10
"""Colours and shapes each: told apart by both, twenty seats never look alike."""


def points(number: int) -> str:
    return f"{number:,}".replace("-", "−")


def seat_colour(seat: int) -> int:
    return seat % N_COLOURS
