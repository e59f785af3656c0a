import numpy as np
import pytest

from device.cameras.simulated.sim_dice import Footprint, find_rest, free_slot
from device.cameras.simulated.tray_geometry import ASIDE, FLOOR


def test_footprints_are_apart_if_a_line_fits_between_them():
    here = Footprint(0, 0, 0.0, 16)

    assert here.is_apart_from(Footprint(16.5, 0, 0.0, 16), gap_mm=0.5)
    assert not here.is_apart_from(Footprint(16.4, 0, 0.0, 16), gap_mm=0.5)
    assert not here.is_apart_from(Footprint(18, 0, np.pi / 4, 16), gap_mm=0.0)
    assert here.is_apart_from(Footprint(18, 18, np.pi / 4, 16), gap_mm=0.0)


def test_thousands_of_dice_never_overlap_each_other_or_a_wall():
    rng = np.random.default_rng(11)
    for _ in range(200):
        taken = []
        for _ in range(8):
            taken.append(find_rest(rng, taken, 16.0, (0.0, 0.0)))
        for i, spot in enumerate(taken):
            assert spot.is_inside(FLOOR)
            assert all(spot.is_apart_from(other, 0.05) for other in taken[:i])


def test_some_dice_touch_each_other_and_some_the_wall():
    rng = np.random.default_rng(12)
    throws = [_six(rng) for _ in range(60)]
    touching = sum(
        not a.is_apart_from(b, 0.3) for taken in throws for a in taken for b in taken if a != b
    )
    at_wall = sum(
        not Footprint(spot.x_mm, spot.y_mm, spot.yaw, spot.edge_mm + 1).is_inside(FLOOR)
        for taken in throws
        for spot in taken
    )

    assert touching > 20
    assert at_wall > 20


def _six(rng):
    taken = []
    for _ in range(6):
        taken.append(find_rest(rng, taken, 16.0, (0.0, 0.0)))
    return taken


def test_a_full_tray_is_refused():
    rng = np.random.default_rng(1)
    columns, rows = range(-125, 126, 25), range(-85, 86, 25)
    taken = [Footprint(x, y, 0.0, 20.0) for x in columns for y in rows]

    with pytest.raises(ValueError, match="use fewer or smaller dice"):
        find_rest(rng, taken, 16.0, (0.0, 0.0))


def test_dice_set_aside_are_inside_the_area_and_apart():
    rng = np.random.default_rng(2)
    taken = []
    for _ in range(6):
        taken.append(free_slot(rng, taken, 16.0))

    assert all(spot.is_inside(ASIDE) for spot in taken)
    assert all(a.is_apart_from(b, 0.1) for i, a in enumerate(taken) for b in taken[:i])
