"""The colours and shapes of seats."""

N_COLOURS = 10
"""Colours and shapes each: told apart by both, twenty seats never look alike."""


def seat_colour(seat: int) -> int:
    return seat % N_COLOURS


def seat_shape(seat: int) -> int:
    """Shifted by one in the second ten, so that no colour meets the same shape twice."""
    return (seat + seat // N_COLOURS) % N_COLOURS
