"""A throw that was picked up before it was read is offered, and never used without an answer."""

import re

import pytest

from device.watching.tray_watch import RestHistory
from game.commands import AnswerQuestion, CorrectDie
from game.situation import Situation
from tests.device.rig import STILL_S
from tests.handled_tray import HandledTray
from tests.throws import THOUSAND
from vision.reading import Zone

SCORING = (1, 1, 3, 5, 5, 6)
RESTED_S = STILL_S + 0.8


def scooped(rig, *values):
    """Throw dice, let them lie still for a while, and pick them up."""
    rig.roll(*values)
    rig.wait_s(RESTED_S)
    rig.tray.gather()
    rig.wait_s(RESTED_S)


def test_a_press_after_a_throw_was_picked_up_offers_it(match_rig):
    scooped(match_rig, *SCORING)
    snapshot = match_rig.press()

    assert snapshot.situation is Situation.QUESTION
    assert re.search(r"1 1 3 5 5 6 were lying here \d s ago. Use them\?", str(snapshot.question))
    assert match_rig.state.turn.last is None
    assert sorted(die.value for die in snapshot.photo.dice) == list(SCORING)


def test_a_press_with_a_hand_over_the_tray_offers_the_last_throw(match_rig):
    scooped(match_rig, 1, 1, 1, 2, 2, 3)
    match_rig.roll(*SCORING)
    match_rig.wait_s(RESTED_S)
    match_rig.tray.show_hand()
    match_rig.wait_s(RESTED_S)
    match_rig.tray.gather()
    match_rig.finger.press()
    match_rig.tray.show_hand(shown=False)
    snapshot = match_rig.settled()

    assert "1 1 3 5 5 6 were lying here" in str(snapshot.question)


def test_a_throw_after_a_forgotten_bank_is_offered_too(match_rig):
    match_rig.throw(1, 1, 1, 2, 3, 4)
    scooped(match_rig, *SCORING)
    asked = str(match_rig.press().question)
    assert re.search(r"1 1 3 5 5 6 were lying here \d s ago. Did Anna bank 1,000\?", asked)
    match_rig.hold()

    assert match_rig.scores == [1000, 0]
    assert match_rig.state.turn.last.dice == SCORING


def test_a_face_corrected_on_the_photo_does_not_answer_the_question(match_rig):
    scooped(match_rig, *SCORING)
    photo = match_rig.press().photo
    die = next(i for i, each in enumerate(photo.dice) if each.value == 6)
    snapshot = match_rig.companion.do(CorrectDie(photo.id, die, 2))

    assert re.search(r"1 1 2 3 5 5 were lying here \d s ago. Use them\?", str(snapshot.question))
    assert match_rig.state.turn.last is None
    match_rig.hold()
    assert match_rig.state.turn.last.dice == (1, 1, 2, 3, 5, 5)


def test_a_face_corrected_in_a_question_about_a_bank_keeps_every_answer(match_rig):
    match_rig.throw(1, 1, 1, 2, 3, 4)
    scooped(match_rig, *SCORING)
    asked = match_rig.hold()
    die = next(i for i, each in enumerate(asked.photo.dice) if each.value == 6)
    snapshot = match_rig.companion.do(CorrectDie(asked.photo.id, die, 2))

    assert len(snapshot.choices) == len(asked.choices)
    assert match_rig.scores == [0, 0]


def test_a_hold_after_dice_fell_back_and_were_picked_up_can_bank_alone(match_rig):
    match_rig.throw(1, 1, 1, 2, 3, 4)
    scooped(match_rig, *SCORING)
    asked = match_rig.hold()
    match_rig.companion.do(AnswerQuestion(asked.choices[1].id))

    assert match_rig.scores == [1000, 0]
    assert match_rig.state.turn.last is None


def test_a_hold_accepts_the_offer_and_the_next_throw_is_read_as_usual(match_rig):
    scooped(match_rig, *SCORING)
    match_rig.press()
    snapshot = match_rig.hold()
    assert snapshot.situation is Situation.ACCEPTED
    assert match_rig.state.turn.last.dice == SCORING

    match_rig.tray.throw(values=(1, 5))
    match_rig.wait_s(0.5)
    match_rig.press_until_read()
    assert match_rig.state.turn.last.dice == (1, 5)


def test_another_press_waits_for_the_next_throw_instead(match_rig):
    scooped(match_rig, *SCORING)
    match_rig.press()

    assert str(match_rig.press().message) == "Waiting for a throw."


