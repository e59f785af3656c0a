"""The sections of the board."""

import re

import pytest

from game.commands import Bank, EnterThrow, KeepDice, StartMatch
from game.match.events import Joined, Left, Skipped, TurnSet
from game.match.match import Match
from game.message import Message, Paragraph
from game.rules.rule_files import load
from game.situation import Choice, Situation
from web.app import create_app
from web.contracts.table import Photo, PhotoDie
from web.pages.sections import MAX_STATUS_CHARACTERS, SECTIONS, Sections, status_line

EXTRAS = Match.start(load("ten-thousand-extras"), ["Anna", "Ben"])

SHORT, LONG = Message("Anna banks 550."), Message("A" * (MAX_STATUS_CHARACTERS + 1))


@pytest.fixture
def board(table):
    return Sections(create_app(table))


def digests(html):
    return dict(re.findall(r'id="(\w+)" data-digest="(\w+)"', html))


def test_board_has_every_section_in_every_state(board, table):
    for snapshot in (table.snapshot(), table.do(StartMatch(("Anna", "Ben")))):
        assert set(digests(board.html(snapshot))) == set(SECTIONS)


def test_only_changed_sections_get_a_new_digest(board, table):
    table.do(StartMatch(("Anna", "Ben")))
    before = digests(board.html(table.do(EnterThrow((1, 1, 3, 3, 3, 5)))))
    after = digests(board.html(table.do(KeepDice((1, 1)))))

    changed = {name for name in SECTIONS if before[name] != after[name]}

    assert changed == {"turn", "message", "throw", "keeps", "dock"}


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
