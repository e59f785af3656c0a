"""The examples in docstrings of the game are correct."""

import doctest
import importlib
import pkgutil

import pytest

import game

SKIPPED = {"game.journal.history", "game.stats.counts"}
"""Their examples need a journal on the disk."""

MODULES = {module.name for module in pkgutil.walk_packages(game.__path__, "game.")} | {"game"}


@pytest.mark.parametrize("name", sorted(MODULES - SKIPPED))
def test_examples_in_docstrings_are_correct(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
