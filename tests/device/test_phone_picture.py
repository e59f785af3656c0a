"""A photo of the dice from a phone is a throw like any other."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, current_thread
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from device.companion import companion
from game.commands import Bank, CorrectDie, EnterThrow, StartMatch, SubmitPhoto, Undo
from game.situation import Situation, TableError
from tests.device.rig import open_rig
from vision import read
from vision.images import decode

FIRST = (1, 1, 2, 3, 4, 6)
THOUSAND = (1, 1, 1, 2, 3, 4)
FARKLE = (2, 2, 3, 4, 6, 6)
TURNED = {90: 6, 180: 3, 270: 8}
"""Degrees to turn a picture back -> its EXIF orientation."""


@pytest.fixture
def rig(tmp_path):
    """A table without a camera; the phone photographs the simulated tray."""
    with open_rig(tmp_path, open_camera=None, simulated=False, opened=False) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        yield rig


def photo(rig, *values, ending=".jpg"):
    """Return a phone's photo of these dice."""
    rig.tray.throw_all(values) if len(values) == 6 else rig.tray.throw(values=values)
    rig.clock.now_s += 2
    return cv2.imencode(ending, rig.tray.capture().image)[1].tobytes()


def test_a_photo_is_a_throw(rig):
    snapshot = rig.companion.do(SubmitPhoto(photo(rig, *FIRST)))

    assert snapshot.situation is Situation.ACCEPTED
    assert snapshot.match.last_throw.dice == FIRST
    assert sorted(die.value for die in snapshot.photo.dice) == list(FIRST)
    assert rig.companion.album.photo(snapshot.photo.id).startswith(b"\xff\xd8")


def test_a_throw_from_a_photo_is_corrected_and_undone(rig):
    before = rig.companion.do(SubmitPhoto(photo(rig, *FIRST))).photo
    four = next(i for i, die in enumerate(before.dice) if die.value == 4)
    assert 5 in rig.companion.do(CorrectDie(before.id, four, 5)).match.last_throw.dice
    assert rig.companion.do(Undo()).photo == before

    assert rig.companion.do(Undo()).match.last_throw is None


