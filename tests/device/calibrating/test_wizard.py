"""Calibration of the simulated tray, with a real camera thread, reader and file."""

from dataclasses import replace
from time import monotonic

import pytest

from calibration.outline import Outline, tray_width_px
from device.calibrating import wizard as module
from device.calibrating import wizard_camera
from device.calibrating.profile_file import PROFILE_FILE, ProfileStore, load, save
from device.calibrating.wizard import Wizard
from device.watching.tray_watch import TrayWatch, WatchOptions
from game.situation import TableError
from tests.device.calibrating.test_moved_tray import PushedTray
from tests.device.calibrating.test_profile_file import TunableTray
from tests.handled_tray import HandledTray
from tests.waiting import PATIENCE_S, until
from vision import Die, Problem, Reading
from web.contracts import CalibrationStep

SIZE = (1536, 864)
FAR = ((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9))


class Bench:
    """A tray, the watch over it, and the calibration.

    Attributes:
        ahead_s: How much later it is for the calibration than on the real clock, in seconds.
    """

    def __init__(self, folder, tray, n_dice):
        self.tray, self.file = tray, folder / PROFILE_FILE
        self.profiles = ProfileStore(self.file)
        self.watch = watch = TrayWatch(
            lambda: tray,
            lambda _: None,
            WatchOptions(still_s=0.1, zones_of=self.profiles.zones_of),
        )
        self.lamps, self.ahead_s = [], 0.0
        self.wizard = Wizard(
            watch,
            self.profiles,
            n_dice=n_dice,
            simulated=tray,
            changed=lambda: self.lamps.append(1),
            clock=lambda: monotonic() + self.ahead_s,
        )
        self.wizard.camera_found(tray.name)

    def throw(self, *values):
        self.tray.throw_all(values)

    def until_preview_is_new(self):
        for _ in range(2):  # the first one may have been taken before
            old = self.watch.preview.latest
            until(lambda old=old: self.watch.preview.latest is not old)

    def until(self, holds):
        until(lambda: holds(self.wizard.state()), said=self.wizard.state)


@pytest.fixture
def make(tmp_path):
    benches = []

    def start(tray=None, n_dice=6):
        bench = Bench(tmp_path, tray or HandledTray(seed=8, roll_s=0.0), n_dice)
        benches.append(bench)
        bench.watch.start()
        return bench

    yield start
    for bench in benches:
        bench.watch.close()


@pytest.fixture
def bench(make):
    return make()


def test_the_tray_is_found_with_a_set_aside_area_and_saved(bench):
    state = bench.wizard.do(CalibrationStep.FIND)
    truth = Outline.of(bench.tray.tray, *SIZE)

    assert state.unsaved
    assert state.made is None
    away = [min(abs(x - u) + abs(y - v) for u, v in truth.corners) for x, y in state.tray]
    assert max(away) < 0.06
    assert state.aside is not None
    assert len(state.checks) == 4
    state = bench.wizard.do(CalibrationStep.SAVE)
    profile = load(bench.file)
    for saved, seen in zip(profile.tray.corners, state.tray, strict=True):
        assert saved == pytest.approx(seen, abs=1e-4)
    assert (state.made, state.unsaved) == (profile.made, False)
    assert len(profile.sides) == 8
    assert 0 < profile.level < 1


def test_corners_that_were_dragged_are_used_by_the_watch_once_saved(bench):
    bench.wizard.set_corners(FAR, None)
    assert bench.wizard.state().tray == FAR
    bench.wizard.do(CalibrationStep.SAVE)

    for _ in range(3):  # until the watch has begun again and has shown a preview
        bench.watch.run_with_camera(lambda _: None).result(PATIENCE_S)
    assert bench.watch.preview.zones_in_view == (Outline(FAR).in_px(*SIZE).scaled(320 / 1536),)


def test_corners_that_cross_are_refused(bench):
    with pytest.raises(TableError, match=r"The tray: the corners are in the wrong order"):
        bench.wizard.set_corners((FAR[0], FAR[2], FAR[1], FAR[3]), None)


def test_a_set_aside_area_is_proposed_or_refused_if_there_is_no_room(bench):
    bench.wizard.do(CalibrationStep.FIND)
    bench.wizard.set_corners(bench.wizard.state().tray, None)
    assert bench.wizard.state().aside is None
    assert bench.wizard.do(CalibrationStep.PROPOSE).aside is not None

    bench.wizard.set_corners(((0.02, 0.02), (0.98, 0.02), (0.98, 0.98), (0.02, 0.98)), None)
    with pytest.raises(TableError, match="There is no room beside the tray"):
        bench.wizard.do(CalibrationStep.PROPOSE)
    assert not bench.wizard.state().room


