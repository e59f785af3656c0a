"""Each fault of a deliberately spoilt frame is reported, and no other."""

import cv2
import numpy as np
import pytest

from calibration.picture_checks import (
    CheckName,
    PictureFinding,
    PictureSide,
    blur_share,
    check_picture,
)
from device.cameras.simulated.tray import SimulatedTray
from device.cameras.simulated.tray_geometry import LOOKS
from vision.reading import Quad

EDGE = 16 / 210


def faults(image, quad):
    return {finding.name for finding in check_picture(image, quad, EDGE) if finding.ok is False}


@pytest.mark.parametrize("look", LOOKS)
def test_a_good_frame_has_no_fault(look):
    tray = SimulatedTray(seed=5, look=look, roll_s=0.0)
    tray.throw_all([1, 2, 3, 4, 5, 6])

    assert faults(tray.capture().image, tray.tray) == set()


def test_a_blurred_frame_is_soft(tray, picture):
    assert faults(cv2.GaussianBlur(picture, (0, 0), 6), tray.tray) == {CheckName.FOCUS}


def test_the_measured_blur_does_not_depend_on_contrast(tray, picture):
    soft = cv2.GaussianBlur(picture, (0, 0), 4)
    flat = (soft.astype(np.float32) * 0.5 + 60).astype(np.uint8)

    blurs = [blur_share(image, tray.tray, EDGE) for image in (picture, soft)]
    assert blurs[0] < 0.5 * blurs[1]
    assert blur_share(flat, tray.tray, EDGE) == pytest.approx(blurs[1], rel=0.35)


def test_a_dark_frame_fails_the_light_check(tray, picture):
    assert CheckName.LIGHT in faults((picture * 0.1).astype(np.uint8), tray.tray)


def test_an_overexposed_frame_is_too_bright(tray, picture):
    burnt = np.clip(picture.astype(np.float32) * 4, 0, 255).astype(np.uint8)

    assert CheckName.LIGHT in faults(burnt, tray.tray)


def test_light_from_one_side_is_uneven(tray, picture):
    ramp = np.linspace(0.1, 1.4, picture.shape[1])[None, :, None]
    spoilt = np.clip(picture * ramp, 0, 255).astype(np.uint8)

    assert CheckName.LIGHT in faults(spoilt, tray.tray)


def test_a_reflected_lamp_is_glare_but_white_dice_are_not(tray, picture):
    middle = np.array(tray.tray.corners).mean(axis=0)
    y, x = np.mgrid[: picture.shape[0], : picture.shape[1]]
    spot = 600 * np.exp(-((x - middle[0]) ** 2 + (y - middle[1]) ** 2) / (2 * 45.0**2))
    spoilt = np.clip(picture + spot[..., None], 0, 255).astype(np.uint8)

    assert CheckName.GLARE in faults(spoilt, tray.tray)
    assert CheckName.GLARE not in faults(picture, tray.tray)


def test_a_tray_that_is_cut_off_names_the_side(tray, picture):
    cut = Quad(tuple((x - 320, y) for x, y in tray.tray.corners))
    found = check_picture(picture[:, 320:], cut, EDGE)[0]

    assert found.ok is False
    assert (found.finding, found.sides) == (PictureFinding.CUT_OFF, (PictureSide.LEFT,))


def test_a_tray_that_is_too_far_away_is_reported(tray, picture):
    small = cv2.resize(picture, (512, 288), interpolation=cv2.INTER_AREA)
    far = np.zeros_like(picture)
    far[288:576, 512:1024] = small
    quad = Quad(tuple((512 + x / 3, 288 + y / 3) for x, y in tray.tray.corners))

    assert check_picture(far, quad, EDGE)[0].finding is PictureFinding.FAR_AWAY


def test_a_camera_beside_the_tray_is_reported(picture):
    slanted = Quad(((500, 100), (1000, 100), (1300, 800), (200, 800)))

    assert check_picture(picture, slanted, EDGE)[0].finding is PictureFinding.FROM_THE_SIDE


def test_a_frame_without_edges_is_not_a_focus_fault():
    grey = np.full((864, 1536, 3), 120, np.uint8)
    found = check_picture(grey, Quad(((300, 100), (1200, 100), (1200, 760), (300, 760))), EDGE)[-1]

    assert found.ok is None
    assert found.finding is PictureFinding.BARE
