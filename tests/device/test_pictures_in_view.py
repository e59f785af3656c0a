"""A photo is shown with its throw and with no other, and says what is true of it now."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from device.cameras.simulated.tray import SimulatedTray
from game.commands import CorrectDie, CorrectThrow, EnterThrow, StartMatch, Undo
from game.situation import Situation
from tests.clock import Clock
from tests.device.rig import ROLL_S, open_rig

FIRST = (1, 1, 2, 3, 4, 6)
PEOPLE = (255, 0, 255)
"""A colour that neither tray nor dice have."""


@pytest.fixture
def photo(match_rig):
    """Of Anna's first throw."""
    return match_rig.throw(*FIRST).photo


def faces(photo):
    return sorted(die.value for die in photo.dice)


def test_a_correction_is_drawn_and_undo_gives_the_former_photo_back(match_rig, photo):
    after = match_rig.companion.do(CorrectThrow((1, 1, 2, 3, 4, 5))).photo
    assert (faces(after), after.index) == ([1, 1, 2, 3, 4, 5], 0)
    assert match_rig.companion.photo(after.id) != match_rig.companion.photo(photo.id)

    assert match_rig.companion.do(Undo()).photo == photo


def test_a_die_corrected_on_the_photo_and_taken_back_shows_what_it_showed(match_rig, photo):
    four = next(i for i, die in enumerate(photo.dice) if die.value == 4)
    assert match_rig.companion.do(CorrectDie(photo.id, four, 5)).photo.dice[four].value == 5

    assert match_rig.companion.do(Undo()).photo == photo


def test_a_throw_tapped_in_shows_no_picture_and_undone_the_one_before(match_rig, photo):
    assert match_rig.companion.do(EnterThrow((1, 5, 5, 5))).photo is None
    assert match_rig.companion.do(Undo()).photo == photo


def test_a_new_match_shows_no_old_dice(match_rig, photo):
    assert match_rig.companion.do(StartMatch(("Clara", "Dora"))).photo is None


def test_after_a_restart_the_same_throw_never_has_another_ones_name(tmp_path):
    with open_rig(tmp_path) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        before = rig.throw(*FIRST).photo
    with open_rig(tmp_path) as rig:
        assert rig.companion.snapshot().photo is None
        rig.companion.do(StartMatch(("Clara", "Dora")))
        after = rig.throw(6, 6, 4, 3, 2, 1).photo
        assert rig.companion.photo(before.id) is None

    assert after.id != before.id


def test_what_is_in_question_is_shown_while_it_is(match_rig, photo):
    match_rig.tray.gather()
    match_rig.tray.throw(values=(1, 2, 3))
    asked = match_rig.press()
    assert asked.situation is Situation.ATTENTION
    assert (faces(asked.photo), asked.photo.index) == ([1, 2, 3], None)

    assert match_rig.companion.do(EnterThrow((1, 5, 5, 5))).photo is None


def test_each_die_can_be_looked_at_closely(match_rig, photo):
    cuts = {match_rig.companion.photo_die(photo.id, n) for n in range(len(FIRST))}

    assert len(cuts) == len(FIRST)
    assert all(cut.startswith(b"\xff\xd8") for cut in cuts)
    assert match_rig.companion.photo_die(photo.id, len(FIRST)) is None


def test_what_is_kept_beside_the_journal_is_never_another_throws_picture(tmp_path):
    kept = []
    keeper = SimpleNamespace(keep=lambda position, image: kept.append(position))
    with open_rig(tmp_path, throw_pictures=keeper) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.throw(*FIRST)
        rig.companion.do(EnterThrow((1, 5, 5, 5)))

    assert len(kept) == 1


class Room:
    """The camera over the tray, which sees people beside it, too."""

    def __init__(self, tray):
        self._tray = tray

    def __getattr__(self, name):
        return getattr(self._tray, name)

    def preview(self):
        return self._with_people(self._tray.preview())

    def capture(self):
        return self._with_people(self._tray.capture())

    def _with_people(self, frame):
        image = frame.image.copy()
        image[:, : image.shape[1] // 20] = PEOPLE
        return replace(frame, image=image)


def test_nothing_of_the_room_is_kept_beside_the_journal(tmp_path):
    kept = []
    pictures = SimpleNamespace(keep=lambda _, image: kept.append(image))
    clock = Clock(1000.0)
    tray = SimulatedTray(seed=7, roll_s=ROLL_S, clock=clock)
    with open_rig(
        tmp_path, tray=tray, clock=clock, open_camera=lambda: Room(tray), throw_pictures=pictures
    ) as rig:
        assert (rig.watch.preview.latest[0, 0] == PEOPLE).all()
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.throw(*FIRST)

    assert len(kept) == 1
    assert not (kept[0] == PEOPLE).all(axis=2).any()


def test_a_picture_is_kept_of_the_throw_and_not_of_what_was_seen_since(tmp_path):
    kept = []
    pictures = SimpleNamespace(keep=lambda position, image: kept.append((position, image)))
    with open_rig(tmp_path, throw_pictures=pictures) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.throw(*FIRST)
        assert [position for position, _ in kept] == [2]

        rig.tray.gather()
        rig.press()
        rig.companion.session.table.live_match.last_seen_position = (
            3  # as a choice books a throw that lay there before
        )
        rig.companion.announce("http://here/")

    assert len(kept) == 1
