"""The calibration page and its API, over a calibration in memory."""

import re
from dataclasses import replace
from importlib.metadata import version

import pytest

from device.session.messages import wrong_dice_count
from game.message import Message, Percentage
from game.situation import TableError
from tests.web.conftest import MemoryTable, as_scorekeeper, make_app
from web.contracts import (
    CalibrationState,
    CalibrationStep,
    CheckResult,
    DiceProgress,
    HardwareCheck,
    SeenDie,
    SelfTestThrow,
)

API = "/api/v1/calibration"
TRAY = ((0.2, 0.1), (0.8, 0.1), (0.8, 0.9), (0.2, 0.9))
START = CalibrationState(
    camera="imx708", simulated=False, width=1536, height=864, tray=TRAY, sure=True,
    words=Message("The tray was found."), aside=None, room=True,
    checks=(CheckResult("light", False, Message("It is dark."), Message("Add light.")),),
    dice=(SeenDie(5, 0.5, 0.5, 0.04, None),), learning=DiceProgress(6, 12, False, None),
    trials=(SelfTestThrow((1, 2, 3, 4, 5, 6), True, Message("Read.")),), needed=3, n_dice=6,
    parts=HardwareCheck(True, False, False, {"red": None}, None), made=None, unsaved=True, drift=None,
)  # fmt: skip


class MemoryCalibration:
    """A calibration that records the calls, and refuses them if a test says so."""

    def __init__(self):
        self.calls = []
        self.refusal = None
        self.jpeg = b"a picture"
        self.now = START

    def state(self):
        return self.now

    def picture(self):
        return self.jpeg

    def set_corners(self, tray, aside):
        self.calls.append(("set_corners", tray, aside))
        return replace(START, tray=tray, aside=aside)

    def confirm_colour(self, colour, *, seen):
        self.calls.append(("confirm_colour", colour, seen))
        return START

    def __getattr__(self, name):
        def call(*args):
            if self.refusal:
                raise TableError(self.refusal)
            self.calls.append((name, *args))
            return START

        return call


@pytest.fixture
def calibration():
    return MemoryCalibration()


@pytest.fixture
def client(calibration):
    return as_scorekeeper(make_app(MemoryTable(), calibration=calibration))


def test_answers_are_in_the_language_of_the_phone(client, calibration):
    german = {"Accept-Language": "de"}
    glare = Message("A lamp is reflected in %(share)s of the tray.", share=Percentage(0.012, 1))
    advice = replace(START.checks[0], verdict=glare, advice=Message("Put the dice in the tray."))
    dice = Message(
        "%(body)s dice with %(pips)s pips; %(n)s of them side by side span the tray",
        body=Message("white"),
        pips=Message("black"),
        n=13,
    )
    trial = wrong_dice_count(6, 4, Message("put all the dice in the set into the tray"))
    calibration.now = replace(
        START,
        checks=(advice,),
        learning=DiceProgress(12, 12, learnt=True, words=dice),
        trials=(SelfTestThrow((1, 2, 3, 4), passed=False, words=trial),),
    )
    state = client.get(API, headers=german).json
    calibration.refusal = Message("The tray is empty: throw the dice, then read them.")
    refused = client.post(f"{API}/learn", json={}, headers=german)
    page = client.get("/calibrate", headers=german).text

    assert (
        state["checks"][0]["verdict"] == "Eine Lampe spiegelt sich in 1,2\u00a0% des Würfelbretts."
    )
    assert state["checks"][0]["advice"] == "Leg die Würfel auf das Würfelbrett."
    assert state["learning"]["words"].startswith("Würfel: weiß, Augen: schwarz; 13 neben")
    assert state["trials"][0]["words"].startswith("Erwartet: 6 Würfel, gesehen: 4")
    assert refused.json["detail"].startswith("Das Würfelbrett ist leer")
    assert "Wo ist das Würfelbrett?" in page
    assert "Zuletzt gespeichert" in page


def test_state_is_plain_json(client):
    state = client.get(API).json

    assert state["tray"] == [list(corner) for corner in TRAY]
    assert state["checks"] == [
        {"name": "light", "ok": False, "verdict": "It is dark.", "advice": "Add light."}
    ]
    assert state["trials"][0]["values"] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("step", CalibrationStep)
def test_step_needs_no_body(client, calibration, step):
    assert client.post(f"{API}/{step}").json["camera"] == "imx708"
    assert calibration.calls == [("do", step)]


