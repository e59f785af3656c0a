"""The scoreboard as HTML."""

import gzip
import json
import re
from html import unescape
from importlib.metadata import version

import pytest

from game.commands import Bank, EnterThrow, KeepDice, RecordEvent, StartMatch
from game.match.events import Joined, Left, ScoreSet, Skipped, TurnSet
from game.match.match import Match
from game.match.rolloff import RollOff
from game.message import Message, Paragraph
from game.rules.rule_files import load
from game.situation import Choice, Situation
from tests.web.screens import photo_of
from web.app import create_app
from web.contracts import Photo, PhotoDie
from web.pages.scoreboard import MAX_STATUS_CHARACTERS, SECTIONS, Sections, status_line

EXTRAS = Match.start(load("ten-thousand-extras"), ["Anna", "Ben"])

SHORT, LONG = Message("Anna banks 550."), Message("A" * (MAX_STATUS_CHARACTERS + 1))


@pytest.fixture
def board(table):
    return Sections(create_app(table))


def digests(html):
    return dict(re.findall(r'id="(\w+)" data-digest="(\w+)"', html))


def test_title_names_the_program(client):
    assert re.search("<title>[^<]*Traykeeper", client.get("/").text)


def test_board_has_every_section_in_every_state(board, table):
    for snapshot in (table.snapshot(), table.do(StartMatch(("Anna", "Ben")))):
        assert set(digests(board.html(snapshot))) == set(SECTIONS)


def test_only_changed_sections_get_a_new_digest(board, table):
    table.do(StartMatch(("Anna", "Ben")))
    before = digests(board.html(table.do(EnterThrow((1, 1, 3, 3, 3, 5)))))
    after = digests(board.html(table.do(KeepDice((1, 1)))))

    changed = {name for name in SECTIONS if before[name] != after[name]}

    assert changed == {"turn", "message", "throw", "keeps", "dock"}


def test_next_player_can_take_over_points_with_one_tap(client, table):
    table.do(StartMatch(("Anna", "Ben"), rules="high-stakes"))
    table.do(EnterThrow((1, 1, 1, 2, 3, 5)))
    assert "take-over" not in client.get("/").text
    table.do(Bank((1, 1, 1, 5)))
    page = client.get("/").text
    assert "Take over 1,050<small>throw two dice</small>" in page
    assert "throws six dice" in page
    assert "may take over 1,050 with two dice" in page
    [body] = re.findall(r'id="take-over" data-post="(\S+)" data-body=\'(.*?)\'', page)
    assert client.post(body[0], json=json.loads(body[1])).json["dice_to_throw"] == 2

    assert "take-over" not in client.get("/").text


def test_in_the_last_round_the_next_player_sees_what_is_needed_and_what_can_be_taken_over(
    client, table
):
    table.do(StartMatch(("Anna", "Ben"), rules="high-stakes", head_starts=(9_500, 0)))
    table.do(EnterThrow((1, 1, 1, 2, 3, 5)))
    table.do(Bank((1, 1, 1, 5)))
    page, board = (unescape(client.get(path).text) for path in ("/", "/board"))

    assert "10,551 more to win" in page
    assert "may take over 1,050 with two dice" in page
    assert "dice to throw · may take over 1,050 with two dice" in board


@pytest.mark.parametrize(
    ("score", "options", "offered"),
    [
        (8_900, {}, True),
        (8_950, {}, False),
        (8_950, {"welfare": True}, False),
        (8_950, {"triple_threes": 300}, True),
    ],
)
def test_points_that_can_only_exceed_an_exact_target_are_not_offered(
    client, table, score, options, offered
):
    """Three 3s can lower the score again, so that what was taken over can be banked."""
    options = {"piggyback": "yes", "win": "exactly", "last_round": "none"} | options
    table.do(StartMatch(("Anna", "Ben"), options=options, head_starts=(0, score)))
    table.do(EnterThrow((1, 1, 1, 2, 3, 5)))
    table.do(Bank((1, 1, 1, 5)))
    pages = [client.get(path).text for path in ("/", "/board")]

    assert ["ake over 1,050" in page for page in pages] == [offered] * 2
    assert bool(client.get("/api/v1/state").json["left_over"]) == offered
    snapshot = table.do(EnterThrow((1, 4)))
    assert snapshot.match.state.turn.took_over == offered
    assert ("begins with all dice" in str(snapshot.message)) != offered


