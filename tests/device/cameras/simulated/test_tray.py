import threading
from itertools import pairwise

import cv2
import numpy as np
import pytest

from device.cameras.simulated.sim_dice import Footprint
from device.cameras.simulated.tray_geometry import LOOKS
from tests.handled_tray import HandledTray
from vision.reading import Zone


def pips_seen(image, die, half_px=45):
    """Count the dark spots on the top face of a white die, without the reader."""
    x, y = round(die.x_px), round(die.y_px)
    around = image[y - half_px : y + half_px, x - half_px : x + half_px]
    dark = (cv2.cvtColor(around, cv2.COLOR_BGR2GRAY) < 100).astype(np.uint8)
    _, _, stats, centres = cv2.connectedComponentsWithStats(dark)
    # The corner pips are 20 px from the centre of the face, the pips on other faces 31 and more.
    from_middle = np.hypot(*(centres - half_px).T)
    return sum((from_middle < 26) & (stats[:, 4] > 30) & (stats[:, 4] < 150))


def test_a_frame_has_the_size_and_type_of_a_pi_cameras(tray, clock):
    frame, preview = tray.capture(), tray.preview()

    assert frame.image.shape == (864, 1536, 3)
    assert preview.image.shape == (180, 320, 3)
    assert frame.image.dtype == preview.image.dtype == np.uint8
    assert not frame.image.flags.writeable
    assert not preview.image.flags.writeable
    assert frame.time_s == clock.now_s


@pytest.mark.parametrize("seed", range(4))
def test_frames_show_the_truth(seed, clock):
    tray = HandledTray(seed=seed, clock=clock)
    for values in ([1, 2, 3, 4, 5, 6], [6, 6, 5, 4, 2, 3]):
        tray.throw_all(values)
        clock.now_s += 1.1
        image = tray.capture().image

        assert sorted(values) == list(tray.truth)
        for die in tray.visible_dice:
            assert die.value == pips_seen(image, die)


def test_the_tray_starts_empty_with_all_dice_in_the_hand(tray):
    assert tray.truth == ()
    assert tray.visible_dice == ()
    assert not tray.is_rolling


def test_tray_and_set_aside_area_are_next_to_each_other_in_the_frame(tray):
    floor, aside = np.array(tray.tray.corners), np.array(tray.aside.corners)

    for quad in (floor, aside):
        assert quad.min() > 0
        assert np.all(quad < (1536, 864))
    assert floor[:, 0].max() < aside[:, 0].min()


def test_thrown_dice_move_in_the_frames_of_one_second(tray, clock):
    tray.throw()
    frames = []
    while tray.is_rolling:
        frames.append(tray.preview().image.astype(int))
        clock.now_s += 0.125
    moving = [np.abs(a - b).max() > 40 for a, b in pairwise(frames)]

    assert len(frames) == 8
    assert all(moving[2:])


def test_frames_of_dice_at_rest_differ_only_by_noise(tray, rest):
    tray.throw()
    rest()
    first, second = (tray.capture().image.astype(int) for _ in range(2))
    difference = first - second

    assert 1 < difference.std() < 5
    assert np.abs(difference).max() < 30


def test_the_same_seed_and_calls_give_the_same_dice(clock):
    def play(seed):
        tray = HandledTray(seed=seed, clock=clock)
        tray.throw()
        tray.set_aside(tray.truth[:2])
        tray.throw()
        return tray.visible_dice

    assert play(5) == play(5)
    assert play(5) != play(6)


def test_taking_frames_does_not_change_the_next_throw(clock):
    shy, curious = (HandledTray(seed=3, clock=clock) for _ in range(2))
    for tray in (shy, curious):
        tray.throw()
        if tray is curious:
            tray.capture()
            tray.preview()
        tray.throw()

    assert shy.visible_dice == curious.visible_dice


def test_faces_are_equally_frequent(clock):
    tray = HandledTray(seed=8, clock=clock)
    faces = []
    for _ in range(100):
        tray.throw_all()
        faces += tray.truth
    counts = np.bincount(faces, minlength=7)[1:]

    assert ((counts - 100) ** 2 / 100).sum() < 20.5  # chi squared, 5 degrees, p = 0.001


