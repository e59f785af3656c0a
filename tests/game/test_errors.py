"""All errors of the game form one tree, which the module's docstring shows."""

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys

import pytest

import game
from game import errors
from game.errors import GameError, IllegalMove, quoted
from game.message import Message


def tree(error=GameError):
    """Yield the errors of the package `game`. Other packages may derive further errors."""
    yield error
    for below in error.__subclasses__():
        if below.__module__.partition(".")[0] == "game":
            yield from tree(below)


def test_every_error_is_public_and_in_the_tree_of_the_docstring():
    for module in pkgutil.iter_modules(game.__path__):
        importlib.import_module(f"game.{module.name}")
    drawn = re.findall(r"^(?:[│├└─ ]*)(\w+)(?: \(ValueError\)|  )", errors.__doc__, re.MULTILINE)

    assert drawn == [error.__name__ for error in tree()]
    assert {error.__module__ for error in tree()} == {"game.errors"}


def test_an_error_is_created_from_a_message_or_from_its_template_and_values():
    message = Message("seat %(seat)s does not exist", seat=3)

    assert IllegalMove("seat %(seat)s does not exist", seat=3).message == message
    assert IllegalMove(message).message is message
    assert str(IllegalMove(message)) == "seat 3 does not exist"


def test_importing_the_package_loads_no_other_module():
    code = "import sys, game; print([name for name in sys.modules if name.startswith('game.')])"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)

    assert found.stdout.strip() == "[]"


def test_every_error_has_a_docstring():
    for error in tree():
        assert inspect.getdoc(error)


@pytest.mark.parametrize("found", ["x" * 500, list(range(500))])
def test_quoted_values_fit_on_one_line(found):
    assert len(quoted(found)) < 70
    assert quoted("Anna") == "'Anna'"