def test_empty_section_is_hidden(board, table):
    assert re.search(r'id="keeps" data-digest="\w+" hidden', board.html(table.snapshot()))


@pytest.mark.parametrize(
    ("match", "words"),
    [
        (EXTRAS.throw((1, 1, 1, 2, 3, 4)).push(Skipped()), "skipped"),
        (EXTRAS.throw((2, 2, 2, 2, 3, 4)), "back to zero"),
        (EXTRAS.throw((3, 3, 3, 3, 3, 3)), "won"),
    ],
)
def test_turn_without_bank_or_farkle_is_named_by_its_ending(board, client, table, match, words):
    for page in (board.html(table.show(match=match)), client.get("/turns").text):
        assert f'<span class="score">{words}</span>' in page
        assert ">+0<" not in page


@pytest.mark.parametrize(
    ("match", "caption"),
    [
        (EXTRAS.throw((1, 1, 1, 2, 3, 4)).push(Skipped()), "The previous throw"),
        (EXTRAS.throw((3, 3, 3, 3, 3, 3)), "Anna wins"),
        (EXTRAS.throw((1, 1, 1, 2, 3, 4)).push(TurnSet(1, 350, 3)), "The previous throw"),
    ],
)
def test_throw_of_a_finished_turn_is_not_counted_in_the_next_one(board, table, match, caption):
    html = board.html(table.show(match=match))

    assert f"<span>{caption}</span>" in html
    assert "Throw 0" not in html


def test_points_set_by_hand_are_shown_before_the_first_throw(board, table):
    match = EXTRAS.push(TurnSet(0, 500, 3))

    assert '<p class="big short">500</p>' in board.html(table.show(match=match))


def test_player_who_left_is_marked(board, table):
    match = EXTRAS.push(Joined("Cleo")).push(Left(1))
    html = board.html(table.show(match=match))

    assert html.count("data-gone") == 1
    assert "<span>left</span>" in html


def test_text_from_users_is_escaped_everywhere(board, table):
    bad = "<b>'\"&"
    table.do(StartMatch((bad, "Ben")))
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    table.do(Bank())
    snapshot = table.show(
        message=bad,
        advice=(bad,),
        question=bad,
        choices=(Choice(bad, bad),),
        situation=Situation.QUESTION,
        join_url=f"http://x/{bad}",
        photo=Photo('p"1', 64, 48, (PhotoDie(None, 0.1, 0.1, 0.1, 0.1, 0, "tray", bad),)),
    )

    html = board.html(snapshot)

    assert "<b>&" not in html
    assert bad not in html
    assert 'p"1' not in html
    assert html.count("&lt;b&gt;&#39;&#34;&amp;") > 6


def test_event_has_a_data_field_for_each_line(board, table):
    name, *lines, _, _ = board.event(table.snapshot()).split("\n")

    assert name == "event: board"
    assert all(line.startswith("data: ") for line in lines)


def test_bank_button_carries_the_reason_of_a_refusal(board, table):
    table.do(StartMatch(("Anna", "Ben")))

    html = board.html(table.do(EnterThrow((1, 2, 3, 4, 6, 6))))

    assert 'data-why="100 is 400 short of the 500 needed to get on the board"' in html


def test_assumed_keep_is_marked_as_assumed(board, table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))

    html = board.html(table.show(match=table.match.keep((1, 1), assumed=True)))

    assert "kept, I think" in html


def test_short_message_is_shown_whole():
    assert (
        status_line(Paragraph(SHORT, Message("Ben throws.")), str) == "Anna banks 550. Ben throws."
    )


def test_long_message_is_cut_to_its_longest_sentence_that_fits():
    kept = Message("Ben kept 5 = 50.")
    farkle = Message("2 3 4 4 6: farkle! Ben loses 250.")

    assert status_line(Paragraph(LONG, SHORT, Message("Ben throws.")), str) == "Anna banks 550."
    assert status_line(Paragraph(kept, farkle), str) == str(farkle)


def test_message_without_a_short_sentence_shows_its_shortest_one():
    assert status_line(LONG, str) == str(LONG)
    assert status_line(Paragraph(Message("B" * 60), LONG), str) == str(LONG)


def test_page_without_a_match_is_the_form(client):
    page = client.get("/").text

    assert "Who plays?" in page
    assert 'id="bank"' not in page


