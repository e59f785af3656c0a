"""Throws that many tests use, named after what they are under the rules of walnut-studiolo."""

FARKLE = (2, 3, 3, 4, 6, 6)
THOUSAND = (1, 1, 1, 2, 3, 4)
TWO_HUNDRED = (1, 1, 2, 3, 4, 6)
HOT_DICE = (1, 1, 3, 3, 3, 5)
