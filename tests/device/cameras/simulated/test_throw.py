"""How thrown dice move."""

from itertools import pairwise

import numpy as np
import pytest

from device.cameras.simulated.die_pose import extent_mm
from device.cameras.simulated.sim_dice import find_rest
from device.cameras.simulated.throw import plan_throw
from device.cameras.simulated.tray_geometry import FLOOR, WALL_MM

EDGE_MM = 16.0
ROLL_S = 1.0


def throws(seed, count=6):
    rng = np.random.default_rng(seed)
    taken = []
    for _ in range(count):
        taken.append(find_rest(rng, taken, EDGE_MM, (0.0, 0.0)))
    rests = [spot.pose(int(rng.integers(1, 7)), 0) for spot in taken]
    return plan_throw(rng, rests, [], EDGE_MM, start_s=5.0, roll_s=ROLL_S)


@pytest.mark.parametrize("seed", range(8))
def test_dice_come_from_outside_and_end_exactly_in_their_resting_pose(seed):
    tumbles = throws(seed)

    assert max(tumble.end_s for tumble in tumbles) == pytest.approx(5.0 + ROLL_S)
    for tumble in tumbles:
        first = tumble.at(tumble.start_s)
        assert tumble.at(tumble.start_s - 0.01) is None
        assert abs(first.centre_mm[0]) > FLOOR.right_mm or abs(first.centre_mm[1]) > FLOOR.far_mm
        assert tumble.at(tumble.end_s) is tumble.rest
        just_before = tumble.at(tumble.end_s - 1e-4)
        np.testing.assert_allclose(just_before.centre_mm, tumble.rest.centre_mm, atol=0.1)
        np.testing.assert_allclose(just_before.turn, tumble.rest.turn, atol=0.02)


@pytest.mark.parametrize("seed", range(8))
def test_dice_fly_over_the_walls_and_never_sink_into_the_floor(seed):
    for tumble in throws(seed):
        for time_s in np.linspace(tumble.start_s, tumble.end_s, 60):
            pose = tumble.at(time_s)
            x, y, z = pose.centre_mm
            out_x, out_y, half_z = extent_mm(pose.turn, EDGE_MM)
            low = z - half_z
            assert low >= -1e-6
            over_x, over_y = abs(x) + out_x - FLOOR.right_mm, abs(y) + out_y - FLOOR.far_mm
            assert max(over_x, over_y) < 0.01 or low >= WALL_MM


def test_dice_do_not_jump():
    for tumble in throws(5) + throws(6):
        times_s = np.linspace(tumble.start_s, tumble.end_s, 200)
        places = np.array([tumble.at(time_s).centre_mm for time_s in times_s])

        assert np.linalg.norm(np.diff(places, axis=0), axis=1).max() < EDGE_MM / 2


def test_a_rolling_die_turns_over_many_times():
    tumble = throws(3)[0]
    shown = [tumble.at(t).top_face for t in np.linspace(tumble.start_s, tumble.end_s, 80)]

    assert sum(a != b for a, b in pairwise(shown)) >= 3
    assert shown[-1] == tumble.rest.top_face


def test_dice_slow_down():
    tumble = throws(4)[0]
    times_s = np.linspace(tumble.start_s, tumble.end_s, 21)
    places = np.array([tumble.at(time_s).centre_mm[:2] for time_s in times_s])
    steps_mm = np.linalg.norm(np.diff(places, axis=0), axis=1)

    assert steps_mm[1] > 3 * steps_mm[-3]
