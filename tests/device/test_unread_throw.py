"""No bank escapes a farkle, and no open question traps the table."""

from random import Random

import pytest

from game.commands import Bank, CorrectThrow, ReadAgain, StartMatch, ThrowSimulatedDice
from game.errors import GameError
from game.match.events import Thrown
from game.situation import Situation, TableError
from tests.device.rig import ROLL_S, open_rig
from tests.handled_tray import HandledTray
from tests.throws import THOUSAND

N_THROWS = 20


@pytest.mark.parametrize("after_s", [0.0, 0.1, 0.3, 0.6, 2.0])
def test_a_bank_between_a_throw_and_its_reading_is_refused(match_rig, after_s):
    match_rig.throw(*THOUSAND)
    match_rig.companion.do(ThrowSimulatedDice())
    match_rig.wait_s(after_s)
    with pytest.raises(TableError, match="press the button to read"):
        match_rig.companion.do(Bank())
    match_rig.finger.press()
    match_rig.companion.process_all()
    with pytest.raises(TableError):
        match_rig.companion.do(Bank())
    match_rig.settled()

    assert len(match_rig.state.turn.throws) == 2 or match_rig.state.turns
    assert match_rig.scores == [0, 0]


def test_a_hold_right_after_a_simulated_throw_reads_it_first(match_rig):
    match_rig.throw(*THOUSAND)
    match_rig.companion.do(ThrowSimulatedDice())
    match_rig.hold()

    assert len(match_rig.state.turn.throws) == 2 or match_rig.state.turns[0].throws[1:]


def test_simulated_dice_stay_while_a_question_about_them_is_open(match_rig):
    match_rig.throw(*THOUSAND)
    asked = match_rig.throw(2, 2, 3, 4, 5, 6)
    assert asked.situation is Situation.QUESTION
    lying = match_rig.tray.truth
    with pytest.raises(TableError, match="Did Anna bank 1,000"):
        match_rig.companion.do(ThrowSimulatedDice())
    assert match_rig.tray.truth == lying

    match_rig.hold()
    assert match_rig.scores == [1000, 0]


def test_a_corrected_throw_is_followed_by_one_question_at_most(match_rig):
    match_rig.throw(1, 1, 2, 3, 4, 6)
    match_rig.companion.do(CorrectThrow((1, 2, 3, 4, 5, 6)))
    for _ in range(3):
        match_rig.companion.do(ThrowSimulatedDice())
        match_rig.wait_s(1.0)
        match_rig.press()
        while match_rig.companion.snapshot().situation is Situation.QUESTION:
            assert str(match_rig.companion.snapshot().message)
            match_rig.hold()
        if match_rig.state.turns:
            break

    assert match_rig.state.turns or len(match_rig.state.turn.throws) == 4


def n_throws(snapshot):
    return sum(isinstance(event, Thrown) for event in snapshot.match.timeline)


def bank(rig):
    """Tap Bank, and return whether the bank was accepted."""
    try:
        rig.companion.do(Bank())
    except (TableError, GameError):
        return False
    return True


def test_banks_at_random_moments_never_escape_a_throw(match_rig):
    random, companion, banks = Random(5), match_rig.companion, 0
    for _ in range(N_THROWS):
        companion.do(ThrowSimulatedDice())
        before = n_throws(companion.snapshot())
        for _ in range(3):
            match_rig.wait_s(random.uniform(0, 0.6))
            if random.random() < 0.3:
                match_rig.finger.press()
                match_rig.companion.process_all()
            if bank(match_rig):
                banks += 1
                assert n_throws(companion.snapshot()) > before
        match_rig.press_until_read()
        while companion.snapshot().situation is Situation.QUESTION:
            match_rig.hold()
        banks += bank(match_rig)

    assert banks


def throw_a_farkle(rig):
    """Set the dice of `THOUSAND` that score aside, and throw the others, without a press."""
    rig.tray.set_aside((1, 1, 1), to="gone")
    rig.wait_s(2.0)
    rig.roll(2, 3, 4)
    rig.wait_s(2.0)


def farkles_before_a_bank(rig):
    assert not bank(rig)
    rig.hold()
    return rig.scores == [0, 0] and rig.state.turns[0].throws[-1].dice == (2, 3, 4)


def test_dice_seen_rolling_after_the_camera_was_away_are_read_before_a_bank(match_rig):
    match_rig.throw(*THOUSAND)
    with match_rig.camera_unplugged():
        pass
    throw_a_farkle(match_rig)

    assert farkles_before_a_bank(match_rig)


def test_dice_seen_rolling_after_a_restart_are_read_before_a_bank(tmp_path):
    with open_rig(tmp_path) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.throw(*THOUSAND)
    with open_rig(tmp_path) as rig:
        rig.tray.place(THOUSAND)
        throw_a_farkle(rig)

        assert farkles_before_a_bank(rig)


def test_dice_seen_rolling_after_the_camera_was_away_do_not_correct_an_earlier_throw(match_rig):
    match_rig.throw(*THOUSAND)
    match_rig.hold()
    with match_rig.camera_unplugged():
        pass
    match_rig.roll(1, 2, 2, 3, 3, 5)
    match_rig.wait_s(2.0)

    with pytest.raises(TableError, match="thrown since"):
        match_rig.companion.do(ReadAgain())


class SlowCamera(HandledTray):
    """A camera that shows its latest preview again until a new picture arrives, as a camera on the network does."""

    rate_hz = 10.0
    latest = None

    def preview(self):
        if self.latest is None or self._clock() - self.latest.time_s >= 1 / self.rate_hz - 1e-6:
            self.latest = super().preview()
        return self.latest


@pytest.mark.parametrize("rate_hz", [12, 10, 7.5, 5])
@pytest.mark.parametrize("hands_off", [False, True])
def test_dice_that_slide_under_a_slow_camera_are_not_thrown(tmp_path, clock, rate_hz, hands_off):
    tray = SlowCamera(seed=7, roll_s=ROLL_S, clock=clock)
    tray.rate_hz = rate_hz
    with open_rig(tmp_path, tray=tray, clock=clock, clips=False, hands_off=hands_off) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.throw(1, 1, 2, 3, 4, 6)
        before = rig.state
        rig.tray.nudge((2, 3, 4, 6))
        rig.wait_s(2.5)
        snapshot = rig.press()

    assert rig.state == before
    assert str(snapshot.message) == "Not thrown yet: the dice were only moved."


@pytest.mark.parametrize("rate_hz", [10, 5])
def test_a_throw_under_a_slow_camera_counts(tmp_path, clock, rate_hz):
    tray = SlowCamera(seed=7, roll_s=ROLL_S, clock=clock)
    tray.rate_hz = rate_hz
    with open_rig(tmp_path, tray=tray, clock=clock, clips=False) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.throw(*THOUSAND)
        rig.hold()
        snapshot = rig.throw(*THOUSAND)

    assert str(snapshot.message) == "Ben threw 1 1 1 2 3 4: 1,000 at risk."
