"""Events that no camera sees, over the API."""

import pytest

from game.commands import StartMatch


@pytest.fixture
def post(client, table):
    table.do(StartMatch(("Anna", "Ben", "Cleo")))

    def send(name, /, **body):
        return client.post(f"/api/v1/{name}", json=body)

    return send


def test_player_joins_leaves_and_is_skipped(post):
    assert post("join", name="Dan").json["players"][3]["name"] == "Dan"
    assert post("leave", seat=1).json["players"][1]["here"] is False
    assert post("skip").json["turn"]["seat"] == 2


def test_order_score_and_turn_are_set(post):
    assert post("order", seats=[2, 1, 0]).status_code == 200
    assert post("score", seat=1, score=3200).json["players"][1]["score"] == 3200
    state = post("turn", seat=2, points=450, dice=3).json
    assert (state["turn"]["seat"], state["at_risk"], state["dice_to_throw"]) == (2, 450, 3)


def test_farkle_is_recorded(post):
    assert post("farkle").json["turns"][0]["ending"] == "farkle"


def test_turn_is_inserted_and_deleted(post, client):
    state = post("insert", turn="111234: 111 = 1000, bank").json
    assert state["players"][0]["score"] == 1000
    state = post("insert", turn="113335: 333 11 5 = 550, bank", before=0).json
    assert [player["score"] for player in state["players"]] == [550, 1000, 0]
    assert "113335: 333 11 5 = 550, bank" in client.get("/api/v1/match.txt").text
    state = post("drop", start=0, stop=2).json
    assert [player["score"] for player in state["players"]] == [1000, 0, 0]


@pytest.mark.parametrize(
    ("name", "body", "status", "detail"),
    [
        ("leave", {"seat": 9}, 409, "that player is not in the match"),
        ("leave", {}, 400, "seat is missing"),
        ("join", {"name": "Anna"}, 409, "another player is already called Anna"),
        ("join", {"name": "Dan", "team": "red"}, 400, "team"),
        ("order", {"seats": [0, 0, 1]}, 409, "each player once: Anna, Ben, Cleo"),
        ("order", {"seats": "012"}, 400, "seats"),
        ("order", {"seats": [0, 1, "x"]}, 400, "whole numbers"),
        ("turn", {"seat": 0, "points": 0, "dice": 7}, 400, "dice"),
        ("insert", {"turn": "dance"}, 409, "is not a throw"),
        ("insert", {"turn": "113346: farkle"}, 409, "says farkle, but the throw does not end"),
        ("insert", {"turn": "!score 1 1000001"}, 409, "a score can be at most 1,000,000"),
        ("insert", {"turn": "!turn 1 1000001 3"}, 409, "points at risk must be 0 to 1,000,000"),
        ("insert", {"turn": "!score 1 " + "9" * 190}, 409, "is unknown"),
        ("score", {"seat": 0, "score": 1_000_001}, 400, "score"),
        ("takeover", {}, 409, "no banked points to take over now"),
        ("drop", {"start": 5, "stop": 9}, 409, "there are no events 5 to 9"),
    ],
)
def test_impossible_event_is_refused_with_the_reason(post, name, body, status, detail):
    answer = post(name, **body)

    assert answer.status_code == status
    assert detail in answer.json["detail"]


def test_no_match_has_no_text(client):
    assert client.get("/api/v1/match.txt").status_code == 404


def test_teams_share_a_score(client, table):
    body = {"names": ["A1", "B1", "A2", "B2"], "teams": [0, 1, 0, 1]}
    players = client.post("/api/v1/match", json=body).json["players"]

    assert [player["team"] for player in players] == [0, 1, 0, 1]
