"""The pages of past matches, players and dice, over a real journal."""

import re
import time
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from game.errors import JournalError, OddsError
from game.journal import history as module
from game.journal.history import History
from game.journal.journal import Journal
from game.match.events import (
    Banked,
    Bot,
    Kept,
    Renamed,
    ScoreSet,
    Skipped,
    Thrown,
    TookOver,
    TurnSet,
)
from game.match.match import Match
from game.rules.rule_files import load
from game.rules.ruleset import Piggyback
from game.situation import Situation
from tests.web.conftest import RULES, as_scorekeeper, make_app
from tests.web.evening import SHORT, THREE, AtOnce, journal_of, played, reviewed
from web import concurrency_limit
from web.app import MAX_HISTORY_REQUESTS
from web.pages.charts import HIGH, WIDE, win_curve
from web.pages.matches import MAX_ANSWERS, PAGE_SIZE, CachedHistory, card, frames

BEGUN = Match.start(load("ten-thousand-extras"), ["Anna", "Ben"])


@pytest.mark.parametrize(
    ("match", "ending"),
    [
        (BEGUN.throw((1, 1, 1, 2, 3, 4)).bank(), "bank"),
        (BEGUN.throw((2, 3, 3, 4, 6, 6)), "farkle"),
        (BEGUN.throw((2, 2, 2, 2, 3, 4)), "reset"),
        (BEGUN.throw((3, 3, 3, 3, 3, 3)), "win"),
        (BEGUN.throw((1, 1, 1, 2, 3, 4)).push(Skipped()), "skip"),
        (BEGUN.throw((1, 1, 1, 2, 3, 4)).push(TurnSet(0, 0, 6)), "skip"),
    ],
)
def test_last_throw_of_a_turn_has_its_ending(match, ending):
    assert [frame.ending for frame in frames(match)] == [ending]


def test_earlier_throw_has_no_ending():
    match = BEGUN.throw((1, 1, 1, 2, 3, 4)).keep((1, 1, 1)).throw((1, 2, 3)).bank()

    assert [(frame.ending, frame.points) for frame in frames(match)] == [
        (None, None),
        ("bank", 1_100),
    ]


BAD = "<i>O'Neill"


@pytest.fixture(scope="module")
def match():
    return played(("Anna", BAD))


@pytest.fixture
def history(tmp_path, match):
    return journal_of(tmp_path, match)


@pytest.fixture
def coach(history):
    return AtOnce(history)


@pytest.fixture
def client(table, history, coach):
    return as_scorekeeper(make_app(table, history=history, coach=coach))


def test_list_shows_the_winner_of_each_match(client):
    page = client.get("/matches").text

    assert "&lt;i&gt;O&#39;Neill" in page
    assert " won" in page
    assert client.get("/matches/last").location == "/matches/1"


@pytest.fixture
def new_york(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "EST+5")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("new_york")
@pytest.mark.parametrize("page", ["/matches", "/matches/1", "/matches/1/card.svg"])
def test_match_has_the_local_date(table, tmp_path, page):
    nine_in_the_evening = datetime(2026, 11, 23, 2, tzinfo=UTC).timestamp()
    journal = Journal.open(tmp_path / "journal.db", clock=lambda: nine_in_the_evening)
    journal.start(Match.start(RULES, THREE))
    journal.close()
    history = History(journal.path)
    client = as_scorekeeper(make_app(table, history=history, coach=AtOnce(history)))

    assert "November 22, 2026" in client.get(page).text


def test_match_page_shows_curve_luck_decisions_and_turning_point(client):
    page = client.get("/matches/1").text

    for words in (
        "Chance of winning",
        "The turning point",
        "Luck and decisions",
        "Farkles per throw",
    ):
        assert words in page
    assert BAD not in page
    assert "data-wait" not in page


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (Match.start(SHORT, THREE), "is an estimate"),
        (Match.start(load("everything2"), THREE).push(ScoreSet(2, 10_000)), "is an estimate"),
        (Match.start(SHORT, THREE, teams=[1, 2, 1]), "is calculated for two"),
        (
            Match.start(load("stirler"), ("Anna", "Ben")),
            "taking over the points that another player has banked",
        ),
        (
            Match.start(load("ten-thousand-extras"), ("Anna", "Ben")),
            "three first throws without points",
        ),
    ],
)
def test_limits_of_the_calculated_chance_are_explained(table, tmp_path, start, said):
    history = journal_of(tmp_path, start.throw((2, 2, 3, 4, 6, 6)[: start.rules.n_dice]))
    page = (
        as_scorekeeper(make_app(table, history=history, coach=AtOnce(history)))
        .get("/matches/1")
        .text
    )

    assert said in page
    assert ("is calculated for two" in page) is (said == "is calculated for two")