@pytest.mark.parametrize("degrees", TURNED)
def test_a_photo_is_turned_as_its_exif_says(rig, degrees):
    upright = rig.companion.do(SubmitPhoto(photo(rig, *FIRST))).photo
    rig.companion.do(Undo())
    turned = np.rot90(rig.tray.capture().image, degrees // 90)
    exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0" + bytes([TURNED[degrees]])
    exif += bytes(6)
    plain = cv2.imencode(".jpg", turned)[1].tobytes()
    data = plain[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2) + exif + plain[2:]
    shown = rig.companion.do(SubmitPhoto(data)).photo

    assert shown.width > shown.height
    assert shown.width == pytest.approx(upright.width, rel=0.05)


def test_the_same_photo_again_is_not_a_new_throw(rig):
    data = photo(rig, *FIRST)
    rig.companion.do(SubmitPhoto(data))
    snapshot = rig.companion.do(SubmitPhoto(data))

    assert "have not moved" in str(snapshot.message)
    assert len(snapshot.match.state.turn.throws) == 1


def test_a_photo_that_arrives_after_another_throw_is_refused(rig):
    shown = rig.companion.snapshot().step
    data = photo(rig, *FIRST)
    rig.companion.do(EnterThrow(FIRST, step=shown))
    with pytest.raises(TableError, match="The match has moved on"):
        rig.companion.do(SubmitPhoto(data, step=shown))

    assert len(rig.state.turn.throws) == 1


def test_a_farkle_on_a_photo_has_to_be_confirmed(rig):
    asked = rig.companion.do(SubmitPhoto(photo(rig, *FARKLE)))
    assert asked.situation is Situation.QUESTION
    assert asked.match.state.player.name == "Anna"
    assert asked.photo.index is None
    rig.hold()

    assert rig.companion.snapshot().match.state.player.name == "Ben"


def test_a_match_is_played_with_photos(rig):
    rig.companion.do(SubmitPhoto(photo(rig, *THOUSAND)))
    rig.companion.do(Bank())
    snapshot = rig.companion.do(SubmitPhoto(photo(rig, 1, 2, 3, 3, 4, 6)))

    assert snapshot.match.state.player.name == "Ben"
    assert snapshot.match.state.players[0].score == 1000


def test_without_a_match_a_photo_of_six_dice_needs_attention(tmp_path):
    with open_rig(tmp_path, open_camera=None, opened=False) as rig:
        rig.tray.throw_all((1, 2, 3, 4, 5, 6))
        rig.clock.now_s += 2
        frame = rig.tray.capture().image
        refused = rig.companion.do(SubmitPhoto(cv2.imencode(".jpg", frame)[1].tobytes()))

        assert refused.situation is Situation.ATTENTION


def test_a_die_of_the_roll_off_may_be_anywhere_in_the_photo(tmp_path):
    with open_rig(tmp_path, open_camera=None, opened=False) as rig:
        rig.tray.gather()
        rig.tray.throw(values=[6])
        rig.clock.now_s += 2
        frame = rig.tray.capture().image
        die = read(frame, rig.tray.tray).dice[0]
        part = frame[int(die.y) - 100 : int(die.y) + 100, int(die.x) - 100 : int(die.x) + 100]
        for left in (128, 384):
            table = np.full((512, 640, 3), part[0, 0], np.uint8)
            table[128:328, left : left + 200] = part
            taken = cv2.imencode(".png", table)[1].tobytes()
            rolled = rig.companion.do(SubmitPhoto(taken))

        assert rolled.rolloff.rolls == ((6,), (6,))
        assert "Not thrown yet" in str(rig.companion.do(SubmitPhoto(taken)).message)


def test_the_cropped_photo_shows_each_die_at_its_place(rig):
    for values in (FIRST, (1, 2, 3, 3, 4, 6)):
        shown = rig.companion.do(SubmitPhoto(photo(rig, *values))).photo
        for i, die in enumerate(shown.dice):
            cut = decode(rig.companion.album.die(shown.id, i), 1000)

            assert die.value in read(cut).values
        rig.companion.do(Undo())


def test_a_photo_without_dice_or_with_damage_changes_nothing(rig):
    before = rig.companion.snapshot()
    empty = cv2.imencode(".png", np.full((400, 600, 3), (60, 90, 40), np.uint8))[1].tobytes()
    for data, words in (
        (empty, "There are no dice"),
        (photo(rig, *FIRST)[:-5000], "incomplete or damaged"),
    ):
        with pytest.raises(TableError, match=words):
            rig.companion.do(SubmitPhoto(data))

    assert rig.companion.snapshot() == before


def test_a_photo_after_the_match_is_refused(rig):
    rig.companion.do(StartMatch(("Anna", "Ben"), target=500))
    rig.companion.do(SubmitPhoto(photo(rig, *THOUSAND)))
    rig.companion.do(Bank())
    rig.companion.do(SubmitPhoto(photo(rig, *FARKLE)))
    assert rig.hold().situation is Situation.WON
    with pytest.raises(TableError, match="over"):
        rig.companion.do(SubmitPhoto(photo(rig, *FIRST)))


def test_a_large_photo_is_saved_cropped_to_the_dice(tmp_path):
    kept = []
    keeper = SimpleNamespace(keep=lambda position, image, *_: kept.append(image.shape))
    with open_rig(tmp_path, open_camera=None, opened=False, throw_pictures=keeper) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        photo(rig, *FIRST)
        large = cv2.resize(rig.tray.capture().image, (4000, 2250))
        rig.companion.do(SubmitPhoto(cv2.imencode(".jpg", large)[1].tobytes()))

    assert len(kept) == 1
    assert kept[0][0] < 2250 / 2


def test_no_camera_is_missed_if_phones_take_the_pictures(rig):
    snapshot = rig.companion.snapshot()
    rig.clock.now_s += 30
    rig.companion.process_next(0)

    assert snapshot.camera is None
    assert str(snapshot.lamp.meaning) == "ready: throw and press"
    assert rig.companion.troubles.camera is None
    assert "photo with a phone" in str(rig.press().message)


def test_with_a_camera_as_well_the_next_press_does_not_count_the_same_dice_again(match_rig):
    match_rig.tray.throw_all(FIRST)
    match_rig.wait_s(1)
    data = cv2.imencode(".jpg", match_rig.tray.capture().image)[1].tobytes()
    match_rig.companion.do(SubmitPhoto(data))
    snapshot = match_rig.press()

    assert len(snapshot.match.state.turn.throws) == 1


def test_photos_from_many_threads_are_read_on_one_thread(rig, monkeypatch):
    seen, reads, phones = companion.read_phone_picture, [], 3
    taken, together = photo(rig, *FIRST), Barrier(phones)

    def read_phone_picture(picture, time_s):
        reads.append(current_thread())
        return seen(picture, time_s)

    def post(_):
        together.wait()
        rig.companion.do(SubmitPhoto(taken))

    monkeypatch.setattr(companion, "read_phone_picture", read_phone_picture)
    with ThreadPoolExecutor(phones) as server:
        list(server.map(post, range(phones)))
    rig.companion.close()

    assert len(reads) == phones
    assert len(set(reads)) == 1
    assert not reads[0].is_alive()
