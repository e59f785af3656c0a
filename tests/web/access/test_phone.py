"""Who may, over the API: cookies, proofs and refusals."""

import re

import pytest

from game.commands import Bank, EnterThrow, StartMatch
from tests.web.conftest import PHONE, PHONE_COOKIE, holding, make_app
from web.access.phone import COOKIE, PhoneCookies
from web.app import new_link


@pytest.fixture
def app(table):
    table.do(StartMatch(("Anna", "Ben")))
    return make_app(table)


@pytest.fixture
def free_app(table):
    """Nobody holds the pencil."""
    table.do(StartMatch(("Anna", "Ben")))
    return make_app(table, holder="")


def post(client, path, **body):
    return client.post(f"/api/v1/{path}", json=body)


def posts(app):
    return {rule.rule for rule in app.url_map.iter_rules() if "POST" in rule.methods}


def test_every_post_but_those_that_lead_to_the_pencil_needs_it(app, table):
    before = table.snapshot()
    refused = set()
    for path in posts(app):
        answer = app.test_client().post(path, json={})
        words = ("watches", "needs the machine's own PIN")
        if answer.status_code == 403 and any(word in answer.json["detail"] for word in words):
            assert answer.mimetype == "application/problem+json"
            refused.add(path)

    open_to_all = {f"/api/v1/pencil/{name}" for name in ("ask", "pin", "link", "owner", "sit")}
    assert refused == posts(app) - open_to_all
    assert table.snapshot().match == before.match


def test_the_refusal_says_how_to_get_it(app):
    assert "press the tray's button" in post(app.test_client(), "bank").json["detail"]


def test_who_asks_is_known_from_then_on_by_a_cookie_that_scripts_cannot_read(app):
    client = app.test_client()
    answer = post(client, "pencil/ask")
    cookie = answer.headers["Set-Cookie"]

    assert answer.json["asking"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert post(client, "pencil/ask").json["me"] == answer.json["me"]


def test_watching_alone_leaves_no_cookie(app):
    assert "Set-Cookie" not in app.test_client().get("/").headers


def test_a_press_over_http_never_grants(free_app, table):
    asker = free_app.test_client()
    post(asker, "pencil/ask")
    for path in ("press", "button", "hold", "throw"):
        assert post(free_app.test_client(), path).status_code == 403

    assert not asker.get("/api/v1/pencil").json["mine"]
    assert table.scorekeeper.press_button()
    assert asker.get("/api/v1/pencil").json["mine"]


def test_the_pin_gives_it_while_nobody_holds_it(free_app):
    client = free_app.test_client()
    shown = free_app.extensions["traykeeper_pins"].shown_to_scorekeeper()
    answer = post(client, "pencil/pin", pin=f"{shown[:3]} {shown[3:]}")

    assert answer.json["mine"]
    assert post(client, "undo").status_code == 409  # there is nothing, but it may


def test_the_pin_asks_a_holder_who_is_here(app):
    holder, other = holding(app), app.test_client()
    holder.get("/api/v1/pencil")
    answer = post(other, "pencil/pin", pin=app.extensions["traykeeper_pins"].shown_to_scorekeeper())
    assert (answer.json["mine"], answer.json["by_holder"]) == (False, True)

    post(holder, "pencil/give", yes=True)
    assert other.get("/api/v1/pencil").json["mine"]
    assert post(holder, "bank").status_code == 403


def test_pins_cannot_be_guessed(free_app):
    client = free_app.test_client()
    answers = [post(client, "pencil/pin", pin=f"{n:07}") for n in range(30)]

    assert {answer.status_code for answer in answers[:10]} == {403}
    assert {answer.status_code for answer in answers[10:]} == {429}
    assert int(answers[-1].headers["Retry-After"]) > 200


def test_the_pin_is_told_to_the_holder_alone(app):
    shown = app.extensions["traykeeper_pins"].shown_to_scorekeeper()
    watcher = app.test_client()
    post(watcher, "pencil/ask")

    assert holding(app).get("/api/v1/pencil/pin").json["pin"] == shown
    assert watcher.get("/api/v1/pencil/pin").status_code == 403


def test_nothing_that_a_watcher_can_fetch_holds_the_pin_or_the_holders_cookie(app):
    shown, watcher = app.extensions["traykeeper_pins"].shown_to_scorekeeper(), app.test_client()
    paths = [r.rule for r in app.url_map.iter_rules() if "GET" in r.methods]
    streams = {path for path in paths if path.endswith(("live", "events"))}
    for path in set(paths) - streams:
        with watcher.get(re.sub("<.*>", "1", path)) as answer:
            assert shown.encode() not in answer.data, path
            assert PHONE_COOKIE.encode() not in answer.data, path


def test_the_link_is_good_once(free_app):
    token = new_link(free_app).partition("=")[2]
    assert post(free_app.test_client(), "pencil/link", token=token).json["mine"]

    assert post(free_app.test_client(), "pencil/link", token=token).status_code == 403


@pytest.mark.parametrize(
    "forged",
    ["", "x", PHONE, f"{PHONE}.x", PHONE_COOKIE[:-1], PHONE_COOKIE + "x", "\xff"],
    ids=range(7),
)
def test_a_forged_cookie_only_watches(app, forged):
    client = app.test_client()
    client.set_cookie(COOKIE, forged)

    assert post(client, "bank").status_code == 403


def test_a_cookie_of_another_table_only_watches(app):
    client = app.test_client()
    client.set_cookie(COOKIE, PhoneCookies(b"another").new_cookie()[0])

    assert post(client, "bank").status_code == 403


def test_a_replayed_cookie_of_who_gave_it_away_only_watches(app):
    holder = holding(app)
    post(holder, "pencil/lay-down")

    assert post(holding(app), "bank").status_code == 403


def test_in_ones_own_turn_ones_own_phone_keeps_banks_and_corrects(app, table):
    ben = app.test_client()
    post(ben, "pencil/sit", name="Ben")
    post(holding(app), "pencil/own-turn", on=True)
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    assert post(ben, "bank").status_code == 403
    table.do(Bank())
    table.do(EnterThrow((5, 5, 5, 2, 3, 4)))

    assert post(ben, "keep", dice=[5, 5, 5]).status_code == 200
    assert post(ben, "correct", dice=[5, 5, 5, 2, 3, 1]).status_code == 200
    assert post(ben, "score", seat=1, score=9000).status_code == 403
    assert post(ben, "bank", dice=[5, 5, 5]).status_code == 200
    assert post(ben, "undo").status_code == 403


def test_in_ones_own_turn_ones_own_phone_reads_the_dice_and_gets_no_pencil(free_app, table):
    anna, ben = free_app.test_client(), free_app.test_client()
    for client, name in ((anna, "Anna"), (ben, "Ben")):
        post(client, "pencil/sit", name=name)
    table.scorekeeper.players.allow_own_turns(on=True)
    post(anna, "pencil/ask")

    assert post(ben, "press").status_code == 403
    assert post(anna, "press").json["situation"] == "waiting for stillness"
    assert post(anna, "hold", seconds=1).status_code == 403
    assert not anna.get("/api/v1/pencil").json["mine"]


def test_nobody_can_sit_under_a_name_that_does_not_play(app):
    assert "nobody called 'Zoe'" in post(app.test_client(), "pencil/sit", name="Zoe").json["detail"]
