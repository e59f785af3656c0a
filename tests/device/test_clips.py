"""The clip of a roll can be replayed, for the throw in view and for older ones."""

import re
from itertools import pairwise

import cv2
import numpy as np
import pytest

from device.app import show_stored_photo
from device.cameras.roll_clip import MAX_BYTES
from device.storage.throw_pictures import ThrowPictures
from game.commands import CorrectThrow, EnterThrow, SetJustDice, StartMatch, Undo
from game.journal.history import History
from game.situation import Situation
from tests.clock import Clock
from tests.device.rig import NUDGE_S, ROLL_S, open_rig
from tests.handled_tray import HandledTray
from tests.web.conftest import as_scorekeeper, make_app

FIRST = (1, 1, 2, 3, 4, 6)
START = b"\xff\xd8\xff"


def frames(motion_jpeg):
    parts = [START + part for part in motion_jpeg.split(START)[1:]]
    return [cv2.imdecode(np.frombuffer(part, np.uint8), cv2.IMREAD_COLOR) for part in parts]


def difference(a, b):
    return float(np.abs(a.astype(int) - b).mean())


def test_the_clip_of_a_throw_ends_with_the_dice_at_rest(match_rig):
    photo = match_rig.throw(*FIRST).photo
    clip = match_rig.companion.album.clip(photo.id)
    shown = frames(clip)

    assert photo.has_clip
    assert len(clip) <= MAX_BYTES
    assert len(shown) > 4
    assert difference(shown[0], shown[-1]) > 5 * difference(shown[-2], shown[-1])


def test_an_undo_shows_the_clip_of_the_previous_throw(match_rig):
    first = match_rig.throw(*FIRST).photo
    clip = match_rig.companion.album.clip(first.id)
    match_rig.tray.set_aside((1, 1))
    second = match_rig.throw(2, 3, 4, 6).photo
    assert match_rig.companion.album.clip(second.id) != clip

    assert match_rig.companion.do(Undo()).photo.has_clip
    assert match_rig.companion.album.clip(first.id) == clip


def test_a_question_about_a_die_has_a_clip(match_rig):
    match_rig.tray.throw_all(FIRST)
    match_rig.wait_s(ROLL_S + 0.1)
    match_rig.tray.lean(away=True)
    asked = match_rig.press()

    assert asked.situation is Situation.ATTENTION
    assert asked.photo.has_clip


def test_a_hand_that_moves_dice_after_the_roll_is_in_the_clip_too(match_rig):
    match_rig.roll(*FIRST)
    match_rig.wait_s(3.0)
    match_rig.tray.nudge(hand=True)
    match_rig.wait_s(NUDGE_S)
    clip = match_rig.companion.album.clip(match_rig.press().photo.id)
    times_ms = [int(text) for text in re.findall(rb"\xfe..(-?\d+)\xff", clip, re.DOTALL)]

    assert times_ms[0] < -3000
    assert max(b - a for a, b in pairwise(times_ms)) > 2000


def test_throws_without_a_match_have_clips_too(rig):
    rig.companion.do(SetJustDice(on=True))

    assert rig.throw(*FIRST).photo.has_clip


def test_a_photo_without_a_clip_says_so(match_rig):
    photo = match_rig.throw(*FIRST).photo

    assert match_rig.companion.album.clip("unknown") is None
    assert match_rig.companion.do(EnterThrow((1, 5, 5, 5))).photo is None
    assert photo.has_clip


def test_nothing_is_recorded_if_the_setting_is_off(tmp_path):
    with open_rig(tmp_path, clips=False) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        photo = rig.throw(*FIRST).photo

        assert not photo.has_clip
        assert rig.companion.album.clip(photo.id) is None


class Uncalibrated(HandledTray):
    """A camera that does not know where the tray is."""

    tray = aside = None


