"""One appliance, looked after: health, backup over HTTP and back, pictures of throws."""

import json
import time
import urllib.request
from urllib.error import HTTPError

import pytest

from device.play import Options, open_upkeep, serving
from device.rescue import set_aside
from game.entry import seal
from game.history import History
from web.table import Situation


@pytest.fixture
def options(tmp_path):
    return Options(
        camera="sim", host="127.0.0.1", port=0, state=str(tmp_path), seed=3, roll_s=0.3, still_s=0.2
    )


@pytest.fixture
def upkeep(options):
    with open_upkeep(options) as upkeep:
        companion = upkeep.companion
        while companion.snapshot().camera is None:
            companion.wait(companion.snapshot().version, 5)
        yield upkeep


def levels(upkeep):
    return {check.name: check.level for check in upkeep.health()}


def test_every_check_is_there_from_the_first_moment(upkeep):
    assert list(levels(upkeep)) == [
        *("camera", "journal", "backup", "lamp"),
        *("space", "disk", "power", "heat", "clock"),
    ]
    assert {levels(upkeep)[name] for name in ("camera", "journal", "backup", "lamp")} == {"ok"}


def test_the_picture_of_a_read_throw_is_kept_by_its_position(upkeep):
    companion = upkeep.companion
    companion.new_match(("Anna", "Ben"))
    companion.throw()
    snapshot = companion.press()
    while snapshot.situation is Situation.WAITING:
        snapshot = companion.wait(snapshot.version, 20)
    if snapshot.match.last_throw is None:
        pytest.skip(f"this throw was not read: {snapshot.message}")
    last = History(upkeep.journal.path).entries()[-1].position
    until_s = time.monotonic() + 10
    while upkeep.frame(last) is None and time.monotonic() < until_s:
        time.sleep(0.05)

    assert upkeep.frame(last).startswith(b"\xff\xd8")
    assert upkeep.frame(last + 1) is None


def post(port, path, body, content_type="application/json"):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", body, {"Content-Type": content_type}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - our own page
        return json.load(answer)


def test_a_match_is_brought_back_over_http_while_the_page_is_open(options):
    with serving(options) as (_, server):
        post(server.port, "/api/v1/match", b'{"names": ["Anna", "Ben"]}')
        post(server.port, "/api/v1/dice", b'{"dice": [1, 1, 1, 2, 3, 4]}')
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/api/v1/backup") as answer:
            backup = answer.read()
        post(server.port, "/api/v1/bank", b"{}")
        post(server.port, "/api/v1/match", b'{"names": ["Cleo", "Dan"]}')
        state = post(server.port, "/api/v1/restore", backup, "application/zip")

        assert [player["name"] for player in state["players"]] == ["Anna", "Ben"]
        assert state["at_risk"] == 1000
        assert state["message"].startswith("A backup was restored. Going on where we were: Anna")
        with pytest.raises(HTTPError, match="409"):
            post(server.port, "/api/v1/restore", backup[:-40], "application/zip")
        assert post(server.port, "/api/v1/bank", b"{}")["players"][0]["score"] == 1000


def test_a_match_that_this_version_cannot_read_is_left_and_told(options, tmp_path):
    with open_upkeep(options) as upkeep:
        upkeep.companion.new_match(("Anna", "Ben"))
        upkeep.journal.append(1)
        upkeep.journal._insert((1, 2, None, "[7]", seal(1, 2, None, "[7]")))
    with open_upkeep(options) as upkeep:
        snapshot = upkeep.companion.snapshot()

        assert snapshot.situation is Situation.NO_MATCH
        assert "The last match cannot be gone on with" in snapshot.troubles[0]
        assert upkeep.companion.new_match(("Cleo", "Dan")).match is not None
        assert upkeep.companion.heed().troubles == ()


def test_files_are_set_aside_with_their_log(tmp_path):
    for name in ("journal.db", "journal.db-wal", "journal.db-shm", "journal-damaged-1.db"):
        (tmp_path / name).write_text(name)
    aside = set_aside(tmp_path / "journal.db")

    assert aside.name == "journal-damaged-2.db"
    assert aside.with_name("journal-damaged-2.db-wal").read_text() == "journal.db-wal"
    assert not (tmp_path / "journal.db-shm").exists()
