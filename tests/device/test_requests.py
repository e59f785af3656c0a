"""The journal stores the key of a request with every step that the request led to, and with no other."""

import sqlite3
from contextlib import closing

import pytest

from game.commands import Hold, MoveSimulatedButton, Press, StartMatch
from game.situation import Situation
from tests.device.rig import open_rig
from tests.throws import FARKLE

SCORING = (1, 1, 1, 2, 3, 4)
BANK_S = 1.2


def requests(folder):
    """Return the key of each step, in order."""
    with closing(sqlite3.connect(folder / "journal.db")) as db:
        rows = db.execute("SELECT request FROM entry ORDER BY position").fetchall()
    return [request for (request,) in rows]


@pytest.mark.parametrize("dice", [SCORING, FARKLE])
def test_a_throw_is_stored_with_the_key_of_its_press(match_rig, tmp_path, dice):
    match_rig.roll(*dice)
    match_rig.companion.do(Press(), "press")
    match_rig.settled()

    assert requests(tmp_path) == [None, "press"]


def test_a_throw_is_stored_with_the_key_of_the_released_button(match_rig, tmp_path):
    match_rig.roll(*SCORING)
    match_rig.companion.do(MoveSimulatedButton(down=True), "down")
    match_rig.companion.do(MoveSimulatedButton(down=False), "released")
    match_rig.settled()

    assert requests(tmp_path) == [None, "released"]


def test_the_key_of_a_press_on_an_empty_tray_is_stored_with_the_next_throw(match_rig, tmp_path):
    match_rig.tray.gather()
    match_rig.companion.do(Press(), "press")
    assert str(match_rig.settled().message) == "Waiting for a throw."
    match_rig.roll(*SCORING)
    match_rig.until(lambda snapshot: snapshot.situation is Situation.ACCEPTED)

    assert requests(tmp_path) == [None, "press"]


def test_later_steps_at_the_tray_have_no_key(match_rig, tmp_path):
    match_rig.roll(*SCORING)
    match_rig.companion.do(Press(), "press")
    match_rig.settled()
    match_rig.hold()
    match_rig.throw(*SCORING)

    assert requests(tmp_path) == [None, "press", None, None]


def test_the_key_of_a_hold_that_reads_first_is_stored_with_throw_and_bank(match_rig, tmp_path):
    match_rig.throw(*SCORING)
    match_rig.tray.set_aside((1, 1, 1), to="aside")
    match_rig.roll(5, 2, 3)
    match_rig.companion.do(Hold(BANK_S), "hold")
    match_rig.until(lambda snapshot: snapshot.situation is not Situation.WAITING)

    assert match_rig.scores == [1050, 0]
    assert requests(tmp_path) == [None, None, "hold", "hold"]


def test_an_unprompted_reading_has_no_key_while_a_page_holds_the_button(tmp_path):
    with open_rig(tmp_path, hands_off=True) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.tray.throw_all(SCORING)
        rig.companion.do(Hold(2.8), "hold")
        rig.settled()

        assert rig.scores == [1000, 0]
    assert requests(tmp_path) == [None, None, "hold"]
