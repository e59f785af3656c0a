import pytest

from calibration.outline import Outline, tray_width_px
from vision.reading import Quad


def test_an_outline_holds_for_any_resolution():
    outline = Outline.of(Quad(((10, 10), (90, 10), (90, 40), (10, 40))), 100, 50)

    assert outline.in_px(200, 100).corners == ((20, 20), (180, 20), (180, 80), (20, 80))
    assert outline.area == pytest.approx(0.8 * 0.6)


@pytest.mark.parametrize(
    ("corners", "why"),
    [
        (((0, 0), (1, 1), (1, 0), (0, 1)), "cross"),
        (((0, 0), (1, 0), (0.1, 0.1), (0, 1)), "cross"),
        (((0.5, 0.5), (0.51, 0.5), (0.51, 0.51), (0.5, 0.51)), "close together"),
        (((0, 0), (2, 0), (2, 1), (0, 1)), "outside"),
        (((1.05, 0.2), (1.2, 0.2), (1.2, 0.8), (1.05, 0.8)), "outside"),
        (((float("nan"), 0), (1, 0), (1, 1), (0, 1)), "outside"),
    ],
)
def test_corners_that_form_no_outline_are_refused_with_a_reason(corners, why):
    with pytest.raises(ValueError, match=why):
        Outline(corners)


def test_the_width_of_a_tray_is_the_mean_of_its_sides():
    assert tray_width_px(Quad(((0, 0), (30, 0), (30, 20), (0, 20)))) == 25
