"""What people are told is written out where it arises, as a value; nothing else goes through."""

import ast
import importlib
import pkgutil
import re
from pathlib import Path

from game.errors import TraykeeperError

ROOT = Path(__file__).parents[1]
ROOMS = ("game", "device", "web")
HOLE = re.compile(r"%\((\w+)\)s")

TEMPLATES = {"Message": 1, "Plural": 2}
"""What is made of a template, and of how many."""

DOORS = {
    "Accept", "Answer", "Ask", "Attention", "Choice", "HealthCheck", "Lamp", "NotThrown", "Repair",
    "CheckResult", "Snapshot", "SelfTestThrow", "Trouble", "Troubles", "failed", "ok", "skipped", "translate",
    "warning",
}  # fmt: skip
"""What passes words on to people, beside the errors."""


def errors():
    """The names of all that carry a message."""
    for room in ROOMS:
        package = importlib.import_module(room)
        for module in pkgutil.walk_packages(package.__path__, f"{room}."):
            importlib.import_module(module.name)
    below = [TraykeeperError]
    for error in below:
        below += error.__subclasses__()
    return {error.__name__ for error in below}


def files():
    return [file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py"))]


def calls(file, names):
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in names:
            yield node


def is_literal(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_sentence(node):
    """Whether words stand there as plain text."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return any(is_literal(part) and " " in part.value for part in parts)


def test_templates_are_written_out_and_their_holes_are_filled():
    made = [(file, call) for file in files() for call in calls(file, TEMPLATES)]
    wrong = [f"{file.relative_to(ROOT)}:{call.lineno}" for file, call in made if not holds(call)]

    assert len(made) > 500
    assert wrong == []


def holds(call):
    name, given = call.func.id, {keyword.arg for keyword in call.keywords}
    if len(call.args) != TEMPLATES[name] or not all(map(is_literal, call.args)):
        return False
    templates = [each.value for each in call.args]
    holes = {hole for each in templates for hole in HOLE.findall(each)}
    needed = holes | {"n"} if name == "Plural" else holes
    return given == needed and all(map(can_be_filled, templates))


def can_be_filled(template):
    """A percent sign that is no hole is written twice."""
    return "%" not in HOLE.sub("", template).replace("%%", "")


def test_nothing_but_messages_goes_through_the_doors():
    doors = DOORS | errors()
    plain = [
        f"{file.relative_to(ROOT)}:{call.lineno}"
        for file in files()
        for call in calls(file, doors)
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
        if is_sentence(argument)
    ]

    assert len(doors) > 30
    assert plain == []