def test_pages_wait_while_the_coach_is_working(client, coach):
    coach.ready = False

    assert "data-wait" in client.get("/matches/1").text
    for path in ("/players", "/dice"):
        assert "Counting all matches" in client.get(path).text
    for path in ("matches/1/review", "players", "dice-sets"):
        answer = client.get(f"/api/v1/{path}")
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")


def test_review_in_json_adds_up(client, match):
    found = client.get("/api/v1/matches/1/review").json

    assert [player["name"] for player in found["players"]] == ["Anna", BAD]
    assert found["curve"][0]["win"] == pytest.approx(0.53, abs=0.05)
    for seat, player in enumerate(found["players"]):
        given = [m["points"] for m in found["moments"] if m["seat"] == seat and m["done"]]
        assert player["decisions"]["points"] == pytest.approx(sum(given))
        assert player["decisions"]["win"] <= 0


def test_curve_stays_within_its_frame(match):
    for each in (match, played(THREE, rules=SHORT)):
        drawn = win_curve(each, reviewed(each))
        root = ET.fromstring(drawn)  # noqa: S314 - our own drawing
        for path in root.iter("path"):
            for pair in path.get("d").strip("MZ").replace("M", "L").split("L"):
                x, y = pair.split("V")[0].split("H")[0].split()
                assert 0 <= float(x) <= WIDE
                assert 0 <= float(y) <= HIGH


def test_share_card_needs_no_other_file(client, match):
    answer = client.get("/matches/1/card.svg")
    root = ET.fromstring(answer.text)  # noqa: S314 - our own drawing

    assert answer.mimetype == "image/svg+xml"
    assert BAD in "".join(root.itertext())
    assert "href" not in answer.text


@pytest.mark.parametrize("players", [2, 6, 8, 9, 20])
def test_share_card_prints_no_player_over_the_mark(players):
    found = card(Match.start(RULES, [f"P{n}" for n in range(players)]), "")
    rows = [float(y) for y in re.findall(r'y="(\d+)"[^>]*>(?:P\d+|and)', found)]
    mark, size = re.search(r'y="(\d+)" font-size="(\d+)"[^>]*>Traykeeper', found).groups()

    assert len(rows) == min(players, 8)
    assert max(rows) < float(mark) - float(size)
    assert ("more<" in found) is (players > 8)


def test_share_card_shows_a_team_with_one_score():
    match = Match.start(RULES, ["Anna", "Ben", "Cleo", "Dan"], teams=[1, 2, 1, 2])
    found = card(match.throw((1, 1, 1, 2, 3, 4)).bank(), "")

    assert found.count("<circle") == 2
    assert re.findall(r"(Anna|Ben|Cleo|Dan)<", found) == ["Anna", "Cleo", "Ben", "Dan"]


@pytest.mark.parametrize("path", ["/matches", "/matches/1", "/evening"])
def test_past_match_lists_the_players_by_score(table, tmp_path, path):
    match = Match.start(RULES, THREE).push(ScoreSet(1, 900), ScoreSet(2, 1200))
    client = as_scorekeeper(make_app(table, history=journal_of(tmp_path, match)))
    page = client.get(path).text

    assert page.index("Cleo") < page.index("Ben") < page.index("Anna")


def test_players_have_statistics(client):
    anna = next(each for each in client.get("/api/v1/players").json if each["name"] == "Anna")

    assert anna["matches"] == 1
    assert 0 < anna["expected_rate"] < 1
    assert "expected" in client.get("/players").text


def test_a_player_has_a_rating_after_five_matches_against_a_bot(table, tmp_path):
    won = Match.start(replace(RULES, target=2_000), ["Anna", "Bot"], bots=[None, Bot()])
    won = won.throw((1, 1, 1, 2, 3, 4)).bank().throw((2, 2, 3, 4, 6, 6))
    won = won.throw((1, 1, 1, 2, 3, 4)).bank().throw((2, 2, 3, 4, 6, 6))
    history = journal_of(tmp_path, *[won] * 5)
    client = as_scorekeeper(make_app(table, history=history, coach=AtOnce(history)))
    anna, bot = client.get("/api/v1/players").json
    page = client.get("/players").text

    assert anna["rating"] > 1420
    assert 100 < anna["rating_error"] < 400
    assert bot["rating"] is None
    assert f"± {anna['rating_error']:.0f}" in page
    assert 'href="/practice?name=Anna"' in page
    assert 'href="/practice?name=Bot"' not in page


