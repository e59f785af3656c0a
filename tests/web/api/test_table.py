"""The API of the table: its state and its commands."""

import json
from base64 import b64encode

import cv2
import numpy as np
import pytest

from game.commands import (
    AnswerQuestion,
    Bank,
    EnterThrow,
    Hold,
    MarkForeignObject,
    MoveSimulatedButton,
    Press,
    StartMatch,
)
from game.situation import Choice
from web.api.table import MAX_UPLOADS
from web.contracts import Photo, PhotoDie


def post(client, path, **body):
    return client.post(f"/api/v1/{path}", json=body)


def begun(client):
    return post(client, "match", names=["Anna", "Ben"])


def test_match_is_started_with_names_rules_and_target(client):
    answer = post(client, "match", names=["Anna", "Ben"], rules="walnut-studiolo", target=2000)

    assert answer.status_code == 200
    assert answer.json["rules"]["target"] == 2000
    assert [player["name"] for player in answer.json["players"]] == ["Anna", "Ben"]


def test_post_answers_with_the_new_state(client):
    begun(client)

    state = post(client, "dice", dice=[1, 1, 3, 3, 3, 5]).json
    kept = post(client, "keep", dice=[3, 3, 3]).json
    banked = post(client, "bank").json

    assert state["keeps"][0]["score"] == 550
    assert kept["throw"]["kept"] == [3, 3, 3]
    assert banked["players"][0]["score"] == 550
    assert state["version"] < kept["version"] < banked["version"]
    assert client.get("/api/v1/state").json == banked


def test_bank_can_name_its_dice(client):
    begun(client)
    post(client, "dice", dice=[1, 1, 1, 5, 2, 3])

    assert post(client, "bank", dice=[1, 1, 1]).json["players"][0]["score"] == 1000


def test_step_is_undone_and_redone(client):
    begun(client)
    post(client, "dice", dice=[1, 1, 1, 2, 3, 4])

    assert post(client, "undo").json["turn"]["throws"] == []
    assert post(client, "redo").json["turn"]["throws"] != []


def test_newest_throw_or_one_by_its_index_is_corrected(client):
    begun(client)
    post(client, "dice", dice=[1, 1, 1, 2, 3, 4])

    assert post(client, "correct", dice=[1, 1, 5, 2, 3, 4]).json["at_risk"] == 250
    assert post(client, "correct", dice=[5, 1, 1, 1, 3, 4], index=0).json["at_risk"] == 1050


def test_player_is_renamed(client):
    begun(client)

    assert post(client, "rename", seat=1, name="Bea").json["players"][1]["name"] == "Bea"


def test_button_and_tray_are_used(client, table):
    begun(client)
    table.to_throw = [(1, 1, 1, 2, 3, 4)]

    assert post(client, "throw").json["at_risk"] == 1000
    post(client, "button", down=True)
    post(client, "button", down=False)
    post(client, "press")
    post(client, "hold", seconds=1.2)

    assert table.done[-4:] == [
        MoveSimulatedButton(down=True),
        MoveSimulatedButton(down=False),
        Press(),
        Hold(1.2),
    ]


def test_question_is_answered(client, table):
    table.show(question="Did Anna bank?", choices=(Choice("yes", "Yes"),))

    assert post(client, "answer", choice="yes").json["question"] is None
    assert table.done == [AnswerQuestion("yes")]


def test_face_of_a_die_on_the_newest_photo_is_corrected(client, table):
    table.show(photo=Photo("7", 64, 48, (PhotoDie(None, 0, 0, 1, 1, 0, "tray", "cocked"),)))

    assert post(client, "face", photo="7", die=0, face=5).json["photo"]["dice"][0]["value"] == 5
    stale = post(client, "face", photo="6", die=0, face=5)
    assert (stale.status_code, stale.json["detail"]) == (
        409,
        "That photo is out of date: use the newest one.",
    )
    assert post(client, "face", photo="7", die=0, face=7).status_code == 400


def test_object_on_the_newest_photo_is_marked_as_not_a_die(client, table):
    dice = (
        PhotoDie(2, 0, 0, 1, 1, 0, "tray", None),
        PhotoDie(None, 0, 0, 1, 1, 0, "tray", "cocked"),
    )
    table.show(photo=Photo("7", 64, 48, dice))

    left = post(client, "not-a-die", photo="7", die=1).json["photo"]["dice"]
    assert [die["value"] for die in left] == [2]
    assert table.done == [MarkForeignObject("7", 1)]
    assert post(client, "not-a-die", photo="6", die=0).status_code == 409
    assert post(client, "not-a-die", photo="7").status_code == 400