def test_a_throw_picks_up_the_loose_dice_in_the_tray(tray, rest):
    tray.throw(values=[1, 1, 2, 3, 4, 6])
    tray.set_aside([1, 1])

    assert tray.truth == (2, 3, 4, 6)
    tray.throw(values=[5, 5, 5, 5])
    assert tray.truth == (5, 5, 5, 5)
    aside = [die for die in rest() if die.zone is Zone.ASIDE]
    assert [die.value for die in aside] == [1, 1]


def test_dice_set_aside_are_seen_in_the_set_aside_area(tray):
    tray.throw(values=[1, 2, 3, 4, 5, 6])
    tray.set_aside([1, 2, 3, 4, 5, 6])
    zone = np.array(tray.aside.corners, np.float32)

    assert tray.truth == ()
    for die in tray.visible_dice:
        assert die.zone is Zone.ASIDE
        assert cv2.pointPolygonTest(zone, (die.x_px, die.y_px), measureDist=False) > 0


def test_all_dice_are_thrown_if_none_is_left_in_the_tray(tray):
    tray.throw(values=[1, 1, 1, 5, 5, 5])
    tray.set_aside([1, 1, 1, 5, 5, 5])
    tray.throw()

    assert len(tray.truth) == 6


def test_a_throw_of_n_picks_up_dice_in_the_tray_before_those_set_aside(tray):
    tray.throw(values=[1, 2, 3, 4, 5, 6])
    tray.set_aside([1, 2, 3])
    tray.throw(5, values=[6, 6, 6, 6, 6])

    assert tray.truth == (6, 6, 6, 6, 6)
    assert [die.value for die in tray.visible_dice if die.zone is Zone.ASIDE] == [3]


def test_a_roll_off_throws_one_die_from_the_hand(tray):
    tray.throw(1, values=[4])

    assert tray.truth == (4,)
    assert len(tray.visible_dice) == 1


def test_dice_kept_in_the_tray_are_neither_thrown_nor_moved(tray):
    tray.throw(values=[1, 5, 2, 3, 4, 6])
    before = {die for die in tray.visible_dice if die.value in {1, 5}}
    tray.set_aside([1, 5], to="stay")
    tray.throw(values=[2, 2, 2, 2])

    assert tray.truth == (1, 2, 2, 2, 2, 5)
    assert before == {die for die in tray.visible_dice if die.value in {1, 5}}


def test_dice_pushed_into_the_corner_keep_their_faces_and_stay_there(tray, rest):
    tray.throw(values=[1, 5, 2, 3, 4, 6])
    rest()
    tray.set_aside([1, 5], to="corner")
    tray.throw(values=[2, 2, 3, 3])
    corner = np.array(tray.tray.corners[2])

    assert tray.truth == (1, 2, 2, 3, 3, 5)
    for die in tray.visible_dice:
        if die.value in {1, 5}:
            assert np.hypot(*(corner - (die.x_px, die.y_px))) < 250


def test_dice_taken_away_are_outside_the_frame(tray):
    tray.throw(values=[1, 5, 2, 3, 4, 6])
    tray.set_aside([1, 5], to="gone")

    assert tray.truth == (2, 3, 4, 6)
    assert len(tray.visible_dice) == 4


def test_gather_empties_the_tray_and_throw_all_throws_every_die(tray):
    tray.throw(values=[1, 5, 2, 3, 4, 6])
    tray.set_aside([1, 5])
    tray.gather()
    assert tray.truth == ()
    assert len(tray.visible_dice) == 2

    tray.throw_all(values=[6] * 6)
    assert tray.truth == (6,) * 6


def test_a_nudge_moves_dice_but_never_turns_them_over(tray, rest, clock):
    tray.throw(values=[1, 2, 3, 4, 5, 6])
    before = rest()
    tray.nudge([2, 3])
    clock.now_s += 0.25
    assert tray.is_rolling
    after = rest()

    assert tray.truth == (1, 2, 3, 4, 5, 6)
    moved = {a.value for a, b in zip(before, after, strict=True) if a != b}
    assert moved == {2, 3}
    image = tray.capture().image
    assert all(die.value == pips_seen(image, die) for die in after)


def test_placed_dice_are_at_rest_at_once(tray):
    tray.place([1, 1, 5])

    assert tray.truth == (1, 1, 5)
    assert not tray.is_rolling


@pytest.mark.parametrize("away", [False, True])
def test_a_leaning_die_is_cocked_and_shows_no_face(tray, rest, away):
    tray.throw(values=[1, 2, 3, 4, 5, 6])
    rest()
    tray.lean(2, away=away)

    assert tray.truth == (1, 2, 4, 5, 6)
    assert [die.is_cocked for die in tray.visible_dice] == [False, False, True, False, False, False]


