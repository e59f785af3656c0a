"""Every error of the API is a JSON problem with a remedy, without HTML or a traceback."""

import pytest

from game.commands import EnterThrow, StartMatch

JSON = "application/json"


def is_problem(answer, status):
    assert answer.status_code == status
    assert answer.mimetype == "application/problem+json"
    assert set(answer.json) == {"title", "status", "detail"}
    assert answer.json["status"] == status
    assert answer.json["detail"]
    assert "Traceback" not in answer.text
    return True


BAD_BODIES = [
    ("keep", b"{", JSON, 400, "not valid JSON"),
    ("keep", b"[" * 5000, JSON, 400, "not valid JSON"),
    ("keep", b"[1, 2]", JSON, 400, "must be a JSON object"),
    ("keep", b"\xff\xfe\x00", JSON, 400, "not valid JSON"),
    ("keep", b'{"dice": [1], "more": 1}', JSON, 400, "unknown field 'more'"),
    ("keep", b"{}", JSON, 400, "dice is missing"),
    ("keep", b'{"dice": [7]}', JSON, 400, "a die shows 1 to 6, not 7"),
    ("keep", b'{"dice": [' + b"1," * 99 + b"1]}", JSON, 400, "a list of 1 to 20 items"),
    ("keep", b'{"dice": [1' + b"0" * 5000 + b"]}", JSON, 400, "not valid JSON"),
    ("dice", b'{"dice": "1 1"}', JSON, 400, "a list of 1 to 20 items"),
    ("bank", b'{"dice": 1}', JSON, 400, "a list of 1 to 20 items"),
    ("hold", b'{"seconds": NaN}', JSON, 400, "a number from 0 to 10"),
    ("hold", b'{"seconds": -1}', JSON, 400, "a number from 0 to 10"),
    ("button", b'{"down": "yes"}', JSON, 400, "true or false"),
    ("correct", b'{"dice": [1], "index": -1}', JSON, 400, "a whole number from 0"),
    ("match", b'{"names": "Anna"}', JSON, 400, "a list of 1 to 40 items"),
    ("match", b'{"names": [1, 2]}', JSON, 400, "text of at most"),
    ("match", b'{"names": ["A", "B"], "target": 0}', JSON, 400, "a whole number from 1"),
    ("rename", b'{"seat": 0}', JSON, 400, "name is missing"),
    ("answer", b'{"choice": 1}', JSON, 400, "text of at most"),
    ("press", b'{"hard": true}', JSON, 400, "unknown field 'hard': no fields are needed"),
    ("press", b"a=1", "application/x-www-form-urlencoded", 415, "application/json"),
    ("keep", b'{"dice": [1]}', "text/plain", 415, "application/json"),
    ("keep", b" " * 20_000, JSON, 413, "too large"),
]


@pytest.mark.parametrize("case", BAD_BODIES)
def test_bad_body_is_a_problem(client, case):
    path, body, content_type, status, detail = case

    answer = client.post(f"/api/v1/{path}", data=body, content_type=content_type)

    assert is_problem(answer, status)
    assert detail in answer.json["detail"]


@pytest.mark.parametrize(
    ("path", "body", "detail"),
    [
        ("keep", {"dice": [2]}, "no 2 in this throw"),
        ("keep", {"dice": [3]}, "a single 3 does not score"),
        ("bank", {}, "short of the 500 needed to get on the board"),
        ("dice", {"dice": [1] * 7}, "dice"),
        ("redo", {}, "nothing to redo"),
        ("match", {"names": ["Anna"]}, "2 to 20 players"),
        ("match", {"names": ["Anna", "Anna"]}, "two players are called Anna"),
        ("match", {"names": ["A", "B"], "rules": "chess"}, "there is no rule set 'chess'"),
        ("rename", {"seat": 5, "name": "X"}, "that seat does not exist"),
        ("answer", {"choice": "x"}, "That choice is no longer available"),
        ("correct", {"dice": [1], "index": 99}, "event 99 is not a throw"),
        ("throw", {}, "not gathered"),
    ],
)
def test_refusal_by_the_rules_is_a_conflict_with_their_message(client, table, path, body, detail):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 3, 3, 4, 6, 6)))
    before = table.snapshot()

    answer = client.post(f"/api/v1/{path}", json=body)

    assert is_problem(answer, 409)
    assert detail in answer.json["detail"]
    assert table.snapshot() is before


def test_unknown_address_is_a_problem(client):
    assert is_problem(client.get("/api/v1/nothing"), 404)
    assert is_problem(client.get("/api/v1/photo/gone.jpg"), 404)


def test_wrong_method_is_a_problem_that_names_the_right_one(client):
    answer = client.get("/api/v1/keep")

    assert is_problem(answer, 405)
    assert "POST" in answer.headers["Allow"]


def test_crash_is_a_problem_and_is_logged(client, table, monkeypatch, caplog):
    monkeypatch.setattr(table, "do", lambda _: 1 // 0)

    answer = client.post("/api/v1/press")

    assert is_problem(answer, 500)
    assert "division" not in answer.text
    assert "POST /api/v1/press failed" in caplog.text


def test_unknown_page_is_a_page(client):
    answer = client.get("/scores")

    assert (answer.status_code, answer.mimetype) == (404, "text/html")
    assert "Back to the scoreboard" in answer.text


def test_common_refusals_are_in_the_language_of_the_phone(client, table):
    table.do(StartMatch(("Anna", "Ben")))
    refused = client.post("/api/v1/undo", json={}, headers={"Accept-Language": "de"})

    assert refused.json["detail"] == "es gibt nichts rückgängig zu machen"
    assert client.post("/api/v1/undo", json={}).json["detail"] == "there is nothing to undo"
