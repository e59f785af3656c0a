"""What costs much is done for a few at once, and nobody else is kept waiting for long."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from flask import Blueprint, Flask, Response

from web import concurrency_limit, problem
from web.concurrency_limit import ConcurrencyLimit
from web.i18n import languages


class House:
    """An app of one page that is worked out for as long as a test wants, and one long answer."""

    def __init__(self, most, waiting=0):
        limit = ConcurrencyLimit(most, max_waiting=waiting)
        self.begun, self.go_on = Event(), Event()
        pages = Blueprint("pages", __name__)

        @pages.get("/page")
        def page():
            self.begun.set()
            self.go_on.wait(5)
            return "worked out"

        @pages.post("/change")
        def change():
            return "changed"

        @pages.get("/broken")
        def broken():
            raise ValueError

        self.app = Flask(__name__)
        languages.register(self.app)
        problem.register(self.app)
        self.app.register_blueprint(limit.limit_blueprint(pages))
        download = ConcurrencyLimit(1).limit_download(lambda: Response(iter([b"a", b"b"])))
        self.app.add_url_rule("/file", view_func=download, endpoint="file")

    def get(self, path="/page"):
        return self.app.test_client().get(path)


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(concurrency_limit, "MAX_WAIT_S", 0.2)


@pytest.fixture
def pool():
    with ThreadPoolExecutor(4) as pool:
        yield pool


def test_who_comes_to_a_full_house_is_told_when_to_come_again(pool):
    house = House(1)
    first = pool.submit(house.get)
    assert house.begun.wait(5)
    refused = house.get()
    house.go_on.set()

    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
    assert first.result().status_code == 200
    assert house.get().status_code == 200


def test_a_few_wait_at_the_door(pool, monkeypatch):
    monkeypatch.setattr(concurrency_limit, "MAX_WAIT_S", 5)
    house = House(1, waiting=1)
    first = pool.submit(house.get)
    assert house.begun.wait(5)
    second = pool.submit(house.get)
    house.go_on.set()

    assert [first.result().status_code, second.result().status_code] == [200, 200]


def test_what_changes_something_waits_for_nobody_who_looks(pool):
    house = House(1)
    first = pool.submit(house.get)
    assert house.begun.wait(5)
    changed = house.app.test_client().post("/change")
    house.go_on.set()

    assert changed.status_code == 200
    assert first.result().status_code == 200


def test_a_page_that_breaks_gives_its_place_back():
    house = House(1)
    assert [house.get("/broken").status_code for _ in range(3)] == [500] * 3


def test_a_download_holds_its_place_until_all_of_it_is_sent():
    house = House(1)
    first = house.app.test_client().get("/file")
    assert house.get("/file").status_code == 503

    first.close()
    assert house.get("/file").status_code == 200
