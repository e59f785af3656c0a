"""Permissions over the API: cookies, proofs and refusals."""

import re

import pytest

from game.commands import Bank, EnterThrow, StartMatch
from tests.web.conftest import PHONE, PHONE_COOKIE, as_scorekeeper, make_app
from web.access.phone import COOKIE, AccessControl
from web.access.scorekeeper import Scorekeeper
from web.app import new_link


@pytest.fixture
def app(table):
    table.do(StartMatch(("Anna", "Ben")))
    return make_app(table)


@pytest.fixture
def free_app(table):
    """An app without a scorekeeper."""
    table.do(StartMatch(("Anna", "Ben")))
    return make_app(table, holder="")


def post(client, path, **body):
    return client.post(f"/api/v1/{path}", json=body)


def post_paths(app):
    return {rule.rule for rule in app.url_map.iter_rules() if "POST" in rule.methods}


def test_watcher_may_only_post_to_become_the_scorekeeper_or_owner(app, table):
    before = table.snapshot()
    refused = set()
    for path in post_paths(app):
        answer = app.test_client().post(path, json={})
        words = ("watches", "needs the PIN of the machine")
        if answer.status_code == 403 and any(word in answer.json["detail"] for word in words):
            assert answer.mimetype == "application/problem+json"
            refused.add(path)

    open_to_all = {f"/api/v1/scorekeeper/{name}" for name in ("ask", "pin", "link", "owner", "sit")}
    open_to_all.add("/api/v1/shared-match/sync")  # another tray, which has to know the code
    assert refused == post_paths(app) - open_to_all
    assert table.snapshot().match == before.match


def test_refusal_says_how_to_become_the_scorekeeper(app):
    assert "press the button at the tray" in post(app.test_client(), "bank").json["detail"]