def test_a_drill_asks_about_the_costliest_decisions_of_a_person(client, coach):
    page = client.get("/practice?name=anna").text

    assert "Anna's latest matches" in page
    assert "1 of 10" in page
    assert page.count("data-next") == 10
    assert page.count("your choice in the match") == 10
    assert "has not played a match yet" in client.get("/practice?name=Zoe").text
    assert client.get("/practice").location == "/players"

    coach.ready = False
    assert "0 of 1" in client.get("/practice?name=anna").text


def test_a_drill_that_waits_for_the_coach_replays_only_the_matches_it_asks_for(
    table, tmp_path, match, monkeypatch
):
    history, replayed = journal_of(tmp_path, *[match] * 5), []
    whole = History.match

    def counted(self, match_id):
        replayed.append(match_id)
        return whole(self, match_id)

    coach = AtOnce(history)
    coach.ready = False
    client = as_scorekeeper(make_app(table, history=history, coach=coach))
    monkeypatch.setattr(History, "match", counted)
    monkeypatch.setattr(AtOnce, "review", lambda *_: None)

    assert "0 of 5" in client.get("/practice?name=anna").text
    assert replayed == [5, 4]


def test_a_drill_names_a_match_that_the_coach_cannot_review_and_asks_about_the_others(
    table, tmp_path, match, monkeypatch
):
    history, review = journal_of(tmp_path, match, match), AtOnce.review

    def fail_for_newest(self, match_id, steps):
        if match_id == 1:
            return review(self, match_id, steps)
        raise OddsError("the coach cannot review match %(n)s", n=match_id)

    monkeypatch.setattr(AtOnce, "review", fail_for_newest)
    monkeypatch.setattr(AtOnce, "has_review", lambda _, match_id, steps: match_id == 1)
    client = make_app(table, history=history, coach=AtOnce(history)).test_client()
    page = client.get("/practice?name=anna").text

    assert "The coach cannot review match 2." in page
    assert "1 of 10" in page
    assert len(client.get("/api/v1/matches/drill?name=anna").json["positions"]) == 10


def test_a_drill_whose_matches_a_restored_backup_lacks_waits_and_then_finds_none(
    client, history, tmp_path, monkeypatch
):
    (tmp_path / "empty").mkdir()
    with closing(Journal.open(tmp_path / "empty" / "journal.db")) as empty:
        copy = History(empty.path).copy()
    review = AtOnce.review

    def restore_after_review(self, match_id, steps):
        found = review(self, match_id, steps)
        with closing(Journal.open(history.path)) as journal:
            journal.restore(copy)
        return found

    monkeypatch.setattr(AtOnce, "review", restore_after_review)

    assert "0 of 1" in client.get("/practice?name=anna").text
    assert "has not played a match yet" in client.get("/practice?name=anna").text


def test_a_drill_does_not_offer_points_that_exceed_an_exact_target(table, tmp_path):
    match = Match.start(load("welfare"), ["Anna", "Ben"])
    match = match.push(ScoreSet(0, 9_950)).push(ScoreSet(1, 9_000))
    match = match.throw((1, 2, 3, 4, 4, 5)).bank((1, 5))
    history = journal_of(tmp_path, match)
    client = make_app(table, history=history, coach=AtOnce(history)).test_client()
    page = client.get("/practice?name=Anna").text

    assert "Bank 50" in page
    assert "End here" in page
    assert "Bank 100" not in page
    assert "Bank 150" not in page


def test_other_programs_get_the_drill_with_the_cost_of_every_choice(client, coach):
    found = client.get("/api/v1/matches/drill?name=anna").json
    positions = found["positions"]
    done = [
        next(
            c
            for c in p["choices"]
            if (c["dice"], c["bank"]) == (p["done"]["dice"], p["done"]["bank"])
        )
        for p in positions
    ]
    costs = [choice["cost"] for choice in done]

    assert found["name"] == "Anna"
    assert len(positions) == 10
    assert costs == sorted(costs, reverse=True)
    assert {p["players"][p["seat"]]["name"] for p in positions} == {"Anna"}
    assert all(min(c["cost"] for c in p["choices"]) == 0 and p["by_chance"] for p in positions)
    assert client.get("/api/v1/matches/drill").json == {"name": "", "positions": []}

    coach.ready = False
    assert client.get("/api/v1/matches/drill?name=anna").status_code == 503