def test_a_leaning_die_that_is_pushed_falls_flat(tray, rest):
    tray.throw(values=[1, 2, 3, 4, 5, 6])
    tray.lean(2)
    tray.nudge([3])
    image = (rest(), tray.capture().image)[1]

    assert tray.truth == (1, 2, 3, 4, 5, 6)
    assert all(die.value == pips_seen(image, die) for die in tray.visible_dice)


def test_dice_never_overlap_after_any_move_of_a_hand(clock):
    tray = HandledTray(seed=4, clock=clock)
    for _ in range(25):
        tray.throw_all()
        tray.lean(0)
        tray.set_aside(tray.truth[:2], to="corner")
        tray.nudge()
        clock.now_s += 2
        dice = [die.rest for die in tray._all_dice.dice]
        spots = [Footprint.of(pose, 16.0) for pose in dice]
        assert all(a.is_apart_from(b, 0.05) for i, a in enumerate(spots) for b in spots[:i])


def test_a_hand_covers_the_tray_and_leaves_no_trace(tray, clock):
    empty = tray.preview().image.astype(int)
    tray.show_hand()
    clock.now_s += 0.5
    covered = np.abs(tray.preview().image.astype(int) - empty).max(axis=2) > 30
    tray.show_hand(False)
    clock.now_s += 0.5
    left = np.abs(tray.preview().image.astype(int) - empty)

    assert 0.1 < covered.mean() < 0.5
    assert covered[-1].any()
    assert left.max() < 15


def test_a_hand_that_nudges_dice_leaves_by_itself(tray, rest, clock):
    tray.throw()
    rest()
    still = tray.preview().image.astype(int)
    tray.nudge(hand=True)
    clock.now_s += 0.5
    assert (np.abs(tray.preview().image.astype(int) - still).max(axis=2) > 30).mean() > 0.1
    clock.now_s += 2
    assert (np.abs(tray.preview().image.astype(int) - still).max(axis=2) > 30).mean() < 0.05


@pytest.mark.parametrize("look", LOOKS)
def test_every_look_paints_its_dice(look, clock):
    tray = HandledTray(seed=1, look=look, clock=clock)
    empty = tray.preview().image.astype(int)
    tray.place([1, 2, 3, 4, 5, 6])
    changed = np.abs(tray.preview().image.astype(int) - empty).max(axis=2) > 25

    assert changed.sum() > 6 * 30


def test_impossible_requests_are_refused_with_the_reason(tray):
    tray.throw(values=[1, 2, 3, 4, 5, 6])

    with pytest.raises(ValueError, match="a die shows 1 to 6, not 7"):
        tray.throw(values=[7, 1, 1, 1, 1, 1])
    with pytest.raises(ValueError, match="cannot throw 7 dice: there are 6"):
        tray.throw(7)
    with pytest.raises(ValueError, match="cannot throw 0 dice"):
        tray.throw(0)
    with pytest.raises(ValueError, match="3 dice are thrown, but 2 faces are given"):
        tray.throw(3, values=[1, 2])
    with pytest.raises(ValueError, match=r"no \[1\] in the tray: it shows \[1, 2, 3, 4, 5, 6\]"):
        tray.set_aside([1, 1])
    with pytest.raises(ValueError, match="aside, gone, corner or stay"):
        tray.set_aside([1], to="pocket")
    with pytest.raises(ValueError, match="die 9 is not in the tray"):
        tray.lean(9)
    with pytest.raises(ValueError, match="use one of green, red"):
        HandledTray(look="plaid")
    with pytest.raises(ValueError, match="1 or more"):
        HandledTray(n_dice=0)
    assert tray.truth == (1, 2, 3, 4, 5, 6)


def test_dice_can_be_thrown_while_another_thread_takes_frames(clock):
    tray = HandledTray(seed=9, roll_s=0.05)
    tray.throw_all()
    stop = threading.Event()

    def play():
        while not stop.wait(0.002):
            tray.throw_all()
            tray.set_aside(tray.truth[:3])
            tray.nudge()

    hands = threading.Thread(target=play)
    hands.start()
    try:
        for _ in range(30):
            tray.preview()
            assert len(tray.visible_dice) == 6
    finally:
        stop.set()
        hands.join()
