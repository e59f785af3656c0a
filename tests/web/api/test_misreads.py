"""The images of corrected throws: everyone sees how many, only the scorekeeper gets them."""

from dataclasses import replace

import pytest

from tests.web.conftest import as_scorekeeper, make_app
from web.api.health import MAX_PICTURE_DOWNLOADS
from web.contracts import MisreadStatus

API = "/api/v1/corrections"


class MemoryMisreads:
    """A store of images whose status tests set."""

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
    return MemoryMisreads()


@pytest.fixture
def app(table, corrections):
    return make_app(table, misreads=corrections)


@pytest.fixture
def client(app):
    return as_scorekeeper(app)


def test_nothing_is_kept_until_the_scorekeeper_turns_it_on(client, corrections):
    assert client.get(API).json["on"] is False
    assert "Keep these photos" in client.get("/health").text
    assert client.post(f"{API}/switch", json={"on": True}).json["on"] is True
    assert corrections.now.on
    assert 'id="keep-corrections" checked' in client.get("/health").text


def test_images_are_counted_downloaded_and_deleted(client, corrections):
    assert "pictures.zip" not in client.get("/health").text
    corrections.now = replace(corrections.now, pictures=3, size_bytes=1_300_000)
    page = client.get("/health").text
    download = client.get(f"{API}/pictures.zip")

    assert "3 photos are stored, 1.2 MB" in page
    assert (download.data, download.mimetype) == (b"PKzip", "application/zip")
    assert "traykeeper-corrections.zip" in download.headers["Content-Disposition"]
    assert client.post(f"{API}/delete", json={}).json["pictures"] == 0


def test_watcher_can_neither_download_nor_change_anything(app, corrections):
    watcher = app.test_client()

    assert watcher.get(API).status_code == 200
    assert watcher.get(f"{API}/pictures.zip").status_code == 403
    assert watcher.post(f"{API}/switch", json={"on": True}).status_code == 403
    assert watcher.post(f"{API}/delete", json={}).status_code == 403
    assert not corrections.now.on


@pytest.mark.parametrize("body", [{}, {"on": "yes"}, {"on": 1}, {"off": True}])
def test_wrong_body_of_the_switch_is_refused(client, body):
    assert client.post(f"{API}/switch", json=body).status_code == 400


def test_table_without_a_store_refuses(table):
    client = as_scorekeeper(make_app(table))

    assert client.get(API).status_code == 404
    assert client.get(f"{API}/pictures.zip").status_code == 404
    assert "Corrected throws" not in client.get("/health").text


def test_page_shows_the_count_in_the_language_of_the_phone(client, corrections):
    corrections.now = replace(corrections.now, pictures=1, size_bytes=1_300_000)
    page = client.get("/health", headers={"Accept-Language": "de"}).text

    assert "Ein Foto ist gespeichert, 1,2 MB" in page


def test_downloads_of_images_are_limited(client):
    downloads = [client.get(f"{API}/pictures.zip") for _ in range(MAX_PICTURE_DOWNLOADS)]
    assert client.get(f"{API}/pictures.zip").status_code == 503

    downloads[0].close()
    assert client.get(f"{API}/pictures.zip").status_code == 200