def test_page_with_a_match_is_the_scoreboard(client, table):
    table.do(StartMatch(("Anna", "Ben")))

    page = client.get("/").text

    assert "Who plays?" not in page
    assert "throws six dice" in page


def test_game_over_rounds_counts_turns_and_has_no_target(client, table):
    table.do(StartMatch(("Anna", "Ben"), rules="farkle-ten"))
    table.do(EnterThrow((1, 1, 2, 3, 4, 6)))

    page = client.get("/").text

    assert "Farkle Ten · 10 turns each" in page
    assert "turn 1 of 10" in page
    assert "10,000" not in page
    assert "10,000" not in client.get("/board").text


def test_game_over_rounds_says_which_target_ends_it_earlier(client, table):
    table.do(StartMatch(("Anna", "Ben"), rules="zonk-ten-rounds"))

    assert "10 turns each, or first to 5,000" in client.get("/").text
    assert "10 turns each, or first to 5,000" in client.get("/board").text


def test_the_outlined_keep_is_the_one_that_bank_uses_even_if_others_exceed_the_target(
    client, table
):
    table.do(StartMatch(("Anna", "Ben"), rules="welfare", head_starts=(9_500, 9_000)))
    table.do(EnterThrow((1, 1, 1, 2, 3, 5)))

    assert client.get("/api/v1/state").json["bank"]["dice"] == [1, 1, 5]
    assert re.findall(r'class="keep top" id="keep-(\d+)"', client.get("/").text) == ["115"]


def test_turn_replaced_by_hand_is_not_counted(client, table):
    table.do(StartMatch(("Anna", "Ben"), rules="farkle-ten"))
    table.do(EnterThrow((1, 1, 2, 3, 4, 6)))
    table.do(RecordEvent(TurnSet(0, 0, 6)))
    table.do(EnterThrow((1, 1, 2, 3, 4, 6)))

    assert "turn 1 of 10" in client.get("/").text
    assert [turn["broken_off"] for turn in client.get("/api/v1/state").json["turns"]] == [True]


def test_turn_after_a_tie_is_one_more_and_who_joins_late_takes_part_in_the_rounds_that_are_left(
    client, table
):
    options = {"rounds": 2, "ties": "tied players"}
    table.do(StartMatch(("Anna", "Ben"), rules="farkle-ten", options=options))
    for _ in range(2):
        table.do(RecordEvent(Skipped()))
    table.do(RecordEvent(Joined("Cleo")))
    for _ in range(2):
        table.do(RecordEvent(Skipped()))
    table.do(EnterThrow((1, 1, 2, 3, 4, 6)))
    assert (table.match.state.turn.seat, "turn 2 of 2" in client.get("/").text) == (2, True)

    table.do(RecordEvent(Skipped()))
    table.do(EnterThrow((1, 1, 2, 3, 4, 6)))
    assert (table.match.state.turn.seat, "turn 3 of 3" in client.get("/").text) == (0, True)


def test_winning_team_is_marked_and_stands_first(client, table):
    names = ("Anna", "Ben", "Cleo", "Dan")
    table.do(StartMatch(names, rules="zilch", teams=(1, 2, 1, 2), options={"target": 1000}))
    table.do(RecordEvent(ScoreSet(0, 5000)))
    while table.match.state.winner is None:
        table.do(EnterThrow((2, 2, 3, 3, 4, 6)))
    rows = re.findall(r'<span class="note">(.*?)</span>\s*</li>', client.get("/").text, re.DOTALL)

    assert ["won" in row for row in rows] == [True, False]


def test_form_starts_with_the_names_of_the_match(client, table):
    table.do(StartMatch(("Anna", "Ben", "Clara")))

    page = client.get("/new").text

    assert 'value="Clara"' in page
    assert "ends when you start a new one" in page


def test_roll_off_can_be_undone(client, table):
    table.show(rolloff=RollOff())
    assert 'id="undo"' not in client.get("/").text
    table.show(rolloff=RollOff().add(3))
    assert 'id="undo"' in client.get("/").text


def test_unreadable_roll_off_shows_the_photo_and_the_advice(client, table):
    die = PhotoDie(4, 0.5, 0.5, 0.1, 0.18, 0.0, "tray", None)
    table.show(
        simulated=False,
        camera="usb:0",
        situation=Situation.ATTENTION,
        rolloff=RollOff().add(3),
        message="Take the extra dice out",
        advice=("Take the extra dice out",),
        photo=Photo("p1", 640, 360, (die, die)),
    )

    page = client.get("/").text

    assert "/api/v1/photo/p1.jpg" in page
    assert "<li>Take the extra dice out</li>" in page
    assert "Who begins?" in page


