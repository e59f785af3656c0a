"""Backups need the machine's own PIN, which the scorekeeper's phone does not show."""

from time import time

import pytest

from tests.web.conftest import PHONE, SECRET, as_scorekeeper, make_app
from web.access.phone import MAX_OWNERS, OWNER_S, AccessControl
from web.access.pin import MAX_TRIES, pin_at
from web.access.scorekeeper import Scorekeeper
from web.app import new_link

OWNER_ONLY = [
    ("get", "backup"),
    *(("post", path) for path in ("restore/part", "restore", "restore/found", "restore/forget")),
]


@pytest.fixture
def app(table):
    app = make_app(table)
    app.extensions["traykeeper_access"]._owners_s.clear()
    return app


def prove(client, pin):
    return client.post("/api/v1/scorekeeper/owner", json={"pin": pin})


@pytest.mark.parametrize(("method", "path"), OWNER_ONLY)
def test_being_the_scorekeeper_is_not_enough(app, method, path):
    answer = getattr(as_scorekeeper(app), method)(f"/api/v1/{path}")

    assert answer.status_code == 403
    assert "traykeeper pin" in answer.json["detail"]


def test_pin_on_the_scorekeepers_phone_does_not_allow_backups(app):
    shown = as_scorekeeper(app).get("/api/v1/scorekeeper/pin").json["pin"]

    assert prove(as_scorekeeper(app), shown).status_code == 403
    assert app.test_client().post("/api/v1/scorekeeper/pin", json={"pin": shown}).status_code == 200


def test_pin_in_the_terminal_allows_backups_for_an_hour(app, clock):
    client = app.test_client()
    assert prove(client, pin_at(time(), SECRET)).json == {"seconds": OWNER_S}

    assert client.get("/api/v1/backup").status_code == 404  # allowed, but this table keeps nothing
    access = AccessControl(SECRET, Scorekeeper(), clock)
    access.add_owner(PHONE)
    clock.now_s += OWNER_S - 1
    assert access.is_owner(PHONE)
    clock.now_s += 1
    assert not access.is_owner(PHONE)
    assert not access.is_owner("")


def test_link_that_play_prints_allows_backups(app):
    client = app.test_client()
    client.post("/api/v1/scorekeeper/link", json={"token": new_link(app).partition("=")[2]})

    assert client.get("/api/v1/backup").status_code == 404


def test_wrong_pins_are_limited(app):
    client = app.test_client()
    answers = [prove(client, "12345").status_code for _ in range(MAX_TRIES + 1)]

    assert answers == [403] * MAX_TRIES + [429]


def test_oldest_owner_is_forgotten_beyond_the_limit():
    access = AccessControl(SECRET, Scorekeeper())
    for number in range(MAX_OWNERS + 1):
        access.add_owner(str(number))

    assert not access.is_owner("0")
    assert access.is_owner(str(MAX_OWNERS))
