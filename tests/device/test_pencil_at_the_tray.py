"""The pencil and the real button: a mock pin that no page can drive."""

import pytest

from device.hardware.button import TrayButton
from device.session.indicator import Indicator, indicator_for
from game.commands import Press, RecordEvent, StartMatch, Undo
from game.match.events import Joined, Renamed
from game.situation import Situation
from tests.device.rig import open_rig


@pytest.fixture
def real(tmp_path, monkeypatch):
    """A table whose button is at the tray."""
    monkeypatch.setattr(TrayButton, "is_simulated", False)
    with open_rig(tmp_path) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        yield rig


def test_the_next_press_gives_it_and_reads_nothing(real):
    real.companion.scorekeeper.ask("phone")
    asked = real.until(lambda s: s.scorekeeper.by_button)
    real.finger.press()
    given = real.until(lambda s: s.scorekeeper.holder == "phone")

    assert "is asking to keep score" in str(asked.lamp.meaning)
    assert given.situation is Situation.TURN_BEGINS
    assert real.press().situation is not Situation.TURN_BEGINS  # now it reads


def test_a_hold_does_not_give_it(real):
    real.companion.scorekeeper.ask("phone")
    real.hold()

    assert real.companion.snapshot().scorekeeper.holder == ""


def test_a_button_on_the_page_never_gives_it(match_rig):
    match_rig.companion.scorekeeper.ask("phone")
    match_rig.companion.do(Press())
    match_rig.finger.press()

    assert match_rig.settled().scorekeeper.holder == ""
    assert not match_rig.companion.scorekeeper.view().by_button


def test_asking_in_vain_ends_by_itself(real):
    real.companion.scorekeeper.ask("phone")
    real.until(lambda s: s.scorekeeper.asking)

    real.until(lambda s: not s.scorekeeper.asking and "pencil" not in str(s.lamp.meaning))


def test_a_renamed_players_phone_is_still_that_players_and_nobody_elses(match_rig):
    do, phones = match_rig.companion.do, match_rig.companion.scorekeeper.players
    phones.allow_own_turns(on=True)
    phones.assign("bens phone", "Ben")
    do(RecordEvent(Renamed(1, "Benjamin")))
    do(RecordEvent(Joined("Ben")))
    assert phones.may_act("bens phone", "Benjamin")
    assert not phones.may_act("bens phone", "Ben")
    do(Undo())
    do(Undo())

    assert phones.may_act("bens phone", "Ben")


def test_a_new_match_renames_nobody(match_rig):
    scorekeeper = match_rig.companion.scorekeeper
    scorekeeper.players.assign("bens phone", "Ben")
    match_rig.companion.do(StartMatch(("Anna", "Cleo")))

    assert scorekeeper.view().players == (("bens phone", "Ben"),)


def test_the_lamp_says_so_unless_the_button_is_held():
    assert indicator_for(Situation.TURN_BEGINS, None, asked=True) is Indicator.PENCIL
    assert indicator_for(Situation.TURN_BEGINS, None, asked=True, held_s=1.5) is Indicator.BANK
