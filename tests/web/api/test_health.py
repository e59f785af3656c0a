"""The health page, the answer for watchdogs, and the API of backups."""

from importlib.metadata import version
from io import BytesIO

import pytest

from game.message import Message, Verbatim
from game.situation import TableError
from tests.web.conftest import as_scorekeeper, make_app
from web.api.health import MAX_DOWNLOADS
from web.contracts import DeliveryAttempt, FoundBackup, HealthCheck, WebhookReport
from web.server import Server

GOOD = HealthCheck(Message("camera"), "ok", Verbatim("imx708"))
BAD = HealthCheck(
    Message("journal"), "failed", Verbatim("the disk is <b>full</b>"), Message("free space")
)

PART = "/api/v1/restore/part"


class MemoryMaintainer:
    """A maintainer that returns what tests put there."""

    def __init__(self, table):
        self.table, self.checks, self.frames = table, (GOOD,), {7: b"jpeg"}
        self.clips = {7: b"mjpeg"}
        self.received = b""
        self.waiting = self.report = None

    def health(self):
        return self.checks

    def backup(self):
        return BytesIO(b"zip")

    def receive(self, at, part):
        if at != len(self.received):
            raise TableError(Message("somebody else sends a backup now"))
        self.received += part
        return len(self.received)

    def restore(self):
        if self.received != b"zip":
            raise TableError(
                Message("the uploaded file: this backup cannot be used: not a zip file")
            )
        return self.table.show(message="restored")

    def webhook(self):
        return self.report

    def found_backup(self):
        return self.waiting

    def restore_found(self):
        self.waiting = None
        return self.table.show(message="restored")

    def dismiss_found(self):
        self.waiting = None

    def frame(self, position):
        return self.frames.get(position)

    def clip(self, position):
        return self.clips.get(position)

    def clip_positions(self):
        return frozenset(self.clips)


@pytest.fixture
def maintainer(table):
    return MemoryMaintainer(table)


@pytest.fixture
def client(table, maintainer):
    return as_scorekeeper(make_app(table, maintainer=maintainer))


def test_healthy_table_reports_ok(client):
    assert client.get("/healthz").json == {"status": "ok", "version": version("traykeeper")}
    assert "All is well" in client.get("/health").text


def test_page_lists_the_newest_attempts_to_call_the_webhook(client, maintainer):
    assert "Steps for another program" not in client.get("/health").text
    attempt = DeliveryAttempt(1_764_000_000.0, "rolled, read", Verbatim("it answered <500>"), 4.0)
    maintainer.report = WebhookReport("homeserver.local:8080", (attempt,), attempt.trouble)
    page = client.get("/health").text

    assert "homeserver.local:8080" in page
    assert "it answered &lt;500&gt;; sent again after 4 seconds" in page


def test_failed_check_is_shown_with_its_remedy(client, maintainer):
    maintainer.checks = (GOOD, BAD)
    answer = client.get("/healthz")
    page = client.get("/health").text

    assert (answer.status_code, answer.json["status"]) == (200, "failed")
    assert [trouble["remedy"] for trouble in answer.json["troubles"]] == ["free space"]
    assert "One thing needs attention" in page
    assert "the disk is &lt;b&gt;full" in page
    assert page.index("the disk is") < page.index("imx708")
    assert client.get("/api/v1/health").json[0] == {
        "check": "camera",
        "level": "ok",
        "line": "imx708",
        "remedy": None,
    }


def test_trouble_is_on_the_board_until_it_is_acknowledged(client, table):
    table.show(troubles=("The journal was damaged.",))
    assert "The journal was damaged." in client.get("/").text
    assert client.get("/api/v1/state").json["troubles"] == ["The journal was damaged."]
    client.post("/api/v1/heed")

    assert "damaged" not in client.get("/").text


def test_backup_is_downloaded_and_sent_back_in_parts(client):
    answer = client.get("/api/v1/backup")

    assert answer.data == b"zip"
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="traykeeper-20')
    for at, part in enumerate(("eg==", "aQ==", "cA==")):
        assert client.post(PART, json={"at": at, "part": part}).json == {"at": at + 1}
    assert client.post("/api/v1/restore", json={}).json["message"] == "restored"