def test_the_draft_stays_until_it_is_discarded(bench):
    bench.wizard.do(CalibrationStep.FIND)
    bench.wizard.do(CalibrationStep.SAVE)
    saved = bench.wizard.state().tray
    bench.wizard.set_corners(FAR, None)
    assert bench.wizard.state().tray == FAR

    assert bench.wizard.do(CalibrationStep.DISCARD).tray == saved


def set_exact_corners(bench):
    """Set the corners exactly, as if a person had dragged them."""
    corners = Outline.of(bench.tray.tray, *SIZE).corners
    bench.wizard.set_corners(corners, Outline.of(bench.tray.aside, *SIZE).corners)


def test_a_restored_profile_replaces_the_draft(bench):
    bench.wizard.do(CalibrationStep.FIND)
    bench.wizard.do(CalibrationStep.SAVE)
    other = replace(bench.profiles.profile, tray=Outline(FAR), sides=())
    save(other, bench.file)
    bench.profiles.reload()
    bench.wizard.profile_restored()

    bench.until(lambda state: state.tray == FAR)
    bench.wizard.do(CalibrationStep.SAVE)
    assert load(bench.file).tray == Outline(FAR)


def test_a_tray_that_moved_after_its_corners_were_set_is_not_saved_with_them(make):
    """Otherwise the profile would say that the tray has not moved, and dice at a wall would not count."""
    tray = PushedTray(seed=8, roll_s=0.0)
    bench = make(tray)
    bench.wizard.do(CalibrationStep.FIND)
    tray.share = 0.05
    bench.until_preview_is_new()

    with pytest.raises(TableError, match="has moved since the corners were set"):
        bench.wizard.do(CalibrationStep.SAVE)

    moved = [(x + 0.05, y) for x, y in Outline.of(tray.tray, *SIZE).corners]
    bench.wizard.set_corners(moved, None)
    assert not bench.wizard.do(CalibrationStep.SAVE).unsaved


def test_the_dice_are_learnt_from_two_throws(bench):
    set_exact_corners(bench)
    bench.throw(1, 2, 3, 4, 5, 6)
    first = bench.wizard.do(CalibrationStep.LEARN).learning
    assert not first.learnt
    looked_at = first.looked_at
    number = 0
    while not bench.wizard.state().learning.learnt and number < 5:
        bench.throw(*((2, 3, 4, 5, 6, 1) if number % 2 else (6, 5, 4, 3, 2, 2)))
        bench.wizard.do(CalibrationStep.LEARN)
        number += 1
    learning = bench.wizard.state().learning

    assert learning.looked_at > looked_at
    assert str(learning.words).startswith("white dice with black pips")
    bench.wizard.do(CalibrationStep.SAVE)
    dice = load(bench.file).dice
    assert dice.looks[0].edge == pytest.approx(
        16 * 866 / 250 / tray_width_px(bench.tray.tray), rel=0.2
    )
    assert bench.wizard.do(CalibrationStep.FORGET).learning.learnt is False


def test_starting_again_with_the_dice_forgets_their_faces(bench):
    bench.wizard.do(CalibrationStep.FIND)  # the memory begins when the camera opens
    memory = bench.watch.memory
    die = Die(3, 300.0, 300.0, 60.0, 60.0, 0.0, 0.99)
    for time_s in (1.0, 2.0):
        memory.add(time_s, bench.tray.capture().image, Reading((die,)))
        memory.accept(time_s, lambda _: True)
    assert [look.value for look in memory.known.looks] == [3]
    bench.wizard.do(CalibrationStep.FORGET)

    assert memory.known.looks == ()


def test_dice_that_were_not_thrown_and_an_empty_tray_are_refused(bench):
    set_exact_corners(bench)
    with pytest.raises(TableError, match="empty"):
        bench.wizard.do(CalibrationStep.TEST)
    bench.throw(1, 2, 3, 4, 5, 6)
    bench.wizard.do(CalibrationStep.TEST)
    with pytest.raises(TableError, match="Not thrown yet"):
        bench.wizard.do(CalibrationStep.TEST)


def test_each_die_is_shown_with_its_face_or_its_problem(bench):
    set_exact_corners(bench)
    bench.throw(1, 2, 3, 4, 5, 6)
    dice = bench.wizard.do(CalibrationStep.TEST).dice
    read = [die for die in dice if die.problem is None]

    assert {die.problem for die in dice} <= {None, *map(str, Problem)}
    assert {die.value for die in read} <= {1, 2, 3, 4, 5, 6}
    assert len(read) >= 3


