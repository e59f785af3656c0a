"""Exact chances and best play: of a throw, of a turn, and of a match of two.

The arithmetic is numpy's; only `shelf` touches a file. docs/odds.md says what each figure means.
"""
