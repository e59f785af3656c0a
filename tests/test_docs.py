"""The docs agree with the program."""

import ast
import re
import tomllib
from dataclasses import fields
from functools import cache
from pathlib import Path

import click
import pytest

from device.cli import COMMANDS, cli
from game.rules.rule_files import names
from game.rules.ruleset import Ruleset
from game.situation import Situation
from tests.languages import script, texts
from tests.web.conftest import MemoryTable
from web.app import create_app

ROOT = Path(__file__).parents[1]
ROOMS = ("bench", "calibration", "device", "game", "scripts", "training", "vision", "web")
DOCS = {path.name: path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md")}
README = (ROOT / "README.md").read_text("utf-8")
DECISIONS = ROOT / "docs" / "decisions"
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "integrations").rglob("*.md")),
    ROOT / "training" / "README.md",
]
PROGRAMS = [
    *(file for room in ROOMS for file in sorted((ROOT / room).rglob("*.py"))),
    ROOT / "systemd" / "watch",
]
WORDS_PER_PAGE = 600


NOWHERE = click.Context(cli)


def commands(group=cli, prefix=()):
    for name in group.list_commands(NOWHERE):
        command = group.get_command(NOWHERE, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*prefix, name))
        else:
            yield (*prefix, name), command


@pytest.mark.parametrize("command", [command for _, command in commands()], ids=lambda c: c.name)
def test_every_command_and_every_option_has_a_help_text(command):
    assert command.help
    for param in command.params:
        if isinstance(param, click.Option):
            assert param.help, param.name


@pytest.mark.parametrize(("words", "command"), list(commands()))
def test_every_command_has_an_example_in_its_help(words, command):
    shown = command.get_help(click.Context(command))

    assert f"\n  traykeeper {' '.join(words)}" in shown


def test_the_main_help_has_a_line_for_every_command():
    shown = cli.get_help(click.Context(cli))

    for name in COMMANDS:
        assert f"\n  traykeeper {name} " in shown


def test_readme_names_every_command():
    for words, _ in commands():
        assert f"traykeeper {words[0]}" in README, words


def test_api_page_lists_every_route():
    routes = {
        re.sub(r"<[^>]+>", "ID", rule.rule)
        for rule in create_app(MemoryTable()).url_map.iter_rules()
        if rule.rule.startswith("/api/")
    }
    documented = set(re.findall(r"`(?:GET|POST) (/api/[^`]+)`", DOCS["api.md"]))

    assert documented == routes


def test_rules_page_lists_every_option_and_every_published_set():
    for field in fields(Ruleset):
        assert f"`{field.name}`" in DOCS["rules.md"] or field.name == "name", field.name
    for name in names():
        assert f"`{name}`" in DOCS["rules.md"], name


def test_play_page_has_a_row_for_every_situation():
    for situation in Situation:
        assert f"| {situation} |" in DOCS["play.md"], situation


def slugs(page):
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_the_pages_are_valid(page):
    text = page.read_text("utf-8")
    for name, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", text):
        target = (page.parent / name) if name else page
        assert target.exists(), name
        if anchor:
            assert anchor in slugs(target), f"{name}#{anchor}"


def test_every_page_that_a_program_names_exists():
    for file in PROGRAMS:
        for name in re.findall(r"\bdocs/[\w/-]+\.md", file.read_text("utf-8")):
            assert (ROOT / name).exists(), f"{file.relative_to(ROOT)}: {name}"


def test_every_decision_is_in_the_index_and_linked_from_where_its_question_arises():
    index = (DECISIONS / "README.md").read_text("utf-8")
    others = [file for file in (*PAGES, *PROGRAMS) if file.parent != DECISIONS]
    elsewhere = "".join(file.read_text("utf-8") for file in others)
    for page in sorted(DECISIONS.glob("[!R]*.md")):
        assert f"]({page.name})" in index, page.name
        assert f"decisions/{page.name}" in elsewhere, page.name


@pytest.mark.parametrize("page", sorted(DECISIONS.glob("*.md")), ids=lambda page: page.name)
def test_a_decision_has_at_most_one_page_before_what_was_tried(page):
    text = page.read_text("utf-8").partition("\n## What was tried\n")[0]

    assert len(text.split()) <= WORDS_PER_PAGE


def test_every_hardware_fault_names_a_test_that_exists():
    rows = re.findall(
        r"^\| (\d+) \|.*\| `(.+)::(.+)` \|$", DOCS["hardware-faults.md"], re.MULTILINE
    )

    assert [int(number) for number, _, _ in rows] == list(range(1, 25))
    for _, file, name in rows:
        assert f"\ndef {name}(" in (ROOT / file).read_text("utf-8"), name


def test_the_changelog_has_this_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]

    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def rows(text, title):
    """Return the cells of the table below a heading, without its header row."""
    section = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_file_that_a_recipe_names_exists():
    for what, files, _ in rows(
        (ROOT / "CONTRIBUTING.md").read_text("utf-8"), "To change one thing"
    ):
        for name in re.findall(r"`([\w/]+[/.]\w+)`", files):
            assert (ROOT / name).exists(), f"{what}: {name}"


def strings(file):
    """Yield the strings of a Python file."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@cache
def texts_of_the_program():
    """Return every template and string of the program in lower case, with dots for placeholders."""
    found = [text for each in script().template() if each.id for text in texts(each.id)]
    for folder in ("device", "game", "web"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            found.extend(strings(file))
    found.extend((ROOT / file).read_text("utf-8") for file in ("Makefile", "systemd/launch"))
    return [re.sub(r"%\(\w+\)s", "...", text).lower() for text in found]


def quoted_messages():
    """Yield the messages that the tables for troubles quote, in all columns but the last."""
    text = DOCS["troubleshoot.md"].partition("## The doctor")[0]
    text += DOCS["calibrate.md"].partition("| message |")[2]
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        for cell in cells[:-1] if line.startswith("|") else ():
            yield from re.findall(r'["`]([^"`]+)["`]', cell)


@pytest.mark.parametrize("message", list(quoted_messages()))
def test_the_tables_for_troubles_quote_what_the_program_says(message):
    program = texts_of_the_program()
    for sentence in re.split(r"(?<=[.?]) (?=[A-Z])", message):
        parts = [part.strip(" .?()").lower() for part in re.split(r"\.\.\.", sentence)]
        assert any(all(part in text for part in parts) for text in program), sentence