def test_phone_that_asks_gets_a_cookie_that_scripts_cannot_read(app):
    client = app.test_client()
    answer = post(client, "scorekeeper/ask")
    cookie = answer.headers["Set-Cookie"]

    assert answer.json["asking"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert post(client, "scorekeeper/ask").json["me"] == answer.json["me"]


def test_a_page_brings_the_cookie_so_that_a_lost_answer_makes_no_second_phone(free_app, table):
    """Otherwise the role would go to a phone whose cookie nobody has."""
    client = free_app.test_client()
    client.get("/")
    lost, repeated = (
        client.post("/api/v1/scorekeeper/ask", json={}, headers={"Idempotency-Key": "once"})
        for _ in range(2)
    )

    assert lost.json == repeated.json
    assert "Set-Cookie" not in lost.headers
    assert table.scorekeeper.press_button()
    assert client.get("/api/v1/scorekeeper").json["mine"]


def test_the_api_sets_no_cookie_for_a_program_that_only_reads(app):
    for path in ("/api/v1/state", "/api/v1/scorekeeper", "/static/board.css"):
        with app.test_client().get(path) as answer:
            assert "Set-Cookie" not in answer.headers


def test_press_over_http_never_makes_a_phone_the_scorekeeper(free_app, table):
    asker = free_app.test_client()
    post(asker, "scorekeeper/ask")
    for path in ("press", "button", "hold", "throw"):
        assert post(free_app.test_client(), path).status_code == 403

    assert not asker.get("/api/v1/scorekeeper").json["mine"]
    assert table.scorekeeper.press_button()
    assert asker.get("/api/v1/scorekeeper").json["mine"]


def test_pin_makes_a_phone_the_scorekeeper_if_there_is_none(free_app):
    client = free_app.test_client()
    shown = free_app.extensions["traykeeper_access"].pins.shown_to_scorekeeper(PHONE)
    answer = post(client, "scorekeeper/pin", pin=f"{shown[:3]} {shown[3:]}")

    assert answer.json["mine"]
    assert post(client, "undo").status_code == 409  # allowed, but there is no step to undo


def test_pin_that_the_scorekeeper_shows_is_the_agreement(app):
    holder, other = as_scorekeeper(app), app.test_client()
    holder.get("/api/v1/scorekeeper")
    answer = post(
        other,
        "scorekeeper/pin",
        pin=app.extensions["traykeeper_access"].pins.shown_to_scorekeeper(PHONE),
    )
    assert (answer.json["mine"], answer.json["by_holder"]) == (True, False)

    assert other.get("/api/v1/scorekeeper").json["mine"]
    assert post(holder, "bank").status_code == 403


def test_pin_that_an_earlier_scorekeeper_showed_is_no_agreement(app, table):
    earlier, now, other = as_scorekeeper(app), app.test_client(), app.test_client()
    pin = earlier.get("/api/v1/scorekeeper/pin").json["pin"]
    post(now, "scorekeeper/ask")
    post(earlier, "scorekeeper/give", yes=True)
    answer = post(other, "scorekeeper/pin", pin=pin)

    assert (answer.json["mine"], answer.json["by_holder"]) == (False, True)
    assert now.get("/api/v1/scorekeeper").json["mine"]


def test_the_role_goes_only_to_the_phone_that_the_scorekeeper_saw_asking(app, table):
    holder, mallory = as_scorekeeper(app), app.test_client()
    post(mallory, "scorekeeper/ask")
    refused = post(holder, "scorekeeper/give", yes=True, phone="ben")
    asking = holder.get("/api/v1/scorekeeper").json["asking_phone"]

    assert refused.status_code == 409
    assert "another phone is asking" in refused.json["detail"]
    assert asking == mallory.get("/api/v1/scorekeeper").json["me"]
    assert not post(holder, "scorekeeper/give", yes=True, phone=asking).json["mine"]


def test_pins_cannot_be_guessed(free_app):
    client = free_app.test_client()
    answers = [post(client, "scorekeeper/pin", pin=f"{n:07}") for n in range(30)]

    assert {answer.status_code for answer in answers[:10]} == {403}
    assert {answer.status_code for answer in answers[10:]} == {429}
    assert int(answers[-1].headers["Retry-After"]) > 200


def test_only_the_scorekeeper_can_see_the_pin(app):
    shown = app.extensions["traykeeper_access"].pins.shown_to_scorekeeper(PHONE)
    watcher = app.test_client()
    post(watcher, "scorekeeper/ask")

    assert as_scorekeeper(app).get("/api/v1/scorekeeper/pin").json["pin"] == shown
    assert watcher.get("/api/v1/scorekeeper/pin").status_code == 403


def test_no_answer_to_a_watcher_contains_the_pin_or_the_scorekeepers_cookie(app):
    shown, watcher = (
        app.extensions["traykeeper_access"].pins.shown_to_scorekeeper(PHONE),
        app.test_client(),
    )
    paths = [r.rule for r in app.url_map.iter_rules() if "GET" in r.methods]
    streams = {path for path in paths if path.endswith(("live", "events"))}
    for path in set(paths) - streams:
        with watcher.get(re.sub("<.*>", "1", path)) as answer:
            assert shown.encode() not in answer.data, path
            assert PHONE_COOKIE.encode() not in answer.data, path


def test_link_works_once(free_app):
    token = new_link(free_app).partition("=")[2]
    assert post(free_app.test_client(), "scorekeeper/link", token=token).json["mine"]

    assert post(free_app.test_client(), "scorekeeper/link", token=token).status_code == 403


@pytest.mark.parametrize(
    "forged",
    ["", "x", PHONE, f"{PHONE}.x", PHONE_COOKIE[:-1], PHONE_COOKIE + "x", "\xff"],
    ids=range(7),
)
def test_phone_with_a_forged_cookie_only_watches(app, forged):
    client = app.test_client()
    client.set_cookie(COOKIE, forged)

    assert post(client, "bank").status_code == 403


def test_phone_with_a_cookie_of_another_table_only_watches(app):
    client = app.test_client()
    client.set_cookie(COOKIE, AccessControl(b"another", Scorekeeper()).new_cookie()[0])

    assert post(client, "bank").status_code == 403


def test_cookie_of_a_former_scorekeeper_only_watches(app):
    holder = as_scorekeeper(app)
    post(holder, "scorekeeper/lay-down")

    assert post(as_scorekeeper(app), "bank").status_code == 403


def test_players_own_phone_keeps_banks_and_corrects_in_the_own_turn(app, table):
    ben = app.test_client()
    post(ben, "scorekeeper/sit", name="Ben")
    post(as_scorekeeper(app), "scorekeeper/own-turn", on=True)
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    assert post(ben, "bank").status_code == 403
    table.do(Bank())
    table.do(EnterThrow((5, 5, 5, 2, 3, 4)))

    assert post(ben, "keep", dice=[5, 5, 5]).status_code == 200
    assert post(ben, "correct", dice=[5, 5, 5, 2, 3, 1]).status_code == 200
    assert post(ben, "score", seat=1, score=9000).status_code == 403
    assert post(ben, "bank", dice=[5, 5, 5]).status_code == 200
    assert post(ben, "undo").status_code == 403


def test_players_own_phone_takes_over_points_in_the_own_turn(app, table):
    ben = app.test_client()
    post(ben, "scorekeeper/sit", name="Ben")
    post(as_scorekeeper(app), "scorekeeper/own-turn", on=True)
    table.do(StartMatch(("Anna", "Ben"), rules="high-stakes"))
    table.do(EnterThrow((1, 1, 1, 2, 3, 5)))
    table.do(Bank((1, 1, 1, 5)))

    assert post(ben, "takeover").json["dice_to_throw"] == 2


def test_players_own_phone_reads_the_dice_without_becoming_the_scorekeeper(free_app, table):
    anna, ben = free_app.test_client(), free_app.test_client()
    for client, name in ((anna, "Anna"), (ben, "Ben")):
        post(client, "scorekeeper/sit", name=name)
    table.scorekeeper.allow_own_turns(on=True)
    post(anna, "scorekeeper/ask")

    assert post(ben, "press").status_code == 403
    assert post(anna, "press").json["situation"] == "waiting for stillness"
    assert post(anna, "hold", seconds=1).status_code == 403
    assert not anna.get("/api/v1/scorekeeper").json["mine"]


def test_phone_cannot_belong_to_somebody_who_does_not_play(app):
    assert (
        "nobody called 'Zoe'"
        in post(app.test_client(), "scorekeeper/sit", name="Zoe").json["detail"]
    )