def test_downloads_of_backups_are_limited(client):
    downloads = [client.get("/api/v1/backup") for _ in range(MAX_DOWNLOADS)]
    assert {answer.status_code for answer in downloads} == {200}
    refused = client.get("/api/v1/backup")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")

    downloads[0].close()
    assert client.get("/api/v1/backup").status_code == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"at": 1, "part": "eg=="}, 409),
        ({"at": -1, "part": "eg=="}, 400),
        ({"at": 0, "part": "e"}, 400),
        ({"at": 0, "part": "☃"}, 400),
        ({"at": 0, "part": 7}, 400),
        ({"at": 0}, 400),
        ({"at": 0, "part": "eg==" * 30_000}, 413),
    ],
)
def test_wrong_part_of_a_backup_is_refused(client, body, status):
    assert client.post(PART, json=body).status_code == status


def test_unusable_backup_changes_nothing(client, table):
    version = table.snapshot().version
    client.post(PART, json={"at": 0, "part": "eg=="})

    assert client.post("/api/v1/restore", json={}).status_code == 409
    assert table.snapshot().version == version


@pytest.mark.parametrize(
    "path",
    [
        "8.jpg",
        "../7.jpg",
        "%2e%2e/7.jpg",
        "..%2f..%2fjournal.db",
        "7.jpg/../../x",
        "-7.jpg",
        "9" * 50 + ".jpg",
        "7",
    ],
)
def test_image_of_a_throw_is_found_only_by_its_number(client, path):
    assert client.get("/api/v1/frame/7.jpg").data == b"jpeg"
    assert client.get(f"/api/v1/frame/{path}").status_code == 404


def test_clip_of_a_throw_is_found_only_by_its_number(client):
    assert client.get("/api/v1/frame/7.mjpeg").data == b"mjpeg"
    missing = client.get("/api/v1/frame/8.mjpeg")
    assert (missing.status_code, "setting `clips`" in missing.json["detail"]) == (404, True)


@pytest.mark.browser
def test_a_browser_shows_the_new_picture_at_a_position_that_a_restored_backup_uses_again(
    browser, table, maintainer
):
    fetched = "() => fetch('/api/v1/frame/7.jpg').then((answer) => answer.text())"
    with Server(make_app(table, maintainer=maintainer), "127.0.0.1", 0) as server:
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.port}/healthz")
        assert [page.evaluate(fetched) for _ in range(2)] == ["jpeg", "jpeg"]
        maintainer.frames[7] = b"another"

        assert page.evaluate(fetched) == "another"
        page.close()


def test_a_picture_that_the_browser_has_already_is_not_sent_again(client):
    tag = client.get("/api/v1/frame/7.jpg").headers["ETag"]
    again = client.get("/api/v1/frame/7.jpg", headers={"If-None-Match": tag})

    assert (again.status_code, again.data) == (304, b"")


def test_page_works_without_a_maintainer(table):
    client = as_scorekeeper(make_app(table))

    assert client.get("/health").status_code == 200
    assert client.get("/api/v1/backup").status_code == 404


@pytest.mark.parametrize(
    "path", ["heed", "restore", "restore/part", "restore/found", "restore/forget"]
)
def test_watcher_cannot_restore(table, maintainer, path):
    client = make_app(table, maintainer=maintainer).test_client()

    assert client.post(f"/api/v1/{path}", json={}).status_code == 403
    assert client.get("/api/v1/health").status_code == 200


def test_backup_on_a_stick_is_restored_or_dismissed(client, maintainer):
    maintainer.waiting = FoundBackup(Message("so many matches"), is_usable=True)
    page = client.get("/health").text

    assert "so many matches" in page
    assert 'data-post="/api/v1/restore/found"' in page
    assert client.post("/api/v1/restore/found", json={}).json["message"] == "restored"
    assert "on a USB stick" not in client.get("/health").text
    maintainer.waiting = FoundBackup(Message("it is torn"), is_usable=False)
    assert 'data-post="/api/v1/restore/found"' not in client.get("/health").text
    assert client.post("/api/v1/restore/forget", json={}).status_code == 200
    assert maintainer.waiting is None


def test_backup_on_a_stick_is_shown_but_not_restored_without_the_pin(table, maintainer):
    app = make_app(table, maintainer=maintainer)
    app.extensions["traykeeper_access"]._owners_s.clear()
    maintainer.waiting = FoundBackup(Message("so many matches"), is_usable=True)
    page = as_scorekeeper(app).get("/health").text

    assert "so many matches" in page
    assert "First unlock backups with the PIN." in page
    assert "/api/v1/restore/found" not in page
