"""How the real button makes a phone the scorekeeper. No page can drive its mock pin."""

import pytest

from device.hardware.button import TrayButton
from device.session.indicator import Indicator, indicator_for
from game.commands import Press, RecordEvent, StartMatch, Undo
from game.match.events import Joined, Renamed
from game.situation import HoldEffect, Situation
from tests.device.rig import open_rig


@pytest.fixture
def real(tmp_path, monkeypatch):
    """A table with a real button."""
    monkeypatch.setattr(TrayButton, "is_simulated", False)
    with open_rig(tmp_path) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        yield rig


def test_the_next_press_makes_the_phone_the_scorekeeper_and_reads_nothing(real):
    real.companion.scorekeeper.ask("phone")
    asked = real.until(lambda s: s.scorekeeper.by_button)
    real.finger.press()
    given = real.until(lambda s: s.scorekeeper.holder == "phone")

    assert "is asking to keep score" in str(asked.lamp.meaning)
    assert given.situation is Situation.TURN_BEGINS
    assert real.press().situation is not Situation.TURN_BEGINS  # now it reads


def test_a_hold_makes_nobody_the_scorekeeper(real):
    real.companion.scorekeeper.ask("phone")
    real.hold()

    assert real.companion.snapshot().scorekeeper.holder == ""


def test_the_button_on_the_page_makes_nobody_the_scorekeeper(match_rig):
    match_rig.companion.scorekeeper.ask("phone")
    match_rig.companion.do(Press())
    match_rig.finger.press()

    assert match_rig.settled().scorekeeper.holder == ""
    assert not match_rig.companion.scorekeeper.view().by_button


def test_an_unanswered_request_expires(real):
    real.companion.scorekeeper.ask("phone")
    real.until(lambda s: s.scorekeeper.asking)

    real.until(lambda s: not s.scorekeeper.asking and "keep score" not in str(s.lamp.meaning))


def test_a_renamed_player_keeps_the_phone(match_rig):
    do, phones = match_rig.companion.do, match_rig.companion.scorekeeper
    phones.allow_own_turns(on=True)
    phones.assign_player("bens phone", "Ben")
    do(RecordEvent(Renamed(1, "Benjamin")))
    do(RecordEvent(Joined("Ben")))
    assert phones.may_act("bens phone", "Benjamin")
    assert not phones.may_act("bens phone", "Ben")
    do(Undo())
    do(Undo())

    assert phones.may_act("bens phone", "Ben")


def test_a_new_match_keeps_the_phones_of_players(match_rig):
    scorekeeper = match_rig.companion.scorekeeper
    scorekeeper.assign_player("bens phone", "Ben")
    match_rig.companion.do(StartMatch(("Anna", "Cleo")))

    assert scorekeeper.view().players == (("bens phone", "Ben"),)


def test_the_lamp_shows_the_request_unless_the_button_is_held():
    assert indicator_for(Situation.TURN_BEGINS, None, asked=True) is Indicator.SCOREKEEPER
    held = indicator_for(Situation.ACCEPTED, None, asked=True, held_s=1.5, hold=HoldEffect.BANK)
    assert held is Indicator.HOLD
