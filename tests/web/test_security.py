"""SECURITY.md says exactly what a guest can see and do: every route is walked as one."""

import re
from pathlib import Path

import pytest

from game.commands import EnterThrow, StartMatch
from tests.web.conftest import make_app
from tests.web.guest import ENDLESS, filled, routes

TEXT = (Path(__file__).parents[2] / "SECURITY.md").read_text("utf-8")


def named(title):
    """The routes that a section lists, none of them twice."""
    section = TEXT.partition(f"## {title}\n")[2].partition("\n## ")[0]
    found = re.findall(r"`((?:GET|POST) /[^`]*)`", section)
    assert len(found) == len(set(found))
    return set(found)


@pytest.fixture
def app(table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    return make_app(table)


def walked(app):
    """Route -> how a guest is answered, without a cookie and with nothing in the body."""
    for name in routes(app):
        method, _, path = name.partition(" ")
        if ENDLESS.search(path):
            method = "HEAD"
        json = {} if method == "POST" else None
        with app.test_client().open(filled(path), method=method, json=json) as answer:
            yield name, answer.status_code


def test_what_a_guest_can_do_is_what_it_says(app, table):
    before = table.snapshot().match
    open_to_all = {
        name for name, status in walked(app) if name.startswith("POST") and status != 403
    }

    # A wrong proof is a 403, too.
    assert open_to_all <= named("What a guest can do")
    assert (
        named("What a guest can do") - open_to_all
        == {f"POST /api/v1/pencil/{proof}" for proof in ("link", "owner", "pin")} - open_to_all
    )
    assert table.snapshot().match == before


def test_what_a_guest_cannot_see_is_what_it_says(app):
    closed = {name for name, status in walked(app) if name.startswith("GET") and status == 403}

    assert closed == named("What a guest cannot see")


def test_what_a_guest_can_see_is_what_it_says(app):
    shown = {name for name, status in walked(app) if not name.startswith("POST") and status != 403}

    assert shown == named("What a guest can see")


def test_a_guest_breaks_nothing(app):
    assert {name: status for name, status in walked(app) if status >= 500} == {}
