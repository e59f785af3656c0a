"""SECURITY.md lists exactly what a guest can see and do: each route is requested without a cookie."""

import re
from pathlib import Path

import pytest

from game.commands import EnterThrow, StartMatch
from tests.web.conftest import make_app
from tests.web.guest import ENDLESS, filled, routes

TEXT = (Path(__file__).parents[2] / "SECURITY.md").read_text("utf-8")


def listed(title):
    """Return the routes that a section lists, each only once."""
    section = TEXT.partition(f"## {title}\n")[2].partition("\n## ")[0]
    found = re.findall(r"`((?:GET|POST) /[^`]*)`", section)
    assert len(found) == len(set(found))
    return set(found)


@pytest.fixture
def app(table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    return make_app(table)


def guest_statuses(app):
    """Yield each route, and the status code that a guest gets for an empty body."""
    for name in routes(app):
        method, _, path = name.partition(" ")
        if ENDLESS.search(path):
            method = "HEAD"
        json = {} if method == "POST" else None
        with app.test_client().open(filled(path), method=method, json=json) as answer:
            yield name, answer.status_code


def test_what_a_guest_can_do_is_listed(app, table):
    before = table.snapshot().match
    open_to_all = {
        name for name, status in guest_statuses(app) if name.startswith("POST") and status != 403
    }

    # A wrong proof is refused with 403 as well.
    assert open_to_all <= listed("What a guest can do")
    assert (
        listed("What a guest can do") - open_to_all
        == {f"POST /api/v1/scorekeeper/{proof}" for proof in ("link", "owner", "pin")} - open_to_all
    )
    assert table.snapshot().match == before


def test_what_a_guest_cannot_see_is_listed(app):
    closed = {
        name for name, status in guest_statuses(app) if name.startswith("GET") and status == 403
    }

    assert closed == listed("What a guest cannot see")


def test_what_a_guest_can_see_is_listed(app):
    shown = {
        name
        for name, status in guest_statuses(app)
        if not name.startswith("POST") and status != 403
    }

    assert shown == listed("What a guest can see")


def test_no_request_of_a_guest_crashes(app):
    assert {name: status for name, status in guest_statuses(app) if status >= 500} == {}