def test_the_self_test_needs_three_complete_throws_in_a_row(bench):
    set_exact_corners(bench)
    bench.throw(1, 2, 3, 4, 5, 6)
    bench.tray.set_aside([1], to="gone")
    failed = bench.wizard.do(CalibrationStep.TEST)
    assert [trial.passed for trial in failed.trials] == [False]
    assert failed.trials[0].words

    passed = []
    for number in range(12):
        bench.throw(*((6, 5, 4, 3, 2, 1) if number % 2 else (1, 3, 5, 2, 4, 6)))
        passed = [trial.passed for trial in bench.wizard.do(CalibrationStep.TEST).trials]
        if passed == [True] * 3:
            break
    assert passed == [True] * 3
    assert bench.wizard.do(CalibrationStep.RETEST).trials == ()


def test_presses_belong_to_the_calibration_only_while_its_page_is_open(bench, monkeypatch):
    assert not bench.wizard.handle_press(0.1)
    bench.wizard.set_button_use("button")
    assert bench.wizard.handle_press(0.1)
    assert bench.wizard.handle_press(1.2)
    bench.until(lambda state: state.parts.pressed and state.parts.held)

    monkeypatch.setattr(module, "PAGE_S", 0.0)
    assert not bench.wizard.handle_press(0.1)


def test_reading_the_state_does_not_keep_the_button_from_the_match(bench):
    bench.wizard.set_button_use("button")
    bench.ahead_s += module.PAGE_S
    bench.wizard.state()
    assert not bench.wizard.handle_press(0.1)

    bench.wizard.keep_alive()
    assert bench.wizard.handle_press(0.1)


def test_the_self_test_throws_as_many_dice_as_the_rules_have(make):
    bench = make(HandledTray(seed=8, n_dice=5, roll_s=0.0), n_dice=5)
    bench.wizard.do(CalibrationStep.FIND)
    bench.throw(1, 2, 3, 4, 5)
    state = bench.wizard.do(CalibrationStep.TEST)

    assert state.n_dice == 5
    assert [trial.passed for trial in state.trials] == [True]


def test_a_press_reads_a_throw_of_the_self_test(bench):
    set_exact_corners(bench)
    bench.throw(1, 2, 3, 4, 5, 6)
    bench.wizard.set_button_use("test")
    assert bench.wizard.handle_press(0.1)

    bench.until(lambda state: state.trials)


def test_a_refused_press_says_why(bench):
    set_exact_corners(bench)
    bench.wizard.set_button_use("learn")
    assert bench.wizard.handle_press(0.1)

    bench.until(lambda state: "empty" in str(state.words))


def test_the_lamp_shows_a_colour_until_a_person_answers(bench):
    bench.wizard.show_colour("green")
    assert bench.wizard.colour == "green"
    state = bench.wizard.confirm_colour("green", seen=False)

    assert bench.wizard.colour == ""
    assert state.parts.lamp == {"red": None, "green": False, "blue": None}
    assert len(bench.lamps) == 2


def test_a_tunable_camera_is_focused_and_its_tuning_is_saved(make):
    bench = make(TunableTray(seed=8, roll_s=0.0))
    bench.wizard.do(CalibrationStep.FOCUS)
    assert bench.tray.done == ("refocus", "relock_exposure")
    bench.wizard.do(CalibrationStep.SAVE)

    held = load(bench.file).held
    assert (held.focus_dpt, held.exposure_us, held.gain) == (3.3, 10_000, 2.5)


def test_a_camera_that_cannot_be_adjusted_is_refused(bench):
    with pytest.raises(TableError, match="turn the focus ring"):
        bench.wizard.do(CalibrationStep.FOCUS)


def test_without_a_camera_steps_are_refused(make, monkeypatch):
    monkeypatch.setattr(wizard_camera, "FRAME_S", 0.3)
    bench = make()

    bench.watch.close()
    bench.wizard.camera_lost()
    assert bench.wizard.picture() is None
    assert bench.wizard.state().camera is None
    with pytest.raises(TableError, match="No camera is connected"):
        bench.wizard.do(CalibrationStep.FIND)
    with pytest.raises(TableError, match="No camera is connected"):
        bench.wizard.do(CalibrationStep.SAVE)


def test_a_failed_save_says_why_and_keeps_the_draft(bench, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    bench.wizard.do(CalibrationStep.FIND)
    monkeypatch.setattr(bench.profiles, "save", full)
    with pytest.raises(TableError, match="No space left"):
        bench.wizard.do(CalibrationStep.SAVE)
    assert bench.wizard.state().unsaved