def test_only_a_simulated_tray_has_a_button_on_the_page(client, table):
    assert 'id="tray-button"' in client.get("/").text
    table.show(simulated=False, camera="usb:0")
    assert 'id="tray-button"' not in client.get("/").text


def test_page_without_a_camera_offers_tapping_dice_in(client, table):
    table.show(simulated=False, camera=None)
    table.do(StartMatch(("Anna", "Ben")))

    assert 'id="enter-dice"' in client.get("/").text


def test_page_shows_qr_code_and_address(client, table):
    table.show(join_url="http://traykeeper.local:8080/")

    page = client.get("/").text

    assert 'class="qr"' in page
    assert ">http://traykeeper.local:8080/</a>" in page


@pytest.mark.parametrize("path", ["/", "/new", "/scores"])
def test_page_has_no_inline_code_and_no_foreign_files(client, table, path):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))

    page = client.get(path).text

    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*src=)", page)
    assert not re.search(r'(src|href)="(https?:)?//', page)


def test_static_files_are_cached_for_a_year(client):
    address = re.search(r'"(/static/actions\.js\?v=\w+)"', client.get("/").text)[1]

    answer = client.get(address)

    assert "max-age=31536000" in answer.headers["Cache-Control"]
    answer.close()


def sent_bytes(client, path):
    """Return the size of an answer as it is sent over the network."""
    with client.get(path, headers={"Accept-Encoding": "gzip, deflate"}) as answer:
        return len(answer.data)


def test_page_without_its_photo_is_below_40_kb(client, table):
    table.do(StartMatch(tuple(f"Player {n}" for n in range(20))))
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    files = set(re.findall(r'"(/static/[^"]+(?:js|css)[^"]*)"', client.get("/").text))

    assert files
    assert sum(sent_bytes(client, path) for path in ("/", *files)) < 40_000


def test_page_is_compressed_if_the_browser_accepts_it(client):
    plain = client.get("/")
    packed = client.get("/", headers={"Accept-Encoding": "gzip"})

    assert gzip.decompress(packed.data) == plain.data
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in plain.headers["Vary"]


def test_scripts_are_sent_without_their_comments(client):
    plain = client.get("/static/live.js", buffered=True).text.splitlines()
    accepts = {"Accept-Encoding": "gzip"}
    packed = client.get("/static/live.js", headers=accepts, buffered=True)
    sent = gzip.decompress(packed.data).decode().splitlines()

    assert [line for line in plain if not line.strip().startswith("//")] == [
        line for line, own in zip(sent, plain, strict=True) if not own.strip().startswith("//")
    ]
    assert not any(line.strip().startswith("//") for line in sent)


def test_sections_are_not_a_whole_page(client, table):
    table.do(StartMatch(("Anna", "Ben")))

    html = client.get("/sections").text

    assert 'id="turn"' in html
    assert "<html" not in html


def test_health_check_reports_the_version(client):
    assert client.get("/healthz").json == {"status": "ok", "version": version("traykeeper")}


def test_a_turn_that_exceeds_an_exact_target_is_not_shown_as_a_bank_of_nothing(client, table):
    table.do(
        StartMatch(("Anna", "Ben"), rules="complete-guide", target=500, options={"win": "exactly"})
    )
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    table.do(Bank((1, 1, 1)))

    page = client.get("/").text
    assert "Anna exceeded the target" in page
    assert "over the target" in page
    assert "banked 0" not in page
    assert "+0" not in page


@pytest.mark.parametrize(
    ("welfare", "bens", "below"),
    [(False, 500, "new score: 9,950"), (True, 500, "new score: 9,950"), (True, 9_900, "Ben wins")],
)
def test_a_bank_that_exceeds_an_exact_target_is_not_offered_as_a_bank_of_these_points(
    client, table, welfare, bens, below
):
    options = {"welfare": welfare}
    table.do(StartMatch(("Anna", "Ben"), "welfare", options=options, head_starts=(9_950, bens)))
    shown = table.do(EnterThrow((1, 2, 3, 4, 6, 6))).match.state
    page = client.get("/").text

    assert "Bank 100" not in page
    assert re.search(rf">End here</span>.*?<small>{below}</small>", page, re.DOTALL)
    assert client.get("/api/v1/state").json["bank"]["points"] == 100 == shown.keeps[0].score