def test_nothing_is_recorded_while_the_place_of_the_tray_is_unknown(tmp_path):
    clock = Clock(1000.0)
    tray = Uncalibrated(seed=7, roll_s=ROLL_S, clock=clock)
    with open_rig(tmp_path, tray=tray, clock=clock) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))

        assert not rig.throw(*FIRST).photo.has_clip


class Keeper:
    """The part of the maintenance that the page uses for clips."""

    def __init__(self, pictures):
        self.clip, self.clip_positions = pictures.clip, pictures.clip_positions


@pytest.fixture
def evening(tmp_path):
    """A table that keeps pictures, and a client of its page."""
    folder = tmp_path / "frames"
    pictures = ThrowPictures(folder)
    with open_rig(tmp_path, throw_pictures=pictures) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        app = make_app(
            rig.companion,
            history=History(tmp_path / "journal.db"),
            maintainer=Keeper(pictures),
        )
        yield rig, as_scorekeeper(app), pictures
        pictures.close()


def listed(client):
    return client.get("/api/v1/matches/last/clips").json["clips"]


def test_older_throws_of_the_match_have_their_own_clips(evening):
    rig, client, pictures = evening
    clips = [rig.companion.album.clip(rig.throw(*FIRST).photo.id)]
    rig.tray.set_aside((1, 1))
    clips.append(rig.companion.album.clip(rig.throw(2, 3, 4, 6).photo.id))
    rig.companion.do(EnterThrow((1, 2, 3, 4, 5, 6)))
    rig.companion.do(CorrectThrow((1, 1, 2, 3, 4, 5), index=0))
    pictures.close()
    found = listed(client)

    assert [client.get(each["url"]).data for each in found] == clips
    thrown = [throw.index for turn in rig.state.turns for throw in turn.throws]
    assert [each["throw"] for each in found] == thrown


def test_the_photo_of_the_current_throw_is_still_there_after_a_restart(tmp_path):
    pictures = ThrowPictures(tmp_path / "frames")
    with open_rig(tmp_path, throw_pictures=pictures) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        before = rig.throw(*FIRST).photo
    pictures.close()
    pictures = ThrowPictures(tmp_path / "frames")
    with open_rig(tmp_path, throw_pictures=pictures, opened=False) as rig:
        show_stored_photo(rig.companion, History(tmp_path / "journal.db"), pictures)
        rig.until(lambda snapshot: snapshot.photo)
        client = as_scorekeeper(make_app(rig.companion))
        photo = rig.companion.snapshot().photo

        assert photo.index == rig.state.turn.last.index
        for die, same in zip(photo.dice, before.dice, strict=True):
            assert (die.value, die.slot) == (same.value, same.slot)
            assert (die.x, die.y, die.w) == pytest.approx((same.x, same.y, same.w), abs=0.01)
        close_up = client.get(f"/api/v1/photo/{photo.id}/0.jpg")
        assert (close_up.status_code, photo.has_clip) == (200, before.has_clip)
        assert f'/photo/{photo.id}.jpg"' in client.get("/").text
        assert client.get(f"/api/v1/photo/{photo.id}.jpg").status_code == 200
        rig.companion.do(Undo())
        assert rig.companion.snapshot().photo is None
    pictures.close()


def test_a_stored_photo_that_a_power_cut_left_incomplete_does_not_prevent_the_start(tmp_path):
    pictures = ThrowPictures(tmp_path / "frames")
    with open_rig(tmp_path, throw_pictures=pictures) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.throw(*FIRST)
    pictures.close()
    (stored,) = (tmp_path / "frames").glob("*.jpg")
    complete = stored.read_bytes()
    stored.write_bytes(complete[:700].ljust(len(complete), b"\0"))
    pictures = ThrowPictures(tmp_path / "frames")
    with open_rig(tmp_path, throw_pictures=pictures) as rig:
        show_stored_photo(rig.companion, History(tmp_path / "journal.db"), pictures)

        assert rig.press().situation is not None
    pictures.close()