def test_dice_have_statistics_and_a_new_set_gets_a_name(client, coach):
    fallen = client.get("/api/v1/dice-sets").json[0]

    assert sum(fallen["faces"]) > 300
    assert fallen["p"] is not None
    assert "fair dice" in client.get("/dice").text
    assert client.post("/api/v1/dice-sets/new", json={"name": " Ivory "}).json == {"name": "Ivory"}
    assert coach.sets[-1].name == "Ivory"
    assert client.post("/api/v1/dice-sets/new", json={"name": ""}).status_code == 409


def test_chances_of_a_match_can_be_requested(client, coach):
    assert client.post("/api/v1/matches/solve", json={"match": 1}).json == {"match": 1}
    assert coach.solving == [1]
    assert client.post("/api/v1/matches/solve", json={"match": 9}).status_code == 404


def test_match_can_be_downloaded(client):
    assert client.get("/api/v1/matches/1.csv").data.startswith(b"\xef\xbb\xbfturn,player")
    assert client.get("/api/v1/matches/1.json").json["winner"] is not None


@pytest.mark.parametrize("path", ["/matches/9", "/matches/9/card.svg", "/api/v1/matches/9.csv"])
def test_unknown_match_is_not_found(client, path):
    assert client.get(path).status_code == 404
    assert client.get(path.replace("9", "9" * 30)).status_code == 404


@pytest.mark.parametrize("path", ["/matches", "/players", "/dice"])
def test_pages_without_a_journal_are_empty(table, path):
    client = as_scorekeeper(make_app(table))

    assert client.get(path).status_code == 200
    assert client.get("/api/v1/players").status_code == 404
    assert client.get("/matches/last").location == "/matches"


PAGES = ("/matches", "/players", "/dice", "/evening", "/api/v1/matches")


@pytest.fixture
def mixed(table, tmp_path, match):
    """A client that reads a match and another one that this version cannot replay."""
    journal_of(tmp_path, match)
    journal = Journal.open(tmp_path / "journal.db")
    broken = journal.start(Match.start(RULES, THREE))
    journal.append(broken, Thrown((1, 2, 3, 4, 6, 6)), Kept((2, 3)))
    journal.close()
    history = History(journal.path)
    return as_scorekeeper(make_app(table, history=history, coach=AtOnce(history)))


@pytest.mark.parametrize("path", PAGES)
def test_pages_survive_an_unreadable_match(mixed, path):
    answer = mixed.get(path)

    assert answer.status_code == 200
    assert ("Anna" in answer.text) or path == "/dice"


def test_unreadable_match_is_listed_with_the_reason(mixed):
    assert "This version cannot read match 2: " in mixed.get("/matches").text


@pytest.mark.parametrize(
    "path", ["/matches/2", "/api/v1/matches/2/review", "/api/v1/matches/2/clips"]
)
def test_address_of_an_unreadable_match_says_why_it_cannot_be_read(mixed, path):
    page = mixed.get(path, headers={"Accept": "text/html"})
    problem = mixed.get(path, headers={"Accept": "application/json"})

    assert page.status_code == problem.status_code == 409
    assert "his version cannot read match 2: " in problem.json["detail"]


def test_finished_match_is_corrected_or_continued_from_the_list(table, tmp_path):
    history = journal_of(tmp_path, played(("Anna", "Ben")), Match.start(RULES, THREE))
    page = as_scorekeeper(make_app(table, history=history)).get("/matches").text

    assert "Correct a throw" in page
    assert """{"match": 1, "undo": true}' data-home>Play on""" in page
    assert """{"match": 2}' data-home>Continue this match""" in page


def test_list_links_to_older_matches_if_there_are_any(table, tmp_path):
    begun = Match.start(RULES, THREE).throw((1, 1, 3, 3, 4, 6))

    def page_of(n):
        history = journal_of(tmp_path, *[begun] * n)
        return as_scorekeeper(make_app(table, history=history)).get("/matches").text

    assert "Older matches" not in page_of(PAGE_SIZE)
    assert "Older matches" in page_of(1)


def test_bonus_for_the_last_die_is_not_shown_as_a_takeover(table, client):
    rules = load("ten-thousand-extras")
    match = Match.start(rules, THREE).throw((1, 1, 1, 5, 5, 2)).keep((1, 1, 1, 5, 5)).throw((5,))
    table.show(match=match.bank(), situation=Situation.TURN_OVER)

    assert match.state.turn.bonus
    assert "Started with" not in client.get("/turns").text


