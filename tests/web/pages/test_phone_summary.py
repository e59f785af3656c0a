"""One line of what happened, and who has how many points."""

from game.commands import EnterThrow, StartMatch
from game.message import Message, Paragraph
from web.pages.phone_summary import LINE, sides, status_line
from web.state.state_json import state_json

SHORT, LONG = Message("Anna banks 550."), Message("A" * (LINE + 1))


def test_what_fits_is_said_whole():
    assert (
        status_line(Paragraph(SHORT, Message("Ben throws.")), str) == "Anna banks 550. Ben throws."
    )


def test_of_what_is_too_long_the_longest_sentence_that_fits_is_said():
    kept = Message("Ben kept 5 = 50.")
    farkle = Message("2 3 4 4 6: farkle! Ben loses 250.")

    assert status_line(Paragraph(LONG, SHORT, Message("Ben throws.")), str) == "Anna banks 550."
    assert status_line(Paragraph(kept, farkle), str) == str(farkle)


def test_what_has_no_short_sentence_is_not_cut():
    assert status_line(LONG, str) == str(LONG)
    assert status_line(Paragraph(Message("B" * 60), LONG), str) == str(LONG)


def sides_of(table):
    return [
        (each.seat, each.names, each.score, each.on_turn)
        for each in sides(state_json(table.snapshot())["players"])
    ]


def test_each_player_is_a_side(table):
    table.do(StartMatch(("Anna", "Ben")))

    assert sides_of(table) == [(0, ("Anna",), 0, True), (1, ("Ben",), 0, False)]


def test_a_team_is_one_side_shown_by_whose_turn_it_is(table):
    table.do(StartMatch(("Anna", "Ben", "Clara", "Dora"), teams=(1, 2, 1, 2)))
    for _ in range(2):
        table.do(EnterThrow((2, 2, 3, 3, 4, 6)))

    assert sides_of(table) == [
        (2, ("Anna", "Clara"), 0, True),
        (1, ("Ben", "Dora"), 0, False),
    ]
