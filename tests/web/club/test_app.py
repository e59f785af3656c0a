"""The pages of the club board: everybody reads, only the steward changes anything."""

import csv
import io
import json
import re
from dataclasses import replace

import pytest

from bench.self_play import whole_match
from game.journal.entry import WireEntry
from game.match.match_text import from_text
from game.rules.rule_files import load
from tests.web.club.conftest import RULES
from web.club.app import MAX_DOWNLOADS
from web.club.match_history import MatchHistory
from web.club.people import People
from web.club.steward import COOKIE, Steward
from web.club.store import ClubStore

ALL_PAGES = ["/", "/board", "/table", "/records", "/healthz", "/api/v1/club", "/export/matches.csv"]


@pytest.fixture
def steward_client(client, steward):
    client.get(f"/{steward.link_path}")
    return client


@pytest.mark.parametrize("page", ALL_PAGES)
def test_every_page_renders_with_and_without_matches(client, played, page):
    assert client.get(page).status_code == 200
    played(["Anna", "<script>alert(1)"], 1)
    answer = client.get(page)

    assert answer.status_code == 200
    assert "<script>alert" not in answer.text or answer.mimetype != "text/html"


def test_match_page_lists_every_turn_and_offers_the_text(client, played):
    tape = played(["Anna", "Ben"], 1)
    match_id = tape.entries[0].match

    assert client.get(f"/matches/{match_id}").text.count("<li") > len(tape.match.state.turns)
    assert (
        from_text(client.get(f"/matches/{match_id}.txt").text).state.players
        == tape.match.state.players
    )


def test_match_over_a_number_of_turns_shows_no_target(client, inbox):
    tape = whole_match(load("farkle-ten"), ["Anna", "Ben"], 1, 1_764_000_000)
    inbox.on_message("t1", "availability", b"online")
    for entry in tape.entries:
        inbox.on_message("t1", "event", json.dumps(entry.to_json()).encode())

    for page in ("/board", f"/matches/{tape.entries[0].match}"):
        assert "10 turns each" in client.get(page).text
        assert "to 10,000" not in client.get(page).text
        assert 'class="have" width="100' in client.get("/board").text


def test_match_over_a_number_of_turns_shows_the_target_that_also_ends_it(client, inbox):
    tape = whole_match(load("zonk-ten-rounds"), ["Anna", "Ben"], 1, 1_764_000_000)
    inbox.on_message("t1", "availability", b"online")
    for entry in tape.entries[:3]:
        inbox.on_message("t1", "event", json.dumps(entry.to_json()).encode())

    for page in ("/board", f"/matches/{tape.entries[0].match}"):
        assert "10 turns each, or first to 5,000" in client.get(page).text
    assert 'class="have" width="100' not in client.get("/board").text


def test_team_has_one_row_with_all_its_players(client, inbox):
    tape = whole_match(RULES, ["Anna", "Ben", "Cleo", "Dan"], 1, 1_764_000_000, teams=[1, 2, 1, 2])
    inbox.on_message("t1", "availability", b"online")
    for entry in tape.entries[:4]:
        inbox.on_message("t1", "event", json.dumps(entry.to_json()).encode())
    during = re.sub(r"<[^>]+>", "", client.get("/board").text)
    for entry in tape.entries[4:]:
        inbox.on_message("t1", "event", json.dumps(entry.to_json()).encode())
    state = tape.match.state
    sides = {0: "Anna + Cleo", 1: "Ben + Dan"}
    winner = sides.pop(state.winner % 2)
    (other,) = sides.values()

    assert "Anna + Cleo" in during
    assert "Ben + Dan" in during
    board, page = client.get("/board").text, client.get(f"/matches/{tape.entries[0].match}").text
    assert f"{winner} win!" in board
    assert board.count('<li class="seat-') == 2
    assert re.findall(r'<li class="seat-\d( winner)?"', page) == [" winner", ""]
    assert page.index(winner) < page.index(other)
    won = re.sub(r"<[^>]+>", "", page)
    assert f"{winner} and {other}" in won


def test_player_has_a_page_without_the_stewards_forms(client, played, people):
    played(["Anna", "Ben"], 1)
    page = client.get(f"/players/{people.find('Anna', 't1')}").text

    assert "Head to head" in page
    assert "Merge" not in page


