"""`make lint` refuses text that is hard to read."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLAIN = '''"""Add numbers."""


def add(first: int, second: int) -> int:
    """Return the sum of two numbers.

    Args:
        first: Any number.
        second: Any number.
    """
    return first + second
'''


def check(command, text, path):
    path.write_text(text, encoding="utf-8")
    done = subprocess.run([*command, path], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.fixture
def prose(tmp_path):
    command = [sys.executable, ROOT / "scripts" / "prose.py"]
    return lambda text, name="module.py": check(command, text, tmp_path / name)


def test_plain_prose_passes(prose):
    assert prose(PLAIN) == (0, "")


def test_an_archaic_docstring_fails(prose):
    status, shown = prose(PLAIN.replace("Any number", "What is told anew", 1))

    assert status == 1
    assert ":8: 'anew': write again" in shown


def test_arguments_whose_names_explain_themselves_need_no_section(prose):
    text = PLAIN[: PLAIN.index("\n    Args:")] + '    """\n    return first + second\n'

    assert prose(text) == (0, "")


def test_an_argument_without_a_description_fails(prose):
    assert "add does not describe second" in prose(PLAIN.replace("second: Any", "Any"))[1]


def test_code_in_a_document_may_contain_any_word(prose):
    document = "Names\n```text\nHeed -> Acknowledge\n```\n"

    assert prose(document, "names.md") == (0, "")
    assert prose(document.replace("```", ""), "names.md")[0] == 1


def test_a_spelling_mistake_fails(tmp_path):
    typos = [Path(sys.executable).with_name("typos"), "--config", ROOT / "pyproject.toml"]

    assert check(typos, PLAIN, tmp_path / "right.py")[0] == 0
    assert "recieve" in check(typos, PLAIN.replace("Any", "recieve"), tmp_path / "wrong.py")[1]


@pytest.mark.parametrize(
    ("docstring", "rule"), [("Returns the sum.", "D401"), ("", "D103")], ids=["mood", "missing"]
)
def test_a_docstring_in_the_wrong_form_fails(tmp_path, docstring, rule):
    ruff = [Path(sys.executable).with_name("ruff"), "check", "--config", ROOT / "pyproject.toml"]
    text = f'"""A module."""\n\n\ndef add() -> int:\n    """{docstring}"""\n    return 1\n'
    text = text if docstring else text.replace('    """"""\n', "")

    assert rule in check([*ruff, "--output-format", "concise"], text, tmp_path / "module.py")[1]