TO_ANOTHER = (
    "With 100, Anna would exceed the target: the points would go to Ben. Did Anna end the turn?"
)
TO_NOBODY = "With 100, Anna would exceed the target and score zero. Did Anna end the turn?"
TURN_IS_OVER = "Anna exceeded the target, and Ben threw these dice"
MATCH_IS_OVER = "Anna exceeded the target: the match is over"


@pytest.mark.parametrize(
    ("welfare", "scores", "asked"),
    [
        (True, [(9_950, 500, 700), (9_950, 600, 700)], (TO_ANOTHER, TURN_IS_OVER)),
        (False, [(9_950, 500, 700), (9_950, 500, 700)], (TO_NOBODY, TURN_IS_OVER)),
        (True, [(9_950, 9_900, 9_900), (9_950, 10_000, 9_900)], (TO_ANOTHER, MATCH_IS_OVER)),
        (
            True,
            [(9_900, 500, 700), (10_000, 500, 700)],
            ("Did Anna bank 100?", "Anna banked 100: the match is over"),
        ),
    ],
)
def test_the_question_about_a_forgotten_bank_says_what_an_exact_target_does_with_the_points(
    client, table, welfare, scores, asked
):
    names, options = ("Anna", "Ben", "Cleo"), {"welfare": welfare}
    table.do(StartMatch(names, "welfare", options=options, head_starts=scores[0]))
    for _ in range(2):
        state = client.post("/api/v1/dice", json={"dice": [1, 2, 3, 4, 6, 6]}).json
    page, choice = unescape(client.get("/").text), state["choices"][0]

    assert (state["question"], choice["label"]) == asked
    assert choice["label"] in page
    answered = client.post("/api/v1/answer", json={"choice": choice["id"]}).json
    assert tuple(player["score"] for player in answered["players"]) == scores[1]


def test_the_question_about_a_forgotten_bank_counts_points_that_hot_dice_multiply(client, table):
    table.do(StartMatch(("Anna", "Ben"), "play-palace"))
    client.post("/api/v1/dice", json={"dice": [1, 1, 1, 5, 5, 5]})
    for _ in range(2):
        asked = client.post("/api/v1/dice", json={"dice": [1, 2, 2, 3, 4, 6]}).json
    hot = asked["turn"]["points"]
    answered = client.post("/api/v1/answer", json={"choice": asked["choices"][0]["id"]}).json

    assert asked["question"] == f"Did Anna bank {hot + 20}?"
    assert answered["players"][0]["score"] == hot + 20


MAX_BYTES, MAX_REQUESTS = 45_000, 15
"""What the main page may weigh without its photo, compressed, and the number of requests it may take."""

LOADED = re.compile(
    r'<(?:link rel="(?:icon|stylesheet|manifest)"|script|img)[^>]*?(?:href|src)="([^"]+)"'
)


def test_main_page_of_a_match_is_light(client, table):
    table.do(StartMatch(("Anna", "Ben", "Cleo", "Dora")))
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    throw = table.match.last_throw
    table.show(photo=photo_of(throw.dice, index=throw.index))
    addresses = [unescape(each) for each in LOADED.findall(client.get("/").text)]
    without_photo = [each for each in addresses if "/photo/" not in each]

    assert len(addresses) > len(without_photo)  # the photo is one of them
    assert sum(weights(client, without_photo).values()) <= MAX_BYTES, weights(client, without_photo)
    assert len(addresses) + len(["/", "/live"]) <= MAX_REQUESTS


def test_page_on_which_a_match_is_set_up_is_light(client, table):
    table.show(camera="picamera2: imx708", simulated=False, join_url="http://traykeeper.local/")
    addresses = [unescape(each) for each in LOADED.findall(client.get("/").text)]

    assert sum(weights(client, addresses).values()) <= MAX_BYTES, weights(client, addresses)
    assert len(addresses) + len(["/", "/live"]) <= MAX_REQUESTS


def weights(client, addresses):
    """Return the compressed size of the main page and of the files that it loads, in bytes."""
    accepts = {"Accept-Encoding": "gzip"}
    return {
        each: len(client.get(each, headers=accepts, buffered=True).data)
        for each in ("/", *addresses)
    }