def test_corners_are_set_with_and_without_a_set_aside_area(client, calibration):
    aside = [[0.85, 0.1], [0.95, 0.1], [0.95, 0.9], [0.85, 0.9]]
    client.post(f"{API}/place", json={"tray": TRAY, "aside": aside})
    client.post(f"{API}/place", json={"tray": TRAY, "aside": None})

    assert calibration.calls == [
        ("set_corners", TRAY, tuple(map(tuple, aside))),
        ("set_corners", TRAY, None),
    ]


@pytest.mark.parametrize(
    ("route", "body", "detail"),
    [
        ("place", {}, "tray is missing"),
        ("place", {"tray": [[0, 0]]}, "4 points"),
        ("place", {"tray": [[0, 0], [1, 0], [1, 1], [0, "1"]]}, "4 points"),
        ("place", {"tray": [[0, 0], [1, 0], [1, 1], [0, 9]]}, "4 points"),
        ("place", {"tray": [[0, 0], [1, 0], [1, 1], [True, 1]]}, "4 points"),
        ("listen", {"to": "me"}, 'one of "", button, learn, test'),
        ("show", {"colour": "pink"}, "red, green, blue"),
        ("lamp", {"colour": "", "seen": True}, "red, green, blue"),
        ("lamp", {"colour": "red"}, "seen is missing"),
        ("find", {"now": True}, "unknown field"),
    ],
)
def test_wrong_body_is_refused_with_the_reason(client, route, body, detail):
    answer = client.post(f"{API}/{route}", json=body)

    assert answer.status_code == 400
    assert detail in answer.json["detail"]


def test_only_the_scorekeepers_page_keeps_button_and_lamp_for_the_calibration(client, calibration):
    client.application.test_client().get(API)
    assert calibration.calls == []

    client.get(API)
    assert calibration.calls == [("keep_alive",)]


def test_button_use_and_lamp_are_set(client, calibration):
    client.post(f"{API}/listen", json={"to": "learn"})
    client.post(f"{API}/listen", json={"to": ""})
    client.post(f"{API}/show", json={"colour": "blue"})
    client.post(f"{API}/lamp", json={"colour": "blue", "seen": False})

    assert calibration.calls == [
        ("set_button_use", "learn"),
        ("set_button_use", ""),
        ("show_colour", "blue"),
        ("confirm_colour", "blue", False),
    ]


def test_refusal_is_a_problem_with_the_remedy(client, calibration):
    calibration.refusal = Message("The tray is empty: throw the dice, then read them.")
    answer = client.post(f"{API}/learn")

    assert answer.status_code == 409
    assert answer.json["detail"] == str(calibration.refusal)


def test_page_of_another_site_cannot_calibrate(client, calibration):
    answer = client.post(f"{API}/save", headers={"Origin": "http://elsewhere.example"})

    assert answer.status_code == 403
    assert calibration.calls == []


def test_image_is_never_cached(client, calibration):
    answer = client.get(f"{API}/picture.jpg")
    assert (answer.data, answer.headers["Cache-Control"]) == (b"a picture", "no-store")

    calibration.jpeg = None
    assert client.get(f"{API}/picture.jpg").status_code == 404


def test_table_without_calibration_refuses():
    client = as_scorekeeper(make_app(MemoryTable()))

    assert client.get(API).status_code == 409
    assert client.post(f"{API}/find").status_code == 409


def test_page_has_no_inline_script_or_style(client):
    html = client.get("/calibrate").text

    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=", html)
    assert "Where is the tray?" in html


def test_board_links_to_the_calibration_and_shows_changes():
    table = MemoryTable()
    client = as_scorekeeper(make_app(table))
    assert "Calibrate the camera" not in client.get("/").text

    table.show(camera="imx708", simulated=False, calibrated=False)
    assert "Calibrate the camera" in client.get("/").text
    table.show(calibrated=True, notice="The tray has moved.")
    assert "The tray has moved." in client.get("/").text
    assert client.get("/healthz").json == {
        "status": "ok",
        "version": version("traykeeper"),
        "notice": "The tray has moved.",
    }
    assert client.get("/api/v1/state").json["notice"] == "The tray has moved."


def test_join_card_has_the_address_and_a_qr_code():
    table = MemoryTable()
    client = as_scorekeeper(make_app(table))
    assert "not known yet" in client.get("/join").text

    table.show(join_url="http://traykeeper.local:8000/")
    html = client.get("/join").text
    assert "traykeeper.local:8000" in html
    assert 'class="qr"' in html
