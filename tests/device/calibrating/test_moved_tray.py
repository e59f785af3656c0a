"""A throw in a tray that was pushed since the calibration: dice outside its old place are asked about."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.drift import edge_signature, floor_brightness
from calibration.outline import Outline
from calibration.profile import Profile
from device.calibrating.profile_file import ProfileStore
from device.cameras.base import read_only
from game.commands import CorrectDie, StartMatch
from game.situation import Situation
from tests.device.rig import ROLL_S, open_rig
from tests.handled_tray import HandledTray

FARKLE = (2, 2, 3, 4, 6)
OUTSIDE_SEED = 11
"""With this seed, one die of the second throw lies outside the old place of the tray, and another one leans."""


class PushedTray(HandledTray):
    """A tray whose pictures are shifted to the right by a share of their width."""

    share = 0.0

    def preview(self):
        return self._pushed(super().preview())

    def capture(self):
        return self._pushed(super().capture())

    def _pushed(self, frame):
        height, width = frame.image.shape[:2]
        shift = np.array([[1, 0, self.share * width], [0, 1, 0]], np.float64)
        image = cv2.warpAffine(frame.image, shift, (width, height), borderMode=cv2.BORDER_REPLICATE)
        return replace(frame, image=read_only(image))


def calibrated(tray):
    frame = tray.capture().image
    outline = Outline.of(tray.tray, frame.shape[1], frame.shape[0])
    image = tray.preview().image
    floor = outline.in_px(image.shape[1], image.shape[0])
    profiles = ProfileStore()
    level, sides = floor_brightness(image, floor), edge_signature(image, floor)
    profiles.save(Profile(tray.name, "now", outline, level=level, sides=sides))
    return profiles


@pytest.fixture
def throw_after_push(tmp_path, clock):
    """A function that keeps a 1, pushes the tray, throws the other dice and returns the snapshot."""

    def throw(seed, leaning=None):
        tray = PushedTray(seed=seed, roll_s=ROLL_S, clock=clock)
        with open_rig(tmp_path, clock=clock, tray=tray, profiles=calibrated(tray)) as rig:
            rig.companion.do(StartMatch(("Anna", "Ben")))
            rig.throw(1, 5, 2, 3, 3, 6)
            tray.set_aside([1], to="gone")
            rig.wait_s(1.0)
            tray.share = 0.1
            if leaning is None:
                return rig.throw(*FARKLE)
            rig.roll(*FARKLE)
            tray.lean(leaning)
            rig.wait_s(1.0)
            asked = rig.press()
            doubtful = next(i for i, die in enumerate(asked.photo.dice) if die.problem)
            rig.companion.do(CorrectDie(asked.photo.id, doubtful, FARKLE[leaning]))
            return rig.settled()

    return throw


def test_a_die_outside_the_old_place_is_asked_about_although_another_one_leans(throw_after_push):
    """Otherwise a tap on the leaning die would complete the throw with four dice."""
    snapshot = throw_after_push(seed=OUTSIDE_SEED, leaning=4)

    assert snapshot.situation is Situation.ATTENTION
    assert "The tray or the camera has moved" in str(snapshot.message)


def test_a_die_that_lies_outside_the_old_place_of_the_tray_is_asked_about(throw_after_push):
    """Otherwise four dice would be read, which would mean that the 5 was kept as well."""
    snapshot = throw_after_push(seed=2)

    assert snapshot.situation is Situation.ATTENTION
    assert "The tray or the camera has moved" in str(snapshot.message)


def test_dice_that_lie_inside_the_old_place_of_the_tray_need_no_question(throw_after_push):
    snapshot = throw_after_push(seed=1)

    assert "Anna kept 1 = 100. 2 2 3 4 6: farkle!" in str(snapshot.message)
