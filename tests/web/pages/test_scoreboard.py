import gzip
import re
from importlib.metadata import version

import pytest

from game.commands import EnterThrow, RecordEvent, StartMatch
from game.match.events import ScoreSet, TurnSet
from game.match.rolloff import RollOff
from game.situation import Situation
from web.contracts.table import Photo, PhotoDie


def test_the_first_page_is_the_set_up(client):
    page = client.get("/").text

    assert "Who plays?" in page
    assert 'id="bank"' not in page


def test_a_match_turns_it_into_the_board(client, table):
    table.do(StartMatch(("Anna", "Ben")))

    page = client.get("/").text

    assert "Who plays?" not in page
    assert "throws six dice" in page


def test_a_game_of_rounds_counts_turns_and_speaks_of_no_target(client, table):
    table.do(StartMatch(("Anna", "Ben"), rules="farkle-ten"))
    table.do(EnterThrow((1, 1, 2, 3, 4, 6)))

    page = client.get("/").text

    assert "Farkle Ten, 10 turns each" in page
    assert "turn 1 of 10" in page
    assert "10,000" not in page
    assert "10,000" not in client.get("/board").text


def test_a_turn_that_was_put_away_by_hand_is_not_counted(client, table):
    table.do(StartMatch(("Anna", "Ben"), rules="farkle-ten"))
    table.do(EnterThrow((1, 1, 2, 3, 4, 6)))
    table.do(RecordEvent(TurnSet(0, 0, 6)))
    table.do(EnterThrow((1, 1, 2, 3, 4, 6)))

    assert "turn 1 of 10" in client.get("/").text
    assert [turn["broken_off"] for turn in client.get("/api/v1/state").json["turns"]] == [True]


def test_who_has_won_is_marked_with_the_team_mates(client, table):
    names = ("Anna", "Ben", "Cleo", "Dan")
    table.do(StartMatch(names, rules="zilch", teams=(1, 2, 1, 2), options={"target": 1000}))
    table.do(RecordEvent(ScoreSet(0, 5000)))
    while table.match.state.winner is None:
        table.do(EnterThrow((2, 2, 3, 3, 4, 6)))
    rows = re.findall(r'<span class="note">(.*?)</span>\s*</li>', client.get("/").text, re.DOTALL)

    assert ["won" in row for row in rows] == [True, False, True, False]


def test_a_new_match_starts_from_the_same_names(client, table):
    table.do(StartMatch(("Anna", "Ben", "Clara")))

    page = client.get("/new").text

    assert 'value="Clara"' in page
    assert "ends when a new one begins" in page


def test_an_arrow_takes_back_what_was_rolled_for_the_beginning(client, table):
    table.show(rolloff=RollOff())
    assert 'id="undo"' not in client.get("/").text
    table.show(rolloff=RollOff().add(3))
    assert 'id="undo"' in client.get("/").text


def test_a_roll_off_that_a_real_camera_cannot_read_shows_the_picture_and_what_to_do(client, table):
    die = PhotoDie(4, 0.5, 0.5, 0.1, 0.18, 0.0, "tray", None)
    table.show(
        simulated=False,
        camera="usb:0",
        situation=Situation.ATTENTION,
        rolloff=RollOff().add(3),
        message="Take the others out",
        advice=("Take the others out",),
        photo=Photo("p1", 640, 360, (die, die)),
    )

    page = client.get("/").text

    assert "/api/v1/photo/p1.jpg" in page
    assert "<li>Take the others out</li>" in page
    assert "Who begins?" in page


def test_only_the_simulation_offers_dice_and_button(client, table):
    assert 'id="tray-button"' in client.get("/").text
    table.show(simulated=False, camera="usb:0")
    assert 'id="tray-button"' not in client.get("/").text


def test_without_a_camera_dice_are_tapped_in(client, table):
    table.show(simulated=False, camera=None)
    table.do(StartMatch(("Anna", "Ben")))

    assert 'id="enter-dice"' in client.get("/").text


def test_the_page_shows_the_code_to_join_and_the_address_in_words(client, table):
    table.show(join_url="http://traykeeper.local:8080/")

    page = client.get("/").text

    assert 'class="qr"' in page
    assert ">http://traykeeper.local:8080/</a>" in page


@pytest.mark.parametrize("path", ["/", "/new", "/scores"])
def test_nothing_is_inline_and_nothing_comes_from_elsewhere(client, table, path):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))

    page = client.get(path).text

    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*src=)", page)
    assert not re.search(r'(src|href)="(https?:)?//', page)


def test_static_files_may_be_kept_a_year_as_their_address_tells_their_version(client):
    address = re.search(r'"(/static/act\.js\?v=\w+)"', client.get("/").text)[1]

    answer = client.get(address)

    assert "max-age=31536000" in answer.headers["Cache-Control"]
    answer.close()


def sent(client, path):
    """The answer as it goes over the network to a browser."""
    with client.get(path, headers={"Accept-Encoding": "gzip, deflate"}) as answer:
        return len(answer.data)


def test_the_first_view_without_its_photo_sends_below_35_kb(client, table):
    table.do(StartMatch(tuple(f"Player {n}" for n in range(20))))
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    files = set(re.findall(r'"(/static/[^"]+(?:js|css)[^"]*)"', client.get("/").text))

    assert files
    assert sum(sent(client, path) for path in ("/", *files)) < 35_000


def test_the_pages_text_is_compressed_for_whoever_takes_it(client):
    plain = client.get("/")
    packed = client.get("/", headers={"Accept-Encoding": "gzip"})

    assert gzip.decompress(packed.data) == plain.data
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in plain.headers["Vary"]


def test_the_board_alone_is_what_the_stream_sends(client, table):
    table.do(StartMatch(("Anna", "Ben")))

    html = client.get("/sections").text

    assert 'id="turn"' in html
    assert "<html" not in html


def test_health_is_told(client):
    assert client.get("/healthz").json == {"status": "ok", "version": version("traykeeper")}