def test_a_turn_that_took_over_points_says_with_how_many_it_started(table, client):
    rules = replace(load("walnut-studiolo"), piggyback=Piggyback.YES)
    banked = Match.start(rules, THREE).throw((1, 1, 1, 2, 3, 4)).push(Banked((1, 1, 1)))
    taken = banked.push(TookOver()).throw((2, 3, 4))
    table.show(match=taken, situation=Situation.TURN_OVER)

    assert "Started with 1,000 points" in client.get("/turns").text


def ranked_on_the_card(match):
    """Return the names on the share card, with the bold ones in capitals."""
    names = [player.name for player in match.state.players]
    texts = re.findall(r'font-weight="(600|800)"[^>]*>([^<]+)', card(match, ""))
    return [name.upper() if int(weight) == 800 else name for weight, name in texts if name in names]


def test_share_card_lists_the_winner_before_an_equal_score():
    tied = Match.start(load("walnut-studiolo"), ["Anna", "Ben"], first=1)
    tied = tied.push(ScoreSet(0, 9_000), ScoreSet(1, 9_000))
    for _ in range(2):
        tied = tied.throw((1, 1, 1, 2, 3, 4)).bank()
    assert tied.state.winner == 1

    assert ranked_on_the_card(tied) == ["BEN", "Anna"]


def test_share_card_lists_an_instant_winner_first():
    names = [*"ABCDEFG"]
    match = Match.start(load("farkle-scorekeeper"), names)
    for seat in range(6):
        match = match.push(ScoreSet(seat, 500 * (seat + 1)))
    for _ in range(6):
        match = match.push(Skipped())
    match = match.throw((1,) * 6)
    assert match.state.winner == 6

    assert "".join(ranked_on_the_card(match.push(Renamed(6, "g")))) == "GFEDCBA"


@pytest.fixture
def past(tmp_path):
    return CachedHistory(journal_of(tmp_path, played(["Anna", "Ben"])).path)


@pytest.fixture
def replayed(monkeypatch):
    found = []
    fold = module.load_match
    monkeypatch.setattr(module, "load_match", lambda *given: found.append(given[1]) or fold(*given))
    return found


def test_match_is_replayed_once_for_many_readers(past, replayed):
    with ThreadPoolExecutor(8) as pool:
        scores = {match.state.turn.seat for match in pool.map(past.match, [1] * 32)}

    assert len(scores) == 1
    assert replayed == [1]


def test_change_of_the_journal_clears_the_cache(past, replayed):
    before = past.match(1)
    journal = Journal.open(past.path)
    journal.append(1, ScoreSet(0, 50))
    journal.close()

    assert past.match(1).state.players[0].score == 50 != before.state.players[0].score
    assert replayed == [1, 1]
    assert past.matches()[0].result.scores[0] == 50


def test_answers_equal_those_of_an_uncached_history(past):
    plain = module.History(past.path)
    for _ in range(2):
        assert past.matches(limit=3) == plain.matches(limit=3)
        assert past.all_matches() == plain.all_matches()
        assert past.played(1) == plain.played(1)
        assert past.match_entries(1) == plain.match_entries(1)


def test_number_of_cached_answers_is_limited(past):
    for before in range(1, 3 * MAX_ANSWERS):
        past.all_matches(before=before)

    assert len(past._answers) == MAX_ANSWERS


def test_unknown_match_is_refused_every_time(past):
    for _ in range(2):
        with pytest.raises(JournalError):
            past.match(9)


def test_pages_and_exports_share_the_cached_match(past, replayed, table):
    guest = make_app(table, history=past).test_client()
    for path in ("/evening", "/matches", "/matches/1", "/matches/1/card.svg"):
        assert guest.get(path).status_code == 200
    for kind in ("txt", "csv", "json"):
        assert guest.get(f"/api/v1/matches/1.{kind}").status_code == 200

    assert replayed == [1]


def test_number_of_requests_at_once_is_limited(past, table, monkeypatch):
    monkeypatch.setattr(concurrency_limit, "MAX_WAIT_S", 0.0)
    app = make_app(table, history=past)
    statuses = []

    def request_again(path):
        """Send another request while the first one is being answered, until one is refused."""
        statuses.append(app.test_client().get(path).status_code)
        return ()

    monkeypatch.setattr(CachedHistory, "match", lambda *_: request_again("/matches/1"))
    app.test_client().get("/matches/1")

    assert statuses[0] == 503
    assert len(statuses) == MAX_HISTORY_REQUESTS


def test_a_won_match_can_be_corrected_and_played_on(client):
    page = client.get("/matches/1").text

    assert "data-body='{\"match\": 1}' data-home><span>Correct a throw" in page
    assert 'data-body=\'{"match": 1, "undo": true}\' data-home><span>Play on' in page
    assert "Continue this match" not in page