def test_rematch_needs_a_won_match(client, table):
    table.do(StartMatch(("Anna", "Ben"), target=1000))
    assert post(client, "rematch").status_code == 409
    table.do(EnterThrow((1, 1, 1, 2, 3, 3)))
    table.do(Bank())
    table.do(EnterThrow((2, 2, 3, 3, 4, 6)))

    state = post(client, "rematch").json
    assert (state["winner"], state["turn"]["seat"]) == (None, 1)


def test_overlong_hold_is_refused(client, table):
    answer = post(client, "hold", seconds=10.5)

    assert answer.json["detail"] == "seconds: a number from 0 to 10, not 10.5"
    assert table.done == []


def test_press_needs_no_body(client):
    assert client.post("/api/v1/press").status_code == 200


def test_rule_sets_are_listed(client):
    names = [rules["name"] for rules in client.get("/api/v1/rules").json]

    assert "walnut-studiolo" in names


def test_photo_is_a_jpeg_that_may_be_cached(client, table):
    table.album["p1"] = b"\xff\xd8 jpeg"

    answer = client.get("/api/v1/photo/p1.jpg")

    assert (answer.data, answer.mimetype) == (b"\xff\xd8 jpeg", "image/jpeg")
    assert "immutable" in answer.headers["Cache-Control"]


def test_clip_of_a_photo_is_motion_jpeg(client, table):
    table.album["p1.mjpeg"] = b"\xff\xd8 frames"
    answer = client.get("/api/v1/photo/p1.mjpeg")
    missing = client.get("/api/v1/photo/p2.mjpeg")

    assert (answer.data, answer.mimetype) == (b"\xff\xd8 frames", "video/x-motion-jpeg")
    assert (missing.status_code, "setting `clips`" in missing.json["detail"]) == (404, True)


@pytest.mark.parametrize("name", ["<script>", 'a"b', "O'Neil & Søn", "🎲 dice"])
def test_names_come_back_unchanged(client, name):
    answer = post(client, "match", names=[name, "Ben"])

    assert answer.json["players"][0]["name"] == name
    assert json.loads(answer.data)


def test_view_is_the_live_image(client, table):
    assert client.get("/api/v1/view.jpg").status_code == 404
    table.album["view"] = b"jpeg"

    answer = client.get("/api/v1/view.jpg")
    assert answer.data == b"jpeg"
    assert answer.headers["Cache-Control"] == "no-store"


def test_points_of_a_throw_are_known_before_it_is_entered(client):
    assert client.get("/api/v1/points/1").status_code == 404  # there is no match yet
    begun(client)

    for faces, points in (("5", 50), ("135", 150), ("1135", 250), ("234466", 0)):
        assert client.get(f"/api/v1/points/{faces}").json == {"points": points}
    for impossible in ("7", "1a", "1111111"):
        assert client.get(f"/api/v1/points/{impossible}").status_code == 404


def test_points_of_a_throw_after_hot_dice_are_multiplied_although_the_keep_is_still_open(client):
    post(client, "match", names=["Anna", "Ben"], rules="play-palace")
    post(client, "dice", dice=[1, 1, 1, 5, 5, 5])
    points = client.get("/api/v1/points/122346").json["points"]
    post(client, "keep", dice=[1, 1, 1, 5, 5, 5])
    state = post(client, "dice", dice=[1, 2, 2, 3, 4, 6]).json

    assert points == state["keeps"][0]["score"] == 20


def test_the_bank_that_the_state_offers_after_hot_dice_that_multiply_is_accepted(client):
    post(client, "match", names=["Anna", "Ben"], rules="play-palace")
    post(client, "dice", dice=[1, 1, 1, 5, 5, 5])
    hot = post(client, "keep", dice=[1, 1, 1, 5, 5, 5]).json["at_risk"]
    offered = post(client, "dice", dice=[1, 2, 2, 3, 4, 6]).json["bank"]
    banked = post(client, "bank", dice=offered["dice"], points=offered["points"])

    assert offered["points"] == hot + 20
    assert banked.status_code == 200, banked.json["detail"]
    assert banked.json["players"][0]["score"] == offered["points"]


def test_a_bank_before_the_second_try_of_the_last_die_is_refused_with_the_reason(client):
    post(client, "match", names=["Anna", "Ben"], rules="ten-thousand-extras")
    post(client, "dice", dice=[1, 1, 1, 2, 5, 5])
    post(client, "keep", dice=[1, 1, 1, 5, 5])
    shown = post(client, "dice", dice=[2]).json
    answer = post(client, "bank", points=shown["bank"]["points"])

    assert (shown["at_risk"], shown["bank"]["points"]) == (1100, 0)
    assert (answer.status_code, answer.json["detail"]) == (409, shown["bank"]["refusal"])
    assert "throw the last die once more" in shown["bank"]["refusal"]


