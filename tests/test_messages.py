"""Texts for people are `Message` values with literal templates, never plain strings."""

import ast
import importlib
import pkgutil
import re
from pathlib import Path

from game.errors import TraykeeperError

ROOT = Path(__file__).parents[1]
ROOMS = ("game", "device", "web")
PASSED_ON = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.BoolOp)
"""Expressions with which a message that exists already is passed on to an error."""

TEXT_MAKERS = {"str", "repr", "format", "join"}
"""Functions and methods whose result is never a message."""

PLACEHOLDER = re.compile(r"%\((\w+)\)s")

TEMPLATES = {"Message": 1, "Plural": 2}
"""Classes made of templates, and of how many."""

TEXT_TAKERS = {
    "Accept", "Answer", "Ask", "Attention", "Choice", "HealthCheck", "Lamp", "NotThrown", "Repair",
    "CheckResult", "Snapshot", "SelfTestThrow", "Trouble", "Troubles", "failed", "ok", "skipped", "translate",
    "warning",
}  # fmt: skip
"""Classes and functions whose texts people read, in addition to the errors."""


def errors():
    """Return all error classes that carry a message."""
    for room in ROOMS:
        package = importlib.import_module(room)
        for module in pkgutil.walk_packages(package.__path__, f"{room}."):
            importlib.import_module(module.name)
    below = [TraykeeperError]
    for error in below:
        below += error.__subclasses__()
    return below


def errors_of_template():
    """Return the names of the errors that are created from a message or its template."""
    return {each.__name__ for each in errors() if each.__init__ is TraykeeperError.__init__}


def files():
    return [file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py"))]


def calls(file, names):
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in names:
            yield node


def is_literal(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_sentence(node):
    """Return whether an argument is plain text of more than one word."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return any(is_literal(part) and " " in part.value for part in parts)


def test_templates_are_literals_and_their_placeholders_are_filled():
    n_templates = dict.fromkeys(errors_of_template(), 1) | TEMPLATES
    made = [
        (file, call, n_templates[call.func.id])
        for file in files()
        for call in calls(file, n_templates)
        if not passes_on_message(call)
    ]
    wrong = [
        f"{file.relative_to(ROOT)}:{call.lineno}" for file, call, n in made if not is_valid(call, n)
    ]

    assert len(made) > 500
    assert wrong == []


def passes_on_message(call):
    """Return whether a call is given a message, as in `IllegalMove(refusal)`, or the parts of one."""
    if any(keyword.arg is None for keyword in call.keywords):
        return True
    if call.func.id in TEMPLATES or len(call.args) != 1 or call.keywords:
        return False
    maker = getattr(call.args[0], "func", None)
    name = getattr(maker, "id", getattr(maker, "attr", ""))
    return isinstance(call.args[0], PASSED_ON) and name not in TEXT_MAKERS


def is_valid(call, n_templates):
    name, given = call.func.id, {keyword.arg for keyword in call.keywords}
    if len(call.args) != n_templates or not all(map(is_literal, call.args)):
        return False
    templates = [each.value for each in call.args]
    placeholders = {name for each in templates for name in PLACEHOLDER.findall(each)}
    needed = placeholders | {"n"} if name == "Plural" else placeholders
    return given == needed and all(map(can_be_filled, templates))


def can_be_filled(template):
    """Return whether every percent sign outside a placeholder is doubled."""
    return "%" not in PLACEHOLDER.sub("", template).replace("%%", "")


def test_texts_for_people_are_messages():
    takers = TEXT_TAKERS | {error.__name__ for error in errors()} - errors_of_template()
    plain = [
        f"{file.relative_to(ROOT)}:{call.lineno}"
        for file in files()
        for call in calls(file, takers)
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
        if is_sentence(argument)
    ]

    assert len(takers) > 20
    assert plain == []
