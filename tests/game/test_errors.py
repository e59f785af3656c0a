"""One small tree of errors, and it is the one that its page draws."""

import importlib
import inspect
import pkgutil
import re

import pytest

import game
from game import errors
from game.errors import GameError, quoted


def tree(error=GameError):
    """This room's: others may have more below."""
    yield error
    for below in error.__subclasses__():
        if below.__module__.partition(".")[0] == "game":
            yield from tree(below)


def test_every_error_of_the_room_is_drawn_public_and_in_one_place():
    for module in pkgutil.iter_modules(game.__path__):
        importlib.import_module(f"game.{module.name}")
    drawn = re.findall(r"^(?:[│├└─ ]*)(\w+)(?: \(ValueError\)|  )", errors.__doc__, re.MULTILINE)

    assert drawn == [error.__name__ for error in tree()]
    assert {error.__module__ for error in tree()} == {"game.errors"}
    assert set(drawn) <= set(game.__all__)


def test_every_error_says_what_it_is():
    for error in tree():
        assert inspect.getdoc(error)


@pytest.mark.parametrize("found", ["x" * 500, list(range(500))])
def test_what_was_found_is_shown_in_one_line(found):
    assert len(quoted(found)) < 70
    assert quoted("Anna") == "'Anna'"
