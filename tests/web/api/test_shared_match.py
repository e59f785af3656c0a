"""The API of matches with another tray: who may do what, and how guessing is slowed down."""

import pytest

from game.message import Message
from game.situation import TableError
from tests.web.conftest import as_scorekeeper, make_app
from web.contracts import OtherTrayView, SharedPhase, UnknownCodeError

LINK = "http://192.168.1.20:8000/shared#K7QM2-XRT9D"
WRONG = {"id": "0" * 16, "text": "{}", "mac": "00"}


class FakePlay:
    """A fake that records its calls and accepts one code."""

    def __init__(self):
        self.asked, self.phase = [], SharedPhase.INVITING

    def view(self):
        return OtherTrayView(self.phase)

    def invitation(self, page):
        return LINK

    def invite(self, *args):
        self.asked.append(args)

    def join(self, invitation, names):
        if "#" not in invitation:
            raise TableError(Message("That is no match code."))
        self.asked.append((invitation, names))

    def leave(self):
        self.asked.append("leave")

    def exchange(self, keys_id, text, mac):
        if mac != "right":
            raise UnknownCodeError(Message("unknown code"))
        return '{"id": "", "text": "", "mac": ""}'


@pytest.fixture
def play():
    return FakePlay()


@pytest.fixture
def app(table, play):
    return make_app(table, shared=play)


@pytest.fixture
def holder(app):
    return as_scorekeeper(app)


def test_the_scorekeeper_invites_joins_and_leaves(holder, play):
    api = "/api/v1/shared-match"
    holder.post(f"{api}/invite", json={"names": ["Anna"], "target": 2_000})
    holder.post(f"{api}/join", json={"invitation": LINK, "names": ["Ben"]})
    holder.post(f"{api}/leave", json={})

    assert play.asked == [(("Anna",), None, 2_000, None, None), (LINK, ("Ben",)), "leave"]
    assert holder.get(api).json == {"link": LINK, "code": "K7QM2-XRT9D"}


def test_a_wrong_invitation_is_refused_in_words(holder):
    refused = holder.post(
        "/api/v1/shared-match/join", json={"invitation": "nothing", "names": ["Ben"]}
    )

    assert refused.status_code == 409
    assert refused.json["detail"] == "That is no match code."


@pytest.mark.parametrize("path", ["invite", "join", "leave"])
def test_a_watcher_changes_nothing(app, play, path):
    refused = app.test_client().post(f"/api/v1/shared-match/{path}", json={})

    assert refused.status_code == 403
    assert play.asked == []


def test_only_the_scorekeeper_sees_the_code(app, holder):
    page = app.test_client().get("/shared").text

    assert app.test_client().get("/api/v1/shared-match").status_code == 403
    assert "K7QM2" not in page
    assert "K7QM2-XRT9D" in holder.get("/shared").text


def test_during_the_match_the_scorekeeper_sees_the_link_with_the_address_of_now(app, holder, play):
    play.phase = SharedPhase.PLAYING

    assert LINK in holder.get("/shared").text
    assert "Play on without the other tray" in holder.get("/shared").text
    assert "K7QM2" not in app.test_client().get("/shared").text


def test_ten_wrong_codes_block_an_address_but_no_other(app):
    client = app.test_client()
    path = "/api/v1/shared-match/sync"
    statuses = [client.post(path, json=WRONG).status_code for _ in range(12)]
    right = WRONG | {"mac": "right"}
    other = {"REMOTE_ADDR": "192.168.1.77"}

    assert statuses == [403] * 10 + [429] * 2
    assert client.post(path, json=right).status_code == 429
    assert client.post(path, json=right, environ_base=other).status_code == 200


def test_an_address_that_has_signed_a_message_never_waits_for_wrong_codes_of_others(app):
    client, path = app.test_client(), "/api/v1/shared-match/sync"
    right, guest = WRONG | {"mac": "right"}, {"REMOTE_ADDR": "192.168.1.77"}
    assert client.post(path, json=right, environ_base=guest).status_code == 200
    for number in range(120):
        client.post(path, json=WRONG, environ_base={"REMOTE_ADDR": f"192.168.2.{number}"})
    newcomer = {"REMOTE_ADDR": "192.168.1.78"}

    assert client.post(path, json=right, environ_base=newcomer).status_code == 429
    assert client.post(path, json=right, environ_base=guest).status_code == 200


def test_a_page_of_another_site_cannot_send_messages(app):
    refused = app.test_client().post(
        "/api/v1/shared-match/sync",
        json=WRONG | {"mac": "right"},
        headers={"Origin": "http://evil.example"},
    )

    assert refused.status_code == 403


def test_without_matches_for_two_trays_the_requests_are_refused(table):
    client = as_scorekeeper(make_app(table))

    assert client.get("/api/v1/shared-match").status_code == 404
    assert client.post("/api/v1/shared-match/leave", json={}).status_code == 404
