"""An object that is not a die: one tap says so, and the table does not ask again."""

from contextlib import contextmanager
from dataclasses import replace

import cv2
import numpy as np
import pytest

from game.commands import EnterThrow, MarkForeignObject, SetJustDice, StartMatch, Undo
from game.situation import Situation, TableError
from tests.clock import Clock
from tests.device.rig import ROLL_S, open_rig
from tests.handled_tray import HandledTray
from vision import Die, Problem, read

FIRST = (1, 1, 1, 2, 3, 4)
SECOND = (1, 2, 2, 3, 5, 6)
THIRD = (1, 2, 3, 4, 4, 5)
AT_PX, RADIUS_PX, COLOUR = (330, 200), 25, (60, 150, 190)
END_PX, PENCIL_PX, RULER_PX, YELLOW = (270, 110), 21, 70, (60, 190, 230)
CLOTH_PX = 600


class Littered(HandledTray):
    """A simulated tray that may contain a coin, a pencil or a ruler, or lie under a cloth."""

    thing = None

    def _frame(self, view):
        frame = super()._frame(view)
        if self.thing is None:
            return frame
        image = frame.image.copy()
        self.thing(image, image.shape[1] / 1536)
        return replace(frame, image=image)


def coin(image, scale):
    cv2.circle(image, scaled(AT_PX, scale), round(scale * RADIUS_PX), COLOUR, cv2.FILLED)


def pencil(image, scale, width_px=PENCIL_PX):
    width = round(scale * width_px)
    cv2.line(image, scaled(AT_PX, scale), scaled(END_PX, scale), YELLOW, width, cv2.LINE_AA)


def ruler(image, scale):
    pencil(image, scale, RULER_PX)


def cloth(image, scale):
    """Cover most of the tray with a checked cloth, so that three dice of the first throw remain visible."""
    rows, columns = np.mgrid[: image.shape[0], : image.shape[1]] // round(60 * scale)
    checks = np.where(((rows + columns) % 2)[..., None], (40, 40, 180), (220, 220, 220))
    left = round(CLOTH_PX * scale)
    image[:, left:] = checks[:, left:]


def scaled(at, scale):
    return tuple(round(scale * each) for each in at)


def read_with_coin(image, *args, known, **options):
    """Read the dice, and report the coin as a foreign object if it is new."""
    reading = read(image, *args, known=known, **options)
    dice = tuple(die for die in reading.dice if not is_at_coin(die))
    if is_coin(image) and not (known.empty is not None and is_coin(known.empty)):
        coin = Die(None, *AT_PX, 50, 50, 0, 0.0, problem=Problem.FOREIGN_OBJECT)
        dice = (*dice, coin)
    return replace(reading, dice=dice)


def is_coin(image):
    x, y = AT_PX
    return bool(abs(image[y, x].astype(int) - COLOUR).max() < 40)


def is_at_coin(die):
    return abs(die.x - AT_PX[0]) < 50 and abs(die.y - AT_PX[1]) < 50


@contextmanager
def littered_rig(folder):
    clock = Clock(1000.0)
    tray = Littered(seed=7, roll_s=ROLL_S, clock=clock)
    with open_rig(folder, tray=tray, clock=clock) as rig:
        rig.wait_s(1.0)  # the empty tray is seen
        yield rig


@pytest.fixture
def rig(tmp_path, monkeypatch):
    """Anna and Ben are about to begin, and there is a coin in the tray."""
    monkeypatch.setattr("device.watching.tray_watch.read", read_with_coin)
    with littered_rig(tmp_path) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.tray.thing = coin
        yield rig


def asked(rig, *values):
    """Return the photo on which the coin is ringed, and the coin's index there."""
    snapshot = rig.throw(*values)
    assert snapshot.situation is Situation.ATTENTION
    coin = next(i for i, die in enumerate(snapshot.photo.dice) if die.problem)
    return snapshot.photo, coin


def ringed(snapshot):
    return [die.problem for die in snapshot.photo.dice if die.problem]


def is_nothing(rig, photo, coin):
    return rig.companion.do(MarkForeignObject(photo.id, coin))


def test_the_throw_counts_without_the_coin_and_keeps_its_photo(rig):
    snapshot = is_nothing(rig, *asked(rig, *FIRST))

    assert snapshot.situation is Situation.ACCEPTED
    assert snapshot.match.last_throw.dice == FIRST
    assert sorted(die.value for die in snapshot.photo.dice) == list(FIRST)