def test_a_throw_that_was_read_is_not_offered_again(match_rig):
    match_rig.throw(*SCORING)
    match_rig.hold()
    match_rig.wait_s(RESTED_S)
    match_rig.tray.gather()
    match_rig.wait_s(RESTED_S)

    assert str(match_rig.press().message) == "Waiting for a throw."


def test_a_tray_that_was_empty_offers_nothing(match_rig):
    match_rig.wait_s(RESTED_S)

    assert str(match_rig.press().message) == "Waiting for a throw."


def test_too_few_dice_are_not_offered(match_rig):
    scooped(match_rig, 1, 5)

    assert str(match_rig.press().message) == "Waiting for a throw."


class Looks:
    """A tray, and the dice at rest that are remembered for it."""

    def __init__(self):
        self.now_s = 10.0
        self.captured = 0
        self.tray = HandledTray(seed=3, roll_s=0, clock=lambda: self.now_s)
        self.rests = RestHistory(self.tray.tray, (1536, 864))

    def capture(self):
        self.captured += 1
        return self.tray.capture()

    def see(self, duration_s=0.5, *, settled=True):
        for _ in range(round(duration_s * 10)):
            self.now_s += 0.1
            self.rests.feed(self.tray.preview(), is_settled=settled, capture=self.capture)


@pytest.fixture
def looks():
    looks = Looks()
    looks.tray.throw(values=SCORING)
    looks.see()
    return looks


def test_one_picture_is_kept_for_each_rest(looks):
    looks.see(3)
    looks.see(0.3, settled=False)  # a hand passes over the tray and touches nothing
    looks.see(3)

    assert looks.captured == 1


def test_the_previous_rest_is_returned_once_with_its_times(looks):
    looks.see(1)
    looks.see(0.5, settled=False)
    looks.tray.gather()
    looks.see(1)
    still = looks.rests.take_previous(0)

    assert still.until_s - still.from_s == pytest.approx(1.4)
    assert looks.now_s - still.until_s == pytest.approx(1.5)
    assert looks.rests.take_previous(0) is None


def test_a_rest_before_the_last_reading_is_not_returned(looks):
    read_s = looks.now_s
    looks.see(0.5, settled=False)
    looks.tray.gather()
    looks.see(1)

    assert looks.rests.take_previous(read_s) is None


def test_a_hold_after_dice_that_could_not_be_read_were_picked_up_asks_before_it_banks(match_rig):
    rig = match_rig
    rig.throw(*THOUSAND)
    rig.tray.set_aside((1, 1, 1))
    rig.tray.throw(values=(2, 3, 4))
    rig.wait_s(0.5)
    rig.tray.lean([die.zone for die in rig.tray.visible_dice].index(Zone.TRAY))
    rig.wait_s(1.5)
    rig.tray.gather()
    rig.wait_s(1.2)
    asked = rig.hold()

    assert asked.situation is Situation.QUESTION
    assert "Did Anna bank 1,000?" in str(asked.question)
    assert rig.scores == [0, 0]
    rig.hold()
    assert rig.scores == [1000, 0]


def test_a_hold_after_a_read_throw_was_picked_up_banks_at_once(match_rig):
    match_rig.throw(*THOUSAND)
    match_rig.tray.show_hand()
    match_rig.wait_s(0.8)
    match_rig.tray.gather()
    match_rig.tray.show_hand(shown=False)
    match_rig.wait_s(1.0)
    match_rig.hold()

    assert match_rig.scores == [1000, 0]


@pytest.mark.parametrize("stall_s", [0.0, 0.5])
def test_dice_that_are_picked_up_during_a_slow_reading_are_offered(match_rig, monkeypatch, stall_s):
    rig = match_rig
    rig.wait_s(1.0)
    watch, readings = rig.watch, []
    read_image, learn = watch._read_image, watch.memory.learn_empty_tray

    def read_slowly(camera, image):
        rig.clock.now_s += 1.0
        if not readings:
            rig.tray.gather()
        readings.append(image)
        return read_image(camera, image)

    def learn_slowly(image, zones):
        rig.clock.now_s += stall_s
        return learn(image, zones)

    rig.tray.throw_all(SCORING)
    rig.wait_s(0.1)
    monkeypatch.setattr(watch, "_read_image", read_slowly)
    monkeypatch.setattr(watch.memory, "learn_empty_tray", learn_slowly)
    snapshot = rig.press()

    assert "1 1 3 5 5 6 were lying here" in str(snapshot.question)
