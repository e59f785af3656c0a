"""What a request led to has its key in the journal, however late it was written; and nothing else has."""

import sqlite3
from contextlib import closing

import pytest

from game.commands import Hold, MoveSimulatedButton, Press, StartMatch
from game.situation import Situation
from tests.device.rig import open_rig

SCORING = (1, 1, 1, 2, 3, 4)
NOTHING = (2, 3, 3, 4, 6, 6)
BANK_S = 1.2


def requests(folder):
    """Of each step, in order."""
    with closing(sqlite3.connect(folder / "journal.db")) as db:
        rows = db.execute("SELECT request FROM entry ORDER BY position").fetchall()
    return [request for (request,) in rows]


@pytest.mark.parametrize("dice", [SCORING, NOTHING])
def test_a_throw_has_the_key_of_the_press_that_it_was_read_for(match_rig, tmp_path, dice):
    match_rig.roll(*dice)
    match_rig.companion.do(Press(), "press")
    match_rig.settled()

    assert requests(tmp_path) == [None, "press"]


def test_so_it_has_where_the_button_on_the_page_was_held_down_and_let_go(match_rig, tmp_path):
    match_rig.roll(*SCORING)
    match_rig.companion.do(MoveSimulatedButton(down=True), "down")
    match_rig.companion.do(MoveSimulatedButton(down=False), "let go")
    match_rig.settled()

    assert requests(tmp_path) == [None, "let go"]


def test_a_press_on_an_empty_tray_stands_for_the_throw_that_comes(match_rig, tmp_path):
    match_rig.tray.gather()
    match_rig.companion.do(Press(), "press")
    assert str(match_rig.settled().message) == "Waiting for a throw."
    match_rig.roll(*SCORING)
    match_rig.until(lambda snapshot: snapshot.situation is Situation.ACCEPTED)

    assert requests(tmp_path) == [None, "press"]


def test_what_comes_after_it_at_the_tray_has_none(match_rig, tmp_path):
    match_rig.roll(*SCORING)
    match_rig.companion.do(Press(), "press")
    match_rig.settled()
    match_rig.hold()
    match_rig.throw(*SCORING)

    assert requests(tmp_path) == [None, "press", None, None]


def test_a_hold_that_reads_first_stands_for_throw_and_bank(match_rig, tmp_path):
    match_rig.throw(*SCORING)
    match_rig.tray.set_aside((1, 1, 1), to="aside")
    match_rig.roll(5, 2, 3)
    match_rig.companion.do(Hold(BANK_S), "hold")
    match_rig.until(lambda snapshot: snapshot.situation is not Situation.WAITING)

    assert match_rig.scores == [1050, 0]
    assert requests(tmp_path) == [None, None, "hold", "hold"]


def test_what_is_read_by_itself_while_a_page_holds_the_button_has_none(tmp_path):
    with open_rig(tmp_path, hands_off=True) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.tray.throw_all(SCORING)
        rig.companion.do(Hold(2.8), "hold")
        rig.settled()

        assert rig.scores == [1000, 0]
    assert requests(tmp_path) == [None, None, "hold"]