@pytest.mark.parametrize(("path", "body"), [("bank", {}), ("keep", {"dice": [1, 1, 1]})])
def test_nothing_is_banked_or_kept_while_a_throw_is_read(client, path, body):
    begun(client)
    post(client, "dice", dice=[1, 1, 1, 2, 3, 4])
    post(client, "press")
    refused = post(client, path, **body)

    assert refused.status_code == 409
    assert "still moving" in refused.json["detail"]
    assert client.get("/api/v1/state").json["players"][0]["score"] == 0


@pytest.mark.parametrize("body", [{"points": 900}, {"step": 0}])
def test_bank_of_other_points_or_at_another_step_is_refused(client, body):
    begun(client)
    step = post(client, "dice", dice=[1, 1, 1, 2, 3, 4]).json["step"]

    assert post(client, "bank", **body).status_code == 409
    assert post(client, "bank", points=1000, step=step).status_code == 200


def test_command_for_an_earlier_throw_or_step_is_refused(client):
    begun(client)
    before = post(client, "dice", dice=[1, 1, 1, 2, 3, 4]).json
    post(client, "bank", dice=[1, 1, 1], throw=before["throw"]["index"])
    now = post(client, "dice", dice=[1, 1, 1, 2, 3, 4]).json

    throw, step = before["throw"]["index"], before["step"]
    answers = [
        post(client, "keep", dice=[1, 1, 1], throw=throw),
        post(client, "bank", dice=[1, 1, 1], throw=throw),
        post(client, "dice", dice=[1, 1, 1], step=step),
        post(client, "undo", step=step),
    ]

    assert [answer.status_code for answer in answers] == [409] * 4
    assert "The match has moved on" in answers[0].json["detail"]
    assert client.get("/api/v1/state").json["version"] == now["version"]
    assert post(client, "undo", step=now["step"]).json["step"] == now["step"] + 1


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("redo", {}), ("skip", {}), ("farkle", {}), ("score", {"seat": 0, "score": 5000}),
        ("turn", {"seat": 1, "points": 450, "dice": 3}), ("drop", {"start": 0, "stop": 1}),
        ("insert", {"turn": "111234: 111 = 1000, bank"}), ("rename", {"seat": 0, "name": "Anne"}),
        ("correct", {"dice": [1, 1, 1, 1, 3, 4]}), ("dice", {"dice": [1, 2, 3]}),
    ],
)  # fmt: skip
def test_a_change_that_was_aimed_at_an_earlier_step_says_what_the_match_is_at(client, path, body):
    begun(client)
    shown = post(client, "dice", dice=[1, 1, 1, 2, 3, 4]).json["step"]
    now = post(client, "bank").json
    refused = post(client, path, **body, step=shown)

    assert refused.status_code == 409
    assert refused.json["detail"].endswith("Ben throws.")
    assert client.get("/api/v1/state").json["step"] == now["step"]


def test_the_state_says_why_nothing_can_be_banked(client):
    begun(client)
    assert post(client, "dice", dice=[1, 1, 1, 2, 3, 4]).json["unread_throw"] is None

    assert "still moving" in post(client, "press").json["unread_throw"]


def test_an_answer_to_an_earlier_question_is_refused(client, table):
    begun(client)
    table.offer("The first")
    first = table.snapshot().choices[0].id
    table.offer("The second")

    assert post(client, "answer", choice=first).status_code == 409


@pytest.mark.parametrize("path", ["skip", "farkle"])
def test_event_of_a_player_who_is_not_on_turn_is_refused(client, path):
    begun(client)

    assert post(client, path, on_turn=1).status_code == 409
    assert post(client, path, on_turn=0).json["players"][1]["on_turn"]


def png_of(grey):
    return cv2.imencode(".png", np.full((9, 9), grey, np.uint8))[1].tobytes()


def test_two_pictures_that_are_sent_at_the_same_time_are_not_mixed(client, table):
    pictures = [png_of(grey) for grey in (0, 9)]
    uploads = ("a", "b")
    for start, stop in ((0, 40), (40, None)):
        for upload, picture in zip(uploads, pictures, strict=True):
            part = b64encode(picture[start:stop]).decode()
            body = {"at": start, "part": part, "upload": upload}
            assert client.post("/api/v1/picture/part", json=body).status_code == 200
    for upload in uploads:
        client.post("/api/v1/picture", json={"upload": upload})

    assert [done.picture for done in table.done[-2:]] == pictures


def test_the_picture_that_has_waited_longest_is_dropped_for_others(client):
    part = b64encode(png_of(0)).decode()
    for upload in range(MAX_UPLOADS + 1):
        body = {"at": 0, "part": part, "upload": str(upload)}
        at = client.post("/api/v1/picture/part", json=body).json["at"]
    statuses = [
        client.post(
            "/api/v1/picture/part", json={"at": at, "part": "", "upload": upload}
        ).status_code
        for upload in ("0", "1")
    ]

    assert statuses == [409, 200]