@pytest.mark.parametrize("page", ["/players/99", "/matches/zzz", "/matches/0.txt", "/nowhere"])
def test_unknown_page_links_back_to_the_board(client, page):
    answer = client.get(page)

    assert answer.status_code == 404
    assert "Back to the club board" in answer.text


def test_only_the_steward_merges_players(client, played, people, steward):
    played(["Anna", "Annie"], 1)
    anna, annie = people.find("Anna", "t1"), people.find("Annie", "t1")
    refused = client.post(f"/players/{annie}/merge", data={"into": anna})

    assert refused.status_code == 403
    assert "open the link that the club board printed" in refused.json["detail"]
    assert client.get("/steward/guess").status_code == 403
    client.get(f"/{steward.link_path}")
    assert client.post(f"/players/{annie}/merge", data={"into": anna}).status_code == 303
    assert people.person(annie) is None


def test_stewards_key_is_safe_from_scripts_and_other_sites(client, steward, tmp_path):
    cookie = client.get(f"/{steward.link_path}").headers["Set-Cookie"]

    assert cookie.startswith(f"{COOKIE}=")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert (tmp_path / "steward.key").stat().st_mode & 0o077 == 0
    assert Steward.load(tmp_path / "steward.key").accepts(steward.link_path.partition("/")[2])


def test_form_sent_from_another_site_is_refused(steward_client, played, people):
    played(["Anna", "Annie"], 1)
    headers = {"Origin": "http://evil.example"}
    answer = steward_client.post("/players/1/merge", data={"into": "2"}, headers=headers)

    assert answer.status_code == 403
    assert people.person(1)


def test_steward_splits_a_player(steward_client, played, people):
    played(["Anna", "Ben"], 1, "t1")
    played(["Anna", "Ben"], 2, "t2")
    anna = people.find("Anna", "t1")
    answer = steward_client.post(f"/players/{anna}/split", data={"name": "Anna", "tray": "t2"})

    assert "Anna (t2)" in steward_client.get(answer.location).text
    refused = steward_client.post(f"/players/{anna}/split", data={"name": "Zoe"})
    assert refused.status_code == 409


def test_csv_opens_in_a_spreadsheet_without_running_a_formula(client, played):
    played(["=1+1", "Ben"], 1)
    rows = list(
        csv.DictReader(io.StringIO(client.get("/export/matches.csv").data.decode("utf-8-sig")))
    )

    assert [row["player"] for row in rows] == ["'=1+1", "Ben"]
    assert sorted(row["won"] for row in rows) == ["0", "1"]


def test_exported_entries_rebuild_the_history_of_another_board(client, played, history, tmp_path):
    tapes = [played(["Anna", "Ben"], seed) for seed in (1, 2)]
    store = ClubStore.open(tmp_path / "other.db")
    other = MatchHistory(store, People(store))
    for line in client.get("/export/entries.jsonl").text.splitlines():
        data = json.loads(line)
        other.add(data.pop("tray"), WireEntry.from_json(data))
    for tape in tapes:
        match_id = tape.entries[0].match

        assert other.get(match_id) == replace(history.get(match_id))
    store.close()


@pytest.mark.parametrize("name", ["matches.csv", "entries.jsonl"])
def test_number_of_downloads_at_once_is_limited(client, played, name):
    played(["Anna", "Ben"], 1)
    downloads = [client.get(f"/export/{name}") for _ in range(MAX_DOWNLOADS)]
    assert {answer.status_code for answer in downloads} == {200}
    assert client.get(f"/export/{name}").status_code == 503

    downloads[0].close()
    assert client.get(f"/export/{name}").status_code == 200


@pytest.mark.parametrize(
    "path", ["/players/{n}", "/tournaments/{n}", "/matches/{n}", "/matches/{n}.txt"]
)
def test_number_too_large_for_the_database_is_not_found(client, path):
    assert client.get(path.format(n="9" * 20)).status_code == 404


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/players/{n}/merge", {"into": "1"}),
        ("/players/1/merge", {"into": "{n}"}),
        ("/players/{n}/split", {"name": "Anna"}),
        ("/tournaments/{n}/1/withdraw", {}),
        ("/tournaments/1/{n}/withdraw", {}),
    ],
)
def test_stewards_form_with_a_number_too_large_is_refused(steward_client, played, path, form):
    played(["Anna", "Ben"], 1)
    n = "9" * 20
    fields = {name: value.format(n=n) for name, value in form.items()}
    answer = steward_client.post(path.format(n=n), data=fields)

    assert answer.status_code in (303, 409)
