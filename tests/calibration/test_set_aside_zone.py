import pytest

from calibration.outline import Outline
from calibration.set_aside_zone import propose_zone
from device.cameras.simulated.tray import SimulatedTray

SIZE = (1536, 864)


def placed(left, right, top=0.1, bottom=0.9) -> Outline:
    return Outline(((left, top), (right, top), (right, bottom), (left, bottom)))


def middle(outline):
    xs, ys = zip(*outline.corners, strict=True)
    return sum(xs) / 4, sum(ys) / 4


def test_the_set_aside_area_lies_on_the_side_with_room():
    assert middle(propose_zone(placed(0.05, 0.6), *SIZE))[0] > 0.65
    assert middle(propose_zone(placed(0.4, 0.95), *SIZE))[0] < 0.35
    assert middle(propose_zone(placed(0.1, 0.9, 0.02, 0.5), *SIZE))[1] > 0.55


def test_with_room_on_both_sides_the_set_aside_area_lies_on_the_right():
    assert middle(propose_zone(placed(0.25, 0.75), *SIZE))[0] > 0.75


def test_a_tray_that_fills_the_frame_leaves_no_room_for_a_set_aside_area():
    assert propose_zone(placed(0.02, 0.98, 0.02, 0.98), *SIZE) is None


def test_a_side_beyond_which_the_area_would_cross_itself_is_left_out():
    askew = Outline(((0.5, 0.43), (0.56, 0.17), (0.86, 0.86), (0.47, 0.71)))

    assert propose_zone(askew, *SIZE) is not None


@pytest.mark.parametrize("turned", range(4))
def test_the_order_of_the_corners_does_not_matter(turned):
    corners = placed(0.05, 0.6).corners
    other = Outline(tuple(corners[(i + turned) % 4] for i in range(4))[::-1])

    assert middle(propose_zone(other, *SIZE)) == pytest.approx(
        middle(propose_zone(placed(0.05, 0.6), *SIZE))
    )


def test_the_area_of_the_simulated_tray_matches_its_set_aside_strip():
    tray = SimulatedTray()
    zone = propose_zone(Outline.of(tray.tray, *SIZE), *SIZE)
    there = Outline.of(tray.aside, *SIZE)

    assert middle(zone) == pytest.approx(middle(there), abs=0.04)
    assert max(x for x, _ in zone.corners) < 1
