"""The calibration's part of the API, over a calibration in memory."""

import re
from dataclasses import replace
from importlib.metadata import version

import pytest

from device.session.messages import expected
from game.message import Message, Percentage
from game.situation import TableError
from tests.web.conftest import MemoryTable, holding, make_app
from web.contracts.calibration import (
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
    """Notes what it is asked, and refuses what it is told to."""

    def __init__(self):
        self.asked = []
        self.refusal = None
        self.jpeg = b"a picture"
        self.now = START

    def state(self):
        return self.now

    def picture(self):
        return self.jpeg

    def set_corners(self, tray, aside):
        self.asked.append(("set_corners", tray, aside))
        return replace(START, tray=tray, aside=aside)

    def confirm_colour(self, colour, *, seen):
        self.asked.append(("confirm_colour", colour, seen))
        return START

    def __getattr__(self, name):
        def ask(*given):
            if self.refusal:
                raise TableError(self.refusal)
            self.asked.append((name, *given))
            return START

        return ask


@pytest.fixture
def calibration():
    return MemoryCalibration()


@pytest.fixture
def client(calibration):
    return holding(make_app(MemoryTable(), calibration=calibration))


def test_a_phone_is_told_in_its_language(client, calibration):
    german = {"Accept-Language": "de"}
    glare = Message("A lamp is mirrored in %(share)s of the tray.", share=Percentage(0.012, 1))
    advice = replace(START.checks[0], verdict=glare, advice=Message("Put the dice in it."))
    dice = Message(
        "%(body)s dice with %(pips)s pips, %(n)s of them in a row as wide as the tray",
        body=Message("white"),
        pips=Message("black"),
        n=13,
    )
    trial = expected(6, 4, Message("all dice of the set are needed"))
    calibration.now = replace(
        START,
        checks=(advice,),
        learning=DiceProgress(12, 12, learnt=True, words=dice),
        trials=(SelfTestThrow((1, 2, 3, 4), passed=False, words=trial),),
    )
    told = client.get(API, headers=german).json
    calibration.refusal = Message("The tray is empty: throw the dice, then read them.")
    refused = client.post(f"{API}/learn", json={}, headers=german)
    page = client.get("/calibrate", headers=german).text

    assert told["checks"][0]["verdict"] == "Eine Lampe spiegelt sich in 1,2\u00a0% des Tabletts."
    assert told["checks"][0]["advice"] == "Leg die Würfel hinein."
    assert told["learning"]["words"].startswith("Würfel: weiß, Augen: schwarz; 13 neben")
    assert told["trials"][0]["words"].startswith("Erwartet: sechs Würfel, gesehen: 4")
    assert refused.json["detail"].startswith("Das Tablett ist leer")
    assert "Wo ist das Tablett?" in page
    assert "Zuletzt gespeichert" in page


def test_the_state_is_plain_json(client):
    state = client.get(API).json

    assert state["tray"] == [list(corner) for corner in TRAY]
    assert state["checks"] == [
        {"name": "light", "ok": False, "verdict": "It is dark.", "advice": "Add light."}
    ]
    assert state["trials"][0]["values"] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("step", CalibrationStep)
def test_what_is_asked_without_a_body(client, calibration, step):
    assert client.post(f"{API}/{step}").json["camera"] == "imx708"
    assert calibration.asked == [("do", step)]


def test_corners_are_placed_with_and_without_a_zone(client, calibration):
    zone = [[0.85, 0.1], [0.95, 0.1], [0.95, 0.9], [0.85, 0.9]]
    client.post(f"{API}/place", json={"tray": TRAY, "aside": zone})
    client.post(f"{API}/place", json={"tray": TRAY, "aside": None})

    assert calibration.asked == [
        ("set_corners", TRAY, tuple(map(tuple, zone))),
        ("set_corners", TRAY, None),
    ]


@pytest.mark.parametrize(
    ("route", "body", "told"),
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
        ("find", {"now": True}, "is no field here"),
    ],
)
def test_what_does_not_hold_is_told(client, route, body, told):
    answer = client.post(f"{API}/{route}", json=body)

    assert answer.status_code == 400
    assert told in answer.json["detail"]


def test_only_the_holders_page_keeps_button_and_lamp_from_the_match(client, calibration):
    client.application.test_client().get(API)
    assert calibration.asked == []

    client.get(API)
    assert calibration.asked == [("keep_alive",)]


def test_what_a_press_is_for_and_the_lamp(client, calibration):
    client.post(f"{API}/listen", json={"to": "learn"})
    client.post(f"{API}/listen", json={"to": ""})
    client.post(f"{API}/show", json={"colour": "blue"})
    client.post(f"{API}/lamp", json={"colour": "blue", "seen": False})

    assert calibration.asked == [
        ("set_button_use", "learn"),
        ("set_button_use", ""),
        ("show_colour", "blue"),
        ("confirm_colour", "blue", False),
    ]


def test_a_refusal_is_a_problem_with_the_remedy(client, calibration):
    calibration.refusal = Message("The tray is empty: throw the dice, then read them.")
    answer = client.post(f"{API}/learn")

    assert answer.status_code == 409
    assert answer.json["detail"] == str(calibration.refusal)


def test_another_sites_page_may_not_calibrate(client, calibration):
    answer = client.post(f"{API}/save", headers={"Origin": "http://elsewhere.example"})

    assert answer.status_code == 403
    assert calibration.asked == []


def test_the_picture_is_never_kept(client, calibration):
    answer = client.get(f"{API}/picture.jpg")
    assert (answer.data, answer.headers["Cache-Control"]) == (b"a picture", "no-store")

    calibration.jpeg = None
    assert client.get(f"{API}/picture.jpg").status_code == 404


def test_a_table_without_calibration_says_so():
    client = holding(make_app(MemoryTable()))

    assert client.get(API).status_code == 409
    assert client.post(f"{API}/find").status_code == 409


def test_the_page_holds_no_script_and_no_style_of_its_own(client):
    html = client.get("/calibrate").text

    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=", html)
    assert "Where is the tray?" in html


def test_the_board_leads_to_it_and_says_what_has_changed():
    table = MemoryTable()
    client = holding(make_app(table))
    assert "Fit the camera to your tray" not in client.get("/").text

    table.show(camera="imx708", simulated=False, calibrated=False)
    assert "Fit the camera to your tray" in client.get("/").text
    table.show(calibrated=True, notice="The tray has moved.")
    assert "The tray has moved." in client.get("/").text
    assert client.get("/healthz").json == {
        "status": "ok",
        "version": version("traykeeper"),
        "notice": "The tray has moved.",
    }
    assert client.get("/api/v1/state").json["notice"] == "The tray has moved."


def test_the_join_card_has_the_address_and_its_code():
    table = MemoryTable()
    client = holding(make_app(table))
    assert "not known yet" in client.get("/join").text

    table.show(join_url="http://traykeeper.local:8000/")
    html = client.get("/join").text
    assert "traykeeper.local:8000" in html
    assert 'class="qr"' in html
