"""The line of status and the row of scores on a phone."""

from game.commands import EnterThrow, StartMatch
from game.message import Message, Paragraph
from web.pages.phone_summary import MAX_STATUS_CHARACTERS, score_rows, status_line
from web.state.state_json import state_json

SHORT, LONG = Message("Anna banks 550."), Message("A" * (MAX_STATUS_CHARACTERS + 1))


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


def rows_of(table):
    return [
        (each.seat, each.names, each.score, each.on_turn)
        for each in score_rows(state_json(table.snapshot())["players"])
    ]


def test_each_player_has_a_row(table):
    table.do(StartMatch(("Anna", "Ben")))

    assert rows_of(table) == [(0, ("Anna",), 0, True), (1, ("Ben",), 0, False)]


def test_team_has_one_row_led_by_the_player_on_turn(table):
    table.do(StartMatch(("Anna", "Ben", "Clara", "Dora"), teams=(1, 2, 1, 2)))
    for _ in range(2):
        table.do(EnterThrow((2, 2, 3, 3, 4, 6)))

    assert rows_of(table) == [
        (2, ("Anna", "Clara"), 0, True),
        (1, ("Ben", "Dora"), 0, False),
    ]
