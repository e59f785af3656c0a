"""Pictures of corrected throws on the health page: counted for all, taken away by the holder."""

from dataclasses import replace

import pytest

from tests.web.conftest import holding, make_app
from web.api.misreads import MAX_DOWNLOADS
from web.contracts.misreads import MisreadStatus

API = "/api/v1/corrections"


class Memory:
    """Keeps what tests put there."""

    def __init__(self):
        self.now = MisreadStatus(
            on=False, pictures=0, size_bytes=0, most=200, most_bytes=100 * 1024**2
        )

    def status(self):
        return self.now

    def set_enabled(self, *, on):
        self.now = replace(self.now, on=on)

    def zip_parts(self):
        yield from (b"PK", b"zip")

    def delete_all(self):
        self.now = replace(self.now, pictures=0, size_bytes=0)


@pytest.fixture
def corrections():
    return Memory()


@pytest.fixture
def app(table, corrections):
    return make_app(table, misreads=corrections)


@pytest.fixture
def client(app):
    return holding(app)


def test_it_is_off_until_the_holder_wants_it(client, corrections):
    assert client.get(API).json["on"] is False
    assert "Keep these pictures" in client.get("/health").text
    assert client.post(f"{API}/switch", json={"on": True}).json["on"] is True
    assert corrections.now.on
    assert 'id="keep-corrections" checked' in client.get("/health").text


def test_what_is_kept_is_told_saved_and_deleted(client, corrections):
    assert "pictures.zip" not in client.get("/health").text
    corrections.now = replace(corrections.now, pictures=3, size_bytes=1_300_000)
    page = client.get("/health").text
    saved = client.get(f"{API}/pictures.zip")

    assert "3 pictures are kept, 1.2 MB" in page
    assert (saved.data, saved.mimetype) == (b"PKzip", "application/zip")
    assert "traykeeper-corrections.zip" in saved.headers["Content-Disposition"]
    assert client.post(f"{API}/delete", json={}).json["pictures"] == 0


def test_a_phone_that_only_watches_takes_nothing_and_changes_nothing(app, corrections):
    watcher = app.test_client()

    assert watcher.get(API).status_code == 200
    assert watcher.get(f"{API}/pictures.zip").status_code == 403
    assert watcher.post(f"{API}/switch", json={"on": True}).status_code == 403
    assert watcher.post(f"{API}/delete", json={}).status_code == 403
    assert not corrections.now.on


@pytest.mark.parametrize("body", [{}, {"on": "yes"}, {"on": 1}, {"off": True}])
def test_what_is_no_switch_is_refused(client, body):
    assert client.post(f"{API}/switch", json=body).status_code == 400


def test_a_table_that_keeps_none_says_so(table):
    client = holding(make_app(table))

    assert client.get(API).status_code == 404
    assert client.get(f"{API}/pictures.zip").status_code == 404
    assert "Corrected throws" not in client.get("/health").text


def test_the_page_tells_it_in_the_phones_language(client, corrections):
    corrections.now = replace(corrections.now, pictures=1, size_bytes=1_300_000)
    page = client.get("/health", headers={"Accept-Language": "de"}).text

    assert "Ein Bild ist da, 1,2 MB" in page


def test_few_save_the_pictures_at_once(client):
    saving = [client.get(f"{API}/pictures.zip") for _ in range(MAX_DOWNLOADS)]
    assert client.get(f"{API}/pictures.zip").status_code == 503

    saving[0].close()
    assert client.get(f"{API}/pictures.zip").status_code == 200
