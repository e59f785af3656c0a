"""Few expensive requests run at once, and no other request waits long."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from flask import Blueprint, Flask, Response

from tests.waiting import PATIENCE_S
from web import concurrency_limit, i18n, response
from web.concurrency_limit import ConcurrencyLimit


class SlowApp:
    """An app with a page that takes as long as a test wants, and a download."""

    def __init__(self, max_running, max_waiting=0):
        limit = ConcurrencyLimit(max_running, max_waiting=max_waiting)
        self.begun, self.proceed = Event(), Event()
        pages = Blueprint("pages", __name__)

        @pages.get("/page")
        def page():
            self.begun.set()
            self.proceed.wait(PATIENCE_S)
            return "done"

        @pages.post("/change")
        def change():
            return "changed"

        @pages.get("/broken")
        def broken():
            raise ValueError

        self.app = Flask(__name__)
        i18n.register(self.app)
        response.register_problems(self.app)
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


def test_request_beyond_the_limit_is_refused_with_retry_after(pool):
    slow = SlowApp(1)
    first = pool.submit(slow.get)
    assert slow.begun.wait(PATIENCE_S)
    refused = slow.get()
    slow.proceed.set()

    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
    assert first.result().status_code == 200
    assert slow.get().status_code == 200


def test_a_few_requests_may_wait(pool, monkeypatch):
    monkeypatch.setattr(concurrency_limit, "MAX_WAIT_S", PATIENCE_S)
    slow = SlowApp(1, max_waiting=1)
    first = pool.submit(slow.get)
    assert slow.begun.wait(PATIENCE_S)
    second = pool.submit(slow.get)
    slow.proceed.set()

    assert [first.result().status_code, second.result().status_code] == [200, 200]


def test_change_does_not_wait(pool):
    slow = SlowApp(1)
    first = pool.submit(slow.get)
    assert slow.begun.wait(PATIENCE_S)
    changed = slow.app.test_client().post("/change")
    slow.proceed.set()

    assert changed.status_code == 200
    assert first.result().status_code == 200


def test_failed_page_frees_its_place():
    slow = SlowApp(1)
    assert [slow.get("/broken").status_code for _ in range(3)] == [500] * 3


def test_download_keeps_its_place_until_it_is_sent():
    slow = SlowApp(1)
    first = slow.app.test_client().get("/file")
    assert slow.get("/file").status_code == 503

    first.close()
    assert slow.get("/file").status_code == 200