def test_a_coin_that_stays_is_not_asked_about_again(rig):
    is_nothing(rig, *asked(rig, *FIRST))
    rig.hold()
    snapshot = rig.throw(*SECOND)

    assert snapshot.situation is Situation.ACCEPTED
    assert snapshot.match.last_throw.dice == SECOND


def test_after_an_undo_the_coin_is_asked_about_again(rig):
    is_nothing(rig, *asked(rig, *FIRST))
    rig.step()
    assert rig.companion.do(Undo()).match.last_throw is None
    snapshot = rig.press()

    assert snapshot.situation is Situation.ATTENTION
    assert ringed(snapshot) == ["something else"]


def test_undo_while_the_question_is_open_reads_the_coin_again(rig):
    photo, coin = asked(rig, *FIRST[:5])
    snapshot = is_nothing(rig, photo, coin)
    assert "Expected six dice, but saw 5" in str(snapshot.advice[0])
    rig.step()
    rig.companion.do(Undo())
    snapshot = rig.settled()

    assert ringed(snapshot) == ["something else"]


def test_without_an_empty_tray_image_the_coin_is_asked_about_at_the_next_throw(rig, monkeypatch):
    monkeypatch.setattr("device.watching.tray_memory.seems_empty", lambda *_: False)
    rig.watch.close()  # the camera fails and is replaced by another one
    rig.tray.name = "another one"
    rig.wait_s(1.0)
    snapshot = is_nothing(rig, *asked(rig, *FIRST))
    assert snapshot.match.last_throw.dice == FIRST
    rig.hold()

    assert ringed(rig.throw(*SECOND)) == ["something else"]


def test_a_coin_can_be_ignored_in_just_dice(rig):
    rig.companion.do(SetJustDice(on=True))
    photo, coin = asked(rig, *FIRST)

    assert is_nothing(rig, photo, coin).just_dice.last.dice == FIRST


def test_old_dice_next_to_a_coin_still_do_not_count_as_thrown(rig):
    rig.tray.thing = None
    rig.throw(*FIRST)
    rig.tray.thing = coin
    rig.wait_s(1.0)
    photo = rig.press().photo
    snapshot = is_nothing(rig, photo, len(photo.dice) - 1)

    assert str(snapshot.message) == "Not thrown yet: the dice have not moved."


def test_a_die_of_an_accepted_throw_cannot_be_ignored(rig):
    rig.tray.thing = None
    photo = rig.throw(*FIRST).photo
    with pytest.raises(TableError, match="That throw has been accepted"):
        is_nothing(rig, photo, 0)
    with pytest.raises(TableError, match="out of date"):
        rig.companion.do(MarkForeignObject("0", 0))


@pytest.mark.parametrize(
    ("thing", "situation"), [(pencil, Situation.JUST_DICE), (ruler, Situation.ATTENTION)]
)
def test_a_pencil_is_no_question_if_the_dice_are_known_but_a_ruler_may_hide_one(
    tmp_path, thing, situation
):
    with littered_rig(tmp_path) as rig:
        rig.companion.do(SetJustDice(on=True))
        for dice in (FIRST, SECOND):
            rig.throw(*dice)
        rig.tray.thing = thing
        snapshot = rig.throw(*THIRD)

    assert snapshot.situation is situation
    assert snapshot.just_dice.last.dice == (THIRD if thing is pencil else SECOND)


def test_dice_under_a_cloth_are_no_throw_until_it_is_taken_away(tmp_path):
    with littered_rig(tmp_path) as rig:
        rig.companion.do(SetJustDice(on=True))
        rig.tray.thing = cloth
        covered = rig.throw(*FIRST)
        rig.tray.thing = None
        rig.wait_s(1.0)
        uncovered = rig.press()

    assert covered.situation is Situation.ATTENTION
    assert "take away what covers it" in str(covered.advice)
    assert covered.just_dice.last is None
    assert uncovered.just_dice.last.dice == FIRST


def test_a_die_of_an_accepted_throw_cannot_be_ignored_while_another_throw_needs_attention(rig):
    rig.tray.thing = None
    photo = rig.throw(1, 1, 2, 3, 4, 6).photo
    assert rig.companion.do(EnterThrow((2, 2, 3, 4, 6, 6))).situation is Situation.ATTENTION
    empty = rig.watch.memory.known.empty
    with pytest.raises(TableError, match="That throw has been accepted"):
        is_nothing(rig, photo, 0)

    assert rig.companion.snapshot().situation is Situation.ATTENTION
    assert rig.watch.memory.known.empty is empty
