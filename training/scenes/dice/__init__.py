"""Dice: bodies, pips, and how they look."""
