"""Backups come and go by the machine's own PIN, which the pencil's holder is not shown."""

from time import time

import pytest

from tests.web.conftest import PHONE, SECRET, holding, make_app
from web.access.owner import MAX_OWNERS, OWNER_S, Owners
from web.access.pin import MAX_TRIES, pin_at
from web.app import new_link

CLOSED = [
    ("get", "backup"),
    *(("post", path) for path in ("restore/part", "restore", "restore/found", "restore/forget")),
]


@pytest.fixture
def app(table):
    app = make_app(table)
    app.extensions["traykeeper_owners"]._proved_s.clear()
    return app


def prove(client, told):
    return client.post("/api/v1/pencil/owner", json={"pin": told})


@pytest.mark.parametrize(("method", "path"), CLOSED)
def test_the_pencil_is_not_enough(app, method, path):
    answer = getattr(holding(app), method)(f"/api/v1/{path}")

    assert answer.status_code == 403
    assert "traykeeper pin" in answer.json["detail"]


def test_the_pin_on_the_holders_phone_gives_the_pencil_alone(app):
    shown = holding(app).get("/api/v1/pencil/pin").json["pin"]

    assert prove(holding(app), shown).status_code == 403
    assert app.test_client().post("/api/v1/pencil/pin", json={"pin": shown}).status_code == 200


def test_the_pin_of_the_terminal_opens_them_for_an_hour(app, clock):
    client = app.test_client()
    assert prove(client, pin_at(time(), SECRET)).json == {"seconds": OWNER_S}

    assert client.get("/api/v1/backup").status_code == 404  # nothing is kept here
    owners = Owners(clock)
    owners.add(PHONE)
    clock.now_s += OWNER_S - 1
    assert owners.has(PHONE)
    clock.now_s += 1
    assert not owners.has(PHONE)
    assert not owners.has("")


def test_so_does_the_link_that_play_prints(app):
    client = app.test_client()
    client.post("/api/v1/pencil/link", json={"token": new_link(app).partition("=")[2]})

    assert client.get("/api/v1/backup").status_code == 404


def test_guessers_are_slowed_down(app):
    client = app.test_client()
    answers = [prove(client, "12345").status_code for _ in range(MAX_TRIES + 1)]

    assert answers == [403] * MAX_TRIES + [429]


def test_only_so_many_phones_are_remembered():
    owners = Owners()
    for number in range(MAX_OWNERS + 1):
        owners.add(str(number))

    assert not owners.has("0")
    assert owners.has(str(MAX_OWNERS))
