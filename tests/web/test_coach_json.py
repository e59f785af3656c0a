"""What the coach says, on the page and in the API."""

import re

import pytest

from game.commands import Bank, EnterThrow, RecordEvent, StartMatch, Undo
from game.match.events import Farkled, ScoreSet, TurnSet
from game.message import Message
from web.contracts import Coaching, CoachMode


@pytest.fixture
def live(table):
    table.do(StartMatch(("Anna", "Ben")))
    table.advise(CoachMode.LIVE)
    return table


def text(client, **headers):
    page = client.get("/sections", headers=headers).text
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_coach_says_nothing_until_it_is_turned_on(client, table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 3, 4, 6, 6)))

    assert client.get("/api/v1/state").json["coach"]["mode"] == "off"
    assert client.get("/api/v1/state").json["keeps"][0]["odds"] is None
    assert 'class="figures' not in client.get("/").text


def test_scorekeeper_sets_the_mode(client, table):
    table.do(StartMatch(("Anna", "Ben")))

    assert client.post("/api/v1/coach", json={"mode": "live"}).json["coach"]["mode"] == "live"
    refused = client.post("/api/v1/coach", json={"mode": "loud"})

    assert refused.status_code == 400
    assert "off, after, why, live" in refused.json["detail"]


def test_every_keep_has_its_odds_and_the_best_is_marked(client, live):
    live.do(EnterThrow((1, 1, 3, 4, 6, 6)))
    keeps = client.get("/api/v1/state").json["keeps"]

    assert [keep["odds"]["rank"] for keep in keeps].count("best") == 1
    for keep in keeps:
        assert 0 < keep["odds"]["throw"] < 1
        assert keep["odds"]["refused"]  # below the opening
    assert "throw again" in text(client)
    assert "farkle 15.7%" in text(client)  # with four dice to throw


def test_coach_shows_the_chance_to_win_before_a_throw(client, live):
    assert "Anna's chance of winning is 5" in text(client)
    assert "a farkle in 3.1%" in text(client)


def test_coach_reviews_a_turn_after_it(client, live):
    live.advise(CoachMode.AFTER)
    live.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    assert client.get("/api/v1/state").json["keeps"][0]["odds"] is None
    live.do(Bank())
    moments = client.get("/api/v1/state").json["coach"]["turn"]

    assert [moment["kind"] for moment in moments] == ["luck", "decision"]
    assert moments[1]["done"] == {"dice": [1, 1, 1], "bank": True}
    assert moments[1]["win"] <= 0
    assert "Anna's last turn" in client.get("/sections").text


def test_caveat_of_three_players_is_shown(client, table):
    table.do(StartMatch(("Anna", "Ben", "Cleo"), rules="greed"))
    table.advise(CoachMode.LIVE)

    assert "is an estimate" in text(client)


@pytest.mark.parametrize(
    ("rules", "left_out"), [("stirler", "taking over"), ("ten-thousand-extras", "penalties")]
)
def test_caveats_are_named(client, table, rules, left_out):
    table.do(StartMatch(("Anna", "Ben"), rules=rules))
    table.advise(CoachMode.LIVE)

    assert left_out in client.get("/api/v1/state").json["coach"]["caveats"]


@pytest.mark.parametrize(
    ("rules", "phrase"),
    [
        ("crappo", "the penalty for a first throw without points"),
        ("play-palace", "hot dice that multiply later points"),
        ("past-times-10000", "that a bank has to exceed the points of the turn before"),
    ],
)
def test_coach_says_which_rules_the_chances_leave_out(client, table, rules, phrase):
    table.do(StartMatch(("Anna", "Ben"), rules=rules))
    table.advise(CoachMode.LIVE)

    assert phrase in client.get("/api/v1/state").json["coach"]["left_out"]
    assert f"leave out: {phrase}" in text(client)


def test_coach_estimates_the_chances_of_a_match_that_is_not_solved(client, table):
    table.do(StartMatch(("Anna", "Ben"), target=7_050))
    table.advise(CoachMode.LIVE)
    table.do(EnterThrow((1, 1, 1, 2, 3, 5)))
    odds = client.get("/api/v1/state").json["keeps"][0]["odds"]

    assert 0.5 < odds["bank"] < 1
    assert 0.5 < odds["throw"] < 1
    assert odds["points"] > 0
    assert "the chance of winning is a rough estimate" in text(client)


def test_page_works_after_a_won_match(client, table):
    table.do(StartMatch(("Anna", "Ben"), target=500))
    table.advise(CoachMode.AFTER)
    table.do(RecordEvent(Farkled()))

    assert client.get("/").status_code == 200


def test_best_choice_is_never_folded_away(client, live):
    live.do(RecordEvent(TurnSet(0, 2_000, 6)))
    live.do(EnterThrow((1, 1, 1, 5, 5, 2)))
    keeps = client.get("/api/v1/state").json["keeps"]
    place = [keep["odds"]["rank"] for keep in keeps].index("best")

    assert ('id="more-keeps" open' in client.get("/sections").text) is (place >= 5)


def test_progress_of_the_calculation_is_shown(client, table):
    table.do(StartMatch(("Anna", "Ben")))
    table.show(coach=Coaching(CoachMode.LIVE, solving=0.43))

    assert "under these rules: 43%" in text(client)
    assert '<progress max="100" value="43"' in client.get("/").text
    never = Message(
        "scores go in steps of %(step)s, so nobody can reach exactly %(target)s", step=50, target=75
    )
    table.show(coach=Coaching(CoachMode.LIVE, trouble=never))
    assert "also erreicht niemand genau 75" in text(client, **{"Accept-Language": "de"})


def test_chance_to_win_is_on_every_board(client, live):
    live.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    best = client.get("/api/v1/state").json["coach"]["win"]

    for path in ("/", "/board"):
        assert f"Chance of winning {best:.1%}" in client.get(path).text


def test_chance_of_a_corrected_turn_in_the_last_round_is_shown(client, live):
    live.do(RecordEvent(ScoreSet(0, 9_900)))
    live.do(RecordEvent(ScoreSet(1, 9_500)))
    live.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    live.do(Bank())
    live.do(RecordEvent(TurnSet(0, 0, 6)))
    live.do(EnterThrow((1, 2, 3, 4, 6, 6)))
    assert "Chance of winning" in text(client)
    live.do(Undo())
    live.do(EnterThrow((2, 3, 3, 4, 6, 6)))

    assert "Luck of the dice" in client.get("/").text


def test_the_board_says_what_the_newest_decision_cost(client, table):
    table.do(StartMatch(("Anna", "Ben"), rules="complete-guide"))
    table.do(EnterThrow((1, 2, 3, 4, 4, 6)))
    table.do(Bank())
    table.advise(CoachMode.WHY)

    decision = client.get("/api/v1/state").json["coach"]["decision"]
    assert (decision["done"]["bank"], decision["best"]["bank"]) == (True, False)
    assert "Throwing again was better by" in client.get("/").text


def test_the_board_says_so_if_a_decision_was_the_best(client, table):
    table.do(StartMatch(("Anna", "Ben"), rules="complete-guide"))
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    table.do(Bank())
    table.advise(CoachMode.WHY)

    assert "That was the best choice." in client.get("/").text
