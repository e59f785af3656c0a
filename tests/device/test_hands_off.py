"""With `hands_off`, throws are read without a press: once, and never under a hand."""

import pytest

from game.commands import EnterThrow, RecordEvent, StartMatch
from game.match.events import Renamed
from game.message import Message
from game.situation import Situation
from tests.device.rig import open_rig

FIRST = (1, 1, 1, 2, 3, 4)
LONG_S = 5.0


@pytest.fixture
def table(tmp_path):
    with open_rig(tmp_path, hands_off=True) as table:
        table.companion.do(StartMatch(("Anna", "Ben")))
        yield table


def throws(table):
    return [throw.dice for throw in table.state.turn.throws]


def test_a_throw_is_read_and_announced_without_a_press(table):
    table.roll(*FIRST)
    table.wait_s(LONG_S)

    assert throws(table) == [FIRST]
    assert "Anna threw 1 1 1 2 3 4" in str(table.companion.snapshot().message)
    assert table.companion.snapshot().photo.index == 0


def test_a_throw_is_read_only_once(table):
    table.roll(*FIRST)
    table.wait_s(LONG_S)
    before = table.companion.snapshot()
    table.wait_s(30)

    assert table.companion.snapshot() == before


def test_a_throw_that_needs_attention_is_not_read_repeatedly(table):
    table.roll(1, 2, 3)
    table.wait_s(LONG_S)
    before = table.companion.snapshot()
    table.wait_s(30)

    assert before.situation is Situation.ATTENTION
    assert table.companion.snapshot() == before


def test_the_button_banks_and_the_next_player_just_throws(table):
    table.roll(*FIRST)
    table.wait_s(LONG_S)
    table.hold()
    table.roll(5, 5, 5, 2, 3, 4)
    table.wait_s(LONG_S)

    assert table.scores == [1000, 0]
    assert (table.state.player.name, throws(table)) == ("Ben", [(2, 3, 4, 5, 5, 5)])


def test_dice_that_a_hand_pushes_are_not_read(table):
    table.roll(*FIRST)
    table.wait_s(LONG_S)
    before = table.companion.snapshot()
    table.tray.nudge(hand=True)
    table.wait_s(LONG_S)

    assert table.companion.snapshot() == before


def test_nothing_is_read_when_the_match_is_over(table):
    table.companion.do(StartMatch(("Anna", "Ben"), target=500, rules="facebook"))
    while table.companion.snapshot().situation is not Situation.WON:
        table.roll(*FIRST)
        table.wait_s(LONG_S)
        table.hold()
    before = table.companion.snapshot()
    table.roll(5, 5, 5, 2, 3, 4)
    table.wait_s(LONG_S)

    assert table.companion.snapshot() == before


def test_hands_off_is_off_by_default(match_rig):
    match_rig.roll(*FIRST)
    match_rig.wait_s(LONG_S)

    assert throws(match_rig) == []


def test_an_open_question_survives_dice_that_are_thrown_and_picked_up(table):
    table.roll(*FIRST)
    table.wait_s(LONG_S)
    table.roll(5, 5, 5, 2, 3, 4)
    table.wait_s(LONG_S)
    asked = table.companion.snapshot()
    assert "Did Anna bank 1,000?" in str(asked.question)
    table.tray.throw_all((1, 2, 2, 3, 4, 6))
    table.wait_s(0.3)
    table.tray.gather()
    table.wait_s(LONG_S)

    stands = table.companion.snapshot()
    assert (stands.question, stands.choices) == (asked.question, asked.choices)
    assert stands.photo == asked.photo
    table.hold()
    assert table.scores == [1000, 0]


def test_an_open_question_survives_a_lost_camera(table):
    table.roll(*FIRST)
    table.wait_s(LONG_S)
    table.roll(5, 5, 5, 2, 3, 4)
    table.wait_s(LONG_S)
    asked = table.companion.snapshot()
    session = table.companion.session
    session.dice_settled()
    session.camera_lost(Message("its pictures are black"))

    assert table.companion.snapshot().question == asked.question
    session.camera_found()
    assert session.table.message is asked.message


def test_a_hold_answers_the_question_during_an_unprompted_reading(table):
    table.roll(*FIRST)
    table.wait_s(LONG_S)
    table.roll(5, 5, 5, 2, 3, 4)
    table.wait_s(LONG_S)
    table.tray.throw_all((5, 5, 5, 2, 3, 4))
    table.until(lambda s: s.situation is Situation.WAITING)
    table.hold()

    assert table.scores == [1000, 0]


def start_unprompted_reading(table, *values):
    """Throw dice, and stop at the step in which they have come to rest but have not been read yet."""
    table.tray.throw_all(values)
    table.until(lambda s: s.situation is Situation.WAITING)


def test_a_hold_during_an_unprompted_reading_banks_the_throw(table):
    start_unprompted_reading(table, *FIRST)
    table.hold()

    assert table.scores == [1000, 0]


def test_an_event_entered_during_an_unprompted_reading_loses_no_throw(table):
    start_unprompted_reading(table, *FIRST)
    table.companion.do(RecordEvent(Renamed(0, "Anne")))
    table.wait_s(LONG_S)

    assert throws(table) == [FIRST]


@pytest.mark.parametrize("later_s", [0.0, LONG_S])
def test_a_throw_picked_up_before_it_was_read_is_offered_at_a_press(table, later_s):
    start_unprompted_reading(table, *FIRST)
    table.tray.gather()
    table.wait_s(later_s)
    assert throws(table) == []

    assert "1 1 1 2 3 4 were lying here" in str(table.press().question)


def test_a_hold_after_a_throw_was_picked_up_unread_offers_it(table):
    start_unprompted_reading(table, *FIRST)
    table.tray.gather()

    assert "1 1 1 2 3 4 were lying here" in str(table.hold().question)


def test_a_throw_entered_during_an_unprompted_reading_counts_once(table):
    table.roll(*FIRST)
    table.wait_s(LONG_S)
    start_unprompted_reading(table, 5, 5, 5, 2, 3, 4)
    table.companion.do(EnterThrow((1, 1, 2, 3, 4, 6)))
    table.wait_s(LONG_S)
    table.hold()

    assert throws(table) == [(1, 1, 2, 3, 4, 6)]


def test_a_new_match_drops_an_unprompted_reading(table):
    start_unprompted_reading(table, *FIRST)
    table.companion.do(StartMatch(("Cleo", "Dan")))
    table.wait_s(LONG_S)

    assert throws(table) == []


def test_a_hold_during_a_reading_of_the_roll_off_begins_after_it(tmp_path):
    with open_rig(tmp_path, hands_off=True) as rig:
        for face in (2, 5):
            rig.tray.gather()
            rig.tray.throw(values=[face])
            rig.wait_s(LONG_S)
        rig.tray.gather()
        rig.wait_s(LONG_S)
        rig.tray.throw(values=[6])
        rig.until(lambda s: s.situation is Situation.WAITING)
        snapshot = rig.hold()

    assert [player.name for player in snapshot.match.state.players] == [
        "Player 1",
        "Player 2",
        "Player 3",
    ]
    assert snapshot.match.state.player.name == "Player 3"
