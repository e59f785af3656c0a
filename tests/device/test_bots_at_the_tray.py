"""A bot at a whole table: the companion's loop makes it act, and a press makes it continue."""

import pytest

from device.companion.bot_turns import BOT_PAUSE_S
from game.commands import EnterThrow, StartMatch, ThrowSimulatedDice
from game.match.events import Bot, BotDice, PlayerStyle, Thrown
from game.situation import Situation, TableError
from tests.device.rig import open_rig

CAREFUL = PlayerStyle("Anna", (300,) * 6, 1)
PAUSE_S = BOT_PAUSE_S


def farkle(rig, dice):
    rig.companion.do(StartMatch(("Anna", "Bot"), bots=(None, Bot(dice, CAREFUL))))
    rig.companion.do(EnterThrow((2, 2, 3, 3, 4, 6)))


def timeline(rig):
    return rig.companion.snapshot().match.timeline


def test_the_loop_lets_a_bot_throw_after_its_pause(rig):
    farkle(rig, BotDice.SIMULATED)
    rig.clock.now_s += PAUSE_S - 0.5
    rig.companion.process_next(0)
    assert len(timeline(rig)) == 1
    rig.clock.now_s += 0.5
    rig.companion.process_next(0)

    thrown = timeline(rig)[-1]
    assert isinstance(thrown, Thrown)
    assert " ".join(map(str, thrown.dice)) in str(rig.companion.snapshot().message)


def test_a_bot_plays_until_the_person_is_next(rig):
    farkle(rig, BotDice.SIMULATED)
    for _ in range(40):
        rig.clock.now_s += PAUSE_S
        rig.companion.process_next(0)

    assert rig.companion.snapshot().situation is Situation.TURN_OVER
    assert rig.state.player.name == "Anna"


def test_a_press_at_the_tray_makes_a_bot_continue(rig):
    farkle(rig, BotDice.SIMULATED)
    rig.finger.press()
    rig.companion.process_all()

    assert isinstance(timeline(rig)[-1], Thrown)


def test_the_lamp_shows_that_a_bot_is_playing(rig):
    farkle(rig, BotDice.SIMULATED)

    assert str(rig.companion.snapshot().lamp.meaning).startswith("a bot is playing")


def test_a_person_throws_for_the_bot_in_the_tray(tmp_path):
    with open_rig(tmp_path, seed=3) as rig:
        farkle(rig, BotDice.TRAY)
        rig.throw(1, 2, 3, 4, 4, 6)
        assert rig.companion.snapshot().situation is Situation.BOT
        with pytest.raises(TableError, match="is playing now"):
            rig.companion.do(ThrowSimulatedDice())
        rig.clock.now_s += PAUSE_S
        rig.companion.process_next(0)
        assert "throw five dice for Bot" in str(rig.companion.snapshot().message)
        rig.companion.do(ThrowSimulatedDice())
        rig.wait_s(1.0)
        rig.press_until_read()

        assert len([event for event in timeline(rig) if isinstance(event, Thrown)]) == 3
