"""A photo is shown only with its own throw, with the throw's current faces."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from game.commands import CorrectDie, CorrectThrow, EnterThrow, StartMatch, Undo
from game.situation import Situation
from tests.clock import Clock
from tests.device.rig import ROLL_S, open_rig
from tests.handled_tray import HandledTray

FIRST = (1, 1, 2, 3, 4, 6)
PEOPLE = (255, 0, 255)
"""A colour that occurs neither in the tray nor on the dice."""


@pytest.fixture
def photo(match_rig):
    """The photo of Anna's first throw."""
    return match_rig.throw(*FIRST).photo


def faces(photo):
    return sorted(die.value for die in photo.dice)


def test_a_correction_is_drawn_and_undo_restores_the_photo(match_rig, photo):
    after = match_rig.companion.do(CorrectThrow((1, 1, 2, 3, 4, 5))).photo
    assert (faces(after), after.index) == ([1, 1, 2, 3, 4, 5], 0)
    assert match_rig.companion.album.photo(after.id) != match_rig.companion.album.photo(photo.id)

    assert match_rig.companion.do(Undo()).photo == photo


def test_undoing_the_correction_of_a_die_restores_its_face_on_the_photo(match_rig, photo):
    four = next(i for i, die in enumerate(photo.dice) if die.value == 4)
    assert match_rig.companion.do(CorrectDie(photo.id, four, 5)).photo.dice[four].value == 5

    assert match_rig.companion.do(Undo()).photo == photo


def test_an_entered_throw_has_no_photo_and_its_undo_shows_the_previous_one(match_rig, photo):
    assert match_rig.companion.do(EnterThrow((1, 5, 5, 5))).photo is None
    assert match_rig.companion.do(Undo()).photo == photo


def test_a_new_match_shows_no_old_dice(match_rig, photo):
    assert match_rig.companion.do(StartMatch(("Clara", "Dora"))).photo is None


def test_after_a_restart_a_photo_never_has_the_id_of_another_one(tmp_path):
    with open_rig(tmp_path) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        before = rig.throw(*FIRST).photo
    with open_rig(tmp_path) as rig:
        assert rig.companion.snapshot().photo is None
        rig.companion.do(StartMatch(("Clara", "Dora")))
        after = rig.throw(6, 6, 4, 3, 2, 1).photo
        assert rig.companion.album.photo(before.id) is None

    assert after.id != before.id


def test_the_photo_in_question_is_shown_while_the_question_is_open(match_rig, photo):
    match_rig.tray.gather()
    match_rig.tray.throw(values=(1, 2, 3))
    asked = match_rig.press()
    assert asked.situation is Situation.ATTENTION
    assert (faces(asked.photo), asked.photo.index) == ([1, 2, 3], None)

    assert match_rig.companion.do(EnterThrow((1, 5, 5, 5))).photo is None


def test_each_die_of_the_photo_has_a_close_up(match_rig, photo):
    cuts = {match_rig.companion.album.die(photo.id, n) for n in range(len(FIRST))}

    assert len(cuts) == len(FIRST)
    assert all(cut.startswith(b"\xff\xd8") for cut in cuts)
    assert match_rig.companion.album.die(photo.id, len(FIRST)) is None


def test_the_saved_picture_always_belongs_to_its_throw(tmp_path):
    kept = []
    keeper = SimpleNamespace(keep=lambda position, image, *_: kept.append(position))
    with open_rig(tmp_path, throw_pictures=keeper) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.throw(*FIRST)
        rig.companion.do(EnterThrow((1, 5, 5, 5)))

    assert len(kept) == 1


class Room:
    """A camera that also sees people next to the tray."""

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


def test_saved_pictures_show_nothing_of_the_room(tmp_path):
    kept = []
    pictures = SimpleNamespace(keep=lambda _position, image, *_: kept.append(image))
    clock = Clock(1000.0)
    tray = HandledTray(seed=7, roll_s=ROLL_S, clock=clock)
    with open_rig(
        tmp_path, tray=tray, clock=clock, open_camera=lambda: Room(tray), throw_pictures=pictures
    ) as rig:
        assert (rig.watch.preview.latest[0, 0] == PEOPLE).all()
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.throw(*FIRST)

    assert len(kept) == 1
    assert not (kept[0] == PEOPLE).all(axis=2).any()


def test_no_later_picture_is_saved_for_a_throw(tmp_path):
    kept = []
    pictures = SimpleNamespace(keep=lambda position, image, *_: kept.append((position, image)))
    with open_rig(tmp_path, throw_pictures=pictures) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.throw(*FIRST)
        assert [position for position, _ in kept] == [2]

        rig.tray.gather()
        rig.press()
        rig.companion.session.live_match.last_seen_position = (
            3  # as a choice does that counts a throw that lay there before
        )
        rig.companion.announce("http://here/")

    assert len(kept) == 1
